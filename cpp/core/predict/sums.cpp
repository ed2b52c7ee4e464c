#include "core/predict/sums.hpp"

#include <vector>

namespace branchwork {

void BlockSums::take_plainly(std::size_t t, std::size_t r) {
    const Member& member = ensemble_.members()[t];
    if (!batch_.copies.empty() && batch_.copies[t][begin_ + r] > 0) return;
    pulse_.check();  // a path may be thousands of nodes long
    Shares found;
    if (member.shares) {
        SharedWalk(batch_.columns, *member.tree, member.weight).leaves_of(begin_ + r, found, pulse_);
    } else {
        found.leaf.push_back(leaf_of(batch_.columns, *member.tree, begin_ + r));
        found.share.push_back(1);
    }
    if (!wants_sums()) {
        const auto largest = std::ranges::max_element(found.share) - found.share.begin();  // ties: the first
        batch_.leaves[(begin_ + r) * ensemble_.members().size() + t] =
            found.leaf[static_cast<std::size_t>(largest)];
        return;
    }
    const std::size_t width = member.output >= 0 ? 1 : width_;
    double* const sum =
        sums_ + r * width_ + (member.output >= 0 ? static_cast<std::size_t>(member.output) : 0);
    for (std::size_t j = 0; j < width; ++j) {
        const auto part = [&](std::size_t k) {
            return member.value[static_cast<std::size_t>(found.leaf[k]) * width + j] * found.share[k];
        };
        double mixed = member.shares ? 0.0 + part(0) : part(0);
        for (std::size_t k = 1; k < found.leaf.size(); ++k) mixed += part(k);
        sum[j] += mixed;
    }
}

}  // namespace branchwork
