#include "core/chaid/tails.hpp"

#include <algorithm>
#include <cmath>

namespace branchwork::chaid {
namespace {

constexpr double smallest_p = 1e-290;    // for smaller p-values, the logarithm is computed directly
constexpr double smallest_log = -1e300;  // used as the logarithm of zero
constexpr int terms = 500;               // largest number of terms of a continued fraction
constexpr double largest_f = 1e300;      // used instead of an infinite F

/// The logarithm of Γ(a, z) / Γ(a) with a = freedom / 2 and z = x / 2, by the continued fraction
/// Γ(a, z) = e^−z z^a / (z + 1 − a − 1(1 − a) / (z + 3 − a − 2(2 − a) / (z + 5 − a − …))).
double log_far_chi_square(const SpecialFunctions& special, double x, double freedom) {
    const double a = freedom / 2, z = x / 2;
    double below = z + 2 * terms + 1 - a;
    for (int k = terms; k > 0; --k) below = z + 2 * k - 1 - a - k * (k - a) / below;
    return a * std::log(z) - z - std::log(below) - special.gammaln(a, 0);
}

/// The logarithm of the tail of F, by the continued fraction of the incomplete beta function (Lentz's method).
double log_far_f(const SpecialFunctions& special, double f, double d1, double d2) {
    const double a = d2 / 2, b = d1 / 2, x = d2 / (d2 + d1 * f);
    double c = 1, d = 1 / (1 - (a + b) * x / (a + 1)), fraction = d;
    for (int k = 1; k < terms; ++k) {
        const double even = k * (b - k) * x / ((a + 2 * k - 1) * (a + 2 * k));
        const double odd = -(a + k) * (a + b + k) * x / ((a + 2 * k) * (a + 2 * k + 1));
        d = 1 / (1 + even * d);
        c = 1 + even / c;
        fraction = fraction * d * c;
        d = 1 / (1 + odd * d);
        c = 1 + odd / c;
        const double step = d * c;
        fraction = fraction * step;
        if (!(std::abs(step - 1) > 1e-14)) break;
    }
    return a * std::log(x) + b * std::log1p(-x) - std::log(a) - special.betaln(a, b, 0) + std::log(fraction);
}

template <class FarTail>
double log_of(double p, FarTail far) {
    if (!(p < smallest_p)) return std::log(p);
    const double found = far();
    return std::isnan(found) ? smallest_log : std::max(found, smallest_log);
}

}  // namespace

Tail chi_square_tail(const SpecialFunctions& special, double x, double freedom) {
    if (!(freedom > 0)) return {1, 0};
    const double p = special.chdtrc(std::max(freedom, 1.0), x, 0);
    return {p, log_of(p, [&] { return log_far_chi_square(special, x, freedom); })};
}

Tail f_tail(const SpecialFunctions& special, double f, double d1, double d2) {
    const bool is_chi_square = d2 > as_good_as_infinite;
    const double shown = std::min(f, largest_f);
    const double p = is_chi_square   ? special.chdtrc(d1, shown * d1, 0)
                     : std::isinf(f) ? 0
                                     : special.fdtrc(d1, d2, shown, 0);
    return {p, log_of(p, [&] {
                return is_chi_square ? log_far_chi_square(special, f * d1, d1)
                                     : log_far_f(special, f, d1, d2);
            })};
}

double log_chi_square_tail(const SpecialFunctions& special, double x, double freedom) {
    if (freedom == 2) return std::max(-x / 2, smallest_log);  // P = e^(−x/2)
    if (freedom != 1) return chi_square_tail(special, x, freedom).log_p;
    return log_of(std::erfc(std::sqrt(x / 2)), [&] { return log_far_chi_square(special, x, 1); });
}

}  // namespace branchwork::chaid
