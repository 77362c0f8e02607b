#include "xla_core/verifier/verification.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace {

// Shapes and operand lists can be arbitrarily long; a line of a message should not be.
std::string Abbreviate(std::string text) {
  constexpr size_t kLongest = 200;
  if (text.size() > kLongest) text.replace(kLongest, std::string::npos, "...");
  return text;
}

// "r = f32[3] add(f32[2] p, f32[2] q)"
std::string Describe(const HloInstruction& instruction) {
  const std::string operands =
      absl::StrJoin(instruction.operands(), ", ", [](std::string* out, const HloInstruction* operand) {
        if (operand == nullptr) {
          out->append("(missing)");
        } else {
          absl::StrAppend(out, operand->shape().ToString(), " ", operand->name());
        }
      });
  return absl::StrCat(instruction.name(), " = ", Abbreviate(instruction.shape().ToString()), " ",
                      instruction.opcode_name(), "(", Abbreviate(operands), ")");
}

}  // namespace

void Verification::AddLine(std::string line) {
  ++count_;
  if (static_cast<int64_t>(lines_.size()) < options_.max_reported) lines_.push_back(std::move(line));
}

void Verification::Add(const HloComputation& computation, absl::string_view rule) {
  AddLine(absl::StrCat("computation ", computation.name(), ": ", rule));
}

void Verification::Add(const HloInstruction& instruction, absl::string_view rule) {
  const HloComputation* parent = instruction.parent();
  AddLine(absl::StrCat("computation ", parent == nullptr ? "(none)" : parent->name(), ": ", Describe(instruction), ": ",
                       rule));
}

bool Verification::IsSoundWithNeighbours(const HloInstruction& instruction) const {
  if (unsound_instructions_.empty() && unsound_computations_.empty()) return true;
  if (!IsSound(instruction)) return false;
  return std::all_of(instruction.operands().begin(), instruction.operands().end(),
                     [this](const HloInstruction* operand) { return IsSound(*operand); }) &&
         std::all_of(instruction.called_computations().begin(), instruction.called_computations().end(),
                     [this](const HloComputation* callee) { return IsSound(*callee); });
}

absl::Status Verification::ToStatus() const {
  if (count_ == 0) return absl::OkStatus();
  std::string message = absl::StrJoin(lines_, "\n");
  const int64_t more = count_ - static_cast<int64_t>(lines_.size());
  if (more > 0) absl::StrAppend(&message, "\nand ", more, " more violations");
  return absl::InvalidArgumentError(message);
}

}  // namespace xla
