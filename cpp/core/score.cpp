#include "core/score.hpp"

#include <mutex>

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

}  // namespace

const EntropyChords& EntropyChords::get() {
    static const EntropyChords table = [] {
        EntropyChords chords;
        for (std::size_t k = 0; k <= steps + 1; ++k) {
            const double p = std::min(1.0, static_cast<double>(k) / steps);
            chords.at[k] = std::max(0.0, -x_log2_x(p) - x_log2_x(1 - p));
        }
        return chords;
    }();
    return table;
}

std::shared_ptr<const TermTable> TermTable::up_to(std::size_t n) {
    constexpr std::size_t largest_kept = std::size_t{1} << 17;  // 1 MB
    static std::mutex mutex;
    static std::shared_ptr<const TermTable> kept;
    static std::weak_ptr<const TermTable>
        large;  // lives as long as the fit that needs it, for all its threads
    const std::size_t size = std::bit_ceil(n + 1);
    const std::lock_guard lock(mutex);
    if (size <= largest_kept) {
        if (!kept || kept->terms.size() != size) kept = computed(size - 1, size);
        return kept;
    }
    std::shared_ptr<const TermTable> found = large.lock();
    if (!found || found->terms.size() != n + 1) large = found = computed(n, size);
    return found;
}

}  // namespace branchwork
