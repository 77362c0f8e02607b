#include "passes/expanding/expand_dynamic_dimensions.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/base/rewrite_rule.h"
#include "passes/expanding/dynamic_rules.h"
#include "passes/expanding/padded_array.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HasDynamicPart(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  return instruction.shape().IsDynamic() ||
         std::any_of(operands.begin(), operands.end(), [](const HloInstruction* o) { return o->shape().IsDynamic(); });
}

bool IsEntryParameter(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kParameter &&
         instruction.parent() == instruction.parent()->parent()->entry();
}

// A parameter of the entry, or an element of one.
bool IsPartOfEntryParameter(const HloInstruction& instruction) {
  const HloInstruction* at = &instruction;
  while (at->opcode() == HloOpcode::kGetTupleElement) at = at->operand(0);
  return IsEntryParameter(*at);
}

bool Calls(const HloInstruction& instruction, absl::string_view target) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.attributes<CustomCallAttributes>().custom_call_target == target;
}

// ---- What can be expanded

bool SameDynamicShape(const Shape& a, const Shape& b) { return a.Equal(b, Shape::kIgnoreLayout); }

// Values pass through these as they are, whatever their shape.
bool IsStructure(HloOpcode opcode) {
  return HasTrait(opcode, opcode_trait::kBundles | opcode_trait::kControlFlow) || opcode == HloOpcode::kParameter ||
         opcode == HloOpcode::kOptBarrier;
}

bool TupleAgrees(const HloInstruction& tuple) {
  std::vector<Shape> elements;
  for (const HloInstruction* operand : tuple.operands()) elements.push_back(operand->shape());
  return SameDynamicShape(tuple.shape(), Shape::Tuple(std::move(elements)));
}

bool ElementAgrees(const HloInstruction& element) {
  const auto index = static_cast<int>(element.attributes<GetTupleElementAttributes>().index);
  return SameDynamicShape(element.shape(), element.operand(0)->shape().tuple_shape(index));
}

bool BarrierAgrees(const HloInstruction& barrier) {
  return SameDynamicShape(barrier.shape(), barrier.operand(0)->shape());
}

bool LoopAgrees(const HloInstruction& loop) {
  const Shape& shape = loop.shape();
  const HloComputation& condition = *loop.called_computation(0);
  const HloComputation& body = *loop.called_computation(1);
  return SameDynamicShape(shape, loop.operand(0)->shape()) &&
         SameDynamicShape(shape, condition.parameters()[0]->shape()) &&
         SameDynamicShape(shape, body.parameters()[0]->shape()) && SameDynamicShape(shape, body.root()->shape());
}

bool CallAgrees(const HloInstruction& call) {
  const HloComputation& callee = *call.called_computation(0);
  const std::vector<HloInstruction*> parameters = callee.parameters();
  for (int i = 0; i < call.operand_count(); ++i) {
    if (!SameDynamicShape(parameters[i]->shape(), call.operand(i)->shape())) return false;
  }
  return SameDynamicShape(call.shape(), callee.root()->shape());
}

bool ConditionalAgrees(const HloInstruction& conditional) {
  for (size_t b = 0; b < conditional.called_computations().size(); ++b) {
    const HloComputation& branch = *conditional.called_computations()[b];
    const Shape& argument = conditional.operand(static_cast<int>(1 + b))->shape();
    if (!SameDynamicShape(branch.parameters()[0]->shape(), argument) ||
        !SameDynamicShape(conditional.shape(), branch.root()->shape())) {
      return false;
    }
  }
  return true;
}

bool AlwaysAgrees(const HloInstruction& /*parameter*/) { return true; }

// Whether all that pass the value on means the same dimensions to be dynamic.
bool ShapesAgree(const HloInstruction& instruction) {
  using Check = bool (*)(const HloInstruction& instruction);
  static constexpr OpcodeMap<Check> kChecks(/*otherwise=*/&AlwaysAgrees,
                                            {{HloOpcode::kTuple, &TupleAgrees},
                                             {HloOpcode::kGetTupleElement, &ElementAgrees},
                                             {HloOpcode::kOptBarrier, &BarrierAgrees},
                                             {HloOpcode::kWhile, &LoopAgrees},
                                             {HloOpcode::kCall, &CallAgrees},
                                             {HloOpcode::kConditional, &ConditionalAgrees}});
  return kChecks[instruction.opcode()](instruction);
}

// Whether the dimensions that are dynamic in the result are those that follow from the operands. Operations that cannot
// tell, or that may be told, decide in their rules.
bool ResultIsDynamicAsInferred(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  if (opcode == HloOpcode::kReshape || opcode == HloOpcode::kDynamicReshape || opcode == HloOpcode::kIota) return true;
  const auto infer = GetOp(opcode).infer_shape;
  if (infer == nullptr) return true;
  const absl::StatusOr<Shape> inferred = infer(instruction);
  return !inferred.ok() || inferred->Equal(instruction.shape(), Shape::kIgnoreLayout | Shape::kIgnoreElementType);
}

bool HasHugeDimension(const Shape& shape) {
  if (shape.IsTuple()) {
    const auto elements = shape.tuple_shapes();
    return std::any_of(elements.begin(), elements.end(), HasHugeDimension);
  }
  const auto dimensions = shape.dimensions();
  return std::any_of(dimensions.begin(), dimensions.end(),
                     [](int64_t size) { return size > std::numeric_limits<int32_t>::max(); });
}

std::string RefuseShape(const Shape& shape) {
  if (!shape.IsDynamic()) return "";
  if (shape.IsUnboundedDynamic()) return "a dimension has no bound";
  return HasHugeDimension(shape) ? "a dimension is too long for s32" : "";
}

// Why the instruction, which has a dynamic part, cannot be expanded; "" if it can.
std::string Refuse(const HloInstruction& instruction) {
  if (instruction.HasControlEdges()) return "it has control edges";
  for (const HloInstruction* operand : instruction.operands()) {
    const std::string why = RefuseShape(operand->shape());
    if (!why.empty()) return why;
  }
  if (const std::string why = RefuseShape(instruction.shape()); !why.empty()) return why;
  if (IsStructure(instruction.opcode())) {
    if (instruction.annotations().sharding.has_value()) return "it has a sharding of the dynamic shape";
    return ShapesAgree(instruction) ? "" : "shapes differ in which dimensions are dynamic";
  }
  if (Calls(instruction, "PadToStatic") || Calls(instruction, "SliceToDynamic")) return "";
  const DynamicRule* const rule = FindDynamicRule(instruction.opcode());
  if (rule == nullptr) return absl::StrCat("dynamic dimensions are not known of ", instruction.opcode_name());
  if (!ResultIsDynamicAsInferred(instruction)) {
    return "the dimensions that are dynamic in the result are not those that follow from the operands";
  }
  return rule->refuse(instruction);
}

// What keeps its dynamic shapes: instructions that cannot be expanded, and whole computations, since a callee hands its
// values over as its callers do.
class KeptDynamic {
 public:
  static KeptDynamic Find(const HloModule& module) {
    KeptDynamic kept;
    for (const auto& computation : module.computations()) {
      // Only what runs a callee on its own operands hands packed values over.
      const auto callers = computation->callers();
      if (!std::all_of(callers.begin(), callers.end(), IsControlFlow)) kept.Keep(*computation);
    }
    for (const auto& computation : module.computations()) {
      for (const HloInstruction* instruction : computation->LiveInstructions()) kept.KeepIfRefused(*instruction);
    }
    return kept;
  }

  bool Has(const HloComputation& computation) const { return computations_.contains(&computation); }
  bool Has(const HloInstruction& instruction) const { return reasons_.contains(&instruction); }
  // Of an instruction, why.
  const std::string& Reason(const HloInstruction& instruction) const { return reasons_.at(&instruction); }

 private:
  static bool IsControlFlow(const HloInstruction* caller) {
    return HasTrait(caller->opcode(), opcode_trait::kControlFlow);
  }

  void KeepIfRefused(const HloInstruction& instruction) {
    if (!HasDynamicPart(instruction) || IsPartOfEntryParameter(instruction)) return;
    std::string why = Refuse(instruction);
    if (why.empty()) return;
    // What is passed on as it is makes the whole computation what it is.
    if (instruction.opcode() == HloOpcode::kParameter) return Keep(*instruction.parent());
    Keep(instruction, std::move(why));
  }

  // With what is called from there, and those who call it.
  void Keep(const HloComputation& start) {
    std::vector<const HloComputation*> open = {&start};
    while (!open.empty()) {
      const HloComputation* const computation = open.back();
      open.pop_back();
      if (!computations_.insert(computation).second) continue;
      for (const HloInstruction* instruction : computation->LiveInstructions()) {
        if (!HasDynamicPart(*instruction)) continue;
        const auto callees = instruction->called_computations();
        open.insert(open.end(), callees.begin(), callees.end());
      }
      for (const HloInstruction* caller : computation->callers()) {
        if (!IsControlFlow(caller) || !HasDynamicPart(*caller)) continue;
        if (!reasons_.emplace(caller, "it calls what keeps its dynamic dimensions").second) continue;
        const auto callees = caller->called_computations();
        open.insert(open.end(), callees.begin(), callees.end());
      }
    }
  }

  void Keep(const HloInstruction& instruction, std::string why) {
    reasons_.emplace(&instruction, std::move(why));
    for (const HloComputation* callee : instruction.called_computations()) Keep(*callee);
  }

  absl::flat_hash_map<const HloInstruction*, std::string> reasons_;
  absl::flat_hash_set<const HloComputation*> computations_;
};

// ---- The border: where values have their dynamic shapes. They come from parameters of the entry and from what is
// kept, and go to what is kept and into the result of the entry.

class Border {
 public:
  Border(const HloModule& module, const KeptDynamic& kept) : kept_(kept) {
    if (IsResultTuple(*module.entry()->root())) AddTuples(module.entry()->root());
    for (const auto& computation : module.computations()) {
      if (kept.Has(*computation)) continue;
      for (const HloInstruction* instruction : computation->LiveInstructions()) {
        if (!kept.Has(*instruction)) continue;
        for (const HloInstruction* operand : instruction->operands()) {
          if (operand->opcode() == HloOpcode::kTuple && GoesOut(*operand)) AddTuples(operand);
        }
      }
    }
  }

  bool IsKept(const HloInstruction& instruction) const { return kept_.Has(instruction); }

  // Whether the value comes from outside: a parameter of the entry, something kept, or an element of one.
  bool IsSource(const HloInstruction& instruction) const {
    const HloInstruction* at = &instruction;
    while (at->opcode() == HloOpcode::kGetTupleElement && !IsKept(*at)) at = at->operand(0);
    return IsKept(*at) || IsEntryParameter(*at);
  }

  // A tuple that is nothing but part of the entry's result or of an operand of something kept.
  bool IsOutgoingTuple(const HloInstruction& instruction) const { return outgoing_tuples_.contains(&instruction); }

  // Whether the instruction stands at the border and is as it should be there.
  bool Has(const HloInstruction& instruction) const {
    if (IsKept(instruction) || IsOutgoingTuple(instruction)) return OperandsAreDynamic(instruction);
    if (IsSource(instruction)) return true;
    if (Calls(instruction, "PadToStatic")) return IsSource(*instruction.operand(0));
    return IsLastStep(instruction) && GoesOut(instruction);
  }

  // What makes a dynamic value of a static one.
  static bool IsLastStep(const HloInstruction& instruction) {
    return Calls(instruction, "SliceToDynamic") && !instruction.operand(0)->shape().IsDynamic();
  }

 private:
  // A tuple that is the result of the entry and unused.
  static bool IsResultTuple(const HloInstruction& root) {
    return root.opcode() == HloOpcode::kTuple && root.users().empty();
  }

  void AddTuples(const HloInstruction* start) {
    std::vector<const HloInstruction*> open = {start};
    while (!open.empty()) {
      const HloInstruction* const tuple = open.back();
      open.pop_back();
      if (!outgoing_tuples_.insert(tuple).second) continue;
      for (const HloInstruction* element : tuple->operands()) {
        if (element->opcode() == HloOpcode::kTuple && GoesOut(*element)) open.push_back(element);
      }
    }
  }

  bool OperandsAreDynamic(const HloInstruction& instruction) const {
    const auto operands = instruction.operands();
    return std::all_of(operands.begin(), operands.end(), [this](const HloInstruction* operand) {
      return !operand->shape().IsDynamic() || IsSource(*operand) || IsLastStep(*operand) || IsOutgoingTuple(*operand);
    });
  }

  // Whether the value has no other user.
  bool GoesOut(const HloInstruction& value) const {
    const HloComputation& computation = *value.parent();
    if (computation.root() == &value && &computation != computation.parent()->entry()) return false;
    return std::all_of(value.users().begin(), value.users().end(),
                       [this](const HloInstruction* user) { return IsOutgoingTuple(*user) || IsKept(*user); });
  }

  const KeptDynamic& kept_;
  absl::flat_hash_set<const HloInstruction*> outgoing_tuples_;
};

// ---- The rewriting. A value of a shape with dynamic arrays becomes one of the same shape, but a tuple of the array of
// the bounds and an s32 size for each dynamic dimension in place of each dynamic array.

// The static form of a shape: an array with dynamic dimensions becomes a tuple of the array of its bounds and an S32
// scalar for each of these dimensions.
Shape PackedShape(const Shape& shape) {
  if (!shape.IsDynamic()) return shape.WithoutLayout();
  std::vector<Shape> elements;
  if (shape.IsTuple()) {
    for (const Shape& element : shape.tuple_shapes()) elements.push_back(PackedShape(element));
    return Shape::Tuple(std::move(elements));
  }
  elements.push_back(BoundsOf(shape));
  for (int d = 0; d < shape.rank(); ++d) {
    if (shape.is_dynamic_dimension(d)) elements.push_back(Shape::Scalar(S32));
  }
  return Shape::Tuple(std::move(elements));
}

class Expander {
 public:
  Expander(HloComputation* computation, const Border& border)
      : computation_(computation), border_(border), is_entry_(computation == computation->parent()->entry()) {}

  // Expands a computation in order of its instructions and removes the old ones from the last to the first, as users
  // come later.
  absl::Status Run() {
    HloInstruction* const old_root = computation_->root();
    const bool root_is_dynamic = old_root->shape().IsDynamic();
    std::vector<HloInstruction*> old;
    for (HloInstruction* instruction : computation_->LiveInstructions()) {
      if (HasDynamicPart(*instruction)) old.push_back(instruction);
    }
    if (!is_entry_) PackParameters();
    for (HloInstruction* instruction : old) {
      InstructionBuilder build(computation_, instruction);
      Expand(instruction, build);
      RETURN_IF_ERROR(build.status());
    }
    if (root_is_dynamic) RETURN_IF_ERROR(FinishRoot(old_root));
    for (auto at = old.rbegin(); at != old.rend(); ++at) {
      if ((*at)->opcode() == HloOpcode::kParameter || border_.IsKept(**at) || !(*at)->users().empty() ||
          computation_->root() == *at) {
        continue;
      }
      computation_->RemoveInstruction(*at);
    }
    return absl::OkStatus();
  }

 private:
  // The caller hands packed values over. From here on the parameters have other shapes than the program says.
  void PackParameters() {
    for (HloInstruction* parameter : computation_->parameters()) {
      if (!parameter->shape().IsDynamic()) continue;
      parameter_shapes_[parameter] = parameter->shape();
      packed_[parameter] = parameter;
      parameter->mutable_shape() = PackedShape(parameter->shape());
    }
  }

  // As the program says.
  const Shape& ShapeOf(const HloInstruction* x) const {
    const auto found = parameter_shapes_.find(x);
    return found != parameter_shapes_.end() ? found->second : x->shape();
  }

  // ---- Values: an old instruction as a packed value, or taken apart; whichever is asked for.

  HloInstruction* Packed(HloInstruction* x, InstructionBuilder& build) {
    if (!ShapeOf(x).IsDynamic()) return x;
    const auto found = packed_.find(x);
    if (found != packed_.end()) return found->second;
    HloInstruction* const packed = ShapeOf(x).IsTuple() ? PackElements(x, build) : PackArray(x, build);
    packed_[x] = packed;
    return packed;
  }

  // A tuple from outside.
  HloInstruction* PackElements(HloInstruction* x, InstructionBuilder& build) {
    std::vector<HloInstruction*> elements;
    for (int64_t i = 0; i < x->shape().tuple_size(); ++i) {
      elements.push_back(Packed(build.GetTupleElement(x, i), build));
    }
    return build.Tuple(elements);
  }

  HloInstruction* PackArray(HloInstruction* x, InstructionBuilder& build) {
    const PaddedArray value = Padded(x, build);
    std::vector<HloInstruction*> elements = {value.array};
    for (int d = 0; d < x->shape().rank(); ++d) {
      if (x->shape().is_dynamic_dimension(d)) elements.push_back(SizeOf(value, d, build));
    }
    return build.Tuple(elements);
  }

  PaddedArray Padded(HloInstruction* x, InstructionBuilder& build) {
    if (!ShapeOf(x).IsDynamic()) return StaticPadded(x);
    const auto found = padded_.find(x);
    if (found != padded_.end()) return found->second;
    const auto packed = packed_.find(x);
    const PaddedArray value = packed != packed_.end() ? Unpack(packed->second, ShapeOf(x), build) : PadSource(x, build);
    padded_[x] = value;
    return value;
  }

  static PaddedArray Unpack(HloInstruction* packed, const Shape& shape, InstructionBuilder& build) {
    PaddedArray value = StaticPadded(build.GetTupleElement(packed, 0));
    int64_t next = 1;
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape.is_dynamic_dimension(d)) value.sizes[d] = build.GetTupleElement(packed, next++);
    }
    return value;
  }

  // The array and sizes of a dynamic value from outside, by the custom call PadToStatic: a tuple of the padded array
  // and one size for each dimension, as XLA defines it.
  static PaddedArray PadSource(HloInstruction* x, InstructionBuilder& build) {
    const Shape fixed = BoundsOf(x->shape());
    std::vector<Shape> shapes = {fixed};
    shapes.resize(fixed.rank() + 1, Shape::Scalar(S32));
    auto attributes = std::make_unique<CustomCallAttributes>();
    attributes->custom_call_target = "PadToStatic";
    HloInstruction* const call =
        build.MakeOfShape(HloOpcode::kCustomCall, Shape::Tuple(shapes), {x}, std::move(attributes));
    PaddedArray result = StaticPadded(build.GetTupleElement(call, 0));
    for (int d = 0; d < fixed.rank(); ++d) {
      if (x->shape().is_dynamic_dimension(d)) result.sizes[d] = build.GetTupleElement(call, d + 1);
    }
    return result;
  }

  void SetPadded(HloInstruction* old, PaddedArray value, InstructionBuilder& build) {
    for (int d = 0; d < old->shape().rank(); ++d) {
      if (!old->shape().is_dynamic_dimension(d)) {
        value.sizes[d] = nullptr;
      } else {
        value.sizes[d] = SizeOf(value, d, build);
      }
    }
    padded_[old] = std::move(value);
  }

  // ---- Instructions

  // Replaces one instruction by its static form: by the rule of its opcode, or as structure (tuples, calls, loops),
  // which passes packed values on.
  void Expand(HloInstruction* instruction, InstructionBuilder& build) {
    if (border_.IsKept(*instruction)) return GiveDynamicOperands(instruction, build);
    if (border_.IsSource(*instruction) || border_.IsOutgoingTuple(*instruction)) return;
    const HloOpcode opcode = instruction->opcode();
    if (opcode == HloOpcode::kParameter) return;
    if (opcode == HloOpcode::kCustomCall) return ExpandCustomCall(instruction, build);
    if (IsStructure(opcode)) return ExpandStructure(instruction, build);
    std::vector<PaddedArray> operands;
    for (HloInstruction* operand : instruction->operands()) operands.push_back(Padded(operand, build));
    const std::vector<PaddedArray> results = FindDynamicRule(opcode)->expand(*instruction, operands, build);
    if (!instruction->shape().IsTuple()) return Replace(instruction, results[0], build);
    std::vector<HloInstruction*> elements;
    for (size_t k = 0; k < results.size(); ++k) {
      elements.push_back(PackResult(results[k], instruction->shape().tuple_shape(static_cast<int>(k)), build));
    }
    HloInstruction* const tuple = build.Tuple(elements);
    if (instruction->shape().IsDynamic()) {
      packed_[instruction] = tuple;
    } else {
      ReplaceInstruction(instruction, tuple);
    }
  }

  static HloInstruction* PackResult(const PaddedArray& result, const Shape& shape, InstructionBuilder& build) {
    if (!shape.IsDynamic()) return result.array;
    std::vector<HloInstruction*> elements = {result.array};
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape.is_dynamic_dimension(d)) elements.push_back(SizeOf(result, d, build));
    }
    return build.Tuple(elements);
  }

  void Replace(HloInstruction* old, const PaddedArray& result, InstructionBuilder& build) {
    if (!old->shape().IsDynamic()) return ReplaceInstruction(old, result.array);
    SetPadded(old, result, build);
  }

  // What is kept goes on from values as they were.
  void GiveDynamicOperands(HloInstruction* kept, InstructionBuilder& build) {
    for (int i = 0; i < kept->operand_count(); ++i) kept->ReplaceOperand(i, PutTogether(kept->operand(i), build));
  }

  // PadToStatic gives the parts of the known static form; SliceToDynamic makes a value of an array and the sizes
  // given.
  void ExpandCustomCall(HloInstruction* call, InstructionBuilder& build) {
    HloInstruction* const x = call->operand(0);
    if (Calls(*call, "PadToStatic")) {
      if (border_.IsSource(*x)) return;
      const PaddedArray value = Padded(x, build);
      std::vector<HloInstruction*> elements = {value.array};
      for (int d = 0; d < value.shape().rank(); ++d) elements.push_back(SizeOf(value, d, build));
      return ReplaceInstruction(call, build.Tuple(elements));
    }
    PaddedArray result = StaticPadded(Padded(x, build).array);
    for (int d = 0; d < call->shape().rank(); ++d) result.sizes[d] = call->operand(d + 1);
    Replace(call, result, build);
  }

  // Rebuilds tuples and calls from packed operands; the shapes of calls become packed ones.
  void ExpandStructure(HloInstruction* old, InstructionBuilder& build) {
    HloInstruction* result;
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : old->operands()) operands.push_back(Packed(operand, build));
    if (old->opcode() == HloOpcode::kTuple) {
      result = build.Tuple(operands);
    } else if (old->opcode() == HloOpcode::kGetTupleElement) {
      result = build.GetTupleElement(operands[0], old->attributes<GetTupleElementAttributes>().index);
    } else {
      result = AddClone(*old, operands, computation_);
      if (old->shape().IsDynamic()) result->mutable_shape() = PackedShape(old->shape());
    }
    if (old->shape().IsDynamic()) {
      packed_[old] = result;
    } else {
      ReplaceInstruction(old, result);
    }
  }

  // ---- Results

  absl::Status FinishRoot(HloInstruction* root) {
    InstructionBuilder build(computation_, root);
    if (root->opcode() == HloOpcode::kParameter && !is_entry_) return absl::OkStatus();
    computation_->set_root(is_entry_ ? PutTogether(root, build) : Packed(root, build));
    return build.status();
  }

  // The old value with its dynamic arrays.
  HloInstruction* PutTogether(HloInstruction* old, InstructionBuilder& build) {
    const Shape& shape = ShapeOf(old);
    if (!shape.IsDynamic() || border_.IsSource(*old) || Border::IsLastStep(*old)) return old;
    if (border_.IsOutgoingTuple(*old)) {
      for (int i = 0; i < old->operand_count(); ++i) old->ReplaceOperand(i, PutTogether(old->operand(i), build));
      return old;
    }
    const auto found = put_together_.find(old);
    if (found != put_together_.end()) return found->second;
    HloInstruction* const result =
        shape.IsArray() ? SliceToDynamic(Padded(old, build), shape, build) : Unpacked(Packed(old, build), shape, build);
    put_together_[old] = result;
    return result;
  }

  static HloInstruction* SliceToDynamic(const PaddedArray& value, const Shape& shape, InstructionBuilder& build) {
    std::vector<HloInstruction*> operands = {value.array};
    for (int d = 0; d < shape.rank(); ++d) operands.push_back(SizeOf(value, d, build));
    auto attributes = std::make_unique<CustomCallAttributes>();
    attributes->custom_call_target = "SliceToDynamic";
    return build.MakeOfShape(HloOpcode::kCustomCall, shape, operands, std::move(attributes));
  }

  HloInstruction* Unpacked(HloInstruction* packed, const Shape& shape, InstructionBuilder& build) {
    if (!shape.IsDynamic()) return packed;
    if (shape.IsArray()) return SliceToDynamic(Unpack(packed, shape, build), shape, build);
    std::vector<HloInstruction*> elements;
    for (int i = 0; i < shape.tuple_size(); ++i) {
      elements.push_back(Unpacked(build.GetTupleElement(packed, i), shape.tuple_shape(i), build));
    }
    return build.Tuple(elements);
  }

  HloComputation* const computation_;
  const Border& border_;
  const bool is_entry_;
  absl::flat_hash_map<const HloInstruction*, Shape> parameter_shapes_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> packed_;
  absl::flat_hash_map<const HloInstruction*, PaddedArray> padded_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> put_together_;
};

// What keeps its dynamic dimensions: in computations that are expanded, else in those that are not.
std::vector<const HloInstruction*> KeptInstructions(const HloModule& module, const KeptDynamic& kept) {
  std::vector<const HloInstruction*> found, in_kept_computations;
  for (const auto& computation : module.computations()) {
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      if (kept.Has(*computation)) {
        if (HasDynamicPart(*instruction)) in_kept_computations.push_back(instruction);
      } else if (kept.Has(*instruction)) {
        found.push_back(instruction);
      }
    }
  }
  return found.empty() ? in_kept_computations : found;
}

absl::Status ReportKept(const HloModule& module, const KeptDynamic& kept, PassContext& context) {
  const std::vector<const HloInstruction*> instructions = KeptInstructions(module, kept);
  if (instructions.empty()) return absl::OkStatus();
  const HloInstruction& first = *instructions[0];
  const HloComputation& computation = *first.parent();
  std::string message =
      absl::StrCat(first.ToShortString(), " in computation ", computation.name(), ": ",
                   kept.Has(computation) ? "the computation is called by something that knows no dynamic dimensions"
                                         : kept.Reason(first),
                   ", so it keeps its dynamic dimensions");
  if (instructions.size() > 1) absl::StrAppend(&message, "; so do ", instructions.size() - 1, " more");
  if (context.Option("unknown") == "fail") return absl::UnimplementedError(message);
  context.Warn(message);
  return absl::OkStatus();
}

}  // namespace

// What cannot be expanded is a border: values go in and come out in their dynamic form, and around it they are static.
absl::StatusOr<bool> ExpandDynamicDimensions(HloModule& module, PassContext& context) {
  const KeptDynamic kept = KeptDynamic::Find(module);
  RETURN_IF_ERROR(ReportKept(module, kept, context));
  const Border border(module, kept);
  std::vector<HloComputation*> computations;
  for (const auto& computation : module.computations()) {
    if (kept.Has(*computation)) continue;
    const std::vector<HloInstruction*> instructions = computation->LiveInstructions();
    const bool any = std::any_of(instructions.begin(), instructions.end(), [&](const HloInstruction* instruction) {
      return HasDynamicPart(*instruction) && !border.Has(*instruction);
    });
    if (any) computations.push_back(computation.get());
  }
  for (HloComputation* computation : computations) {
    RETURN_IF_ERROR(context.CheckDeadline());
    RETURN_IF_ERROR(Expander(computation, border).Run());
  }
  if (!computations.empty()) context.CountRewrite("expand-dynamic-dimensions");
  return !computations.empty();
}

}  // namespace xla
