#include "passes/cleaning/fold_constants.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/optional.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/side_effects.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/base/splat.h"
#include "passes/cleaning/step_evaluator.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Broadcasts, iotas and tuples of these that nest deeper are not looked through.
constexpr int kMaxDepth = 8;
// Broadcasts and iotas with more bytes are not written out to compute with them.
constexpr int64_t kMaxExpandedBytes = 64 << 10;
// A step may hold so many times the bytes of the largest result at once.
constexpr int64_t kMemoryFactor = 8;

// A shape that fits no memory counts as more than any limit.
int64_t BytesOf(const Shape& shape) { return ValidateShape(shape).ok() ? shape.ByteSize() : -1; }

// Made of arrays.
bool HasOnlyArrays(const Shape& shape) {
  const auto elements = shape.tuple_shapes();
  return shape.IsArray() || (shape.IsTuple() && std::all_of(elements.begin(), elements.end(), HasOnlyArrays));
}

bool IsDynamic(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  return instruction.shape().IsDynamic() ||
         std::any_of(operands.begin(), operands.end(), [](const HloInstruction* o) { return o->shape().IsDynamic(); });
}

// Operations that are kept, or that other passes remove.
bool IsLeftAlone(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kGiven | opcode_trait::kFromAttributes | opcode_trait::kBundles |
                              opcode_trait::kPassesOn | opcode_trait::kBegins | opcode_trait::kEnds) ||
         opcode == HloOpcode::kAfterAll || opcode == HloOpcode::kBroadcast || opcode == HloOpcode::kCopy;
}

class Folder {
 public:
  explicit Folder(PassContext& context)
      : context_(context),
        small_bytes_(context.IntOption("small-bytes")),
        max_bytes_(context.IntOption("max-bytes")),
        evaluator_({static_cast<double>(context.IntOption("max-work")), MemoryLimit(context.IntOption("max-bytes")),
                    absl::Seconds(context.IntOption("max-seconds")), context.resources}) {}

  absl::StatusOr<bool> Run(HloComputation* computation) {
    bool changed = false;
    is_fusion_ = IsFusionBody(*computation);
    depths_.clear();
    values_.clear();
    for (HloInstruction* instruction : computation->LiveInstructions()) {
      NoteDepth(*instruction);
      if (!CanFold(*instruction)) continue;
      RETURN_IF_ERROR(context_.CheckDeadline());
      const StepWatch watch(*instruction, context_);
      HloInstruction* const folded = Fold(instruction);
      if (folded == nullptr) continue;
      ReplaceInstruction(instruction, folded);
      RemoveDead(instruction);
      context_.CountRewrite("fold-constant");
      changed = true;
    }
    // Callers evaluate it, in the order of its list.
    computation->Tidy();
    return changed;
  }

 private:
  static int64_t MemoryLimit(int64_t max_bytes) {
    const int64_t most = std::numeric_limits<int64_t>::max() / kMemoryFactor;
    return std::min(max_bytes, most) * kMemoryFactor;
  }

  // ---- What is known

  // 1 for constants, more for what is made of them in a simple way; not in the map: unknown.
  void NoteDepth(const HloInstruction& instruction) {
    int depth = 1;
    for (const HloInstruction* operand : instruction.operands()) {
      const auto found = depths_.find(operand);
      if (found == depths_.end()) return;
      depth = std::max(depth, found->second + 1);
    }
    if (depth > kMaxDepth || instruction.HasControlEdges() || instruction.shape().IsDynamic()) return;
    if (MayBeKnown(instruction)) depths_[&instruction] = depth;
  }
  static bool MayBeKnown(const HloInstruction& instruction) {
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kConstant) {
      const Literal* const value = ConstantValue(instruction);
      return value != nullptr && !value->has_dynamic_sizes();
    }
    if (opcode == HloOpcode::kTuple) return true;
    if (opcode != HloOpcode::kIota && opcode != HloOpcode::kBroadcast) return false;
    const int64_t bytes = BytesOf(instruction.shape());
    return bytes >= 0 && bytes <= kMaxExpandedBytes;
  }
  bool IsKnown(const HloInstruction& instruction) const { return depths_.contains(&instruction); }

  // Recurses no deeper than kMaxDepth.
  absl::optional<Literal> ValueOf(const HloInstruction& known) {
    if (const Literal* const constant = ConstantValue(known)) {
      Literal value = *constant;
      value.ResetShape(known.shape());
      return value;
    }
    const auto [at, is_new] = values_.try_emplace(&known);
    if (!is_new) return at->second;
    absl::optional<std::vector<Literal>> operands = ValuesOfOperands(known);
    absl::optional<Literal> value;
    if (operands.has_value()) {
      value = known.opcode() == HloOpcode::kTuple ? Literal::Tuple(*std::move(operands))
                                                  : evaluator_.Evaluate(known, *std::move(operands));
    }
    values_[&known] = value;
    return value;
  }
  absl::optional<std::vector<Literal>> ValuesOfOperands(const HloInstruction& instruction) {
    std::vector<Literal> values;
    for (const HloInstruction* operand : instruction.operands()) {
      absl::optional<Literal> value = ValueOf(*operand);
      if (!value.has_value()) return absl::nullopt;
      values.push_back(*std::move(value));
    }
    return values;
  }

  // ---- What is folded

  bool CanFold(const HloInstruction& instruction) {
    if (IsLeftAlone(instruction.opcode()) || instruction.HasControlEdges() || IsDynamic(instruction)) return false;
    if (is_fusion_ && !instruction.shape().IsScalar()) return false;
    return evaluator_.IsPure(instruction) && HasOnlyArrays(instruction.shape());
  }

  HloInstruction* Fold(HloInstruction* instruction) {
    if (HloInstruction* const splat = FoldSplat(instruction)) return splat;
    const auto operands = instruction->operands();
    if (!std::all_of(operands.begin(), operands.end(), [&](const HloInstruction* o) { return IsKnown(*o); }) ||
        !IsWorthwhile(*instruction)) {
      return nullptr;
    }
    absl::optional<std::vector<Literal>> values = ValuesOfOperands(*instruction);
    if (!values.has_value()) return nullptr;
    absl::optional<Literal> value = evaluator_.Evaluate(*instruction, *std::move(values));
    return value.has_value() ? AddConstant(*instruction, *std::move(value), instruction->shape()) : nullptr;
  }

  // The result is small, or no larger than the constants that it takes.
  bool IsWorthwhile(const HloInstruction& instruction) const {
    const int64_t bytes = BytesOf(instruction.shape());
    if (bytes < 0 || bytes > max_bytes_) return false;
    if (bytes <= small_bytes_) return true;
    int64_t constants = 0;
    for (const HloInstruction* operand : instruction.operands()) constants += ConstantBytes(*operand);
    return bytes <= constants;
  }
  static int64_t ConstantBytes(const HloInstruction& operand) {
    if (operand.opcode() == HloOpcode::kConstant) return BytesOf(operand.shape());
    if (operand.opcode() != HloOpcode::kTuple) return 0;
    int64_t bytes = 0;
    for (const HloInstruction* element : operand.operands()) {
      if (element->opcode() == HloOpcode::kConstant) bytes += BytesOf(element->shape());
    }
    return bytes;
  }

  // An elementwise operation on arrays of equal elements, one of which at least is written as such.
  HloInstruction* FoldSplat(HloInstruction* instruction) {
    const Shape& shape = instruction->shape();
    const auto operands = instruction->operands();
    if (!IsElementwise(instruction->opcode()) || shape.rank() == 0 ||
        std::all_of(operands.begin(), operands.end(),
                    [](const HloInstruction* o) { return o->opcode() == HloOpcode::kConstant; })) {
      return nullptr;
    }
    std::vector<std::unique_ptr<HloInstruction>> scalars;
    std::vector<Literal> values;
    for (const HloInstruction* operand : operands) {
      absl::optional<Literal> value = SplatValue(*operand);
      if (!value.has_value()) return nullptr;
      scalars.push_back(std::make_unique<HloInstruction>(HloOpcode::kConstant, "", value->shape()));
      values.push_back(*std::move(value));
    }
    const auto step = std::make_unique<HloInstruction>(instruction->opcode(), instruction->name(),
                                                       Shape::Scalar(shape.element_type()));
    for (const auto& scalar : scalars) step->AddOperand(scalar.get());
    if (instruction->raw_attributes() != nullptr) step->set_attributes(instruction->raw_attributes()->Clone());
    absl::optional<Literal> value = evaluator_.Evaluate(*step, std::move(values));
    if (!value.has_value()) return nullptr;
    InstructionBuilder build(instruction->parent(), instruction);
    HloInstruction* const constant = build.Constant(*std::move(value));
    depths_[constant] = 1;
    HloInstruction* const splat = build.BroadcastScalar(constant, shape);
    splat->mutable_shape() = shape;
    CopySharding(*instruction, splat);
    NoteDepth(*splat);
    return splat;
  }

  // A tuple becomes a tuple of constants.
  HloInstruction* AddConstant(const HloInstruction& origin, Literal value, const Shape& shape) {
    InstructionBuilder build(origin.parent(), &origin);
    if (shape.IsTuple()) {
      std::vector<HloInstruction*> elements;
      for (int i = 0; i < shape.tuple_size(); ++i) {
        elements.push_back(AddConstant(origin, value.element(i), shape.tuple_shape(i)));
      }
      HloInstruction* const tuple = build.Tuple(elements);
      CopySharding(origin, tuple);
      NoteDepth(*tuple);
      return tuple;
    }
    value.ResetShape(shape);
    HloInstruction* const constant = build.Constant(std::move(value));
    if (!origin.shape().IsTuple()) CopySharding(origin, constant);
    NoteDepth(*constant);
    return constant;
  }
  static void CopySharding(const HloInstruction& from, HloInstruction* to) {
    if (from.has_annotations() && from.annotations().sharding.has_value()) {
      to->mutable_annotations().sharding = from.annotations().sharding;
    }
  }

  // The instruction, and what has no users without it: the body of a fusion must hold nothing that is dead.
  void RemoveDead(HloInstruction* instruction) {
    std::vector<HloInstruction*> dead = {instruction};
    while (!dead.empty()) {
      HloInstruction* const next = dead.back();
      dead.pop_back();
      if (next->is_removed() || !next->users().empty() || next->parent()->root() == next || !IsRemovable(*next)) {
        continue;
      }
      dead.insert(dead.end(), next->operands().begin(), next->operands().end());
      next->parent()->RemoveInstruction(next);
    }
  }

  PassContext& context_;
  const int64_t small_bytes_;
  const int64_t max_bytes_;
  StepEvaluator evaluator_;
  bool is_fusion_ = false;
  absl::flat_hash_map<const HloInstruction*, int> depths_;
  absl::flat_hash_map<const HloInstruction*, absl::optional<Literal>> values_;
};

}  // namespace

absl::StatusOr<bool> FoldConstants(HloModule& module, PassContext& context) {
  Folder folder(context);
  const auto fixed = context.analyses.Get<FixedComputations>(module);
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (fixed->Contain(*computation)) continue;
    ASSIGN_OR_RETURN(const bool folded, folder.Run(computation.get()));
    changed = changed || folded;
  }
  if (changed) module.RemoveUnreachableComputations();
  return changed;
}

}  // namespace xla
