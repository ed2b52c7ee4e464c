// Nodes that wait to be split. Growth order is a queue, not a class hierarchy:
//
//     depth     the first child of the newest split: the rows of a subtree stay in cache
//     breadth   level by level
//     best      where most is gained (gain times weight); of equal ones the one that was made first
//
// The tree depends on it only where its leaves are limited.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/category_tally.hpp"
#include "core/options.hpp"
#include "core/split.hpp"

namespace branchwork {

struct OpenNode {
    std::int32_t id;
    std::size_t begin, end;  // its rows: [begin, end) of every row array
    std::int64_t depth;
    std::int32_t used_nominal;  // newest link of the chain of nominal columns used on the path; -1: none
    Tally tally;                // of its categories; empty: not counted yet
    Candidate chosen;           // how it will be split
    double worth = 0;           // gain times weight

    std::size_t rows() const { return end - begin; }
};

class Frontier {
  public:
    explicit Frontier(Order order) : order_(order) {}

    bool empty() const { return open_.empty(); }
    /// Takes the nodes that a split has made, in their order.
    void push(std::vector<OpenNode>& made) {
        if (order_ == Order::depth) std::ranges::reverse(made);  // the first child comes out first
        for (OpenNode& node : made) {
            open_.push_back(std::move(node));
            if (order_ == Order::best) std::ranges::push_heap(open_, worse);
        }
    }
    OpenNode pop() {
        if (order_ == Order::best) std::ranges::pop_heap(open_, worse);
        OpenNode node = std::move(order_ == Order::breadth ? open_.front() : open_.back());
        if (order_ == Order::breadth)
            open_.pop_front();
        else
            open_.pop_back();
        return node;
    }

  private:
    static bool worse(const OpenNode& a, const OpenNode& b) {
        return a.worth != b.worth ? a.worth < b.worth : a.id > b.id;
    }
    Order order_;
    std::deque<OpenNode> open_;
};

}  // namespace branchwork
