// Keeps a search within its memory limit: large arrays are charged to a meter, most of them before they are allocated.
//
// A charge beyond the limit ends the search, and the best tree so far is kept. The cache is the exception: it only
// stops growing.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <utility>

#include "core/optimal/watch.hpp"

namespace branchwork::optimal {

class Meter {
  public:
    /// `limit` is in bytes; a negative number means no limit.
    explicit Meter(double limit)
        : limit_(limit < 0 || limit > 9e18 ? std::numeric_limits<std::int64_t>::max()
                                           : static_cast<std::int64_t>(limit)) {}

    bool try_take(std::size_t bytes) {
        const auto more = static_cast<std::int64_t>(bytes);
        if (used_.fetch_add(more, std::memory_order_relaxed) <= limit_ - more) return true;
        give(bytes);
        return false;
    }
    void take(std::size_t bytes) {
        if (!try_take(bytes)) throw Halt{Ending::memory};
    }
    void give(std::size_t bytes) {
        used_.fetch_sub(static_cast<std::int64_t>(bytes), std::memory_order_relaxed);
    }

  private:
    const std::int64_t limit_;
    std::atomic<std::int64_t> used_{0};
};

/// The memory charged for one object; its destructor gives it back.
class Charge {
  public:
    Charge() = default;
    Charge(Charge&& other) noexcept
        : meter_(std::exchange(other.meter_, nullptr)), bytes_(std::exchange(other.bytes_, 0)) {}
    Charge& operator=(Charge&& other) noexcept {
        std::swap(meter_, other.meter_);
        std::swap(bytes_, other.bytes_);
        return *this;
    }
    ~Charge() {
        if (meter_) meter_->give(bytes_);
    }

    void add(Meter& meter, std::size_t bytes) {
        meter.take(bytes);
        meter_ = &meter;
        bytes_ += bytes;
    }
    void grow_to(Meter& meter, std::size_t bytes) {
        if (bytes > bytes_) add(meter, bytes - bytes_);
    }

  private:
    Meter* meter_ = nullptr;
    std::size_t bytes_ = 0;
};

}  // namespace branchwork::optimal
