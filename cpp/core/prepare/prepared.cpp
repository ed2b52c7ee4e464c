#include "core/prepare/prepared.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>

namespace branchwork {
namespace {

template <class Rank>
std::vector<Rank> ranks_of(std::span<const Entry> sorted, std::size_t known) {
    std::vector<Rank> rank(sorted.size(), std::numeric_limits<Rank>::max());
    for (const Entry& e : sorted.first(known)) rank[e.tag] = static_cast<Rank>(e.rank);
    return rank;
}

PreparedColumn prepare(const Column& column, std::size_t rows, SortSpace& space, std::vector<Entry>& sorted,
                       const Pulse& pulse) {
    PreparedColumn out;
    std::int64_t visits = 0;
    sort_column(column, rows, Tags(), sorted, space, pulse, visits);
    out.order.resize(rows);
    for (std::size_t i = 0; i < rows; ++i) out.order[i] = sorted[i].tag;
    out.known = rows;
    while (out.known > 0 && sorted[out.known - 1].is_missing()) --out.known;
    for (std::size_t i = 0; i < out.known; ++i)
        if (sorted[i].rank == out.row_of_rank.size()) out.row_of_rank.push_back(sorted[i].tag);
    out.row_of_rank.shrink_to_fit();
    // The largest number of a type is for missing cells.
    if (out.distinct() <= std::numeric_limits<std::uint8_t>::max())
        out.rank = ranks_of<std::uint8_t>(sorted, out.known);
    else if (out.distinct() <= std::numeric_limits<std::uint16_t>::max())
        out.rank = ranks_of<std::uint16_t>(sorted, out.known);
    else
        out.rank = ranks_of<std::uint32_t>(sorted, out.known);
    return out;
}

}  // namespace

Sample::Sample(std::span<const std::uint32_t> copies) : first_(copies.size() + 1, 0) {
    std::uint64_t total = 0;
    for (std::size_t row = 0; row < copies.size(); ++row) {
        total += copies[row];
        if (total >= std::numeric_limits<Row>::max())
            throw std::length_error("a sample has fewer than 2^32 - 1 rows");
        first_[row + 1] = static_cast<Row>(total);
    }
    cell_row_.reserve(total);
    for (std::size_t row = 0; row < copies.size(); ++row)
        cell_row_.insert(cell_row_.end(), copies[row], static_cast<Row>(row));
}

std::size_t PreparedColumn::bytes() const {
    return (order.size() + row_of_rank.size()) * sizeof(Row) +
           std::visit([](const auto& of) { return of.size() * sizeof(of[0]); }, rank);
}

Prepared::Prepared(std::span<const Column> columns, std::size_t rows, int threads, Pulse& pulse)
    : columns_(columns.begin(), columns.end()), rows_(rows), numeric_(columns.size()) {
    Team team(std::min(threads, static_cast<int>(std::min<std::size_t>(columns.size(), 256))));
    std::vector<SortSpace> space(static_cast<std::size_t>(team.size()));
    std::vector<std::vector<Entry>> sorted(space.size());
    team.run(columns.size(), [&](std::size_t j, int worker) {
        const auto k = static_cast<std::size_t>(worker);
        if (!columns_[j].nominal) numeric_[j] = prepare(columns_[j], rows, space[k], sorted[k], pulse);
    });
}

void Prepared::sorted(std::size_t j, const Sample* sample, const Tags& tags, std::vector<Entry>& entries,
                      const Pulse& pulse) const {
    const PreparedColumn& column = numeric_[j];
    entries.resize(sample ? sample->size() : rows_);
    Entry* next = entries.data();
    std::uint32_t dense = 0, last = 0;  // the rank of the last value, here and in the whole column
    const auto take = [&](Row row, std::uint32_t rank) {
        if (!sample) {
            *next++ = {tags.make(row), rank};
            return;
        }
        const Row first = sample->first(row);
        for (std::uint32_t copy = 0; copy < sample->copies(row); ++copy)
            *next++ = {tags.make(first + copy), rank};
    };
    std::visit(
        [&](const auto& rank) {
            in_blocks(column.known, pulse, [&](std::size_t begin, std::size_t end) {
                for (std::size_t i = begin; i < end; ++i) {
                    const Row row = column.order[i];
                    if (sample && sample->copies(row) == 0) continue;
                    const std::uint32_t here = rank[row];
                    if (next != entries.data()) dense += here != last;
                    last = here;
                    take(row, dense);
                }
            });
        },
        column.rank);
    for (std::size_t i = column.known; i < column.order.size(); ++i) take(column.order[i], Entry::missing);
}

std::size_t Prepared::bytes() const {
    std::size_t sum = 0;
    for (const PreparedColumn& column : numeric_) sum += column.bytes();
    return sum;
}

}  // namespace branchwork
