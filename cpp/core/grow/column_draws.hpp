// Columns in an order that is drawn for each node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "core/random.hpp"

namespace branchwork {

class ColumnDraws {
  public:
    /// Draws a number for each column; they are asked from the smallest on.
    void start(std::uint64_t node_key, std::size_t columns) {
        const KeysOf key(key_of(node_key, Purpose::features));
        keys_.resize(columns);
        for (std::size_t j = 0; j < columns; ++j) keys_[j] = key(j);
        asked_ = 0;
    }
    bool all_asked() const { return asked_ == keys_.size(); }
    std::size_t next() {
        std::size_t next = 0;
        std::uint64_t least = keys_[0];
        for (std::size_t j = 1; j < keys_.size(); ++j) {  // without a branch, which would be mispredicted
            const bool is_less = keys_[j] < least;
            next = is_less ? j : next;
            least = is_less ? keys_[j] : least;
        }
        keys_[next] = std::numeric_limits<std::uint64_t>::max();
        ++asked_;
        return next;
    }

  private:
    std::vector<std::uint64_t> keys_;  // of each column
    std::size_t asked_ = 0;
};

}  // namespace branchwork
