#include "core/predict/packed.hpp"

#include <algorithm>
#include <map>
#include <utility>

#include "core/predict/raw_tree.hpp"

namespace branchwork {

namespace {

/// Limits of packed nodes; a tree beyond them takes the plain walk.
constexpr std::size_t most_levels = 65533, most_sets = std::size_t{1} << 15,
                      most_stored = std::size_t{1} << 14;
/// The multiplexer writes out all set columns of a group for each block, so groups of small trees may have only a few.
constexpr std::size_t most_sets_of_bytes = 512;

/// Returns the bound between the children `mid - 1` and `mid` of a numeric node.
double bound_before(const TreeView& tree, std::size_t node, std::int32_t mid) {
    if (tree.lookup[node] >= 0) return tree.bounds[static_cast<std::size_t>(tree.lookup[node] + mid - 1)];
    return mid == 1 ? tree.cut[node] : std::numeric_limits<double>::infinity();
}

void sort_and_deduplicate(std::vector<double>& cuts) {
    std::ranges::sort(cuts);
    cuts.erase(std::ranges::unique(cuts).begin(), cuts.end());
}

/// The columns that tests of one feature need.
struct Asked {
    std::vector<double> cuts;
    bool missing_first = false, missing_last = false, codes = false;
};

/// The columns that the tests of one tree need, per feature.
struct AskedOfTree {
    std::map<std::uint32_t, Asked> features;
    std::size_t sets = 0;  // number of categorical tests, an upper bound on the set columns
    bool fits = true;

    AskedOfTree(const TreeView& tree, std::span<const std::int32_t> levels, std::size_t most_cuts) {
        std::vector<Asked*> known(levels.size());
        for (std::size_t node = 0; node < tree.feature.size(); ++node) {
            if (tree.feature[node] < 0) continue;
            const auto feature = static_cast<std::uint32_t>(tree.feature[node]);
            if (known[feature] == nullptr) known[feature] = &features[feature];
            Asked& asked = *known[feature];
            if (levels[feature] >= 0) {
                asked.codes = true;
                ++sets;
                fits = fits && static_cast<std::size_t>(levels[feature]) <= most_levels &&
                       tree.n_children[node] <= leaf_cut;
                continue;
            }
            for (std::int32_t mid = 1; mid < tree.n_children[node]; ++mid) {
                asked.cuts.push_back(bound_before(tree, node, mid));
                (tree.default_child[node] >= mid ? asked.missing_last : asked.missing_first) = true;
            }
        }
        for (auto& [_, asked] : features) {
            sort_and_deduplicate(asked.cuts);
            fits = fits && asked.cuts.size() <= most_cuts;
        }
        fits = fits && sets <= most_sets && 2 * features.size() <= most_stored;
    }
};

/// A group to which trees are still added.
class OpenGroup {
  public:
    OpenGroup(std::size_t first, std::size_t features, std::size_t most_cuts)
        : asked_(features), most_cuts_(most_cuts) {
        group_.first = group_.last = first;
    }

    bool is_empty() const { return group_.first == group_.last; }

    /// Whether ranks and set columns stay within their limits with one more tree.
    bool has_room_for(const AskedOfTree& tree) {
        const std::size_t limit = most_cuts_ <= most_cuts_of_bytes ? most_sets_of_bytes : most_sets;
        if (is_empty()) return true;
        if (sets_ + tree.sets > limit) return false;
        for (const auto& [feature, more] : tree.features) {
            std::vector<double>& cuts = asked_[feature].cuts;
            if (cuts.size() + more.cuts.size() <= most_cuts_) continue;
            sort_and_deduplicate(cuts);
            std::size_t fresh = 0;  // cuts of the tree that the group does not have yet
            for (const double cut : more.cuts) fresh += std::ranges::binary_search(cuts, cut) ? 0 : 1;
            if (cuts.size() + fresh > most_cuts_) return false;
        }
        return true;
    }

    void add(const AskedOfTree& tree) {
        for (const auto& [feature, more] : tree.features) {
            Asked& asked = asked_[feature];
            asked.cuts.insert(asked.cuts.end(), more.cuts.begin(), more.cuts.end());
            asked.missing_first |= more.missing_first;
            asked.missing_last |= more.missing_last;
            asked.codes |= more.codes;
        }
        sets_ += tree.sets;
        ++group_.last;
    }

    /// Returns the group with its stored columns. Packing adds the set columns.
    TreeGroup close() {
        using Kind = StoredColumn::Kind;
        for (std::uint32_t feature = 0; feature < asked_.size(); ++feature) {
            Asked& asked = asked_[feature];
            if (asked.codes) group_.stored.push_back({feature, Kind::codes, 0});
            if (asked.cuts.empty()) continue;
            sort_and_deduplicate(asked.cuts);
            const auto ranks = static_cast<std::uint32_t>(group_.ranks.size());
            group_.ranks.emplace_back(asked.cuts);
            asked.cuts = {};
            if (asked.missing_first) group_.stored.push_back({feature, Kind::missing_first, ranks});
            if (asked.missing_last) group_.stored.push_back({feature, Kind::missing_last, ranks});
        }
        return std::move(group_);
    }

  private:
    TreeGroup group_;
    std::vector<Asked> asked_;
    std::size_t most_cuts_, sets_ = 0;
};

/// Packs the trees of one group, one after the other.
class Packing {
  public:
    Packing(TreeGroup& group, std::vector<PackedNode>& nodes, std::span<const std::int32_t> levels)
        : group_(group), nodes_(nodes), levels_(levels), places_(levels.size()) {
        for (std::size_t column = 0; column < group.stored.size(); ++column) {
            const StoredColumn& stored = group.stored[column];
            places_[stored.feature][static_cast<std::size_t>(stored.kind)] =
                static_cast<std::uint16_t>(column);
            if (stored.kind != StoredColumn::Kind::codes) places_[stored.feature].ranks = stored.ranks;
        }
    }

    PackedTree pack(const TreeView& tree) {
        PackedTree packed;
        packed.root = static_cast<std::uint32_t>(nodes_.size());
        packed.blind = blind_levels(mean_depth(tree));
        if (std::ranges::all_of(tree.n_children, [](std::int32_t n) { return n == 0 || n == 2; })) {
            for (std::size_t node = 0; node < tree.feature.size(); ++node)
                add(packed.root, tree, node, 1, static_cast<std::uint32_t>(tree.first_child[node]));
        } else {
            pack_with_halving(tree, packed);
        }
        packed.size = static_cast<std::uint32_t>(nodes_.size()) - packed.root;
        return packed;
    }

  private:
    /// Where the columns of one feature are.
    struct Places {
        std::uint16_t of_kind[3] = {};
        std::uint32_t ranks = 0;
        std::uint16_t& operator[](std::size_t kind) { return of_kind[kind]; }
    };

    /// Appends a leaf, or the test that separates the children before `mid` from the others. `child` is counted from
    /// the root.
    void add(std::uint32_t root, const TreeView& tree, std::size_t node, std::int32_t mid,
             std::uint32_t child) {
        if (tree.feature[node] < 0) {
            nodes_.push_back({leaf_cut, 0, static_cast<std::uint32_t>(nodes_.size())});
            return;
        }
        const auto feature = static_cast<std::size_t>(tree.feature[node]);
        Places& places = places_[feature];
        if (levels_[feature] >= 0) {
            nodes_.push_back({static_cast<std::uint16_t>(mid - 1), set_column(tree, node), root + child});
            return;
        }
        using Kind = StoredColumn::Kind;
        const Kind kind = tree.default_child[node] >= mid ? Kind::missing_last : Kind::missing_first;
        const std::size_t place = group_.ranks[places.ranks].place_of(bound_before(tree, node, mid));
        nodes_.push_back(
            {static_cast<std::uint16_t>(place), places[static_cast<std::size_t>(kind)], root + child});
    }

    /// Packs a tree with nodes of more than two children, or of one. A node with many children becomes a binary search
    /// among them: each test halves the range [low, high) of children. A node with one child is skipped.
    void pack_with_halving(const TreeView& tree, PackedTree& packed) {
        struct Part {
            std::size_t node;
            std::int32_t low, high;
        };
        const auto whole = [&tree](std::size_t node) {
            while (tree.n_children[node] == 1) node = static_cast<std::size_t>(tree.first_child[node]);
            return Part{node, 0, tree.n_children[node]};
        };
        const auto part = [&](std::size_t node, std::int32_t low, std::int32_t high) {
            if (high - low > 1) return Part{node, low, high};
            return whole(static_cast<std::size_t>(tree.first_child[node] + low));
        };
        std::vector<Part> parts{whole(0)};
        for (std::size_t k = 0; k < parts.size(); ++k) {
            const auto [node, low, high] = parts[k];
            const std::int32_t mid = low + (high - low) / 2;
            packed.ids.push_back(static_cast<std::int32_t>(node));
            add(packed.root, tree, node, mid, static_cast<std::uint32_t>(parts.size()));
            if (tree.feature[node] < 0) continue;
            parts.push_back(part(node, low, mid));
            parts.push_back(part(node, mid, high));
        }
    }

    /// Returns the set column that maps the categories of a node to its children. Nodes with equal maps share a column.
    std::uint16_t set_column(const TreeView& tree, std::size_t node) {
        const auto feature = static_cast<std::size_t>(tree.feature[node]);
        const auto n = static_cast<std::size_t>(levels_[feature]);
        const std::int32_t missing = std::max(tree.default_child[node], 0);
        const std::int32_t unseen = tree.unseen_child[node];
        std::vector<std::uint16_t> child(n + 2);
        child[0] = static_cast<std::uint16_t>(unseen >= 0 ? unseen : missing);
        child[1] = static_cast<std::uint16_t>(missing);
        for (std::size_t code = 0; code < n; ++code) {
            const std::int32_t known = tree.pool[static_cast<std::size_t>(tree.lookup[node]) + 1 + code];
            child[code + 2] = static_cast<std::uint16_t>(known >= 0 ? known : missing);
        }
        const auto [place, is_new] =
            sets_.try_emplace({feature, child}, static_cast<std::uint16_t>(group_.columns()));
        if (is_new) {
            group_.sets.push_back({places_[feature][static_cast<std::size_t>(StoredColumn::Kind::codes)],
                                   static_cast<std::uint32_t>(group_.tables.size()),
                                   static_cast<std::uint32_t>(n)});
            group_.tables.insert(group_.tables.end(), child.begin(), child.end());
        }
        return place->second;
    }

    TreeGroup& group_;
    std::vector<PackedNode>& nodes_;
    std::span<const std::int32_t> levels_;
    std::vector<Places> places_;
    std::map<std::pair<std::size_t, std::vector<std::uint16_t>>, std::uint16_t> sets_;
};

/// Groups consecutive trees as long as their ranks fit. A tree that does not fit at all becomes a group of its own.
std::vector<TreeGroup> groups_of(std::span<const TreeView* const> trees, std::span<const std::int32_t> levels,
                                 std::size_t most_cuts, const Pulse& pulse) {
    std::vector<TreeGroup> groups;
    OpenGroup open(0, levels.size(), most_cuts);
    const auto close = [&](std::size_t next) {
        if (!open.is_empty()) groups.push_back(open.close());
        open = OpenGroup(next, levels.size(), most_cuts);
    };
    for (std::size_t t = 0; t < trees.size(); ++t) {
        pulse.check();
        const AskedOfTree asked(*trees[t], levels, most_cuts);
        if (!asked.fits) {
            close(t + 1);
            TreeGroup& alone = groups.emplace_back();
            alone.first = t, alone.last = t + 1, alone.plain = true;
            continue;
        }
        if (!open.has_room_for(asked)) close(t);
        open.add(asked);
    }
    close(trees.size());
    return groups;
}

}  // namespace

PackedTrees pack(std::span<const TreeView* const> trees, std::span<const std::int32_t> levels,
                 std::size_t most_cuts, const Pulse& pulse) {
    PackedTrees packed;
    packed.groups = groups_of(trees, levels, most_cuts, pulse);
    std::size_t nodes = 0;
    for (const TreeView* tree : trees) nodes += tree->feature.size();
    packed.nodes.reserve(nodes);
    for (TreeGroup& group : packed.groups) {
        const auto own = trees.subspan(group.first, group.last - group.first);
        if (group.plain) {
            packed.trees.emplace_back();
            continue;
        }
        group.delicate = delicate_features(own, levels);
        Packing packing(group, packed.nodes, levels);
        for (const TreeView* tree : own) {
            pulse.check();
            packed.trees.push_back(packing.pack(*tree));
        }
        group.sets.shrink_to_fit();
        group.tables.shrink_to_fit();
    }
    packed.nodes.shrink_to_fit();
    return packed;
}

std::size_t PackedTrees::bytes() const {
    std::size_t sum = nodes.capacity() * sizeof(PackedNode);
    for (const PackedTree& tree : trees) sum += tree.ids.size() * sizeof(std::int32_t);
    for (const TreeGroup& group : groups) {
        for (const Ranks& ranks : group.ranks) sum += ranks.bytes();
        sum += group.sets.size() * sizeof(SetColumn) + group.tables.size() * sizeof(std::uint16_t) +
               group.stored.size() * sizeof(StoredColumn);
    }
    return sum;
}

}  // namespace branchwork
