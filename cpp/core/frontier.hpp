// Nodes that wait to be split. Growth order is a queue, not a class hierarchy: this one is depth first, which
// keeps the rows of a subtree in cache. The tree does not depend on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

#include "core/category_tally.hpp"

namespace branchwork {

struct OpenNode {
    std::int32_t id;
    std::size_t begin, end;  // its rows: [begin, end) of every row array
    std::int64_t depth;
    std::int32_t used_nominal;  // newest link of the chain of nominal columns used on the path; -1: none
    Tally tally;                // of its categories; empty: not counted yet
};

class Frontier {
  public:
    bool empty() const { return open_.empty(); }
    void push(OpenNode&& node) { open_.push_back(std::move(node)); }
    OpenNode pop() {
        OpenNode node = std::move(open_.back());
        open_.pop_back();
        return node;
    }

  private:
    std::vector<OpenNode> open_;
};

}  // namespace branchwork
