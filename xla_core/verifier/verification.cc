#include "xla_core/verifier/verification.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/status_macros.h"

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

// "computation c: r = f32[3] add(f32[2] p, f32[2] q): the rule"
std::string Line(const HloInstruction& instruction, absl::string_view rule) {
  const HloComputation* parent = instruction.parent();
  return absl::StrCat("computation ", parent == nullptr ? "(none)" : parent->name(), ": ", Describe(instruction), ": ",
                      rule);
}

}  // namespace

void Verification::AddLine(MakeText line, Report* report) {
  ++report->count;
  if (report->HasRoom(options_)) report->lines.push_back(line());
}

void Verification::Add(const HloComputation& computation, absl::string_view rule) {
  Add([&] { return absl::StrCat("computation ", computation.name(), ": ", rule); });
}

void Verification::Add(const HloInstruction& instruction, absl::string_view rule) {
  Add([&] { return Line(instruction, rule); });
}

void Verification::Warn(const HloInstruction& instruction, absl::string_view rule) {
  if (!options_.strict && options_.warnings == nullptr) return;
  AddLine([&] { return Line(instruction, rule); }, options_.strict ? &violations_ : &warnings_);
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
  RETURN_IF_ERROR(resources_.Check());
  if (violations_.count == 0) return absl::OkStatus();
  std::string message = absl::StrJoin(violations_.lines, "\n");
  const int64_t more = violations_.count - static_cast<int64_t>(violations_.lines.size());
  if (more > 0) absl::StrAppend(&message, "\nand ", more, " more violations");
  return absl::InvalidArgumentError(message);
}

void Verification::GiveWarnings() const {
  if (options_.warnings == nullptr) return;
  options_.warnings->insert(options_.warnings->end(), warnings_.lines.begin(), warnings_.lines.end());
  const int64_t more = warnings_.count - static_cast<int64_t>(warnings_.lines.size());
  if (more > 0) options_.warnings->push_back(absl::StrCat("and ", more, " more warnings"));
}

}  // namespace xla
