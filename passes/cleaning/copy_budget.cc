#include "passes/cleaning/copy_budget.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
CopyBudget::CopyBudget(const HloModule& module, PassContext& context)
    : context_(context), limit_(context.max_instructions()), left_(limit_ - module.instruction_count()) {}

bool CopyBudget::Take(const HloComputation& computation, int64_t copies) {
  int64_t& size = sizes_[&computation];
  if (size == 0) size = std::max<int64_t>(InstructionsOfClone(computation), 1);
  if (copies <= left_ / size) {
    left_ -= copies * size;
    return true;
  }
  if (!warned_) {
    context_.Warn(
        absl::StrCat("left calls of ", computation.name(),
                     " and others as they are: with copies of what they call, the program would have more than ",
                     limit_, " instructions"));
  }
  warned_ = true;
  return false;
}

}  // namespace xla
