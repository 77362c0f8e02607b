// Call graph, definitions and uses, reachability, side effects and loop invariants, once more by brute force.
#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/loop_invariants.h"
#include "passes/analyses/reachability.h"
#include "passes/analyses/side_effects.h"
#include "passes/analyses/use_walk.h"
#include "tests/random_modules/check_analyses.h"
#include "xla_core/ops/side_effects.h"

namespace xla {
namespace {

using Instructions = std::set<const HloInstruction*>;

int64_t LineCount(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

// Whether its computations run when the instruction does; those of the ends of asynchronous pairs have run already.
bool RunsCallees(const HloInstruction& instruction) {
  return instruction.opcode() != HloOpcode::kAsyncUpdate && instruction.opcode() != HloOpcode::kAsyncDone;
}

template <typename Visit>
void ForEachInstruction(const HloModule& module, const Visit& visit) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) visit(*instruction);
  }
}

// ---- Call graph

// The longest chain of calls from the entry to each computation that there is one to.
std::map<const HloComputation*, int64_t> LongestChains(const HloModule& module) {
  std::map<const HloComputation*, int64_t> chains = {{module.entry(), 0}};
  for (auto at = module.computations().rbegin(); at != module.computations().rend(); ++at) {
    const auto caller = chains.find(at->get());
    if (caller == chains.end()) continue;
    for (const auto& instruction : (*at)->instructions()) {
      if (!RunsCallees(*instruction)) continue;
      for (const HloComputation* callee : instruction->called_computations()) {
        int64_t& chain = chains[callee];
        chain = std::max(chain, caller->second + 1);
      }
    }
  }
  return chains;
}

void CheckCallGraph(const HloModule& module, AnalysisFindings* findings) {
  const CallGraph graph(module);
  std::map<const HloComputation*, std::set<std::pair<const HloInstruction*, int>>> calls;
  int64_t lines = static_cast<int64_t>(module.computations().size());
  ForEachInstruction(module, [&](const HloInstruction& instruction) {
    if (!RunsCallees(instruction)) return;
    for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
      calls[instruction.called_computations()[i]].insert({&instruction, static_cast<int>(i)});
      ++lines;
    }
  });
  const std::map<const HloComputation*, int64_t> chains = LongestChains(module);
  for (const auto& computation : module.computations()) {
    std::set<std::pair<const HloInstruction*, int>> found;
    for (const CallSite& site : graph.CallSites(*computation)) found.insert({site.caller, site.callee_index});
    if (found != calls[computation.get()]) findings->Add("call-graph", computation->name(), " has other callers");
    const CallSite* const only = graph.OnlyCallSite(*computation);
    if ((only != nullptr) != (found.size() == 1)) findings->Add("call-graph", computation->name(), ": only call site");
    const auto chain = chains.find(computation.get());
    if (graph.IsReachable(*computation) != (chain != chains.end()) ||
        graph.Depth(*computation) != (chain == chains.end() ? 0 : chain->second)) {
      findings->Add("call-graph", computation->name(), " is at another depth than ", graph.Depth(*computation));
    }
  }
  if (LineCount(PrintCallGraph(module)) != lines) findings->Add("call-graph", "another number of lines than ", lines);
}

// ---- Within a computation

// For each instruction all that it needs, itself among them.
std::map<const HloInstruction*, Instructions> Closures(const HloComputation& computation, bool with_control_edges) {
  std::map<const HloInstruction*, Instructions> closures;
  for (const auto& instruction : computation.instructions()) {
    Instructions& needs = closures[instruction.get()];
    needs.insert(instruction.get());
    const auto add = [&](const HloInstruction* before) {
      needs.insert(closures[before].begin(), closures[before].end());
    };
    for (const HloInstruction* operand : instruction->operands()) add(operand);
    if (!with_control_edges) continue;
    for (const HloInstruction* before : instruction->control_predecessors()) add(before);
  }
  return closures;
}

void CheckReachability(const HloComputation& computation, AnalysisFindings* findings) {
  const Reachability reachability(computation);
  const auto closures = Closures(computation, /*with_control_edges=*/true);
  for (const auto& [to, needs] : closures) {
    for (const auto& [from, other] : closures) {
      if (reachability.IsReachable(*from, *to) != (needs.count(from) != 0)) {
        findings->Add("reachability", PlaceOf(*to), " from ", from->name(), " is the other way round");
      }
      const bool independent = needs.count(from) == 0 && other.count(to) == 0;
      if (reachability.AreIndependent(*from, *to) != independent) {
        findings->Add("reachability", PlaceOf(*to), " and ", from->name(), " are not independent, or are");
      }
    }
  }
}

void CheckPrintedReachability(const HloModule& module, AnalysisFindings* findings) {
  std::string expected;
  for (const auto& computation : module.computations()) {
    std::map<const HloInstruction*, int64_t> depths;
    int64_t steps = 0;
    std::string lines;
    for (const auto& instruction : computation->instructions()) {
      int64_t& depth = depths[instruction.get()];
      std::vector<std::string> waits;
      for (const HloInstruction* operand : instruction->operands()) {
        depth = std::max(depth, depths[operand] + 1);
        waits.push_back(operand->name());
      }
      for (const HloInstruction* before : instruction->control_predecessors()) {
        depth = std::max(depth, depths[before] + 1);
        waits.push_back(absl::StrCat("[", before->name(), "]"));
      }
      steps = std::max(steps, depth + 1);
      absl::StrAppend(&lines, "  ", depth, " ", instruction->name(), waits.empty() ? "" : " after ");
      for (size_t i = 0; i < waits.size(); ++i) absl::StrAppend(&lines, i == 0 ? "" : ", ", waits[i]);
      lines += '\n';
    }
    absl::StrAppend(&expected, computation->name(), ": ", computation->instruction_count(), " instructions in ", steps,
                    " steps\n", lines);
  }
  if (PrintReachability(module) != expected) findings->Add("reachability", "prints other depths than ", expected);
}

// Walks from an instruction in both directions.
void CheckWalks(const HloComputation& computation, AnalysisFindings* findings) {
  const auto closures = Closures(computation, /*with_control_edges=*/false);
  for (const auto& start : computation.instructions()) {
    HloInstruction* const starts[] = {start.get()};
    Instructions needs = {start.get()}, needed_by = {start.get()};
    WalkOperands(starts, [&](HloInstruction* operand) { return needs.insert(operand).second; });
    InstructionWorklist worklist;
    worklist.AddUsersOf(*start);
    WalkUsers(starts, [&](HloInstruction* user) {
      worklist.Add(user);
      return needed_by.insert(user).second;
    });
    Instructions waiting = {start.get()};
    while (!worklist.empty()) waiting.insert(worklist.Take());
    Instructions expected;
    for (const auto& [user, all] : closures) {
      if (all.count(start.get()) != 0) expected.insert(user);
    }
    if (needs != closures.at(start.get())) findings->Add("def-use", "a walk misses operands of ", PlaceOf(*start));
    if (needed_by != expected || waiting != expected) {
      findings->Add("def-use", "a walk misses users of ", PlaceOf(*start));
    }
  }
}

void CheckDefUse(const HloModule& module, AnalysisFindings* findings) {
  int64_t lines = 0;
  const std::string text = PrintDefUse(module);
  for (const auto& computation : module.computations()) {
    lines += 1 + computation->instruction_count();
    for (const auto& instruction : computation->instructions()) {
      int64_t uses = 0;
      for (const HloInstruction* user : instruction->users()) {
        uses += std::count(user->operands().begin(), user->operands().end(), instruction.get());
      }
      const std::string line = absl::StrCat("\n  ", instruction->name(), ": ", instruction->operand_count(),
                                            " operands, ", uses, " uses");
      if (text.find(line) == std::string::npos) findings->Add("def-use", "does not say '", line.substr(3), "'");
    }
  }
  if (LineCount(text) != lines) findings->Add("def-use", "another number of lines than ", lines);
}

// ---- Effects

bool HasEffect(const HloInstruction& instruction, std::map<const HloComputation*, bool>* known) {
  if (HasOwnSideEffect(instruction)) return true;
  for (const HloComputation* callee : instruction.called_computations()) {
    const auto [at, is_new] = known->insert({callee, false});
    bool has = at->second;
    if (is_new) {
      for (const auto& inner : callee->instructions()) has = has || HasEffect(*inner, known);
      (*known)[callee] = has;
    }
    if (has) return true;
  }
  return false;
}

void CheckSideEffects(const HloModule& module, AnalysisFindings* findings) {
  SideEffects effects;
  std::map<const HloComputation*, bool> known;
  int64_t lines = 0;
  ForEachInstruction(module, [&](const HloInstruction& instruction) {
    const bool expected = HasEffect(instruction, &known);
    lines += expected;
    if (effects.Has(instruction) != expected) {
      findings->Add("side-effects", PlaceOf(instruction), expected ? " has one" : " has none");
    }
  });
  if (LineCount(PrintSideEffects(module)) != lines) {
    findings->Add("side-effects", "another number of lines than ", lines);
  }
}

// ---- Loops

// What an invariant instruction is made of is invariant, and nothing about it depends on when it runs.
void CheckInvariants(const HloInstruction& loop, AnalysisFindings* findings) {
  const LoopInvariants invariants(loop);
  SideEffects effects;
  for (const HloComputation* part : loop.called_computations()) {
    for (const auto& instruction : part->instructions()) {
      if (!invariants.IsInvariant(*instruction)) continue;
      if (effects.Has(*instruction)) findings->Add("loop-invariants", PlaceOf(*instruction), " has an effect");
      if (instruction->opcode() == HloOpcode::kGetTupleElement) continue;
      for (const HloInstruction* operand : instruction->operands()) {
        if (!invariants.IsInvariant(*operand)) {
          findings->Add("loop-invariants", PlaceOf(*instruction), " uses ", operand->name(), ", which varies");
        }
      }
    }
  }
  const auto instructions = loop.called_computation(1)->instructions();
  for (const HloInstruction* instruction : invariants.InvariantInstructions()) {
    const bool is_there = std::any_of(instructions.begin(), instructions.end(),
                                      [&](const auto& other) { return other.get() == instruction; });
    if (!is_there) findings->Add("loop-invariants", instruction->name(), " is not in the body of ", PlaceOf(loop));
  }
}

void CheckLoopInvariants(const HloModule& module, AnalysisFindings* findings) {
  int64_t loops = 0;
  const Dataflow dataflow(module);
  ForEachInstruction(module, [&](const HloInstruction& instruction) {
    if (instruction.opcode() != HloOpcode::kWhile) return;
    ++loops;
    CheckInvariants(instruction, findings);
    // What is invariant comes out of the body as it went in, or as a copy of it.
    const LoopInvariants invariants(instruction);
    const HloComputation& body = *instruction.called_computation(1);
    for (int64_t k = 0; k < dataflow.PositionCount(instruction); ++k) {
      const ShapeIndex leaf = dataflow.IndexAt(dataflow.FirstPosition(instruction) + k);
      const Dataflow::Value before = dataflow.ValueAt(*body.parameters()[0], leaf);
      const Dataflow::Value after = dataflow.ValueAt(*body.root(), leaf);
      if (invariants.IsInvariantState(leaf) && before != after &&
          dataflow.InstructionAt(after).opcode() != HloOpcode::kCopy) {
        findings->Add("loop-invariants", PlaceOf(instruction), " changes ", ShapeIndexToString(leaf));
      }
    }
  });
  if (LineCount(PrintLoopInvariants(module)) != loops) {
    findings->Add("loop-invariants", "another number of lines than ", loops);
  }
}

}  // namespace

void CheckGraphAnalyses(const HloModule& module, AnalysisFindings* findings) {
  CheckCallGraph(module, findings);
  for (const auto& computation : module.computations()) {
    CheckReachability(*computation, findings);
    CheckWalks(*computation, findings);
  }
  CheckPrintedReachability(module, findings);
  CheckDefUse(module, findings);
  CheckSideEffects(module, findings);
  CheckLoopInvariants(module, findings);
}

}  // namespace xla
