// Threads that live as long as one call. There is no pool that outlasts it, so nothing can hang after a fork,
// nothing is shared between two fits, and a process that only predicts one row never starts a thread.
//
//   run_watched    the work goes to a thread of its own; the calling thread sleeps, and every 50 ms calls
//                  `tick`, which lets Python see Ctrl-C and moves the progress bar
//   Team           a few threads that take numbered tasks; which thread takes which task never changes a
//                  result
#pragma once

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

namespace branchwork {

/// Thrown inside the work when the caller asked it to stop.
struct Stopped : std::exception {
    const char* what() const noexcept override { return "stopped"; }
};

/// How the work and the thread that waits for it talk to each other.
class Pulse {
  public:
    void check() const {
        if (stop_.load(std::memory_order_relaxed)) throw Stopped();
    }
    bool stopped() const { return stop_.load(std::memory_order_relaxed); }
    void advance(std::size_t rows) {
        done_.fetch_add(static_cast<std::int64_t>(rows), std::memory_order_relaxed);
    }
    /// Rows that were finished have to be done again.
    void retreat(std::size_t rows) {
        done_.fetch_sub(static_cast<std::int64_t>(rows), std::memory_order_relaxed);
    }
    std::int64_t done() const { return done_.load(std::memory_order_relaxed); }
    void stop() { stop_.store(true, std::memory_order_relaxed); }

  private:
    std::atomic<bool> stop_{false};
    std::atomic<std::int64_t> done_{0};
};

/// Called by the waiting thread with the rows finished so far; false asks the work to stop.
using Tick = std::function<bool(std::int64_t done)>;

/// Runs `work`; small work runs here and now, and so does any work if no thread can be started. Throws Stopped if `tick`
/// asked for it, or what the work threw.
void run_watched(bool small, const std::function<void(Pulse&)>& work, const Tick& tick);

/// Calls f(begin, end) over [0, n) in blocks short enough for a Ctrl-C to be seen in time.
template <class F>
void in_blocks(std::size_t n, const Pulse& pulse, F&& f) {
    constexpr std::size_t block = std::size_t{1} << 17;
    for (std::size_t begin = 0; begin < n; begin += block) {
        pulse.check();
        f(begin, std::min(n, begin + block));
    }
}

/// Sorts, keeping the order of equal items. Blocks are sorted one by one and then merged, so that a request to stop is
/// noticed in between:
///
///     [ 3 1 2 | 5 4 1 | 2 6 ]   ->   [ 1 2 3 | 1 4 5 | 2 6 ]   ->   [ 1 1 2 3 4 5 | 2 6 ]   ->   [ 1 1 2 2 3 4 5 6 ]
template <class T, class Less>
void sort_in_blocks(std::span<T> items, const Pulse& pulse, const Less& less) {
    constexpr std::size_t block = std::size_t{1} << 17;
    const auto at = [&](std::size_t i) {
        return items.begin() + static_cast<std::ptrdiff_t>(std::min(i, items.size()));
    };
    for (std::size_t begin = 0; begin < items.size(); begin += block) {
        pulse.check();
        std::stable_sort(at(begin), at(begin + block), less);
    }
    for (std::size_t sorted = block; sorted < items.size(); sorted *= 2)
        for (std::size_t begin = 0; begin < items.size(); begin += 2 * sorted) {
            pulse.check();
            std::inplace_merge(at(begin), at(begin + sorted), at(begin + 2 * sorted), less);
        }
}

/// Below this many cells a node is not worth waking other threads for.
inline constexpr std::size_t parallel_cells = std::size_t{1} << 16;

class Team {
  public:
    /// A team of this many threads, the calling one included, or fewer if they cannot be started.
    explicit Team(int threads);
    ~Team();
    Team(const Team&) = delete;
    Team& operator=(const Team&) = delete;

    int size() const { return static_cast<int>(threads_.size()) + 1; }

    /// Runs task(0) ... task(count - 1), each once, and waits for all. `worker` is 0 ... size() - 1.
    /// If tasks throw, the exception of the lowest-numbered one that threw comes out.
    void run(std::size_t count, const std::function<void(std::size_t task, int worker)>& task);

  private:
    void serve(int worker);
    void take_tasks(int worker);

    std::vector<std::thread> threads_;
    std::mutex mutex_;
    std::condition_variable wake_, finished_;
    const std::function<void(std::size_t, int)>* task_ = nullptr;
    std::size_t count_ = 0;
    std::atomic<std::size_t> next_{0};
    std::uint64_t round_ = 0;
    int busy_ = 0;
    bool closing_ = false;
    std::exception_ptr failure_;
    std::size_t failed_task_ = 0;
};

}  // namespace branchwork
