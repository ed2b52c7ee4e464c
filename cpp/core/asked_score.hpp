// A user's own score that the core cannot tabulate: rows have real weights, for which there is no table, or the score is a
// gain of a whole split. The core then collects the candidates of a column as arrays of class weights and asks the user's
// functions about all of them at once.
//
//     rows that are parted     a 4.5  b 2.0                          gains(...)
//     way 0    left  a 1.5  b 0     right  a 3    b 2.0      ->      0.31
//     way 1    left  a 2.5  b 0.5   right  a 2    b 1.5      ->      0.22
//     ...
//
// Searches compare costs, so a way to part rows costs what the node costs, less what the way gains.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <span>
#include <utility>
#include <vector>

#include "core/stats.hpp"

namespace branchwork {

/// What the user wrote. Both functions may be called by several threads at once.
struct OwnFunctions {
    std::size_t classes = 0;
    /// For each node, a row of class weights: its impurity times its weight, and the size of the numbers that this was
    /// computed from.
    std::function<void(std::span<const double> nodes, std::span<double> costs_and_sizes)> costs;
    /// The weights of the rows that are parted, then those of the branches of one way after the other: what each way
    /// gains, times the weight of these rows. Minus infinity: this way is not admitted.
    std::function<void(std::span<const double> weights, std::size_t branches, std::span<double> gains)> gains;
};

/// Ways to part the same rows, as an array that can be asked about.
class Questions {
  public:
    /// The rows that are parted, and the number of branches of every way. Weights of a class that are below `residue` are
    /// rounding errors of a subtraction, and become 0.
    template <class Stats>
    void start(const Stats& rows, std::size_t branches, double residue) {
        branches_ = branches;
        residue_ = residue;
        weights_.clear();
        add(rows);
        first_ = weights_.size();
    }
    /// One more branch of the last way, or the first branch of a new one.
    template <class Stats>
    void add(const Stats& branch) {
        for (const double weight : branch.of) weights_.push_back(weight > residue_ ? weight : 0.0);
    }
    void clear() { weights_.resize(first_); }

    std::size_t ways() const { return (weights_.size() - first_) / (branches_ * first_); }
    bool is_full() const { return weights_.size() >= most_weights; }
    std::span<const double> ask(const OwnFunctions& functions) {
        gains_.resize(ways());
        if (!gains_.empty()) functions.gains(weights_, branches_, gains_);
        return gains_;
    }

  private:
    static constexpr std::size_t most_weights = std::size_t{1} << 18;  // 2 MB

    std::size_t branches_ = 2, first_ = 0;
    double residue_ = 0;
    std::vector<double> weights_, gains_;
};

/// The score of these functions. It belongs to one thread.
class AskedScore {
  public:
    using Count = double;
    using Cost = double;

    explicit AskedScore(std::shared_ptr<const OwnFunctions> functions) : functions_(std::move(functions)) {}

    const OwnFunctions& functions() const { return *functions_; }
    static double real(Cost cost) { return cost; }

    Cost of_counts(std::span<const double> weights, Count total) const { return known(weights, total).cost; }
    double magnitude_of(std::span<const double> weights, Count total) const {
        return known(weights, total).size;
    }

    /// Weights that are a smaller share of a node than this are rounding errors of a subtraction.
    static constexpr double residue = 1e-12;

  private:
    struct Known {
        std::vector<double> weights;
        double cost = 0, size = 0;
    };
    /// The same node is asked about several times in a row: for its facts, for the slack of comparisons, and for what its
    /// columns cost.
    const Known& known(std::span<const double> weights, Count total) const {
        for (const Known& one : known_)
            if (std::ranges::equal(one.weights, weights)) return one;
        Known& next = known_[next_];
        next_ = (next_ + 1) % known_.size();
        clean_.assign(weights.begin(), weights.end());
        for (double& weight : clean_)
            if (!(weight > residue * total)) weight = 0;
        std::array<double, 2> answer{};
        functions_->costs(clean_, answer);
        next.weights.assign(weights.begin(), weights.end());
        next.cost = answer[0], next.size = answer[1];
        return next;
    }

    std::shared_ptr<const OwnFunctions> functions_;
    mutable std::array<Known, 8> known_;
    mutable std::size_t next_ = 0;
    mutable std::vector<double> clean_;
};

/// Is the score asked about whole arrays of candidates, instead of one cut after the other?
template <class Score>
inline constexpr bool is_asked = std::same_as<Score, AskedScore>;

}  // namespace branchwork
