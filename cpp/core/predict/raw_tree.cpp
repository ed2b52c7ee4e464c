#include "core/predict/raw_tree.hpp"

#include <algorithm>

namespace branchwork {

namespace {

/// How the columns lie in memory: as one array with constant strides, as arrays of one cell type, or in any other way.
enum class Layout { matrix, one_type, mixed };

Layout layout_of(std::span<const Column> columns) {
    const Column& first = columns.front();
    const std::ptrdiff_t apart = columns.size() > 1 ? columns[1].data - first.data : 0;
    bool regular = true;
    for (std::size_t j = 0; j < columns.size(); ++j) {
        if (columns[j].nominal || columns[j].type != first.type) return Layout::mixed;
        regular = regular && columns[j].stride == first.stride &&
                  columns[j].data - first.data == static_cast<std::ptrdiff_t>(j) * apart;
    }
    return regular ? Layout::matrix : Layout::one_type;
}

/// The nodes, and the children for missing values, which are rarely read and therefore kept apart.
struct RawNodes {
    const RawTree::Node* nodes;
    const std::int32_t* missing;

    template <class T>
    std::uint32_t next(std::uint32_t at, T cell) const {
        const RawTree::Node& node = nodes[at];
        const auto x = static_cast<double>(cell);
        if (x != x) [[unlikely]]
            return node.child + static_cast<std::uint32_t>(std::max(missing[at], 0));  // -1 in a leaf
        return node.child + (x <= node.cut ? 0 : 1);
    }
    bool is_leaf(std::uint32_t at) const { return nodes[at].child == at; }
};

/// A step where all columns belong to one array. `SideBySide` is the usual row-major layout, in which the distance
/// between two columns is known at compile time.
template <class T, bool SideBySide>
struct MatrixStep : RawNodes {
    const std::byte* first;
    std::ptrdiff_t row_stride, column_stride;

    const std::byte* place(std::uint32_t row) const {
        return first + static_cast<std::ptrdiff_t>(row) * row_stride;
    }
    std::uint32_t operator()(const std::byte* place, std::uint32_t at) const {
        const auto feature = static_cast<std::ptrdiff_t>(nodes[at].feature);
        const std::ptrdiff_t apart = SideBySide ? static_cast<std::ptrdiff_t>(sizeof(T)) : column_stride;
        return next(at, *reinterpret_cast<const T*>(place + feature * apart));
    }
};

/// A step where the columns have the same cell type but belong to different arrays.
template <class T>
struct ColumnsStep : RawNodes {
    const Column* columns;
    std::size_t begin;

    std::size_t place(std::uint32_t row) const { return begin + row; }
    std::uint32_t operator()(std::size_t row, std::uint32_t at) const {
        const Column& column = columns[nodes[at].feature];
        return next(at, Cells<T>{column.data, column.stride}[row]);
    }
};

/// A step for any columns and any splits that do not share rows.
struct PlainStep {
    std::span<const Column> columns;
    const TreeView& tree;
    std::size_t begin;

    std::size_t place(std::uint32_t row) const { return begin + row; }
    std::uint32_t operator()(std::size_t row, std::uint32_t at) const {
        if (tree.feature[at] < 0) return at;
        return static_cast<std::uint32_t>(tree.first_child[at] + child_of(columns, tree, at, row));
    }
    bool is_leaf(std::uint32_t at) const { return tree.feature[at] < 0; }
};

}  // namespace

double mean_depth(const TreeView& tree) {
    std::vector<std::int32_t> depth(tree.feature.size());
    std::size_t leaves = 0;
    double sum = 0;
    for (std::size_t node = 0; node < tree.feature.size(); ++node) {
        const auto first = static_cast<std::size_t>(tree.first_child[node]);
        for (std::int32_t k = 0; k < tree.n_children[node]; ++k)
            depth[first + static_cast<std::size_t>(k)] = depth[node] + 1;
        if (tree.feature[node] < 0) ++leaves, sum += depth[node];
    }
    return sum / static_cast<double>(leaves);
}

RawTree::RawTree(const TreeView& tree, std::span<const std::int32_t> levels)
    : blind_(blind_levels(mean_depth(tree))) {
    const auto is_cut = [&tree, levels](std::size_t id) {
        return tree.feature[id] < 0 ||
               (levels[static_cast<std::size_t>(tree.feature[id])] < 0 && tree.lookup[id] < 0);
    };
    for (std::size_t id = 0; id < tree.feature.size(); ++id)
        if (!is_cut(id)) return;
    nodes_.resize(tree.feature.size());
    for (std::size_t id = 0; id < nodes_.size(); ++id) {
        const bool leaf = tree.feature[id] < 0;
        nodes_[id] = {leaf ? std::numeric_limits<double>::infinity() : tree.cut[id],
                      static_cast<std::uint32_t>(leaf ? static_cast<std::int32_t>(id) : tree.first_child[id]),
                      static_cast<std::uint32_t>(leaf ? 0 : tree.feature[id])};
    }
}

void RawTree::leaves(std::span<const Column> columns, const TreeView& tree, std::size_t begin,
                     std::span<const std::uint32_t> rows, std::uint32_t* leaf, UnderWay& list,
                     const Pulse& pulse) const {
    std::size_t steps = 0;
    const auto between = [&steps, &pulse] {
        if (++steps % 64 == 0) pulse.check();  // a path may be thousands of nodes long
    };
    if (tree.feature[0] < 0) {
        for (const std::uint32_t row : rows) leaf[row] = 0;
        return;
    }
    const Layout layout = layout_of(columns);
    if (empty() || layout == Layout::mixed)
        return walk(PlainStep{columns, tree, begin}, 0, blind_, rows, leaf, list, between);
    const RawNodes nodes{nodes_.data(), tree.default_child.data()};
    with_cells(columns.front(), [&]<class T>(Cells<T> cells) {
        if (layout == Layout::one_type) {
            const ColumnsStep<T> step{nodes, columns.data(), begin};
            return walk(step, 0, blind_, rows, leaf, list, between);
        }
        const std::byte* const first = cells.data + static_cast<std::ptrdiff_t>(begin) * cells.stride;
        const std::ptrdiff_t apart = columns.size() > 1 ? columns[1].data - columns[0].data : 0;
        if (apart == static_cast<std::ptrdiff_t>(sizeof(T))) {
            const MatrixStep<T, true> step{nodes, first, cells.stride, apart};
            return walk(step, 0, blind_, rows, leaf, list, between);
        }
        const MatrixStep<T, false> step{nodes, first, cells.stride, apart};
        walk(step, 0, blind_, rows, leaf, list, between);
    });
}

}  // namespace branchwork
