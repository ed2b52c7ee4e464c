// Finds the best split of some rows among all tests. The cuts of all tests are kept as intervals in one queue.
//
// The `Solver` computes the least cost of one side of a cut; SplitSearch decides which cuts need to be evaluated. At
// the root, several threads take intervals from the same queue and share the best cost found. There, ties are decided
// by the place of the split (test, then cut, then leaves on the left): an interval stays open as long as it may contain
// an equally good split with an earlier place. So the split found does not depend on the order of work.
#pragma once

#include <algorithm>
#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <tuple>
#include <utility>
#include <vector>

#include "core/optimal/line.hpp"
#include "core/optimal/memory.hpp"
#include "core/optimal/settings.hpp"
#include "core/parallel.hpp"

namespace branchwork::optimal {

struct BestSplit {
    Cost cost = unbounded;
    std::int32_t test = -1;  // -1: no split was found
    std::int32_t cut = -1;   // its place among the cuts of the test
    std::uint32_t rank = 0;  // the largest rank on the left
    std::int64_t left_leaves = 0, right_leaves = 0;
    Cost left = 0, right = 0;

    auto place() const { return std::tuple(test, cut, left_leaves); }
};

template <class Solver>
class SplitSearch {
  public:
    using View = typename Solver::View;
    using Worker = typename Solver::Worker;
    using Note = typename Solver::Note;

    /// Searches for splits that cost less than `limit`. `base` is a lower bound for a tree of all rows with one level
    /// less, and `least` one for a tree of all rows with `depth` levels.
    SplitSearch(Solver& solver, const View& view, std::int32_t depth, std::int64_t leaves, Cost limit,
                Cost base, Cost least, bool decide_ties, std::int32_t only_column = -1, Note whole = {})
        : solver_(solver),
          view_(view),
          depth_(depth),
          rules_(solver.rules(depth)),
          least_(least),
          decide_ties_(decide_ties),
          whole_(std::move(whole)) {
        best.cost = limit;
        const auto tests = static_cast<std::int32_t>(solver.tests().size());
        for (std::int32_t t = 0; t < tests; ++t)
            if (only_column < 0 || solver.tests()[static_cast<std::size_t>(t)].column == only_column)
                add_test(t, leaves, base);
    }

    BestSplit best;
    /// A split has to cost less than the best one by more than this. The search of a whole tree may end within a gap of
    /// the optimum; its subproblems are solved exactly, so that their costs can be added and looked up again.
    Cost gap = 0;
    /// Called after each cut that was evaluated, by one thread at a time.
    std::function<void()> after_cut;

    /// Makes the search start with this test, at a cut of this rank.
    void hint(std::int32_t test, std::uint32_t rank) {
        for (std::size_t k = 0; k < queue_.size(); ++k) {
            if (lines_[queue_[k].line].test != test || queue_[k].to < 0) continue;
            std::swap(queue_[0], queue_[k]);
            hint_rank_ = static_cast<std::int64_t>(rank);
            return;
        }
    }

    void run(Worker& worker) {
        Task task;
        while (next(task, worker)) {
            evaluate(task, worker);
            record(task);
            if (after_cut) after_cut();
        }
    }

    void run(Team& team, std::vector<Worker>& workers) {
        if (team.size() == 1) return run(workers[0]);
        team.run(static_cast<std::size_t>(team.size()),
                 [this, &workers](std::size_t, int k) { share(workers[static_cast<std::size_t>(k)]); });
    }

    /// A lower bound of the cost of every split, by what is known now.
    Cost lower_bound() const {
        Cost least = best.cost - gap;
        for (const auto* open : {&queue_, &running_})
            for (const Interval& one : *open)
                least = std::min(least, one.to < 0 ? rules_.penalty : bound(one));
        return least;
    }

  private:
    struct Interval {
        std::size_t line = 0;
        std::int32_t from = 0, to = 0;  // indices of points of the line; to = -1: a multiway test
    };
    struct Task {
        Interval interval;
        std::int32_t cut = 0;
        Cost limit = 0;
        Point<Note> a, b, found;
        Cost cost = 0;  // multiway tests only
    };

    void add_test(std::int32_t t, std::int64_t leaves, Cost base) {
        if (solver_.tests()[static_cast<std::size_t>(t)].multiway) {
            Line<Note> line;
            line.test = t;
            line.left_leaves = leaves;
            lines_.push_back(std::move(line));
            queue_.push_back({lines_.size() - 1, 0, -1});
            return;
        }
        CutList cuts = solver_.cuts(view_, t);
        if (cuts.size() == 0) return;
        const std::int64_t most = solver_.most_leaves(depth_ - 1);
        if (leaves >= solver_.most_leaves(depth_) || leaves >= static_cast<std::int64_t>(cuts.rows))
            return add_line(t, std::move(cuts), leaves, leaves, base);
        for (std::int64_t left = std::max<std::int64_t>(1, leaves - most); left <= std::min(most, leaves - 1);
             ++left)
            add_line(t, cuts, left, leaves - left, base);
    }

    void add_line(std::int32_t t, CutList cuts, std::int64_t left, std::int64_t right, Cost base) {
        charge_.add(solver_.meter(), cuts.bytes());
        Line<Note> line{t, left, right, std::move(cuts), {}};
        line.points.push_back({-1, 0, base, {}, whole_});
        line.points.push_back({line.cuts.size(), base, 0, whole_, {}});
        lines_.push_back(std::move(line));
        queue_.push_back({lines_.size() - 1, 0, 1});
    }

    Cost bound(const Interval& one) const {
        const Line<Note>& line = lines_[one.line];
        return line.bound(line.points[static_cast<std::size_t>(one.from)],
                          line.points[static_cast<std::size_t>(one.to)], rules_);
    }

    /// The cost below which splits of this line from `first_cut` on are still interesting. If they come before the best
    /// split, an equal cost is enough.
    Cost limit(const Line<Note>& line, std::int32_t first_cut) const {
        if (!decide_ties_ || gap > 0) return best.cost - gap;
        const bool earlier =
            best.test >= 0 && std::tuple(line.test, first_cut, line.left_leaves) < best.place();
        return best.cost + (earlier ? 1 : 0);
    }

    /// Takes the next interval that is still open and chooses a cut. Returns false if there is none. From then on the
    /// interval is in `running_`; if something throws, it stays there, where lower_bound() still counts it.
    bool next(Task& task, Worker& worker) {
        if (!decide_ties_ && best.cost <= least_ + rules_.penalty) return false;  // no split can be better
        while (!queue_.empty()) {
            task.interval = queue_.front();
            const Line<Note>& line = lines_[task.interval.line];
            if (task.interval.to < 0) {
                task.limit = limit(line, 0);
                start(task.interval);
                return true;
            }
            task.a = line.points[static_cast<std::size_t>(task.interval.from)];
            task.b = line.points[static_cast<std::size_t>(task.interval.to)];
            task.limit = limit(line, task.a.cut + 1);
            if (line.bound(task.a, task.b, rules_) >= task.limit) {
                ++worker.counters.closed_interval;
                queue_.pop_front();
                continue;
            }
            std::int32_t low = 0, high = 0;
            line.open_cuts(task.a, task.b, task.limit, rules_, low, high);
            if (low > high) {
                ++worker.counters.closed_moved;
                queue_.pop_front();
                continue;
            }
            task.cut = hinted(line, low, high);
            if (task.cut < 0) task.cut = line.middle(task.a, task.b, task.limit, rules_, low, high);
            start(task.interval);
            return true;
        }
        return false;
    }

    void start(const Interval& first) {
        running_.push_back(first);
        queue_.pop_front();
    }

    std::int32_t hinted(const Line<Note>& line, std::int32_t low, std::int32_t high) {
        if (hint_rank_ < 0) return -1;
        const auto begin = line.cuts.rank.begin();
        const auto at =
            std::lower_bound(begin + low, begin + high + 1, static_cast<std::uint32_t>(hint_rank_)) - begin;
        hint_rank_ = -1;
        return std::min(static_cast<std::int32_t>(at), high);
    }

    void evaluate(Task& task, Worker& worker) {
        solver_.check();
        const Line<Note>& line = lines_[task.interval.line];
        ++worker.counters.cuts;
        if (task.interval.to < 0) {
            task.cost = solver_.multiway(worker, view_, line.test, depth_ - 1, line.left_leaves, task.limit);
            return;
        }
        const CutList& cuts = line.cuts;
        const Point<Note>&a = task.a, &b = task.b;
        const Cost here = cuts.most_left(task.cut);
        Cost left = cuts.equivalent_left(task.cut), right = cuts.all_equivalent - left;
        if (rules_.monotone()) {
            left = std::max(left, a.left - rules_.slack);
            right = std::max(right, b.right - rules_.slack);
        }
        if (rules_.bounds.moved) {
            left = std::max(left, b.left - (cuts.most_left(b.cut) - here));
            right = std::max(right, a.right - (here - cuts.most_left(a.cut)));
        }
        const Cost room = task.limit - rules_.penalty;
        task.found = {task.cut, left, right, b.left_note, a.right_note};
        const bool left_first = 2 * cuts.rows_left(task.cut) > cuts.rows;
        for (const bool is_left : {left_first, !left_first}) {
            // A side that costs at least `needed` closes its half of the interval or, without the interval bound, rules
            // out this cut. So it need not be known more exactly.
            Cost needed = room - (is_left ? task.found.right : task.found.left);
            if (rules_.monotone()) needed = room - (is_left ? b.right : a.left) + 2 * rules_.slack;
            Cost& side = is_left ? task.found.left : task.found.right;
            Note& note = is_left ? task.found.left_note : task.found.right_note;
            solver_.inherit(note, is_left, a, b, cuts, task.cut);
            if (side < needed)
                side = std::max(side,
                                solver_.side(worker, view_, line.test, cuts, task.cut, is_left, depth_ - 1,
                                             is_left ? line.left_leaves : line.right_leaves, needed, note));
        }
    }

    void record(Task& task) {
        Line<Note>& line = lines_[task.interval.line];
        if (task.interval.to < 0) {
            if (task.cost < task.limit) offer({task.cost, line.test, 0, 0, line.left_leaves, 0, 0, 0});
        } else {
            const Cost cost = task.found.left + task.found.right + rules_.penalty;
            const auto at = static_cast<std::size_t>(task.cut);
            if (cost < task.limit)
                offer({cost, line.test, task.cut, line.cuts.rank[at], line.left_leaves, line.right_leaves,
                       task.found.left, task.found.right});
            line.points.push_back(std::move(task.found));
            const auto middle = static_cast<std::int32_t>(line.points.size()) - 1;
            queue_.push_back({task.interval.line, task.interval.from, middle});
            queue_.push_back({task.interval.line, middle, task.interval.to});
        }
        running_.erase(std::ranges::find_if(running_, [&task](const Interval& one) {
            return one.line == task.interval.line && one.from == task.interval.from &&
                   one.to == task.interval.to;
        }));
    }

    void offer(const BestSplit& found) {
        if (found.cost < best.cost ||
            (decide_ties_ && found.cost == best.cost && best.test >= 0 && found.place() < best.place()))
            best = found;
    }

    /// The work of one of several threads. Whatever it throws, the others are told: they must not wait for it.
    void share(Worker& worker) {
        try {
            take_turns(worker);
        } catch (...) {
            const std::lock_guard lock(mutex_);
            failed_ = true;
            changed_.notify_all();
            throw;
        }
    }

    /// Takes an interval, evaluates a cut without holding the lock, records the result, until nothing is left.
    void take_turns(Worker& worker) {
        std::unique_lock lock(mutex_);
        for (;;) {
            Task task;
            while (!failed_ && !next(task, worker)) {
                if (running_.empty()) {
                    changed_.notify_all();
                    return;
                }
                changed_.wait(lock);
            }
            if (failed_) return;
            lock.unlock();
            evaluate(task, worker);
            lock.lock();
            record(task);
            changed_.notify_all();
            if (after_cut) after_cut();
        }
    }

    Solver& solver_;
    const View& view_;
    std::int32_t depth_;
    LineRules rules_;
    Cost least_;
    bool decide_ties_;
    Note whole_;
    std::int64_t hint_rank_ = -1;
    std::vector<Line<Note>> lines_;
    std::deque<Interval> queue_, running_;
    std::mutex mutex_;
    std::condition_variable changed_;
    bool failed_ = false;
    Charge charge_;
};

}  // namespace branchwork::optimal
