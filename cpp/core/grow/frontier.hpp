// Nodes that wait to be split. Growth order is a queue, not a class hierarchy:
//
//     depth     the first child of the newest split: the rows of a subtree stay in cache
//     breadth   level by level
//     best      where most is gained (gain times weight); of equal ones the one that was made first
//
// The tree depends on it only where its leaves are limited.
#pragma once

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <utility>
#include <vector>

#include "core/options.hpp"
#include "core/search/candidate.hpp"

namespace branchwork {

/// A node whose rows are known but which is not split yet; where its rows live is for a layout to add.
struct OpenNode {
    std::int32_t id = 0;
    std::int64_t depth = 0;
    std::int32_t used_nominal = -1;  // newest link of the chain of nominal columns used on the path; -1: none
    std::uint64_t key = 0;           // of its random draws; see random.hpp
    Candidate chosen;                // how it will be split
    double worth = 0;                // gain times weight
    bool is_small = false;  // is its subtree grown as small_tree.hpp says? Then nothing is chosen yet.
};

/// Tag of a layout of rows for one thread, made from that of a team.
struct Alone {};

template <std::derived_from<OpenNode> Node>
class Frontier {
  public:
    explicit Frontier(Order order) : order_(order) {}

    bool empty() const { return open_.empty(); }
    const std::deque<Node>& open() const { return open_; }
    /// From now on nodes come out in another order.
    void set(Order order) {
        order_ = order;
        if (order == Order::best) std::ranges::make_heap(open_, worse);
    }
    /// Takes the nodes that a split has made, in their order.
    void push(std::vector<Node>& made) {
        if (order_ == Order::depth) std::ranges::reverse(made);  // the first child comes out first
        for (Node& node : made) {
            open_.push_back(std::move(node));
            if (order_ == Order::best) std::ranges::push_heap(open_, worse);
        }
    }
    Node pop() {
        if (order_ == Order::best) std::ranges::pop_heap(open_, worse);
        Node node = std::move(order_ == Order::breadth ? open_.front() : open_.back());
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
    std::deque<Node> open_;
};

}  // namespace branchwork
