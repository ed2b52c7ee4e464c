#include "core/optimal/search.hpp"

#include <type_traits>

#include "core/optimal/context.hpp"
#include "core/optimal/counted_search.hpp"
#include "core/optimal/driver.hpp"
#include "core/optimal/loss.hpp"
#include "core/optimal/row_search.hpp"

namespace branchwork::optimal {
namespace {

template <class Loss>
Found search_with(const Loss& loss, const Prepared& prepared, const Target& target, const Settings& settings,
                  const Pulse& pulse, Standing& standing) {
    try {
        Context<Loss> context(prepared, target, settings, loss, pulse);
        RowSearch<Loss> rows(context);
        if constexpr (std::is_same_v<Loss, ClassLoss>) {
            if (CountedSearch::fits(context)) {
                CountedSearch counted(context);
                return Driver<Loss, CountedSearch>(context, rows, &counted, standing).run();
            }
        }
        return Driver<Loss, RowSearch<Loss>>(context, rows, nullptr, standing).run();
    } catch (const Halt& halt) {  // a limit was reached before the search began
        Found nothing;
        nothing.ending = halt.why;
        return nothing;
    }
}

}  // namespace

Found search(const Prepared& prepared, const Target& target, std::span<const double> costs,
             const Settings& settings, const Pulse& pulse, Standing& standing) {
    if (target.is_classes())
        return search_with(ClassLoss(target, costs, settings.leaf_penalty), prepared, target, settings, pulse,
                           standing);
    return search_with(ValueLoss(target), prepared, target, settings, pulse, standing);
}

}  // namespace branchwork::optimal
