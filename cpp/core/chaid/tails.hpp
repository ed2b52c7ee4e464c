// Tail probabilities of the chi-square and F distributions, and their logarithms.
//
// They call the C functions of SciPy directly, so p-values agree with SciPy to the last digit, and no Python code runs.
// If a p-value is too small for a double, its logarithm is computed directly, so that two such p-values can still be
// compared.
#pragma once

namespace branchwork::chaid {

/// Functions of SciPy. The last argument is internal to Cython and has no meaning here.
struct SpecialFunctions {
    double (*chdtrc)(double freedom, double x, int);
    double (*fdtrc)(double d1, double d2, double f, int);
    double (*gammaln)(double, int);
    double (*betaln)(double, double, int);
};

/// With more denominator degrees of freedom than this, F is treated as chi-square.
inline constexpr double as_good_as_infinite = 1e12;

struct Tail {
    double p, log_p;
};

/// The probability of a chi-square above x; 1 if there are no degrees of freedom.
Tail chi_square_tail(const SpecialFunctions& special, double x, double freedom);

/// The probability of an F above f with d1 (numerator) and d2 (denominator) degrees of freedom.
Tail f_tail(const SpecialFunctions& special, double f, double d1, double d2);

/// The logarithm alone, which is faster: with one degree of freedom, SciPy's function takes a microsecond, and erfc a
/// fiftieth of that. The results differ only by rounding errors, which are smaller than a tie (merging.hpp).
double log_chi_square_tail(const SpecialFunctions& special, double x, double freedom);

}  // namespace branchwork::chaid
