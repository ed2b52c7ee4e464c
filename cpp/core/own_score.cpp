#include "core/own_score.hpp"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace branchwork {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();
/// Of a number, as a share of it.
constexpr double rounding = 2.3e-16;
/// Fixed point is taken if it changes no node by more than this share of the numbers that it is computed from.
constexpr double most_rounded = 1e-11;

/// What the terms of one class, or the offsets, do from a count to the next ...
double first_difference(const double* f, std::size_t n) { return f[n + 1] - f[n]; }
/// ... and to the one after that.
double second_difference(const double* f, std::size_t n) { return f[n + 2] - 2 * f[n + 1] + f[n]; }

/// The largest, from each place to the end.
std::vector<double> largest_from(std::vector<double> numbers) {
    for (std::size_t k = numbers.size(); k-- > 1;) numbers[k - 1] = std::max(numbers[k - 1], numbers[k]);
    return numbers;
}

}  // namespace

OwnTables::OwnTables(std::span<const double> offset, std::span<const double> scale,
                     std::span<const double> terms_of_classes, std::size_t n_classes, bool maximum)
    : stride(offset.size()),
      classes(n_classes),
      per_class(terms_of_classes.size() != offset.size()),
      by_maximum(maximum),
      terms(terms_of_classes.begin(), terms_of_classes.end()) {
    if (stride < 2 || scale.size() != stride || classes == 0 ||
        terms.size() != (per_class ? classes : 1) * stride)
        throw std::invalid_argument("the tables of a score have a number for each count");
    const auto is_finite = [](double x) { return std::isfinite(x); };
    for (std::size_t k = 0; k < terms.size(); k += stride) terms[k] = 0;
    of_total.resize(stride);
    for (std::size_t n = 1; n < stride; ++n) of_total[n] = {offset[n], scale[n]};
    magnitude.resize(stride);
    double largest_term = 0;
    for (std::size_t n = 1; n < stride; ++n) {
        for (std::size_t k = n; k < terms.size(); k += stride)
            largest_term = std::max(largest_term, std::abs(terms[k]));
        const double here = std::abs(offset[n]) + std::abs(scale[n]) * largest_term;
        magnitude[n] = std::max(magnitude[n - 1], here);
    }
    if (!is_finite(magnitude.back()) || !std::ranges::all_of(terms, is_finite) ||
        !std::ranges::all_of(offset.subspan(1), is_finite) ||
        !std::ranges::all_of(scale.subspan(1), is_finite))
        throw std::invalid_argument("the tables of a score have finite numbers");
    if (classes > 2 && !by_maximum) make_fixed();
    prove_shape();
    recognise_powers();
}

/// The counts of a node's classes add up to at most n, so their terms add up to at most n times the largest term of a
/// row: that many bits are needed before the point, and the rest of 62 are behind it.
void OwnTables::make_fixed() {
    double of_a_row = 0;
    for (std::size_t k = 0; k < terms.size(); ++k)
        if (const std::size_t n = k % stride; n > 0)
            of_a_row = std::max(of_a_row, std::abs(terms[k]) / static_cast<double>(n));
    const int bits = std::ilogb(of_a_row * static_cast<double>(stride) + 1e-300) + 1;
    const int shift = std::min(61 - bits, 1000);
    unit = std::ldexp(1.0, -shift);
    fixed.resize(terms.size());
    for (std::size_t k = 0; k < terms.size(); ++k) fixed[k] = std::llround(std::ldexp(terms[k], shift));
    double most_off = 0, largest_term = 0;
    for (std::size_t n = 1; n < stride; ++n) {
        for (std::size_t k = n; k < terms.size(); k += stride) {
            most_off = std::max(most_off, std::abs(static_cast<double>(fixed[k]) * unit - terms[k]));
            largest_term = std::max(largest_term, std::abs(terms[k]));
        }
        const double scale = std::abs(of_total[n].scale), present = static_cast<double>(std::min(n, classes));
        if (scale * present * most_off > most_rounded * (std::abs(of_total[n].offset) + scale * largest_term))
            return fixed.clear();
    }
}

/// With one scale b for all n, one more row of a class, from k to k + 1 of n rows, changes a node by
///
///     a(n + 1) - a(n)  +  b (g(k + 1) - g(k))                    n >= k, because the rows of the class are among all rows
///
/// so that the worst n for each k is found by one pass from the end, and the same with second differences.
void OwnTables::prove_shape() {
    const double scale = of_total[1].scale;
    if (std::ranges::any_of(std::span(of_total).subspan(1),
                            [&](const PerTotal& of) { return of.scale != scale; }))
        return;
    std::vector<double> offset(stride);
    for (std::size_t n = 1; n < stride; ++n) offset[n] = of_total[n].offset;
    const double noise = 8 * rounding * magnitude.back();
    std::vector<double> falls(stride - 1), bends(stride < 3 ? 0 : stride - 2);
    for (std::size_t n = 0; n < falls.size(); ++n) falls[n] = -first_difference(offset.data(), n);
    for (std::size_t n = 0; n < bends.size(); ++n) bends[n] = second_difference(offset.data(), n);
    falls = largest_from(std::move(falls));
    bends = largest_from(std::move(bends));
    double most_fall = -infinity, most_bend = -infinity;
    for (std::size_t first = 0; first < terms.size(); first += stride) {
        const double* const of_class = terms.data() + first;
        for (std::size_t k = 0; k < falls.size(); ++k) {
            const double change = scale * first_difference(of_class, k);
            most_fall = std::max(most_fall, falls[k] - (by_maximum ? std::min(0.0, change) : change));
        }
        for (std::size_t k = 0; k < bends.size(); ++k) {
            const double bend = scale * second_difference(of_class, k);
            // The larger of a term and a number bends up where the term does: a scale below 0 turns that over.
            most_bend = std::max(most_bend, by_maximum ? std::max(bends[k], bend) : bends[k] + bend);
        }
    }
    is_monotone = most_fall <= noise;
    fall = std::max(0.0, most_fall) + noise;
    is_concave = most_bend <= noise && (!by_maximum || scale <= 0);
    curvature = std::max(0.0, most_bend) + noise;
}

/// A cost of this form that grows with the number of rows, whatever that is, has powers for terms:
///
///     g(k) = alpha k^q      b(n) = beta n^(1 - q)      a(n) = gamma n
///     cost = n (gamma + beta * sum of alpha p^q)                          p: the share of a class
///
/// It is concave if beta alpha p^q is, for every class; of a maximum, if every alpha p^q is convex and beta is not above 0.
/// (The other such form is entropy, with c log c; its scale is one number, so prove_shape() knows it.)
void OwnTables::recognise_powers() {
    constexpr double most_off = 1e-13;
    if (stride < 4) return;
    const double q = std::log2(terms[2] / terms[1]), beta = of_total[1].scale, gamma = of_total[1].offset;
    if (!std::isfinite(q)) return;
    double off = 0;
    const auto see = [&off](double found, double wanted) {
        off = std::max(off, wanted == 0 ? std::abs(found) : std::abs(found - wanted) / std::abs(wanted));
    };
    bool is_multiple = true;
    for (std::size_t n = 1; n < stride; ++n) {
        const auto x = static_cast<double>(n);
        const double power = std::pow(x, q), own_scale = beta * x / power;
        see(of_total[n].offset, gamma * x);
        see(of_total[n].scale, own_scale);
        is_multiple &= of_total[n].offset == gamma * x && of_total[n].scale == beta;
        for (std::size_t first = 0; first < terms.size(); first += stride) {
            see(terms[first + n], terms[first + 1] * power);
            is_multiple &= terms[first + n] == terms[first + 1] * x;
        }
        if (!(off <= most_off)) return;
    }
    bool concave = !by_maximum || beta <= 0;
    for (std::size_t first = 0; first < terms.size(); first += stride) {
        const double bend = terms[first + 1] * q * (q - 1);
        // An exponent next to 1 is 1 but for rounding.
        const bool straight = std::abs(q - 1) <= most_off;
        concave &= straight || (by_maximum ? bend >= 0 : beta * bend <= 0);
    }
    is_homogeneous = concave;
    deviation = off + 2e-15;
    is_linear = is_multiple;
}

}  // namespace branchwork
