// The number of errors to expect after some were observed: the upper confidence limit of C4.5, as computed by C4.5
// Release 8 and by Weka's J48.
#pragma once

#include <algorithm>
#include <cmath>

namespace branchwork {

struct ErrorBound {
    double confidence = 0.25;
    double deviate = 0;  // a standard normal variable exceeds this with probability `confidence`
    bool j48 = false;

    /// The number of errors to add to those observed among rows of this weight.
    double extra(double errors, double weight) const {
        if (weight <= 0) return 0;
        if (errors < 1e-6) return without_errors(weight);
        if (errors < 1) {
            const double none = without_errors(weight);
            return none + errors * (extra(1, weight) - none);
        }
        if (errors + 0.5 >= weight) return j48 ? std::max(weight - errors, 0.0) : 0.67 * (weight - errors);
        const double seen = errors + 0.5, z2 = deviate * deviate;
        const double root = std::sqrt(seen * (1 - seen / weight) + z2 / 4);
        return weight * ((seen + z2 / 2 + deviate * root) / (weight + z2)) - errors;
    }

  private:
    double without_errors(double weight) const {
        return weight * (1 - std::exp(std::log(confidence) / weight));
    }
};

}  // namespace branchwork
