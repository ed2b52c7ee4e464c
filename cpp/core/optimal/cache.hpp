// Remembers the costs of sets of rows that were solved before.
//
// The key of a set is the sum of one pseudo-random number of 128 bits per row, so it can be computed in any order of
// rows. The chance that any two different sets have the same key is about 2^-128 times the number of pairs of sets.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <optional>
#include <unordered_map>

#include "core/columns.hpp"
#include "core/optimal/memory.hpp"
#include "core/optimal/settings.hpp"
#include "core/random.hpp"

namespace branchwork::optimal {

struct RowKey {
    std::uint64_t low = 0, high = 0;

    void add(Row row) {
        low += mixed(row);
        high += mixed(row + 0x5bf0'3635'0000'0000U);
    }
    bool operator==(const RowKey&) const = default;
};

class Cache {
  public:
    /// Entries beyond `bytes`, or beyond the limit of the meter, are not stored.
    Cache(double bytes, Meter& meter)
        : most_(static_cast<std::size_t>(bytes) / bytes_per_entry / shards), meter_(meter) {}

    /// Returns the cost of a set, or a lower bound of at least `limit`, or nothing if neither is known.
    std::optional<Cost> find(const RowKey& key, std::int32_t depth, std::int64_t leaves, Cost limit) {
        Shard& shard = shards_[key.low % shards];
        const std::lock_guard lock(shard.mutex);
        const auto at = shard.known.find({key, depth, leaves});
        if (at == shard.known.end() || !(at->second.exact || at->second.cost >= limit)) return {};
        return at->second.cost;
    }
    /// A `cost` below `limit` is exact; otherwise it is a lower bound.
    void store(const RowKey& key, std::int32_t depth, std::int64_t leaves, Cost cost, Cost limit) {
        Shard& shard = shards_[key.low % shards];
        const std::lock_guard lock(shard.mutex);
        const Entry entry{cost, cost < limit};
        const auto at = shard.known.find({key, depth, leaves});
        if (at != shard.known.end()) {
            if (!at->second.exact && (entry.exact || cost > at->second.cost)) at->second = entry;
        } else if (shard.known.size() < most_ && meter_.try_take(bytes_per_entry)) {
            shard.known.emplace(Key{key, depth, leaves}, entry);
        }
    }
    std::int64_t entries() const {
        std::size_t sum = 0;
        for (const Shard& shard : shards_) sum += shard.known.size();
        return static_cast<std::int64_t>(sum);
    }

  private:
    static constexpr std::size_t shards = 16;
    static constexpr std::size_t bytes_per_entry = 112;  // measured for std::unordered_map

    struct Key {
        RowKey rows;
        std::int32_t depth;
        std::int64_t leaves;
        bool operator==(const Key&) const = default;
    };
    struct Hash {
        std::size_t operator()(const Key& key) const {
            return static_cast<std::size_t>(
                key.rows.high ^
                mixed(static_cast<std::uint64_t>(key.leaves) * 64 + static_cast<std::uint64_t>(key.depth)));
        }
    };
    struct Entry {
        Cost cost;
        bool exact;
    };
    struct Shard {
        std::mutex mutex;
        std::unordered_map<Key, Entry, Hash> known;
    };

    std::size_t most_;
    Meter& meter_;
    std::array<Shard, shards> shards_;
};

}  // namespace branchwork::optimal
