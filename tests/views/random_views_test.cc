#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "passes/cutting/extract.h"
#include "passes/cutting/reduce.h"
#include "tests/random_modules/random_module.h"
#include "tools/views/cost_table.h"
#include "tools/views/html_view.h"
#include "tools/views/module_diff.h"
#include "tools/views/module_dot.h"
#include "tools/views/module_json.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/json.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/compare_modules.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

constexpr uint64_t kSeeds = 300;

using Random = std::mt19937_64;

// Chosen by the random numbers among those whose operands and control predecessors stand already.
std::vector<const HloInstruction*> RandomOrder(const HloComputation& computation, Random& random) {
  absl::flat_hash_map<const HloInstruction*, size_t> missing;
  absl::flat_hash_map<const HloInstruction*, std::vector<const HloInstruction*>> dependents;
  std::vector<const HloInstruction*> ready, order;
  for (const auto& instruction : computation.instructions()) {
    const auto wait_for = [&](const HloInstruction* other) {
      ++missing[instruction.get()];
      dependents[other].push_back(instruction.get());
    };
    for (const HloInstruction* operand : instruction->operands()) wait_for(operand);
    for (const HloInstruction* predecessor : instruction->control_predecessors()) wait_for(predecessor);
    if (missing[instruction.get()] == 0) ready.push_back(instruction.get());
  }
  while (!ready.empty()) {
    std::swap(ready[random() % ready.size()], ready.back());
    order.push_back(ready.back());
    ready.pop_back();
    for (const HloInstruction* dependent : dependents[order.back()]) {
      if (--missing[dependent] == 0) ready.push_back(dependent);
    }
  }
  return order;
}

// The same program under other names and in another order.
std::unique_ptr<HloModule> Disguised(const HloModule& module, Random& random) {
  auto disguised = std::make_unique<HloModule>("disguised");
  disguised->mutable_config() = module.config();
  disguised->mutable_config().is_scheduled = false;
  absl::flat_hash_map<const HloComputation*, HloComputation*> computations;
  for (const auto& computation : module.computations()) {
    auto copy = std::make_unique<HloComputation>(absl::StrCat("c", computations.size()));
    copy->set_execution_thread(computation->execution_thread());
    copy->set_is_fusion_computation(computation->is_fusion_computation());
    absl::flat_hash_map<const HloInstruction*, HloInstruction*> instructions;
    for (const HloInstruction* original : RandomOrder(*computation, random)) {
      auto made = std::make_unique<HloInstruction>(original->opcode(), absl::StrCat("i", instructions.size()),
                                                   original->shape());
      for (const HloInstruction* operand : original->operands()) made->AddOperand(instructions.at(operand));
      for (const HloInstruction* p : original->control_predecessors()) made->AddControlPredecessor(instructions.at(p));
      for (const HloComputation* callee : original->called_computations()) {
        made->AddCalledComputation(computations.at(callee));
      }
      if (original->raw_attributes() != nullptr) made->set_attributes(original->raw_attributes()->Clone());
      made->CopyAnnotations(*original);
      instructions[original] = copy->AddInstruction(std::move(made));
    }
    copy->set_root(instructions.at(computation->root()));
    computations[computation.get()] = disguised->AddComputation(std::move(copy));
  }
  disguised->set_entry(computations.at(module.entry()));
  return disguised;
}

// An instruction that the result needs, some steps up from the root.
HloInstruction* SomeAncestor(const HloModule& module, Random& random) {
  HloInstruction* at = module.entry()->root();
  for (uint64_t steps = random() % 8; steps > 0 && at->operand_count() > 0; --steps) {
    at = at->operand(static_cast<int>(random() % at->operand_count()));
  }
  return at;
}

TEST(RandomViews, AModuleInDisguiseIsTheSame) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    const auto module = GenerateRandomModule(seed).module;
    const auto disguised = Disguised(*module, random);
    ASSERT_TRUE(VerifyModule(*disguised).ok()) << VerifyModule(*disguised);
    std::string difference;
    EXPECT_TRUE(ModulesStructurallyEqual(*module, *disguised, &difference)) << difference;
    // Its header says whether the order counts; that is all that may differ.
    module->mutable_config().is_scheduled = false;
    const ModuleDiff diff = *DiffModules(*module, *disguised);
    EXPECT_TRUE(diff.same) << diff.text;
  }
}

// Which of several instructions that are alike is whose partner is a guess. A wrong one shows one of them as removed
// and added again, which is as true, only longer.
TEST(RandomViews, AChangedModuleIsNot) {
  uint64_t longer = 0;
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    const auto module = GenerateRandomModule(seed).module;
    const auto changed = CloneModule(*Disguised(*module, random));
    HloInstruction* const instruction = SomeAncestor(*changed, random);
    if (!instruction->shape().IsArray()) continue;
    auto copy = std::make_unique<HloInstruction>(HloOpcode::kCopy, "", instruction->shape());
    HloInstruction* const added = changed->entry()->AddInstruction(std::move(copy));
    instruction->ReplaceAllUsesWith(added);
    added->AddOperand(instruction);
    changed->Tidy();
    EXPECT_FALSE(ModulesStructurallyEqual(*module, *changed, nullptr));
    EXPECT_FALSE(ModulesStructurallyEqual(*changed, *module, nullptr));
    const ModuleDiff diff = *DiffModules(*module, *changed);
    EXPECT_FALSE(diff.same);
    EXPECT_THAT(diff.text, testing::ContainsRegex("\n\\+ [^\n]* copy\\(")) << diff.text;
    if (!absl::StrContains(diff.text, " 1 added, ")) ++longer;
  }
  EXPECT_LE(longer, kSeeds / 30);
}

TEST(RandomViews, EveryViewIsWhole) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    const auto module = GenerateRandomModule(seed).module;
    JsonOptions options;
    options.cost = *CostsOf(*module);
    EXPECT_TRUE(ParseJson(*ModuleToJson(*module, options), "json").ok());
    EXPECT_TRUE(absl::EndsWith(*ModuleToDot(*module), "}\n"));
    EXPECT_TRUE(absl::EndsWith(*ModuleToHtml(*module, options.cost), "</html>\n"));
    EXPECT_NE(*CostTable(*module, options.cost, 10), "");
  }
}

TEST(RandomViews, PartsAreValid) {
  for (uint64_t seed = 0; seed < kSeeds; ++seed) {
    Random random(seed);
    const auto module = GenerateRandomModule(seed).module;
    for (const auto& computation : module->computations()) {
      const auto instructions = computation->instructions();
      ExtractRequest request;
      request.computation = computation->name();
      request.instruction = instructions[random() % instructions.size()]->name();
      if (random() % 2 == 0) request.depth = random() % 4;
      SCOPED_TRACE(absl::StrCat("seed ", seed, " ", request.computation, "/", request.instruction));
      const auto part = ExtractModule(*module, request);
      ASSERT_TRUE(part.ok()) << part.status();
      EXPECT_TRUE(VerifyModule(**part).ok()) << VerifyModule(**part) << ModuleToString(**part);
    }
  }
}

TEST(RandomViews, ReducedModulesAreSmallAndValid) {
  constexpr uint64_t kReductions = 40;
  constexpr int64_t kMostInstructions = 20;  // a loop that is there for one all-reduce of its body
  for (uint64_t seed = 0; seed < kReductions; ++seed) {
    SCOPED_TRACE(absl::StrCat("seed ", seed));
    Random random(seed);
    const auto module = GenerateRandomModule(seed).module;
    const HloOpcode wanted = SomeAncestor(*module, random)->opcode();
    const auto shows = [&](const HloModule& candidate) -> absl::StatusOr<bool> {
      EXPECT_TRUE(VerifyModule(candidate).ok());
      for (const auto& computation : candidate.computations()) {
        for (const auto& instruction : computation->instructions()) {
          if (instruction->opcode() == wanted) return true;
        }
      }
      return false;
    };
    const auto result = ReduceModule(*module, shows);
    ASSERT_TRUE(result.ok()) << result.status();
    EXPECT_LE(result->module->instruction_count(), kMostInstructions) << ModuleToString(*result->module);
    EXPECT_TRUE(*shows(*result->module));
  }
}

}  // namespace
}  // namespace xla
