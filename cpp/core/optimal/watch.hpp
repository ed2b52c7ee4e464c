// The limits of a search: time, memory, Ctrl-C.
#pragma once

#include <algorithm>
#include <chrono>

#include "core/optimal/settings.hpp"
#include "core/parallel.hpp"

namespace branchwork::optimal {

/// Thrown inside the search when a limit is reached. The best tree so far is kept.
struct Halt {
    Ending why;
};

class Watch {
  public:
    Watch(const Settings& settings, const Pulse& pulse)
        : pulse_(pulse), limited_(settings.time_limit >= 0), keep_(settings.keep_interrupted) {
        if (limited_)
            end_ = began_ + std::chrono::duration_cast<Clock::duration>(Seconds(settings.time_limit));
    }
    /// Called after each cut, which takes well below a millisecond per 10 000 rows.
    void check() const {
        if (pulse_.stopped() && !granted_) {
            if (keep_) throw Halt{Ending::interrupted};
            throw Stopped();
        }
        if (limited_ && Clock::now() >= end_) throw Halt{Ending::time};
    }
    /// After a halt, grants some time to build the tree of the best split so far: a 25th of the time limit, at least
    /// 0.4 seconds; only 0.08 seconds after Ctrl-C or if there is no time limit.
    void grant_extra_time(Ending why) {
        const bool soon = why == Ending::interrupted || !limited_;
        const double extra = soon ? 0.08 : std::max(0.4, Seconds(end_ - began_).count() / 25);
        end_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(Seconds(extra));
        limited_ = granted_ = true;
    }
    double seconds() const { return Seconds(Clock::now() - began_).count(); }

  private:
    using Clock = std::chrono::steady_clock;
    using Seconds = std::chrono::duration<double>;

    const Pulse& pulse_;
    Clock::time_point began_ = Clock::now(), end_{};
    bool limited_, keep_, granted_ = false;
};

}  // namespace branchwork::optimal
