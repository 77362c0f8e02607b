// All computations could be nested, but for three reasons:
// - the parser recurses, so bodies must not nest without end: a chain of calls is cut where it enters another block of
//   kBlockHeight levels, counted from the callees up;
// - a body in braces is printed once for each call, and calls of calls of calls would grow without bound, so only small
//   bodies are repeated;
// - braces have no place for an execution thread.
// A fused computation belongs to one instruction. If it has a name, the computation that calls it must not be repeated
// either.
//
// All of that follows from the graph of calls alone, so the module that the text gives is printed in the same way.
#include "xla_core/text/nested_bodies.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

constexpr int64_t kBlockHeight = 100;
// With all bodies within it.
constexpr int64_t kMostRepeatedInstructions = 1000;

struct Facts {
  int64_t calls = 0;         // by computations that are printed
  int64_t height = 0;        // of the longest chain of calls that begins here
  int64_t instructions = 0;  // that are printed for it
  bool is_on_its_own = false;
  bool has_callee_on_its_own = false;
};
using FactsOfAll = absl::flat_hash_map<const HloComputation*, Facts>;

template <typename Visit>
void ForEachCallee(const HloComputation& computation, const Visit& visit) {
  for (const auto& instruction : computation.instructions()) {
    if (!SpellsCallees(*instruction)) continue;
    for (const HloComputation* callee : instruction->called_computations()) visit(*callee);
  }
}

// Callers come after what they call, so a walk backwards finds all calls of a computation before the computation.
FactsOfAll CountCalls(const HloModule& module) {
  FactsOfAll facts;
  facts[module.entry()].calls = 1;
  for (auto it = module.computations().rbegin(); it != module.computations().rend(); ++it) {
    if (facts[it->get()].calls == 0) continue;
    ForEachCallee(**it, [&](const HloComputation& callee) { ++facts[&callee].calls; });
  }
  return facts;
}

void FindHeight(const HloComputation& computation, FactsOfAll& all) {
  int64_t height = 0;
  ForEachCallee(computation, [&](const HloComputation& callee) { height = std::max(height, all[&callee].height + 1); });
  all[&computation].height = height;
}

void CutIntoBlocks(const HloComputation& computation, FactsOfAll& all) {
  const int64_t block = all[&computation].height / kBlockHeight;
  ForEachCallee(computation, [&](const HloComputation& callee) {
    Facts& facts = all[&callee];
    if (facts.height / kBlockHeight != block) facts.is_on_its_own = true;
  });
}

// What is known of the callees by then is final.
void LimitRepetition(const HloComputation& computation, FactsOfAll& all) {
  Facts facts = all[&computation];
  facts.instructions = computation.instruction_count();
  ForEachCallee(computation, [&](const HloComputation& callee) {
    const Facts& of_callee = all[&callee];
    if (!of_callee.is_on_its_own) facts.instructions += of_callee.instructions;
    facts.has_callee_on_its_own |= of_callee.is_on_its_own || of_callee.has_callee_on_its_own;
  });
  const bool may_be_repeated = facts.instructions <= kMostRepeatedInstructions && !facts.has_callee_on_its_own;
  facts.is_on_its_own |= (facts.calls > 1 && !may_be_repeated) || computation.execution_thread() != "main";
  all[&computation] = facts;
}

}  // namespace

bool SpellsCallees(const HloInstruction& instruction) {
  return !HasTrait(instruction.opcode(), opcode_trait::kAsyncCall) || instruction.opcode() == HloOpcode::kAsyncStart;
}

absl::flat_hash_map<const HloComputation*, std::string> NamesOfComputationsOnTheirOwn(const HloModule& module) {
  FactsOfAll facts = CountCalls(module);
  for (const auto step : {&FindHeight, &CutIntoBlocks, &LimitRepetition}) {
    for (const auto& computation : module.computations()) {
      if (facts[computation.get()].calls > 0) step(*computation, facts);
    }
  }
  absl::flat_hash_map<const HloComputation*, std::string> names;
  int64_t number = 0;
  for (const auto& computation : module.computations()) {
    if (!facts[computation.get()].is_on_its_own || computation.get() == module.entry()) continue;
    std::string name = absl::StrCat("computation_", number++);
    // The entry keeps its name.
    if (name == module.entry()->name()) name = absl::StrCat("computation_", number++);
    names.emplace(computation.get(), std::move(name));
  }
  return names;
}

}  // namespace xla
