// Threads: every task runs once, what a task throws comes out, and a stop is heard.
#include <doctest/doctest.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "core/parallel.hpp"

namespace branchwork {
namespace {

TEST_CASE("a team runs every task exactly once") {
    for (const int threads : {1, 2, 3, 8}) {
        CAPTURE(threads);
        Team team(threads);
        CHECK(team.size() == threads);
        for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{2}, std::size_t{1000}}) {
            std::vector<std::atomic<int>> runs(count);
            std::atomic<bool> known_worker{true};
            team.run(count, [&](std::size_t task, int worker) {
                ++runs[task];
                if (worker < 0 || worker >= threads) known_worker = false;
            });
            for (const auto& times : runs) CHECK(times == 1);
            CHECK(known_worker);
        }
    }
}

TEST_CASE("a team uses all of its threads, and one worker is one thread") {
    Team team(3);
    std::mutex mutex;
    std::set<int> workers;
    std::set<std::pair<int, std::thread::id>> seen;
    for (int round = 0; round < 1000 && workers.size() < 3; ++round)
        team.run(100, [&](std::size_t, int worker) {
            std::this_thread::sleep_for(std::chrono::microseconds(10));
            const std::lock_guard lock(mutex);
            workers.insert(worker);
            seen.emplace(worker, std::this_thread::get_id());
        });
    CHECK(workers == std::set<int>{0, 1, 2});
    CHECK(seen.size() == 3);
}

TEST_CASE("a team can be used many times, and what it wrote can be read afterwards") {
    Team team(4);
    std::vector<std::size_t> squares(64);
    for (std::size_t round = 0; round < 2000; ++round) {
        team.run(squares.size(), [&](std::size_t task, int) { squares[task] = task * task + round; });
        std::size_t wrong = 0;
        for (std::size_t k = 0; k < squares.size(); ++k) wrong += squares[k] != k * k + round;
        REQUIRE(wrong == 0);
    }
}

TEST_CASE("of several exceptions, that of the lowest-numbered task comes out") {
    for (const int threads : {1, 2, 8}) {
        Team team(threads);
        for (int round = 0; round < 50; ++round) {
            std::atomic<std::size_t> ran{0};
            const auto run = [&] {
                team.run(100, [&](std::size_t task, int) {
                    ++ran;
                    if (task % 30 == 7) throw std::runtime_error(std::to_string(task));
                });
            };
            CHECK_THROWS_WITH_AS(run(), "7", std::runtime_error);
            if (threads > 1) CHECK(ran == 100);  // the others are not left half done
        }
        std::atomic<int> after{0};
        team.run(10, [&](std::size_t, int) { ++after; });  // the team is still of use
        CHECK(after == 10);
    }
}

TEST_CASE("a pulse that was stopped throws at the next check, in every thread") {
    Pulse pulse;
    pulse.check();
    Team team(3);
    std::atomic<int> stopped{0};
    team.run(3, [&](std::size_t task, int) {
        if (task == 0) pulse.stop();
        for (;;) try {
                pulse.check();
            } catch (const Stopped&) {
                ++stopped;
                return;
            }
    });
    CHECK(stopped == 3);
    CHECK_THROWS_AS(pulse.check(), Stopped);
}

TEST_CASE("blocks cover every row once, and end at a stop") {
    constexpr std::size_t most = 300'000;
    for (const std::size_t rows : {std::size_t{0}, std::size_t{1}, std::size_t{1} << 17, most}) {
        const Pulse pulse;
        std::size_t next = 0;
        in_blocks(rows, pulse, [&](std::size_t begin, std::size_t end) {
            CHECK(begin == next);
            next = end;
        });
        CHECK(next == rows);
    }
    Pulse pulse;
    std::size_t seen = 0;
    CHECK_THROWS_AS(in_blocks(most, pulse,
                              [&](std::size_t, std::size_t end) {
                                  seen = end;
                                  pulse.stop();
                              }),
                    Stopped);
    CHECK(seen < most);
}

TEST_CASE("watched work is stopped by a tick, and reports how far it is") {
    using Clock = std::chrono::steady_clock;
    std::int64_t told = 0;
    const auto begin = Clock::now();
    const auto endless = [](Pulse& pulse) {
        for (;;) {
            pulse.advance(1);
            pulse.check();
            std::this_thread::sleep_for(std::chrono::microseconds(100));
        }
    };
    CHECK_THROWS_AS(run_watched(false, endless,
                                [&](std::int64_t done) {
                                    told = done;
                                    return false;
                                }),
                    Stopped);
    CHECK(told > 0);
    CHECK(Clock::now() - begin < std::chrono::seconds(2));
}

TEST_CASE("what watched work throws comes out, small work runs in the calling thread") {
    const auto patient = [](std::int64_t) { return true; };
    const auto failing = [](Pulse&) { throw std::runtime_error("broken"); };
    CHECK_THROWS_WITH(run_watched(false, failing, patient), "broken");
    CHECK_THROWS_WITH(run_watched(true, failing, patient), "broken");
    std::thread::id here, there;
    run_watched(true, [&](Pulse&) { here = std::this_thread::get_id(); }, patient);
    run_watched(false, [&](Pulse&) { there = std::this_thread::get_id(); }, patient);
    CHECK(here == std::this_thread::get_id());
    CHECK(there != std::this_thread::get_id());
}

}  // namespace
}  // namespace branchwork
