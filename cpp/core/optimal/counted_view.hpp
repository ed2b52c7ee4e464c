// A set of rows in the layout that the kernels for optimal classification trees need.
//
// For each test h, the rows are stored in the order of h, in 32 lanes. The row at place k of the order is in slot
// (k % blocks) * 32 + k / blocks, so each lane holds a contiguous run of the order:
//
//     order of h    r0 r1 r2 r3 | r4 r5 r6 r7 | ...        blocks = 4
//     slots         r0 r4 r8 ...  r1 r5 r9 ...             block 0, block 1, ...
//
// With the ranks of another test g in the same slots, one instruction compares 32 rows with a cut of g. Ranks of 16
// bits are exact. Ranks of 8 bits are the numbers of buckets with about equally many rows; they are enough for cuts at
// the end of a bucket. The tables of ranks are made when they are first needed, and threads share them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "core/columns.hpp"
#include "core/optimal/cache.hpp"
#include "core/optimal/loss.hpp"
#include "core/optimal/problem.hpp"

namespace branchwork::optimal {

/// The whole table: the ranks of every test in 16 bits, the classes in 8 bits, and the costs of rows and splits. Ranks
/// have one more entry after the last row, for padding.
struct CountedTable {
    const ClassLoss* loss = nullptr;
    std::size_t rows = 0;
    std::vector<std::uint16_t> rank;  // by test, then by row
    std::vector<std::uint8_t> label;
    std::vector<std::size_t> slots;  // per test: the number of slots if it is multiway, otherwise 0
    Cost penalty = 0;                // per leaf beyond the first
    Cost row_cost = 1;               // the most that any row can cost, if that is the same for all rows
    std::span<const Cost> row_most;  // the most that each row can cost, otherwise
    bool bound_by_classes = true;
    Meter* meter = nullptr;
    const Watch* watch = nullptr;

    std::size_t tests() const { return slots.size(); }
    std::size_t classes() const { return loss->classes(); }
    bool is_multiway(std::size_t test) const { return slots[test] > 0; }
    const std::uint16_t* ranks(std::size_t test) const { return &rank[test * (rows + 1)]; }
    Cost most(Row row) const { return row_most.empty() ? row_cost : row_most[row]; }
};

inline constexpr std::uint8_t outside = 255;      // the class of padding and of rows outside the subproblem
inline constexpr std::uint16_t padding = 0xFFFF;  // the rank of padding

class CountedView {
  public:
    CountedView(const CountedTable& table, std::vector<std::vector<Row>> order);

    const CountedTable& table() const { return table_; }
    std::size_t rows() const { return rows_; }
    std::size_t blocks() const { return blocks_; }
    std::size_t slots() const { return 32 * blocks_; }
    std::size_t words() const { return (rows_ + 63) / 64; }
    const std::vector<Row>& order(std::size_t h) const { return order_[h]; }
    /// The row in each slot of h; table().rows for padding.
    const Row* slot_row(std::size_t h) const { return slot_row_[h].data(); }
    /// The places of the ranks from `low` to `high` in the order of a test, as a half-open range.
    std::pair<std::uint32_t, std::uint32_t> places(std::size_t test, std::uint16_t low,
                                                   std::uint16_t high) const;
    /// Adds the rows at the places [begin, end) in the order of h to `stats`.
    void add_between(std::size_t h, std::uint32_t begin, std::uint32_t end, Cost* stats) const;

    /// The class of the row in each slot of h.
    const std::uint8_t* labels(std::size_t h) const { return &labels_[h * slots()]; }
    /// 255 in slots where the next row in the order of h has the same value; null if there are no ties.
    const std::uint8_t* tied(std::size_t h) const { return has_ties_[h] ? &tied_[h * slots()] : nullptr; }
    /// One bit per row in the order of h: whether it is of class c.
    const std::uint64_t* class_bits(std::size_t h, std::size_t c) const {
        return &class_bits_[(h * table_.classes() + c) * words()];
    }
    std::uint8_t bucket(std::size_t g, std::uint16_t rank) const { return buckets_[g][rank]; }
    /// The place in the order of g after the last row of a bucket.
    std::uint32_t bucket_end(std::size_t g, std::uint8_t bucket) const { return bucket_ends_[g][bucket]; }

    /// The bucket in g of the row in each slot of h, with the sign bit flipped.
    const std::int8_t* coarse(std::size_t g, std::size_t h) const;
    /// The rank in g of the row in each slot of h, with the sign bit flipped and the slots in the order of wide_slot.
    const std::int16_t* fine(std::size_t g, std::size_t h) const;
    /// The ranks in g of the rows in the order of h, padded to a multiple of 64.
    const std::uint16_t* in_order(std::size_t g, std::size_t h) const;

    /// Copies the rows whose rank in test g is from `low` to `high` into a new view.
    std::unique_ptr<CountedView> part(std::size_t g, std::uint16_t low, std::uint16_t high) const;
    RowKey key() const { return key_; }

  private:
    template <class T>
    struct Lazy {
        std::vector<std::atomic<const T*>> ready;
        std::vector<std::unique_ptr<T[]>> made;

        explicit Lazy(std::size_t count) : ready(count), made(count) {}
    };
    template <class T, class Make>
    const T* lazily(Lazy<T>& tables, std::size_t g, std::size_t h, std::size_t size, Make make) const;
    void lay_out(std::size_t h);
    void make_buckets(std::size_t h);

    const CountedTable& table_;
    std::vector<std::vector<Row>> order_;
    std::size_t rows_, blocks_;
    std::vector<std::vector<Row>> slot_row_;
    std::vector<std::uint8_t> labels_, tied_;
    std::vector<bool> has_ties_;
    std::vector<std::uint64_t> class_bits_;
    std::vector<std::vector<std::uint8_t>> buckets_;
    std::vector<std::vector<std::uint32_t>> bucket_ends_;
    RowKey key_;
    mutable std::mutex mutex_;
    mutable Charge charge_;
    mutable Lazy<std::int8_t> coarse_;
    mutable Lazy<std::int16_t> fine_;
    mutable Lazy<std::uint16_t> in_order_;
};

}  // namespace branchwork::optimal
