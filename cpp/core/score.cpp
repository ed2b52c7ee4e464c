#include "core/score.hpp"

#include <memory>
#include <mutex>
#include <utility>

namespace branchwork {
namespace {

std::shared_ptr<const TermTable> computed(std::size_t n, std::size_t size) {
    auto table = std::make_shared<TermTable>();
    const double largest = x_log2_x(static_cast<double>(size)) + 1;
    const int bits = std::ilogb(largest) + 1;   // largest < 2^bits
    const int shift = std::min(61 - bits, 46);  // two of them still fit in 62 bits
    const double scale = std::ldexp(1.0, shift);
    table->unit = std::ldexp(1.0, -shift);
    table->terms.resize(n + 1);
    for (std::size_t x = 0; x <= n; ++x)
        table->terms[x] = std::llround(x_log2_x(static_cast<double>(x)) * scale);
    return table;
}

EntropyChords all_chords() {
    EntropyChords chords;
    for (std::size_t k = 0; k <= EntropyChords::steps + 1; ++k) {
        const double p = std::min(1.0, static_cast<double>(k) / EntropyChords::steps);
        chords.at[k] = std::max(0.0, -x_log2_x(p) - x_log2_x(1 - p));
    }
    return chords;
}

// Made when the module is loaded: a process that is forked while another thread makes a constant would wait for that
// thread for ever.
const EntropyChords chords = all_chords();

// The tables made last. They are taken only if nobody else is at it, and never computed under the lock: a child process
// that was forked while another thread held it makes tables of its own.
std::mutex mutex;
std::shared_ptr<const TermTable> kept;
std::weak_ptr<const TermTable> large;  // lives as long as the fits that need it, for all their threads

}  // namespace

const EntropyChords& EntropyChords::get() { return chords; }

std::shared_ptr<const TermTable> TermTable::up_to(std::size_t n) {
    constexpr std::size_t largest_kept = std::size_t{1} << 17;  // 1 MB
    const std::size_t size = std::bit_ceil(n + 1);
    const bool keep = size <= largest_kept;
    const std::size_t most = keep ? size - 1 : n;
    const auto fits = [&](const std::shared_ptr<const TermTable>& table) {
        return table && table->terms.size() == most + 1;
    };
    if (const std::unique_lock lock(mutex, std::try_to_lock); lock) {
        std::shared_ptr<const TermTable> found = keep ? kept : large.lock();
        if (fits(found)) return found;
    }
    std::shared_ptr<const TermTable> made = computed(most, size);
    std::shared_ptr<const TermTable> old;  // is freed after the lock is open again
    if (const std::unique_lock lock(mutex, std::try_to_lock); lock) {
        if (keep)
            old = std::exchange(kept, made);
        else
            large = made;
    }
    return made;
}

}  // namespace branchwork
