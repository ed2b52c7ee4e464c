#include "core/prepare/prepared.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <stdexcept>
#include <utility>

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
    out.is_new.resize(out.known);
    for (std::size_t i = 0; i < out.known; ++i) {
        out.is_new[i] = sorted[i].rank == out.row_of_rank.size();
        if (out.is_new[i]) out.row_of_rank.push_back(sorted[i].tag);
    }
    out.row_of_rank.shrink_to_fit();
    // The largest number of each type stands for missing values.
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
        most_copies_ = std::max(most_copies_, copies[row]);
        if (total >= std::numeric_limits<Row>::max())
            throw std::length_error("a sample has fewer than 2^32 - 1 rows");
        first_[row + 1] = static_cast<Row>(total);
    }
    cell_row_.reserve(total);
    for (std::size_t row = 0; row < copies.size(); ++row)
        cell_row_.insert(cell_row_.end(), copies[row], static_cast<Row>(row));
}

std::size_t PreparedColumn::bytes() const {
    return (order.size() + row_of_rank.size()) * sizeof(Row) + is_new.size() / 8 +
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

SamplePlaces::SamplePlaces(const Sample& sample, std::size_t rows, const Tags& tags) : places_(rows) {
    for (std::size_t row = 0; row < rows; ++row)
        if (const std::uint64_t copies = sample.copies(static_cast<Row>(row)))
            places_[row] = copies << 32 | tags.make(sample.first(static_cast<Row>(row)));
}

void Prepared::sorted(std::size_t j, const Sample* sample, const SamplePlaces& places, const Tags& tags,
                      std::vector<Entry>& entries, const Pulse& pulse) const {
    const PreparedColumn& column = numeric_[j];
    entries.resize(sample ? sample->size() : rows_);
    Entry* next = entries.data();
    std::uint32_t rank = 0;
    bool is_new = false;  // whether another value has begun since the last row that was taken
    const auto take = [&](Row row, bool known) {
        const std::uint32_t copies = sample ? places.copies(row) : 1;
        if (copies == 0) return;
        if (known && std::exchange(is_new, false) && next != entries.data()) ++rank;
        const std::uint32_t tag = sample ? places.tag(row) : tags.make(row);
        for (std::uint32_t copy = 0; copy < copies; ++copy)
            *next++ = {tag + copy, known ? rank : Entry::missing};
    };
    in_blocks(column.known, pulse, [&](std::size_t begin, std::size_t end) {
        for (std::size_t i = begin; i < end; ++i) {
            is_new = is_new || column.is_new[i];
            take(column.order[i], true);
        }
    });
    for (std::size_t i = column.known; i < column.order.size(); ++i) take(column.order[i], false);
}

std::size_t Prepared::bytes() const {
    std::size_t sum = 0;
    for (const PreparedColumn& column : numeric_) sum += column.bytes();
    return sum;
}

}  // namespace branchwork
