// A grown tree and its ledger, as arrays.
#include <algorithm>
#include <utility>

#include "bind/bind.hpp"
#include "core/tree.hpp"

namespace branchwork {
namespace {

/// Collects one field of every candidate of the ledger, page by page.
template <class T, class Field>
auto ledger_column(const GrownTree& tree, Field field) {
    std::vector<T> out;
    for (const LedgerPage& page : tree.ledger)
        for (const Candidate& c : page.candidates) out.push_back(static_cast<T>(field(c)));
    return array_out(std::move(out));
}

/// Collects one field of every surrogate, node by node.
template <class T, class Field>
auto surrogate_column(const GrownTree& tree, Field field) {
    std::vector<T> out;
    for (const NodeSurrogates& of : tree.surrogates)
        for (const Surrogate& s : of.found) out.push_back(static_cast<T>(field(s)));
    return array_out(std::move(out));
}

void bind_surrogates(nb::class_<GrownTree>& cls) {
    cls.def_prop_ro(
        "surrogate_count",
        [](const GrownTree& t) {
            std::vector<std::int32_t> count(t.size(), 0);
            for (const NodeSurrogates& of : t.surrogates)
                count[static_cast<std::size_t>(of.node)] = static_cast<std::int32_t>(of.found.size());
            return array_out(std::move(count));
        },
        nb::rv_policy::automatic, "The number of surrogates of each node.");
    cls.def_prop_ro(
        "surrogate_feature",
        [](const GrownTree& t) {
            return surrogate_column<std::int32_t>(t, [](auto& s) { return s.feature; });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_low_child",
        [](const GrownTree& t) {
            return surrogate_column<std::int32_t>(t, [](auto& s) { return s.low_child; });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_cut",
        [](const GrownTree& t) { return surrogate_column<double>(t, [](auto& s) { return s.cut; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_agreement",
        [](const GrownTree& t) { return surrogate_column<double>(t, [](auto& s) { return s.agreement; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_adjusted",
        [](const GrownTree& t) { return surrogate_column<double>(t, [](auto& s) { return s.adjusted; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_lookup",
        [](const GrownTree& t) {
            std::int32_t at = 0;
            return surrogate_column<std::int32_t>(t, [&at](auto& s) {
                if (s.sides.empty()) return std::int32_t{-1};
                return std::exchange(at, at + static_cast<std::int32_t>(s.sides.size()));
            });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "surrogate_pool",
        [](const GrownTree& t) {
            std::vector<std::int32_t> all;
            for (const NodeSurrogates& of : t.surrogates)
                for (const Surrogate& s : of.found) all.insert(all.end(), s.sides.begin(), s.sides.end());
            return array_out(std::move(all));
        },
        nb::rv_policy::automatic);
}

}  // namespace

void bind_grown_tree(nb::module_& m) {
    nb::class_<GrownTree> cls(m, "GrownTree",
                              "A tree as the core returns it: arrays with one entry per node.");
    array_property<&GrownTree::feature>(cls, "feature");
    array_property<&GrownTree::cut>(cls, "cut");
    array_property<&GrownTree::first_child>(cls, "first_child");
    array_property<&GrownTree::n_children>(cls, "n_children");
    array_property<&GrownTree::lookup>(cls, "lookup");
    array_property<&GrownTree::pool>(cls, "pool");
    array_property<&GrownTree::default_child>(cls, "default_child");
    array_property<&GrownTree::weight>(cls, "weight");
    array_property<&GrownTree::n_rows>(cls, "n_rows");
    array_property<&GrownTree::impurity>(cls, "impurity");
    array_property<&GrownTree::gain>(cls, "gain");
    array_property<&GrownTree::variance>(cls, "variance");
    array_property<&GrownTree::stats>(cls, "stats");
    cls.def_prop_ro(
        "stop",
        [](const GrownTree& t) {
            std::vector<std::uint8_t> out;
            for (const Stop stop : t.stop) out.push_back(static_cast<std::uint8_t>(stop));
            return array_out(std::move(out));
        },
        nb::rv_policy::automatic);
    bind_surrogates(cls);
    cls.def_prop_ro("n_leaves", [](const GrownTree& t) { return std::ranges::count(t.feature, -1); });
    cls.def_prop_ro("has_ledger", [](const GrownTree& t) { return t.has_ledger; });
    cls.def_prop_ro("rules_scored", [](const GrownTree& t) { return t.search_cost.rules_scored; });
    cls.def_prop_ro("rows_visited", [](const GrownTree& t) { return t.search_cost.rows_visited; });
    cls.def_prop_ro(
        "ledger_node",
        [](const GrownTree& t) {
            std::vector<std::int32_t> nodes;
            for (const LedgerPage& page : t.ledger) nodes.push_back(page.node);
            return array_out(std::move(nodes));
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_cut",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.cut; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_gain",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.gain; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_split_info",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.split_info; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_statistic",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.test.statistic; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_freedom",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.test.freedom; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_rest",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.test.rest; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_known",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.judged.known; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_before",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.judged.before; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_price",
        [](const GrownTree& t) { return ledger_column<double>(t, [](auto& c) { return c.judged.price; }); },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_missing_child",
        [](const GrownTree& t) {
            return ledger_column<std::int32_t>(t, [](auto& c) { return c.missing_child; });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_sides_at",
        [](const GrownTree& t) {
            std::int64_t at = 0;
            return ledger_column<std::int64_t>(t, [&at](auto& c) {
                if (c.sides.empty()) return std::int64_t{-1};
                return std::exchange(at, at + static_cast<std::int64_t>(c.sides.size()));
            });
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_sides",
        [](const GrownTree& t) {
            std::vector<std::int32_t> all;
            for (const LedgerPage& page : t.ledger)
                for (const Candidate& c : page.candidates)
                    for (const Side side : c.sides) all.push_back(static_cast<std::int32_t>(side));
            return array_out(std::move(all));
        },
        nb::rv_policy::automatic);
    cls.def_prop_ro(
        "ledger_verdict",
        [](const GrownTree& t) { return ledger_column<std::uint8_t>(t, [](auto& c) { return c.verdict; }); },
        nb::rv_policy::automatic);
}

}  // namespace branchwork
