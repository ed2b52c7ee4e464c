#include "core/parallel.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdlib>

namespace branchwork {
namespace {

/// Whether exceptions can be thrown in this new thread. The first one needs a little memory for data of the thread, and
/// the C library ends the process if there is none. So a block of each small size is allocated and freed: that fails
/// first, and otherwise one of them is at hand for that data, in the cache that the C library has for each thread.
bool can_throw() {
    constexpr std::size_t step = 16, sizes = 64;
    void* volatile blocks[sizes];  // volatile: otherwise a compiler may leave these allocations out
    for (std::size_t k = 0; k < sizes; ++k) blocks[k] = std::malloc((k + 1) * step);
    bool enough = true;
    for (void* const block : blocks) {
        enough = enough && block != nullptr;
        std::free(block);
    }
    if (!enough) return false;
    [[maybe_unused]] const volatile int uses_the_data = std::uncaught_exceptions();
    return true;
}

}  // namespace

void run_watched(bool small, const std::function<void(Pulse&)>& work, const Tick& tick) {
    Pulse pulse;
    if (small) return work(pulse);

    std::mutex mutex;
    std::condition_variable done;
    bool finished = false, begun = false;
    std::exception_ptr failure;
    const auto watched = [&work, &pulse, &mutex, &done, &finished, &begun, &failure] {
        begun = can_throw();
        try {
            if (begun) work(pulse);
        } catch (...) {
            failure = std::current_exception();
        }
        const std::lock_guard lock(mutex);
        finished = true;
        done.notify_one();
    };
    std::thread worker;
    try {
        worker = std::thread(watched);
    } catch (const std::exception&) {  // no thread can be started
        return work(pulse);            // nobody ticks then
    }
    {
        std::unique_lock lock(mutex);
        while (!done.wait_for(lock, std::chrono::milliseconds(50), [&finished] { return finished; })) {
            lock.unlock();  // `tick` may wait for the GIL
            if (!tick(pulse.done())) pulse.stop();
            lock.lock();
        }
    }
    worker.join();
    if (!begun) return work(pulse);
    if (failure) std::rethrow_exception(failure);
}

Team::Team(int threads) {
    try {
        threads_.reserve(static_cast<std::size_t>(std::max(0, threads - 1)));
        for (int worker = 1; worker < threads; ++worker)
            threads_.emplace_back([this, worker] { serve(worker); });
    } catch (const std::exception&) {
        // No more threads can be started. Those that are there do the work.
    }
}

Team::~Team() {
    {
        const std::lock_guard lock(mutex_);
        closing_ = true;
    }
    wake_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

void Team::run(std::size_t count, const std::function<void(std::size_t, int)>& task) {
    if (threads_.empty() || count <= 1) {
        for (std::size_t k = 0; k < count; ++k) task(k, 0);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        task_ = &task;
        count_ = count;
        next_ = 0;
        failure_ = nullptr;
        busy_ = static_cast<int>(threads_.size());
        ++round_;
    }
    wake_.notify_all();
    take_tasks(0);
    std::unique_lock lock(mutex_);
    finished_.wait(lock, [this] { return busy_ == 0; });
    if (failure_) std::rethrow_exception(failure_);
}

void Team::serve(int worker) {
    const bool helps = can_throw();
    std::uint64_t seen = 0;
    for (;;) {
        {
            std::unique_lock lock(mutex_);
            wake_.wait(lock, [this, seen] { return closing_ || round_ != seen; });
            if (closing_) return;
            seen = round_;
        }
        if (helps) take_tasks(worker);
        const std::lock_guard lock(mutex_);
        if (--busy_ == 0) finished_.notify_one();
    }
}

void Team::take_tasks(int worker) {
    for (std::size_t k = next_++; k < count_; k = next_++) {
        try {
            (*task_)(k, worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            if (!failure_ || k < failed_task_) failure_ = std::current_exception(), failed_task_ = k;
        }
    }
}

}  // namespace branchwork
