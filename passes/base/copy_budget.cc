#include "passes/base/copy_budget.h"

#include <algorithm>
#include <limits>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/clone_module.h"

namespace xla {
namespace {

// What is copied without asking for room.
constexpr int64_t kFewInstructions = 64;

constexpr absl::string_view kWithCopies = "with copies of what they call";

}  // namespace

std::string TooManyInstructions(int64_t limit) {
  return absl::StrCat("the program would have more than ", limit, " instructions");
}

CopyBudget::CopyBudget(const HloModule& module, PassContext& context)
    : module_(module),
      context_(context),
      limit_(context.max_instructions()),
      left_(limit_ - module.instruction_count()) {}

bool CopyBudget::TakeIfLeft(int64_t instructions, const std::string& stays, absl::string_view if_not) {
  if (instructions <= left_) {
    left_ -= instructions;
    return true;
  }
  const std::string reason = absl::StrCat(" and others as they are: ", if_not, ", ", TooManyInstructions(limit_));
  const std::string of_pass = absl::StrCat("pass ", context_.pass(), ":");
  const bool warned =
      std::any_of(context_.warnings().begin(), context_.warnings().end(), [&](const std::string& warning) {
        return absl::StartsWith(warning, of_pass) && absl::EndsWith(warning, reason);
      });
  if (!warned) context_.Warn(absl::StrCat("left ", stays, reason));
  return false;
}

bool CopyBudget::Take(const HloComputation& computation, int64_t copies) {
  int64_t& size = sizes_[&computation];
  if (size == 0) size = std::max<int64_t>(InstructionsOfClone(computation), 1);
  const bool fits = copies <= left_ / size;
  return TakeIfLeft(fits ? copies * size : std::numeric_limits<int64_t>::max(),
                    absl::StrCat("calls of ", computation.name()), kWithCopies);
}

bool CopyBudget::TakeCallees(const HloInstruction& caller) {
  int64_t size = 0;
  for (const HloComputation* callee : caller.called_computations()) size += callee->instruction_count();
  if (size <= kFewInstructions) return true;
  // Not all that was asked for was also made, and other instructions went.
  if (size > left_) left_ = limit_ - module_.instruction_count();
  return TakeIfLeft(size, caller.name(), kWithCopies);
}

bool CopyBudget::TakeParts(const HloInstruction& whole, int64_t instructions) {
  return TakeIfLeft(instructions, whole.name(), "taken apart");
}

}  // namespace xla
