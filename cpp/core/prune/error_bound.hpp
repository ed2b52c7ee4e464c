// How many errors to expect where some were seen: C4.5's upper limit at a confidence, as Release 8 and Weka's
// J48 calculate it.
#pragma once

#include <algorithm>
#include <cmath>

namespace branchwork {

struct ErrorBound {
    double confidence = 0.25;
    double deviate = 0;  // the point that a standard normal number exceeds with this probability
    bool j48 = false;

    /// Errors to add to those seen among rows of this weight.
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
