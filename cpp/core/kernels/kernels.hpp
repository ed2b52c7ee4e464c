// Loops that are worth an instruction set of their own, behind one table of functions.
//
// The core is built for plain x86-64 (or whatever the compiler's default is), so that a wheel runs everywhere. The loops
// in this folder are compiled twice: plain.cpp, and avx2.cpp with -mavx2. The processor is asked once which of the two
// it can run. Both give the same bits: a test runs a slice of the suite with each.
//
//     kernels().subtract(from, part, n)
//        |
//        +-- plain.cpp   any processor
//        '-- avx2.cpp    only where the processor has AVX2
//
// BRANCHWORK_INSTRUCTIONS=plain in the environment asks for the plain form.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/kernels/extremes.hpp"

namespace branchwork {

struct Kernels {
    const char* name;  // "plain" or "avx2"

    /// from[i] -= part[i]
    void (*subtract)(std::uint32_t* from, const std::uint32_t* part, std::size_t n);

    // Optimal trees: see extremes.hpp.
    void (*side_extremes)(const ExtremesTask& task, Extremes* left, Extremes* right);
    void (*mark_outside)(const std::int16_t* rank, const std::uint8_t* classes, std::size_t blocks,
                         std::int32_t cut, bool left, std::uint8_t* out);
    void (*bits_above)(const std::uint16_t* rank, std::size_t words, std::uint16_t cut, std::uint64_t* out);
    void (*class_signs)(const std::uint8_t* classes, std::size_t n, std::uint8_t a, std::uint8_t b,
                        std::int8_t* out);
};

/// The table for this processor. It is chosen on the first call and never changes.
const Kernels& kernels();

extern const Kernels plain_kernels;
#if defined(BRANCHWORK_AVX2)
extern const Kernels avx2_kernels;
#endif

}  // namespace branchwork
