// Who may call whom: bodies of fusions, computations that run asynchronously, and the threads on which computations
// run.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/verifier/verification.h"

namespace xla {
namespace {

// Those of the callers of a computation that are not later parts of asynchronous operations.
using BeginningCallers = absl::flat_hash_map<const HloComputation*, std::vector<HloInstruction*>>;

// What a fusion writes over its operands, it must have, and they must have room for it. A pair of large tuples may be
// listed often.
void CheckFusionAliasing(const HloInstruction& fusion, Verification& verification) {
  absl::flat_hash_set<std::pair<const Shape*, const Shape*>> known;
  for (const OutputOperandAlias& alias : fusion.attributes<FusionAttributes>().output_to_operand_aliasing) {
    const Shape* const output = SubshapeAt(fusion.shape(), alias.output_index);
    const bool has_operand = alias.operand >= 0 && alias.operand < fusion.operand_count();
    const Shape* const operand =
        has_operand ? SubshapeAt(fusion.operand(static_cast<int>(alias.operand))->shape(), alias.operand_index)
                    : nullptr;
    if (output != nullptr && operand != nullptr && !known.emplace(output, operand).second) continue;
    const std::string text = absl::StrCat("output_to_operand_aliasing ", ShapeIndexToString(alias.output_index), ": (",
                                          alias.operand, ", ", ShapeIndexToString(alias.operand_index), ")");
    if (output == nullptr || operand == nullptr) {
      verification.Add(fusion, absl::StrCat(text, " names an output or an operand that does not exist"));
    } else if (!output->Compatible(*operand)) {
      verification.Add(
          fusion, absl::StrCat(text, " pairs different shapes: ", output->ToString(), " and ", operand->ToString()));
    }
  }
}

// One violation for each caller but the instruction itself, which is among them. Thousands of instructions may share a
// computation, so those that will not be shown are not looked at one by one.
void AddForOthers(const HloInstruction& instruction, absl::Span<HloInstruction* const> callers,
                  absl::FunctionRef<std::string(const HloInstruction&)> rule, Verification& verification) {
  int64_t others = static_cast<int64_t>(callers.size()) - 1;
  for (size_t i = 0; others > 0 && verification.ShowsMore(); ++i) {
    if (callers[i] == &instruction) continue;
    verification.Add(instruction, rule(*callers[i]));
    --others;
  }
  verification.CountViolations(others);
}

// The body of a fusion belongs to it alone, and everything in it should be there for the root.
void CheckFusion(const HloInstruction& fusion, Verification& verification) {
  const HloComputation& body = *fusion.called_computation(0);
  if (&body == verification.module().entry()) {
    verification.Add(fusion, absl::StrCat("the fused computation ", body.name(), " is the entry of the module"));
  }
  const auto callers = body.callers();
  const auto rule = [&](const HloInstruction& caller) {
    return absl::StrCat("the fused computation ", body.name(), " is also called by ", caller.name(),
                        "; a fusion needs one of its own");
  };
  AddForOthers(fusion, callers, rule, verification);
  // A body that several share is looked at once.
  if (callers.front() != &fusion) return;
  if (!body.root()->users().empty()) {
    verification.Warn(*body.root(), "is the root of a fused computation and used within it; what uses it is not run");
  }
  for (const auto& instruction : body.instructions()) {
    if (instruction.get() == body.root() || !instruction->users().empty()) continue;
    // Arguments beyond these are harmless.
    if (instruction->opcode() == HloOpcode::kParameter) continue;
    verification.Warn(*instruction, "has no user in its fused computation; it is not run");
  }
}

// A wrapped computation is called by the instructions of one chain, and runs on the thread that they name.
void CheckAsyncStart(const HloInstruction& start, BeginningCallers& beginning, Verification& verification) {
  const HloComputation& wrapped = *start.called_computation(0);
  const auto rule = [&](const HloInstruction& caller) {
    return absl::StrCat("the wrapped computation ", wrapped.name(), " is also called by ", caller.name(),
                        "; an asynchronous operation needs one of its own");
  };
  const auto [known, is_new] = beginning.try_emplace(&wrapped);
  for (HloInstruction* caller : wrapped.callers()) {
    if (!is_new) break;
    const bool continues =
        HasTrait(caller->opcode(), opcode_trait::kAsyncCall) && caller->opcode() != HloOpcode::kAsyncStart;
    if (!continues) known->second.push_back(caller);
  }
  AddForOthers(start, known->second, rule, verification);
  const std::string& thread = start.attributes<AsyncAttributes>().async_execution_thread;
  if (wrapped.execution_thread() != thread) {
    verification.Add(start, absl::StrCat("async_execution_thread is \"", thread, "\", but the wrapped computation ",
                                         wrapped.name(), " has execution_thread \"", wrapped.execution_thread(), "\""));
  }
}

void CheckSameThread(const HloInstruction& call, Verification& verification) {
  const std::string& thread = call.parent()->execution_thread();
  for (const HloComputation* callee : call.called_computations()) {
    if (callee->execution_thread() == thread) continue;
    verification.Warn(call, absl::StrCat("runs on execution_thread \"", thread, "\", but calls ", callee->name(),
                                         " of execution_thread \"", callee->execution_thread(),
                                         "\"; only asynchronous operations change the thread, so it runs on the "
                                         "caller's"));
  }
}

// Rules for instructions that call computations, by opcode.
void CheckCall(const HloInstruction& instruction, BeginningCallers& beginning, Verification& verification) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kFusion) {
    CheckFusion(instruction, verification);
    CheckFusionAliasing(instruction, verification);
  }
  if (opcode == HloOpcode::kFusion || HasTrait(opcode, opcode_trait::kControlFlow)) {
    CheckSameThread(instruction, verification);
  }
  if (opcode == HloOpcode::kAsyncStart) CheckAsyncStart(instruction, beginning, verification);
}

}  // namespace

// Instructions that are unsound by themselves are left out, as are their neighbours, so that no rule meets broken
// structure.
void VerifyCalls(Verification& verification) {
  BeginningCallers beginning;
  for (const auto& computation : verification.module().computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->called_computations().empty()) continue;
      if (verification.MustStop()) return;
      if (verification.IsSoundWithNeighbours(*instruction)) CheckCall(*instruction, beginning, verification);
    }
  }
}

}  // namespace xla
