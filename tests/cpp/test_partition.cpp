// Tags hold row and class; rows that go to their children keep their order.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

#include "chance.hpp"
#include "core/prepare/sorted_column.hpp"
#include "core/route/partition.hpp"

namespace branchwork {
namespace {

TEST_CASE_TEMPLATE("a tag gives back its row, and its class where both fit", Word, std::uint16_t,
                   std::uint32_t) {
    Chance chance(5);
    for (const std::size_t rows : {2U, 3U, 255U, 256U, 257U, 4096U, 32'768U, 65'536U})
        for (const std::size_t classes : {2U, 3U, 16U, 17U, 100U}) {
            CAPTURE(rows);
            CAPTURE(classes);
            std::vector<std::int32_t> codes(rows);
            for (std::int32_t& code : codes) code = static_cast<std::int32_t>(chance.below(classes));
            codes.front() = static_cast<std::int32_t>(classes) - 1;
            codes.back() = static_cast<std::int32_t>(classes) - 1;
            const TagsOf<Word> tags(rows, codes, classes);
            std::size_t row_bits = 0, class_bits = 0;
            while ((rows - 1) >> row_bits) ++row_bits;
            while ((classes - 1) >> class_bits) ++class_bits;
            CHECK(tags.has_class() == (row_bits + class_bits <= std::numeric_limits<Word>::digits));
            std::size_t wrong = 0;
            for (Row row = 0; row < rows; ++row) {
                wrong += tags.row(tags.make(row)) != row;
                if (tags.has_class()) wrong += tags.label(tags.make(row)) != codes[row];
            }
            CHECK(wrong == 0);
        }
}

TEST_CASE("tags without classes are rows") {
    const Tags tags;
    CHECK_FALSE(tags.has_class());
    CHECK(tags.make(4'000'000'000U) == 4'000'000'000U);
    CHECK(tags.row(4'000'000'000U) == 4'000'000'000U);
}

TEST_CASE("a partition is stable, for two children, a few, and more than a byte can number") {
    Chance chance(6);
    for (const std::int32_t children : {2, 3, 7, 256, 257, 1000})
        for (const std::size_t rows : {0U, 1U, 2U, 5U, 100U, 3000U}) {
            CAPTURE(children);
            CAPTURE(rows);
            // A nominal column whose codes are children: rows are told by it where to go.
            std::vector<std::int32_t> code(rows), lookup(static_cast<std::size_t>(children));
            for (std::int32_t& c : code) c = static_cast<std::int32_t>(chance.below(lookup.size() + 1)) - 1;
            for (std::size_t k = 0; k < lookup.size(); ++k)
                lookup[k] = static_cast<std::int32_t>(lookup.size() - 1 - k);
            const Column column{reinterpret_cast<const std::byte*>(code.data()), sizeof(std::int32_t),
                                CellType::i32, true, children};
            const auto missing = static_cast<std::int32_t>(chance.below(lookup.size()));
            std::vector<Row> all(rows), items;
            for (Row row = 0; row < rows; ++row) all[row] = row;
            for (const Row row : all)
                if (!chance.once_in(3)) items.push_back(row);  // a node: some of the rows, in any order
            std::reverse(items.begin(), items.end());
            ChildOfRow child;
            child.resize(rows, children);
            child.mark_by_code(column, lookup.data(), missing, items, items, children);

            const auto child_of = [&](Row row) {
                return code[row] < 0 ? missing : lookup[static_cast<std::size_t>(code[row])];
            };
            std::vector<Row> expected = items;
            std::ranges::stable_sort(expected, {}, child_of);
            std::vector<std::size_t> begins;
            child.count(items, children, begins);
            std::vector<Row> spare;
            child.partition(std::span<Row>(items), spare, begins, [](Row row) { return row; });
            CHECK(items == expected);
            REQUIRE(begins.size() == lookup.size() + 1);
            CHECK(begins.back() == items.size());
            std::size_t wrong = 0;
            for (std::size_t k = 0; k < lookup.size(); ++k)
                for (std::size_t i = begins[k]; i < begins[k + 1]; ++i)
                    wrong += child_of(items[i]) != static_cast<std::int32_t>(k);
            CHECK(wrong == 0);
        }
}

TEST_CASE("rows in order of a column go left, right, and where missing cells go") {
    const std::vector<Entry> entries{{4, 0}, {2, 1}, {0, 1}, {3, Entry::missing}, {1, Entry::missing}};
    for (const std::int32_t missing : {0, 1, 2}) {
        ChildOfRow child;
        child.resize(5, 3);
        child.mark_by_order(std::span(entries), Tags(), 1, missing, 3);
        std::vector<std::size_t> begins;
        const std::vector<Row> rows{0, 1, 2, 3, 4};
        child.count(rows, 3, begins);
        const std::size_t in_first = missing == 0 ? 3U : 1U, in_second = missing == 1 ? 4U : 2U;
        CHECK(begins == std::vector<std::size_t>{0, in_first, in_first + in_second, 5});
    }
}

}  // namespace
}  // namespace branchwork
