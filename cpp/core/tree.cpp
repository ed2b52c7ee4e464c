#include "core/tree.hpp"

#include <algorithm>
#include <limits>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace branchwork {

void GrownTree::reserve(std::size_t nodes) {
    const auto make_room = [nodes](auto&... arrays) { (arrays.reserve(nodes), ...); };
    make_room(feature, cut, first_child, n_children, lookup, default_child, weight, n_rows, impurity, gain,
              variance, stop);
    is_sparse ? few.reserve(nodes) : stats.reserve(nodes * width);
}

std::int32_t GrownTree::add_node() {
    feature.push_back(-1);
    cut.push_back(std::numeric_limits<double>::quiet_NaN());
    first_child.push_back(-1);
    n_children.push_back(0);
    lookup.push_back(-1);
    default_child.push_back(-1);
    weight.push_back(0);
    n_rows.push_back(0);
    impurity.push_back(0);
    gain.push_back(0);
    variance.push_back(0);
    if (is_sparse)
        few.emplace_back();
    else
        stats.insert(stats.end(), width, 0.0);
    stop.push_back(Stop::empty);
    if (size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::length_error("a tree has at most 2^31 - 1 nodes");
    return static_cast<std::int32_t>(size()) - 1;
}

void GrownTree::make_leaf(std::int32_t node, Stop reason) {
    const auto id = static_cast<std::size_t>(node);
    feature[id] = first_child[id] = lookup[id] = default_child[id] = -1;
    n_children[id] = 0;
    cut[id] = std::numeric_limits<double>::quiet_NaN();
    gain[id] = 0;
    stop[id] = reason;
}

double GrownTree::largest_count(std::size_t node) const {
    double largest = 0;
    if (is_sparse) {
        for (const auto& [cls, count] : few[node]) largest = std::max(largest, count);
    } else {
        const auto first = stats.begin() + static_cast<std::ptrdiff_t>(node * width);
        largest = *std::max_element(first, first + static_cast<std::ptrdiff_t>(width));
    }
    return largest;
}

void GrownTree::fill_in() {
    if (!is_sparse) return;
    stats.assign(size() * width, 0.0);
    for (std::size_t node = 0; node < size(); ++node) {
        for (const auto& [cls, count] : few[node])
            stats[node * width + static_cast<std::size_t>(cls)] = count;
        few[node] = {};
    }
    few = {};
    is_sparse = false;
}

void GrownTree::graft(std::int32_t leaf, GrownTree&& part) {
    const auto at = static_cast<std::size_t>(leaf);
    const auto shift = static_cast<std::int32_t>(size()) - 1;  // node k > 0 of the part becomes k + shift
    const auto pool_shift = static_cast<std::int32_t>(pool.size());
    for (std::int32_t& child : part.first_child)
        if (child >= 0) child += shift;
    for (std::int32_t& offset : part.lookup)
        if (offset >= 0) offset += pool_shift;
    const auto append = [at](auto& array, const auto& from, std::size_t items) {
        const auto count = static_cast<std::ptrdiff_t>(items);
        std::copy_n(from.begin(), count, array.begin() + static_cast<std::ptrdiff_t>(at) * count);
        array.insert(array.end(), from.begin() + count, from.end());
    };
    append(feature, part.feature, 1), append(cut, part.cut, 1), append(first_child, part.first_child, 1);
    append(n_children, part.n_children, 1), append(lookup, part.lookup, 1);
    append(default_child, part.default_child, 1), append(weight, part.weight, 1),
        append(n_rows, part.n_rows, 1);
    append(impurity, part.impurity, 1), append(gain, part.gain, 1), append(stop, part.stop, 1);
    append(variance, part.variance, 1);
    is_sparse ? append(few, part.few, 1) : append(stats, part.stats, width);
    pool.insert(pool.end(), part.pool.begin(), part.pool.end());
    has_ledger &= part.has_ledger;
    for (LedgerPage& page : part.ledger) ledger.push_back({page.node + shift, std::move(page.candidates)});
    for (NodeSurrogates& of : part.surrogates)
        surrogates.push_back({of.node == 0 ? leaf : of.node + shift, std::move(of.found)});
    search_cost += part.search_cost;
    if (size() > static_cast<std::size_t>(std::numeric_limits<std::int32_t>::max()))
        throw std::length_error("a tree has at most 2^31 - 1 nodes");
}

void GrownTree::order_breadth_first(const std::function<std::size_t(std::int32_t feature)>& pool_size) {
    std::vector<std::int32_t> old_id{0};  // in the new order
    std::vector<std::int32_t> new_id(size(), -1);
    for (std::size_t k = 0; k < old_id.size(); ++k) {
        const auto id = static_cast<std::size_t>(old_id[k]);
        new_id[id] = static_cast<std::int32_t>(k);
        for (std::int32_t c = 0; c < n_children[id]; ++c) old_id.push_back(first_child[id] + c);
    }
    const auto reorder = [&](auto& array, std::size_t items) {
        std::remove_cvref_t<decltype(array)> out(old_id.size() * items);
        for (std::size_t k = 0; k < old_id.size(); ++k)
            std::copy_n(
                array.begin() + static_cast<std::ptrdiff_t>(static_cast<std::size_t>(old_id[k]) * items),
                items, out.begin() + static_cast<std::ptrdiff_t>(k * items));
        array = std::move(out);
    };
    for (std::int32_t& child : first_child)
        if (child >= 0) child = new_id[static_cast<std::size_t>(child)];
    for (LedgerPage& page : ledger) page.node = new_id[static_cast<std::size_t>(page.node)];
    std::erase_if(ledger, [](const LedgerPage& page) { return page.node < 0; });
    std::ranges::sort(ledger, {}, &LedgerPage::node);
    for (NodeSurrogates& of : surrogates) of.node = new_id[static_cast<std::size_t>(of.node)];
    std::ranges::sort(surrogates, {}, &NodeSurrogates::node);
    reorder(feature, 1), reorder(cut, 1), reorder(first_child, 1), reorder(n_children, 1), reorder(lookup, 1);
    reorder(default_child, 1), reorder(weight, 1), reorder(n_rows, 1), reorder(impurity, 1), reorder(gain, 1);
    reorder(stop, 1), reorder(variance, 1);
    is_sparse ? reorder(few, 1) : reorder(stats, width);
    std::vector<std::int32_t> ordered;
    ordered.reserve(pool.size());
    for (std::size_t id = 0; id < size(); ++id) {
        if (lookup[id] < 0) continue;
        const auto from = pool.begin() + lookup[id];
        lookup[id] = static_cast<std::int32_t>(ordered.size());
        ordered.insert(ordered.end(), from, from + static_cast<std::ptrdiff_t>(pool_size(feature[id])));
    }
    pool = std::move(ordered);
}

}  // namespace branchwork
