// The instruction becomes the root of a module of its own, whose parameters are the operands.
#include "passes/cleaning/step_evaluator.h"

#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/statusor.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/side_effects.h"

namespace xla {
namespace {

// What a step of the interpreter costs at least, in scalar operations.
constexpr double kWorkOfStep = 64;

double ElementsOf(const Shape& shape) {
  if (!shape.IsTuple()) {
    double count = 1;
    for (const int64_t size : shape.dimensions()) count *= static_cast<double>(std::max<int64_t>(0, size));
    return count;
  }
  double count = 0;
  for (const Shape& element : shape.tuple_shapes()) count += ElementsOf(element);
  return count;
}

bool IsForeign(const HloInstruction& instruction) {
  constexpr uint32_t kOutside = opcode_trait::kDeviceNumber | opcode_trait::kAsyncCall | opcode_trait::kVaries;
  return HasTrait(instruction.opcode(), kOutside) || HasOwnSideEffect(instruction);
}

double WindowElements(const Window& window) {
  double count = 1;
  for (const WindowDimension& dimension : window.dimensions) count *= static_cast<double>(dimension.size);
  return count;
}

double WorkOfDot(const HloInstruction& dot) {
  double factor = 1;
  for (const int64_t d : dot.attributes<DotAttributes>().lhs_contracting_dims) {
    factor *= static_cast<double>(dot.operand(0)->shape().dimension(static_cast<int>(d)));
  }
  return factor;
}

double WorkOfConvolution(const HloInstruction& convolution) {
  const auto& attributes = convolution.attributes<ConvolutionAttributes>();
  const Shape& kernel = convolution.operand(1)->shape();
  return WindowElements(attributes.window) *
         static_cast<double>(kernel.dimension(static_cast<int>(attributes.dim_labels.kernel_input_feature)));
}

double WorkOfWindow(const HloInstruction& reduce_window) {
  return WindowElements(reduce_window.attributes<WindowAttributes>().window);
}

// For what is cubic in the matrix.
double LargestDimension(const HloInstruction& instruction) {
  double largest = 1;
  for (const int64_t size : instruction.operand(0)->shape().dimensions()) {
    largest = std::max(largest, static_cast<double>(size));
  }
  return largest;
}

double ManySteps(const HloInstruction& /*instruction*/) { return 64; }  // n log n, or a function of many steps
double FewSteps(const HloInstruction& /*instruction*/) { return 4; }

// How often the work of an element of the result is done.
double WorkPerElement(const HloInstruction& instruction) {
  using Estimate = double (*)(const HloInstruction& instruction);
  static constexpr OpcodeMap<Estimate> kEstimates(/*otherwise=*/&FewSteps,
                                                  {{HloOpcode::kDot, &WorkOfDot},
                                                   {HloOpcode::kConvolution, &WorkOfConvolution},
                                                   {HloOpcode::kReduceWindow, &WorkOfWindow},
                                                   {HloOpcode::kCholesky, &LargestDimension},
                                                   {HloOpcode::kTriangularSolve, &LargestDimension},
                                                   {HloOpcode::kRaggedDot, &LargestDimension},
                                                   {HloOpcode::kScaledDot, &LargestDimension},
                                                   {HloOpcode::kSort, &ManySteps},
                                                   {HloOpcode::kTopK, &ManySteps},
                                                   {HloOpcode::kFft, &ManySteps}});
  return kEstimates[instruction.opcode()](instruction);
}

// Copies of the computations that `instruction` calls, and of those that they call.
class CalleeCopies {
 public:
  CalleeCopies(const HloInstruction& instruction, HloModule* module) : module_(module) {
    for (const HloComputation* callee : instruction.called_computations()) Copy(callee);
  }
  HloComputation* Of(const HloComputation* computation) const { return copies_.at(computation); }

 private:
  void Copy(const HloComputation* start) {
    std::vector<const HloComputation*> path = {start};
    while (!path.empty()) {
      const HloComputation* const computation = path.back();
      const size_t depth = path.size();
      if (!copies_.contains(computation)) {
        for (const auto& instruction : computation->instructions()) {
          for (const HloComputation* callee : instruction->called_computations()) {
            if (!copies_.contains(callee)) path.push_back(callee);
          }
        }
      }
      if (path.size() != depth) continue;
      path.pop_back();
      if (copies_.contains(computation)) continue;
      HloComputation* const copy = AddCloneOfComputation(*computation, module_);
      Retarget(copy);
      copies_[computation] = copy;
    }
  }
  // Lets a copy call copies. The bodies of its fusions were copied with it, and are retargeted too.
  void Retarget(HloComputation* copy) {
    std::vector<HloComputation*> pending = {copy};
    absl::flat_hash_set<const HloComputation*> seen;
    while (!pending.empty()) {
      HloComputation* const computation = pending.back();
      pending.pop_back();
      for (const auto& instruction : computation->instructions()) {
        for (size_t i = 0; i < instruction->called_computations().size(); ++i) {
          HloComputation* const callee = instruction->called_computation(static_cast<int>(i));
          if (callee->parent() == module_) {
            if (seen.insert(callee).second) pending.push_back(callee);
          } else {
            instruction->ReplaceCalledComputation(static_cast<int>(i), copies_.at(callee));
          }
        }
      }
    }
  }

  HloModule* const module_;
  absl::flat_hash_map<const HloComputation*, HloComputation*> copies_;
};

std::unique_ptr<HloModule> ModuleOf(const HloInstruction& instruction, const std::vector<Literal>& operands) {
  auto module = std::make_unique<HloModule>("step");
  const CalleeCopies callees(instruction, module.get());
  HloComputation* const entry = module->AddComputation(std::make_unique<HloComputation>("entry"));
  std::vector<HloInstruction*> parameters;
  for (size_t i = 0; i < operands.size(); ++i) {
    auto parameter =
        std::make_unique<HloInstruction>(HloOpcode::kParameter, "", instruction.operand(static_cast<int>(i))->shape());
    auto attributes = std::make_unique<ParameterAttributes>();
    attributes->number = static_cast<int64_t>(i);
    parameter->set_attributes(std::move(attributes));
    parameters.push_back(entry->AddInstruction(std::move(parameter)));
  }
  HloInstruction* const step = AddClone(instruction, parameters, entry);
  for (size_t i = 0; i < instruction.called_computations().size(); ++i) {
    const int number = static_cast<int>(i);
    step->ReplaceCalledComputation(number, callees.Of(instruction.called_computation(number)));
  }
  entry->set_root(step);
  module->set_entry(entry);
  return module;
}

// Asked once for each tuple: many may take elements of a wide one.
class ElementCounts {
 public:
  double Of(const HloInstruction& instruction) {
    if (!instruction.shape().IsTuple()) return ElementsOf(instruction.shape());
    const auto [known, is_new] = of_tuples_.try_emplace(&instruction, 0.0);
    if (is_new) known->second = ElementsOf(instruction.shape());
    return known->second;
  }

 private:
  absl::flat_hash_map<const HloInstruction*, double> of_tuples_;
};

double WorkOf(const HloInstruction& instruction, ElementCounts& elements) {
  double work = kWorkOfStep + elements.Of(instruction) * WorkPerElement(instruction);
  for (const HloInstruction* operand : instruction.operands()) work += elements.Of(*operand);
  return work;
}

}  // namespace

double WorkOf(const HloInstruction& instruction) {
  ElementCounts elements;
  return WorkOf(instruction, elements);
}

const StepEvaluator::Facts& StepEvaluator::FactsOf(const HloComputation& computation) {
  if (const auto known = facts_.find(&computation); known != facts_.end()) return known->second;
  // Callees first, with a stack of its own: calls may nest deeply.
  std::vector<const HloComputation*> path = {&computation};
  while (!path.empty()) {
    const HloComputation* const current = path.back();
    // Each call of it put it there.
    if (facts_.contains(current)) {
      path.pop_back();
      continue;
    }
    const size_t depth = path.size();
    Facts facts;
    ElementCounts elements;
    for (const auto& instruction : current->instructions()) {
      facts.pure = facts.pure && !IsForeign(*instruction);
      facts.most_work = std::max(facts.most_work, WorkOf(*instruction, elements));
      for (const HloComputation* callee : instruction->called_computations()) {
        const auto found = facts_.find(callee);
        if (found == facts_.end()) {
          path.push_back(callee);
          continue;
        }
        facts.pure = facts.pure && found->second.pure;
        facts.most_work = std::max(facts.most_work, found->second.most_work);
      }
    }
    if (path.size() != depth) continue;
    facts_[current] = facts;
    path.pop_back();
  }
  return facts_[&computation];
}

bool StepEvaluator::IsPure(const HloInstruction& instruction) {
  if (IsForeign(instruction)) return false;
  const auto callees = instruction.called_computations();
  return std::all_of(callees.begin(), callees.end(),
                     [this](const HloComputation* callee) { return FactsOf(*callee).pure; });
}

absl::optional<Literal> StepEvaluator::Evaluate(const HloInstruction& instruction, std::vector<Literal> operands) {
  double most_work = WorkOf(instruction);
  if (most_work > limits_.work) return absl::nullopt;
  for (const HloComputation* callee : instruction.called_computations()) {
    most_work = std::max(most_work, FactsOf(*callee).most_work);
  }
  EvaluatorOptions options;
  options.max_steps = std::max<int64_t>(1, static_cast<int64_t>(limits_.work / most_work));
  options.max_memory_bytes = limits_.bytes;
  options.timeout = limits_.time;
  options.resources = limits_.resources;
  const std::unique_ptr<HloModule> module = ModuleOf(instruction, operands);
  absl::StatusOr<std::unique_ptr<Evaluator>> evaluator = Evaluator::Create(*module, options);
  if (!evaluator.ok()) return absl::nullopt;
  absl::StatusOr<Literal> value = (*evaluator)->RunOne(std::move(operands));
  if (!value.ok()) return absl::nullopt;
  return *std::move(value);
}

}  // namespace xla
