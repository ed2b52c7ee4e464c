#include "core/predict/ensemble.hpp"

#include <algorithm>
#include <bit>
#include <map>
#include <set>
#include <stdexcept>

#include "core/kernels/kernels.hpp"
#include "core/predict/roads.hpp"

namespace branchwork {

namespace {

/// This many steps down trees take about 20 ms. Starting a thread that watches for Ctrl-C costs more than predicting a
/// few rows, so smaller batches do without it.
constexpr std::size_t small_steps = std::size_t{1} << 21;

/// Batches of fewer rows are predicted row by row, with several trees interleaved.
constexpr std::size_t fewest_rows_of_bytes = 8, fewest_rows_of_words = 16;

/// Cycles per operation, measured on one machine; only their ratios matter.
constexpr double cycles_of_raw_step = 6, cycles_of_word_step = 4, cycles_of_rank = 5,
                 cycles_of_mux_node = 0.15, cycles_of_sum = 2;

/// Whether one byte can number the leaves of a tree.
bool has_few_leaves(const TreeView* tree) {
    const auto leaves =
        std::ranges::count_if(tree->feature, [](std::int32_t feature) { return feature < 0; });
    return static_cast<std::size_t>(leaves) <= most_mux_leaves;
}

/// Chooses the form with the least estimated time per row. Ranking the cells of a row costs the same for one tree as
/// for a hundred, so it pays only if there are enough trees.
Form choose_form(std::span<const Member> members, std::span<const std::int32_t> levels) {
    std::set<std::int32_t> features;
    std::size_t sets = 0, nodes = 0, tests = 0;
    double steps = 0;
    bool small = true;
    for (const Member& member : members) {
        const TreeView& tree = *member.tree;
        steps += mean_depth(tree);
        std::size_t leaves = 0;
        std::int32_t last = -1;
        for (const std::int32_t feature : tree.feature) {
            if (feature < 0) {
                ++leaves;
                continue;
            }
            if (feature != last) features.insert(feature);
            last = feature;
            if (levels[static_cast<std::size_t>(feature)] >= 0) ++sets;
        }
        nodes += tree.feature.size();
        tests += leaves - 1;
        small = small && has_few_leaves(&tree);
    }
    if (nodes >= std::size_t{1} << 31) return Form::raw;  // packed nodes name their children by 32 bits
    const double ranking = cycles_of_rank * static_cast<double>(features.size());
    const double raw = cycles_of_raw_step * steps;
    const double words = ranking + cycles_of_word_step * steps;
    const double bytes = ranking + static_cast<double>(sets) +
                         cycles_of_mux_node * static_cast<double>(tests) +
                         cycles_of_sum * static_cast<double>(members.size());
    if (small && bytes < raw) return Form::bytes;
    return words < raw ? Form::words : Form::raw;
}

Road choose_road(Form form, std::size_t rows) {
    if (form == Form::raw) return rows < fewest_rows_of_words ? Road::plain : Road::many_rows;
    const std::size_t fewest = form == Form::bytes ? fewest_rows_of_bytes : fewest_rows_of_words;
    return rows < fewest ? Road::few_rows : Road::many_rows;
}

std::vector<const TreeView*> views(std::span<const Member> members) {
    std::vector<const TreeView*> all;
    for (const Member& member : members) all.push_back(member.tree);
    return all;
}

}  // namespace

OutputTable::OutputTable(const Member& member, std::size_t width, const PackedTree& tree,
                         std::span<PackedNode> nodes, std::size_t columns) {
    std::map<std::vector<std::uint64_t>, std::uint16_t> known;  // keyed by bits, to keep -0.0 and 0.0 apart
    std::vector<std::uint64_t> bits(width);
    std::vector<std::pair<std::size_t, std::uint16_t>> places;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].cut != leaf_cut) continue;
        const std::size_t id = tree.ids.empty() ? i : static_cast<std::size_t>(tree.ids[i]);
        const auto own = member.value.subspan(id * width, width);
        std::ranges::transform(own, bits.begin(), [](double x) { return std::bit_cast<std::uint64_t>(x); });
        const auto [found, is_new] = known.try_emplace(bits, static_cast<std::uint16_t>(known.size()));
        if (known.size() > columns) {
            values = {};
            return;
        }
        if (is_new) values.insert(values.end(), own.begin(), own.end());
        places.push_back({i, found->second});
    }
    for (const auto& [i, place] : places) nodes[i].column = place;
}

std::size_t PackedEnsemble::bytes() const {
    std::size_t sum = packed.bytes() + muxes.bytes();
    for (const RawTree& tree : raw) sum += tree.bytes();
    return sum;
}

Ensemble::Ensemble(std::vector<Member> members, std::vector<double> base, std::vector<std::int32_t> levels,
                   std::optional<Form> form)
    : members_(std::move(members)), base_(std::move(base)), levels_(std::move(levels)), form_(form) {
    if (members_.empty()) throw std::invalid_argument("an ensemble has at least one tree");
    for (const Member& member : members_) {
        const std::size_t width = member.output >= 0 ? 1 : base_.size();
        if (member.value.size() != member.tree->feature.size() * width ||
            member.output >= static_cast<std::int32_t>(base_.size()))
            throw std::invalid_argument("the outputs of a tree do not fit into the ensemble's");
        n_nodes_ += member.tree->feature.size();
    }
}

Ensemble::~Ensemble() { delete packed_.load(std::memory_order_acquire); }

bool Ensemble::is_small(std::size_t rows) const {
    const std::size_t steps = rows * std::min(n_nodes_, members_.size() * 32);
    const std::size_t to_pack = packed_.load(std::memory_order_relaxed) ? 0 : n_nodes_ * 8;
    return steps + to_pack < small_steps;
}

const PackedEnsemble& Ensemble::packed(const Pulse& pulse) const {
    if (const PackedEnsemble* found = packed_.load(std::memory_order_acquire)) return *found;
    auto made = std::make_unique<const PackedEnsemble>(pack_all(pulse));
    const PackedEnsemble* first = nullptr;
    if (packed_.compare_exchange_strong(first, made.get(), std::memory_order_acq_rel)) first = made.release();
    return *first;
}

PackedEnsemble Ensemble::pack_all(const Pulse& pulse) const {
    PackedEnsemble all;
    const std::vector<const TreeView*> trees = views(members_);
    all.form = form_ ? *form_ : choose_form(members_, levels_);
    if (all.form == Form::bytes && !std::ranges::all_of(trees, has_few_leaves)) all.form = Form::words;
    if (all.form == Form::bytes) {
        all.packed = pack(trees, levels_, most_cuts_of_bytes, pulse);
        if (std::ranges::any_of(all.packed.groups, &TreeGroup::plain)) all.form = Form::words;
    }
    if (all.form == Form::words) {
        all.packed = pack(trees, levels_, most_cuts_of_words, pulse);
        for (const TreeGroup& group : all.packed.groups)
            for (std::size_t t = group.first; t < group.last; ++t) {
                pulse.check();
                const PackedTree& tree = all.packed.trees[t];
                const std::size_t width = members_[t].output >= 0 ? 1 : base_.size();
                const auto nodes = std::span(all.packed.nodes).subspan(tree.root, tree.size);
                all.outputs.emplace_back(members_[t], width, tree, nodes, group.stored.size());
            }
    }
    if (all.form == Form::raw) {
        for (const TreeView* tree : trees) {
            pulse.check();
            all.raw.emplace_back(*tree, levels_);
        }
        all.delicate = delicate_features(trees, levels_);
    }
    if (all.form != Form::bytes) return all;
    all.muxes = Muxes(all.packed);
    for (std::size_t t = 0; t < members_.size(); ++t) {
        const Member& member = members_[t];
        const std::size_t width = member.output >= 0 ? 1 : base_.size();
        all.first_value.push_back(all.leaf_values.size());
        for (const std::int32_t id : leaf_ids(all.packed, t)) {
            const auto own = member.value.subspan(static_cast<std::size_t>(id) * width, width);
            all.leaf_values.insert(all.leaf_values.end(), own.begin(), own.end());
        }
    }
    all.leaf_values.shrink_to_fit();
    return all;
}

void Ensemble::predict(const Batch& batch, Road road, int threads, const Pulse& pulse) const {
    if (batch.columns.size() != levels_.size())
        throw std::invalid_argument("the table does not have the columns of the ensemble");
    if (batch.rows == 0) return;
    if (road == Road::plain) return predict_plainly(*this, batch, threads, pulse);
    const PackedEnsemble& all = packed(pulse);
    if (road == Road::automatic) road = choose_road(all.form, batch.rows);
    if (road == Road::plain || (road == Road::few_rows && all.form == Form::raw))
        return predict_plainly(*this, batch, threads, pulse);
    if (road == Road::few_rows) return predict_few(*this, all, batch, pulse);
    if (all.form == Form::bytes) return predict_by_muxes(*this, all, batch, threads, pulse);
    if (all.form == Form::words) return predict_by_walks(*this, all, batch, threads, pulse);
    predict_raw(*this, all, batch, threads, pulse);
}

}  // namespace branchwork
