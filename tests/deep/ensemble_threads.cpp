// Thirty-two threads predict at once with one ensemble that nobody has packed yet; for ThreadSanitizer (make tsan).
//
// The trees are chains: row x comes to leaf x, so the answers are known.
#include <atomic>
#include <barrier>
#include <cstdio>
#include <thread>
#include <vector>

#include "core/predict/ensemble.hpp"

using namespace branchwork;

namespace {

/// A chain of cuts at 0, 1, 2, ... whose leaves answer with their number.
struct Chain {
    std::vector<std::int32_t> feature, first, lookup, missing, children, none;
    std::vector<double> cut, weight, value, bounds;
    TreeView view;

    explicit Chain(int steps) {
        const int nodes = 2 * steps + 1;
        for (int node = 0; node < nodes; ++node) {
            const bool inner = node % 2 == 0 && node + 1 < nodes;
            feature.push_back(inner ? 0 : -1);
            first.push_back(inner ? node + 1 : -1);
            children.push_back(inner ? 2 : 0);
            lookup.push_back(-1);
            missing.push_back(inner ? 0 : -1);
            cut.push_back(node / 2);
            weight.push_back(1);
            value.push_back(node + 1 == nodes ? steps : (node - 1) / 2);
        }
        view = {feature, first, lookup, none, missing, missing, cut, children, bounds, {}};
    }
};

int wrong_answers(int steps, int trees, Form form) {
    const Chain chain(steps);
    const std::vector<Member> members(static_cast<std::size_t>(trees),
                                      {&chain.view, chain.weight, chain.value, -1, false});
    const Ensemble ensemble(members, {0.0}, {-1}, form);
    std::vector<double> cells;
    for (int row = 0; row < 3000; ++row) cells.push_back(row % (steps + 1));
    Column column;
    column.data = reinterpret_cast<const std::byte*>(cells.data());
    column.stride = sizeof(double);
    std::atomic<int> wrong{0};
    std::barrier together(32);
    std::vector<std::thread> threads;
    for (int k = 0; k < 32; ++k)
        threads.emplace_back([&, k] {
            together.arrive_and_wait();
            std::vector<double> sums(cells.size());
            const std::vector<std::size_t> stages{members.size()};
            Batch batch;
            batch.columns = std::span(&column, 1);
            batch.rows = cells.size();
            batch.sums = sums;
            batch.stages = stages;
            ensemble.predict(batch, k % 4 == 3 ? Road::few_rows : Road::automatic, 1 + k % 3, Pulse());
            for (std::size_t row = 0; row < cells.size(); ++row)
                wrong += sums[row] != trees * cells[row] ? 1 : 0;
        });
    for (std::thread& thread : threads) thread.join();
    return wrong;
}

}  // namespace

int main() {
    const int wrong = wrong_answers(200, 20, Form::bytes) + wrong_answers(600, 5, Form::words) +
                      wrong_answers(600, 1, Form::raw);
    std::printf("%d wrong answers\n", wrong);
    return wrong == 0 ? 0 : 1;
}
