// Pairwise summation in the same order as NumPy. Its rounding error grows only with the logarithm of the count, and a
// statistic has the same bits whether it is computed here or with NumPy.
//
//     up to 7 numbers      one after the other
//     up to 128            eight sums of every eighth number:  ((s0 + s1) + (s2 + s3)) + ((s4 + s5) + (s6 + s7)), then the
//                          remaining numbers
//     more                 the sum of two halves; the length of the first is a multiple of 8
#pragma once

#include <cstddef>

namespace branchwork::chaid {

/// Returns get(begin) + ... + get(begin + count - 1).
template <class Get>
double sum_of_many(std::size_t begin, std::size_t count, const Get& get) {
    if (count < 8) {
        double sum = 0;
        for (std::size_t i = 0; i < count; ++i) sum += get(begin + i);
        return sum;
    }
    if (count <= 128) {
        double sums[8];
        for (std::size_t k = 0; k < 8; ++k) sums[k] = get(begin + k);
        std::size_t i = 8;
        for (; i + 8 <= count; i += 8)
            for (std::size_t k = 0; k < 8; ++k) sums[k] += get(begin + i + k);
        double sum =
            ((sums[0] + sums[1]) + (sums[2] + sums[3])) + ((sums[4] + sums[5]) + (sums[6] + sums[7]));
        for (; i < count; ++i) sum += get(begin + i);
        return sum;
    }
    const std::size_t half = count / 2 - count / 2 % 8;
    return sum_of_many(begin, half, get) + sum_of_many(begin + half, count - half, get);
}

/// Returns get(0) + ... + get(count - 1). Short sums are inlined to save the call.
template <class Get>
inline double sum_in_pairs(std::size_t count, const Get& get) {
    if (count >= 8) return sum_of_many(0, count, get);
    double sum = 0;
    for (std::size_t i = 0; i < count; ++i) sum += get(i);
    return sum;
}

}  // namespace branchwork::chaid
