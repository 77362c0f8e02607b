#include "backends/autopsy/noise.h"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "passes/analyses/exactness.h"
#include "passes/base/instruction_builder.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/random_source.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// Sums of more terms have more noise: the errors of their roundings add up as the steps of a random walk.
constexpr double kUsualTerms = 256;
constexpr double kMostMoreNoise = 64;

// Narrow types have few bits, and sums in them are mostly taken in wider ones.
constexpr double kUnitsOfNarrowTypes = 2;
constexpr double kMostOfWideTypes = 1e-3;

absl::StatusOr<Literal> NumbersNearOne(const Shape& shape, double units, uint64_t seed) {
  const PrimitiveType type = shape.element_type();
  ASSIGN_OR_RETURN(const double epsilon, EpsilonOf(type));
  ASSIGN_OR_RETURN(Literal wide, Literal::Allocate(Shape::Array(F64, shape.dimensions())));
  const double distance = std::max(std::min(units * epsilon, kMostOfWideTypes), kUnitsOfNarrowTypes * epsilon);
  for (int64_t i = 0; i < wide.element_count(); ++i) {
    wide.mutable_data<double>()[i] = 1 + (SplitMix64(seed, i) % 2 == 0 ? distance : -distance);
  }
  return LiteralUtil::Convert(wide, type);
}

bool HasNoise(const Shape& shape) {
  return shape.IsArray() && !shape.IsDynamic() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type()));
}

bool AddsUp(const HloInstruction& instruction) {
  return HasTrait(instruction.opcode(), opcode_trait::kFolds) || HasTrait(instruction.opcode(), opcode_trait::kSums);
}

// Computations that others apply to single elements.
absl::flat_hash_set<const HloComputation*> AppliedComputations(const HloModule& module) {
  absl::flat_hash_set<const HloComputation*> applied;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const HloOpcode opcode = instruction->opcode();
      const bool is_applied = HasTrait(opcode, opcode_trait::kFolds) || opcode == HloOpcode::kSort ||
                              opcode == HloOpcode::kMap || opcode == HloOpcode::kTopK;
      if (!is_applied) continue;
      for (const HloComputation* callee : instruction->called_computations()) applied.insert(callee);
    }
  }
  return applied;
}

// In the order of the module.
absl::StatusOr<std::vector<HloInstruction*>> InexactInstructions(const HloModule& module,
                                                                 const ResourceContext* resources) {
  ExactnessOptions options;
  options.may_round = BackendsMayRound;
  ASSIGN_OR_RETURN(const Exactness exactness, Exactness::Create(module, resources, options));
  const absl::flat_hash_set<const HloComputation*> applied = AppliedComputations(module);
  std::vector<HloInstruction*> inexact;
  for (const auto& computation : module.computations()) {
    if (applied.contains(computation.get())) continue;
    for (const auto& instruction : computation->instructions()) {
      const bool may_differ = AddsUp(*instruction) || BackendsMayRound(instruction->opcode());
      if (may_differ && !exactness.IsExact(*instruction)) inexact.push_back(instruction.get());
    }
  }
  return inexact;
}

// About how many terms each element of a sum has: exact for reduce and, without batches, for dot.
double TermsOf(const HloInstruction& sum) {
  if (!sum.shape().IsArray() || sum.operand_count() < 2) return 1;
  const auto elements = [](const Shape& shape) {
    return shape.IsArray() ? std::max<double>(1, static_cast<double>(shape.ElementCount())) : 1;
  };
  const double first = elements(sum.operand(0)->shape()), second = elements(sum.operand(1)->shape());
  const bool is_product = HasTrait(sum.opcode(), opcode_trait::kProduct);
  return is_product ? std::sqrt(first * second / elements(sum.shape())) : first / elements(sum.shape());
}

class NoiseMaker {
 public:
  NoiseMaker(double units, uint64_t seed) : units_(units), seed_(seed) {}

  absl::Status AddTo(HloInstruction& instruction) {
    const double terms = AddsUp(instruction) ? TermsOf(instruction) : 1;
    const double units = units_ * std::min(std::max(std::sqrt(terms / kUsualTerms), 1.0), kMostMoreNoise);
    for (int i = 0; AddsUp(instruction) && i < instruction.operand_count(); ++i) {
      if (!HasNoise(instruction.operand(i)->shape())) continue;
      ASSIGN_OR_RETURN(HloInstruction* const moved, Moved(instruction.operand(i), instruction, units));
      instruction.ReplaceOperand(i, moved);
    }
    if (!HasNoise(instruction.shape())) return absl::OkStatus();
    const std::vector<HloInstruction*> users(instruction.users().begin(), instruction.users().end());
    HloComputation* const computation = instruction.parent();
    ASSIGN_OR_RETURN(HloInstruction* const moved, Moved(&instruction, instruction, units));
    for (HloInstruction* user : users) {
      for (int i = 0; i < user->operand_count(); ++i) {
        if (user->operand(i) == &instruction) user->ReplaceOperand(i, moved);
      }
    }
    if (computation->root() == &instruction) computation->set_root(moved);
    return absl::OkStatus();
  }

 private:
  uint64_t NextSeed() { return seed_ = SplitMix64(seed_, 1); }

  // `value` times numbers near 1.
  absl::StatusOr<HloInstruction*> Moved(HloInstruction* value, const HloInstruction& origin, double units) {
    InstructionBuilder builder(origin.parent(), &origin);
    ASSIGN_OR_RETURN(Literal noise, NumbersNearOne(value->shape(), units, NextSeed()));
    HloInstruction* const factor = builder.Constant(std::move(noise));
    HloInstruction* const moved = builder.MakeOfShape(HloOpcode::kMultiply, value->shape(), {value, factor});
    RETURN_IF_ERROR(builder.status());
    return moved;
  }

  const double units_;
  uint64_t seed_;
};

}  // namespace

absl::StatusOr<double> EpsilonOf(PrimitiveType type) {
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  ASSIGN_OR_RETURN(const Literal epsilon, LiteralUtil::Epsilon(IsComplex(type) ? ComplexComponentType(type) : type));
  ASSIGN_OR_RETURN(const Literal wide, LiteralUtil::Convert(epsilon, F64));
  return *wide.data<double>();
}

absl::StatusOr<std::unique_ptr<HloModule>> WithNoise(const HloModule& module, double units, uint64_t seed,
                                                     const ResourceContext* resources) {
  std::unique_ptr<HloModule> noisy = CloneModule(module);
  NoiseMaker maker(units, seed);
  ASSIGN_OR_RETURN(const std::vector<HloInstruction*> inexact, InexactInstructions(*noisy, resources));
  for (HloInstruction* instruction : inexact) RETURN_IF_ERROR(maker.AddTo(*instruction));
  noisy->Tidy();
  VerifierOptions options;
  options.resources = resources;
  RETURN_IF_ERROR(VerifyModule(*noisy, options));
  return noisy;
}

}  // namespace xla
