// What compilers spell in different ways. These are macros, not functions: avx2.cpp includes this file, and the linker
// might keep the AVX2 copy of a function for the whole program.
#pragma once

#if defined(__clang__) || defined(__GNUC__)
/// Ask the processor to fetch memory that will be read soon.
#define BRANCHWORK_PREFETCH(address) __builtin_prefetch(address)
/// The same, but do not displace what the first cache holds.
#define BRANCHWORK_PREFETCH_FAR(address) __builtin_prefetch(address, 0, 2)
/// Inline a lambda, whatever the compiler thinks of its size.
#define BRANCHWORK_ALWAYS_INLINE __attribute__((always_inline))
#else
#define BRANCHWORK_PREFETCH(address) static_cast<void>(address)
#define BRANCHWORK_PREFETCH_FAR(address) static_cast<void>(address)
#define BRANCHWORK_ALWAYS_INLINE
#endif

/// Promise that no iteration of the next loop reads what another one writes, so that the loop can be vectorized.
#if defined(__clang__)
#define BRANCHWORK_INDEPENDENT _Pragma("clang loop vectorize(assume_safety)")
#elif defined(__GNUC__)
#define BRANCHWORK_INDEPENDENT _Pragma("GCC ivdep")
#elif defined(_MSC_VER)
#define BRANCHWORK_INDEPENDENT __pragma(loop(ivdep))
#else
#define BRANCHWORK_INDEPENDENT
#endif
