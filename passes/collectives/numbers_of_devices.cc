#include "passes/collectives/numbers_of_devices.h"

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

// Positions of devices take an addition, a product and a table; these are far more.
constexpr size_t kMostSteps = 64;
constexpr int64_t kMostElements = int64_t{1} << 20;  // of all steps together

// Operations without callees and effects whose value follows from operands and device numbers.
bool IsStep(const HloInstruction& instruction) {
  constexpr uint32_t kSteps = opcode_trait::kElementwise | opcode_trait::kMovesElements |
                              opcode_trait::kFromAttributes | opcode_trait::kBundles | opcode_trait::kPassesOn |
                              opcode_trait::kDeviceNumber;
  const HloOpcode opcode = instruction.opcode();
  if ((!HasTrait(opcode, kSteps) && opcode != HloOpcode::kBitcast) ||
      HasTrait(opcode, opcode_trait::kVaries | opcode_trait::kSideEffect) ||
      !instruction.called_computations().empty() || instruction.shape().IsDynamic()) {
    return false;
  }
  return opcode != HloOpcode::kConstant || instruction.attributes<ConstantAttributes>().literal != nullptr;
}

// All that `scalar` is computed from, operands first; empty if it is too much, or something else is among it.
std::vector<const HloInstruction*> StepsTo(const HloInstruction& scalar) {
  std::vector<const HloInstruction*> steps;
  absl::flat_hash_map<const HloInstruction*, bool> done;  // false: its operands come first
  std::vector<const HloInstruction*> path = {&scalar};
  int64_t elements = 0;
  while (!path.empty()) {
    const HloInstruction* const current = path.back();
    const auto [known, is_new] = done.try_emplace(current, false);
    if (is_new) {
      elements += current->shape().IsArray() ? current->shape().ElementCount() : 0;
      if (!IsStep(*current) || done.size() > kMostSteps || elements > kMostElements) return {};
      for (const HloInstruction* operand : current->operands()) {
        if (!done.contains(operand)) path.push_back(operand);
      }
      continue;
    }
    path.pop_back();
    if (std::exchange(known->second, true)) continue;
    steps.push_back(current);
  }
  return steps;
}

// Replica and partition number become the parameters.
std::unique_ptr<HloModule> ModuleOfSteps(const std::vector<const HloInstruction*>& steps) {
  auto module = std::make_unique<HloModule>("numbers");
  HloComputation* const entry = module->AddComputation(std::make_unique<HloComputation>("entry"));
  InstructionBuilder build(entry);
  HloInstruction* const replica = build.Parameter(0, Shape::Scalar(U32));
  HloInstruction* const partition = build.Parameter(1, Shape::Scalar(U32));
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> copies;
  for (const HloInstruction* step : steps) {
    HloInstruction*& copy = copies[step];
    if (step->opcode() == HloOpcode::kReplicaId) {
      copy = replica;
    } else if (step->opcode() == HloOpcode::kPartitionId) {
      copy = partition;
    } else {
      std::vector<HloInstruction*> operands;
      for (const HloInstruction* operand : step->operands()) operands.push_back(copies.at(operand));
      copy = AddClone(*step, operands, entry);
    }
  }
  entry->set_root(copies.at(steps.back()));
  module->set_entry(entry);
  return module;
}

int64_t NumberIn(const Literal& scalar) {
  const PrimitiveType type = scalar.shape().element_type();
  uint64_t bits = 0;
  std::memcpy(&bits, scalar.untyped_data(), ByteWidth(type));
  const int unused = 64 - 8 * ByteWidth(type);
  if (IsSignedInt(type)) return static_cast<int64_t>(bits << unused) >> unused;
  return static_cast<int64_t>(std::min<uint64_t>(bits, std::numeric_limits<int64_t>::max()));
}

}  // namespace

absl::optional<std::vector<int64_t>> NumbersOfDevices(const HloInstruction& scalar, int64_t replicas,
                                                      int64_t partitions, const PassContext& context) {
  const PrimitiveType type = scalar.shape().element_type();
  if (!scalar.shape().IsScalar() || !IsInt(type) || IsSubByte(type)) return absl::nullopt;
  const std::vector<const HloInstruction*> steps = StepsTo(scalar);
  if (steps.empty()) return absl::nullopt;
  const std::unique_ptr<HloModule> module = ModuleOfSteps(steps);
  EvaluatorOptions options;
  options.resources = context.resources;
  const absl::StatusOr<std::unique_ptr<Evaluator>> evaluator = Evaluator::Create(*module, options);
  if (!evaluator.ok()) return absl::nullopt;
  std::vector<int64_t> numbers;
  for (int64_t replica = 0; replica < replicas; ++replica) {
    for (int64_t partition = 0; partition < partitions; ++partition) {
      std::vector<Literal> ids;
      ids.push_back(Literal::Scalar(static_cast<uint32_t>(replica)));
      ids.push_back(Literal::Scalar(static_cast<uint32_t>(partition)));
      const absl::StatusOr<Literal> value = (*evaluator)->RunOne(std::move(ids));
      if (!value.ok()) return absl::nullopt;
      numbers.push_back(NumberIn(*value));
    }
  }
  return numbers;
}

}  // namespace xla
