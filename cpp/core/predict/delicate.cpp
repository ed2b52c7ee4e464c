// Finds the rows that a packed tree cannot handle: those that need a surrogate or are shared among children.
#include <algorithm>
#include <cmath>
#include <map>

#include "core/predict/packed.hpp"

namespace branchwork {

std::vector<DelicateFeature> delicate_features(std::span<const TreeView* const> trees,
                                               std::span<const std::int32_t> levels) {
    std::map<std::uint32_t, std::vector<bool>> found;
    for (const TreeView* tree : trees) {
        for (std::size_t node = 0; node < tree->feature.size(); ++node) {
            if (tree->feature[node] < 0) continue;
            const bool stands_in = tree->surrogates.in_use() && tree->surrogates.count[node] > 0;
            const bool unknown_is_delicate = stands_in || tree->default_child[node] < 0;
            const std::int32_t unseen = tree->unseen_child[node];
            const bool unseen_is_delicate = unseen < 0 && (!tree->surrogates.in_use() || unknown_is_delicate);
            if (!unknown_is_delicate && !unseen_is_delicate) continue;
            const auto feature = static_cast<std::uint32_t>(tree->feature[node]);
            const std::int32_t own_levels = levels[feature];
            if (own_levels < 0) {
                if (unknown_is_delicate) found.try_emplace(feature);
                continue;
            }
            auto& codes = found.try_emplace(feature, static_cast<std::size_t>(own_levels) + 2).first->second;
            if (unseen_is_delicate) codes[0] = true;
            if (!unknown_is_delicate) continue;
            codes[1] = true;
            const auto child = tree->pool.subspan(static_cast<std::size_t>(tree->lookup[node]) + 1,
                                                  static_cast<std::size_t>(own_levels));
            for (std::size_t code = 0; code < child.size(); ++code)
                if (child[code] < 0) codes[code + 2] = true;
        }
    }
    std::vector<DelicateFeature> all;
    for (auto& [feature, codes] : found) all.push_back({feature, std::move(codes)});
    return all;
}

bool mark_delicate(std::span<const DelicateFeature> features, std::span<const Column> columns,
                   std::size_t begin, std::size_t n, std::uint8_t* delicate) {
    std::fill_n(delicate, n, std::uint8_t{0});
    bool any = false;
    for (const DelicateFeature& one : features) {
        const Column& column = columns[one.feature];
        for (std::size_t r = 0; r < n; ++r) {
            const bool is = one.codes.empty()
                                ? std::isnan(number_at(column, begin + r))
                                : one.codes[static_cast<std::size_t>(code_at(column, begin + r) + 2)];
            delicate[r] = static_cast<std::uint8_t>(delicate[r] | (is ? 1 : 0));
            any = any || is;
        }
    }
    return any;
}

}  // namespace branchwork
