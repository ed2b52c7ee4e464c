// Kernels over arrays of counters. Included by plain.cpp and avx2.cpp, each in a namespace of its own: the compiler
// vectorizes the same loops for each instruction set.

inline void subtract(std::uint32_t* from, const std::uint32_t* part, std::size_t n) {
    for (std::size_t i = 0; i < n; ++i) from[i] -= part[i];
}
