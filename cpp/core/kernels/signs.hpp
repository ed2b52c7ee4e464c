// The signs of two classes among all rows. Included by plain.cpp and avx2.cpp, each in a namespace of its own.

/// +1 for rows of class a, -1 for rows of class b, 0 for all others.
inline void class_signs(const std::uint8_t* classes, std::size_t n, std::uint8_t a, std::uint8_t b,
                        std::int8_t* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<std::int8_t>((classes[i] == a) - (classes[i] == b));
}
