// Turns two classes into signs. Included by plain.cpp and avx2.cpp, each in a namespace of its own.

/// Writes +1 for rows of class a, -1 for rows of class b and 0 for all others.
inline void class_signs(const std::uint8_t* classes, std::size_t n, std::uint8_t a, std::uint8_t b,
                        std::int8_t* out) {
    for (std::size_t i = 0; i < n; ++i)
        out[i] = static_cast<std::int8_t>((classes[i] == a) - (classes[i] == b));
}
