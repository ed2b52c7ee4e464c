// Probabilities of chi-square and of F beyond a value, and their logarithms.
//
// The functions themselves are SciPy's, called as plain C: the p-values that a user sees are SciPy's to the last digit, and no
// Python is needed to compute one. Where a p-value is too small for a float, its logarithm is computed by itself, so that two
// such p-values can still be compared.
#pragma once

namespace branchwork::chaid {

/// SciPy's functions; the last argument is Cython's own and has no meaning here.
struct SpecialFunctions {
    double (*chdtrc)(double freedom, double x, int);
    double (*fdtrc)(double d1, double d2, double f, int);
    double (*gammaln)(double, int);
    double (*betaln)(double, double, int);
};

/// With as many degrees of freedom below it, F is chi-square.
inline constexpr double as_good_as_infinite = 1e12;

struct Tail {
    double p, log_p;
};

/// Probability of a chi-square above x. Without degrees of freedom it is 1.
Tail chi_square_tail(const SpecialFunctions& special, double x, double freedom);

/// Probability of an F above f.
Tail f_tail(const SpecialFunctions& special, double f, double d1, double d2);

/// The logarithm alone, sooner: with one degree of freedom SciPy's function takes a microsecond, and erfc a fiftieth of that. The
/// two differ by rounding only, and comparisons of logarithms allow for more than that.
double log_chi_square_tail(const SpecialFunctions& special, double x, double freedom);

}  // namespace branchwork::chaid
