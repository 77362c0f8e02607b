#include "passes/expanding/expand_dynamic_dimensions.h"

#include <algorithm>
#include <limits>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/ops/scalar_function.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

bool HasDynamicPart(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  return instruction.shape().IsDynamic() ||
         std::any_of(operands.begin(), operands.end(), [](const HloInstruction* o) { return o->shape().IsDynamic(); });
}

bool Calls(const HloInstruction& instruction, absl::string_view target) {
  return instruction.opcode() == HloOpcode::kCustomCall &&
         instruction.attributes<CustomCallAttributes>().custom_call_target == target;
}

bool IsResultTuple(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kTuple && instruction.parent()->root() == &instruction &&
         instruction.users().empty();
}

// What the pass itself leaves of dynamic shape: arrays on their way in and out.
bool IsBoundary(const HloInstruction& instruction) {
  const HloInstruction* const root = instruction.parent()->root();
  const auto is_result = [root](const HloInstruction* user) { return user == root && IsResultTuple(*user); };
  const auto goes_out = [&](const HloInstruction& value) {
    return std::all_of(value.users().begin(), value.users().end(), is_result);
  };
  if (instruction.opcode() == HloOpcode::kParameter) return true;
  if (Calls(instruction, "PadToStatic")) return instruction.operand(0)->opcode() == HloOpcode::kParameter;
  if (Calls(instruction, "SliceToDynamic"))
    return !instruction.operand(0)->shape().IsDynamic() && goes_out(instruction);
  if (!IsResultTuple(instruction)) return false;
  return std::all_of(instruction.operands().begin(), instruction.operands().end(), [](const HloInstruction* element) {
    return !element->shape().IsDynamic() || element->opcode() == HloOpcode::kParameter ||
           Calls(*element, "SliceToDynamic");
  });
}

// The element that changes nothing when the operation folds it in; nullopt if the reducer has none that is known.
absl::optional<Literal> Identity(const HloInstruction& reduce) {
  const PrimitiveType type = reduce.operand(0)->shape().element_type();
  const auto function = ScalarFunction::Compile(*reduce.called_computation(0));
  if (reduce.operand_count() != 2 || !function.ok() ||
      (*function)->known().kind != ScalarFunction::Known::Kind::kBinary) {
    return absl::nullopt;
  }
  absl::StatusOr<Literal> identity = absl::UnimplementedError("");
  switch ((*function)->known().op) {
    case HloOpcode::kAdd:  // -0, because adding +0 would change a sum of -0
      identity = IsComplex(type) ? LiteralUtil::Number(type, complex128(-0.0, -0.0))
                 : IsFloat(type) ? LiteralUtil::Number(type, -0.0)
                                 : LiteralUtil::Zero(type);
      break;
    case HloOpcode::kMultiply:
      if (!IsComplex(type)) identity = LiteralUtil::One(type);
      break;
    case HloOpcode::kMaximum:
      identity = type == PRED ? LiteralUtil::Zero(type) : LiteralUtil::MinValue(type);
      break;
    case HloOpcode::kMinimum:
      identity = type == PRED ? LiteralUtil::One(type) : LiteralUtil::MaxValue(type);
      break;
    case HloOpcode::kOr:
    case HloOpcode::kXor:
      identity = LiteralUtil::Zero(type);
      break;
    case HloOpcode::kAnd:
      identity = IsUnsignedInt(type) ? LiteralUtil::MaxValue(type)
                 : type == PRED      ? LiteralUtil::One(type)
                                     : LiteralUtil::Number(type, int64_t{-1});
      break;
    default:
      break;
  }
  if (!identity.ok()) return absl::nullopt;
  return *std::move(identity);
}

bool IsKnown(const HloInstruction& instruction, bool in_entry) {
  if (!in_entry || instruction.HasControlEdges()) return false;
  const Shape& shape = instruction.shape();
  if (shape.IsArray()) {
    for (int d = 0; d < shape.rank(); ++d) {
      if (shape.dimension(d) > std::numeric_limits<int32_t>::max()) return false;
    }
  }
  switch (instruction.opcode()) {
    case HloOpcode::kParameter:
      return shape.IsArray();
    case HloOpcode::kBroadcast:
    case HloOpcode::kTranspose:
    case HloOpcode::kDot:
    case HloOpcode::kGetDimensionSize:
      return true;
    case HloOpcode::kSetDimensionSize: {
      // Making a dimension longer again would bring elements back whose values are nobody's business.
      const int64_t d = instruction.attributes<DimensionAttributes>().dimension;
      return !instruction.operand(0)->shape().is_dynamic_dimension(static_cast<int>(d));
    }
    case HloOpcode::kReduce:
      return Identity(instruction).has_value();
    case HloOpcode::kTuple:
      return IsResultTuple(instruction);
    case HloOpcode::kCustomCall:
      return Calls(instruction, "PadToStatic") || Calls(instruction, "SliceToDynamic");
    default:
      return IsElementwise(instruction.opcode());
  }
}

// An array of the bounds, and the s32 sizes of its dynamic dimensions; nullptr for the others.
struct Padded {
  HloInstruction* array = nullptr;
  std::vector<HloInstruction*> sizes;
};

class Expander {
 public:
  explicit Expander(HloComputation* computation) : computation_(computation) {}

  absl::Status Run() {
    std::vector<HloInstruction*> old;
    for (HloInstruction* instruction : computation_->LiveInstructions()) {
      if (!HasDynamicPart(*instruction)) continue;
      InstructionBuilder build(computation_, instruction);
      Expand(instruction, build);
      RETURN_IF_ERROR(build.status());
      old.push_back(instruction);
    }
    for (auto at = old.rbegin(); at != old.rend(); ++at) {
      if ((*at)->opcode() == HloOpcode::kParameter || !(*at)->users().empty() || computation_->root() == *at) continue;
      computation_->RemoveInstruction(*at);
    }
    return absl::OkStatus();
  }

 private:
  static Shape StaticShape(const Shape& shape) { return Shape::Array(shape.element_type(), shape.dimensions()); }

  Padded Get(HloInstruction* x) {
    if (!x->shape().IsDynamic()) return {x, std::vector<HloInstruction*>(x->shape().rank(), nullptr)};
    return padded_.at(x);
  }

  void Expand(HloInstruction* instruction, InstructionBuilder& build) {
    if (IsResultTuple(*instruction)) return FinishTuple(instruction, build);
    if (Calls(*instruction, "PadToStatic")) return TakeApart(instruction, build);
    Padded result;
    switch (instruction->opcode()) {
      case HloOpcode::kParameter:
        result = PadParameter(instruction, build);
        break;
      case HloOpcode::kCustomCall:
        result = {instruction->operand(0), {instruction->operands().begin() + 1, instruction->operands().end()}};
        break;
      case HloOpcode::kGetDimensionSize: {
        const auto d = static_cast<int>(instruction->attributes<DimensionAttributes>().dimension);
        HloInstruction* const size = Get(instruction->operand(0)).sizes[d];
        result.array = size != nullptr ? size : build.Scalar(S32, instruction->operand(0)->shape().dimension(d));
        break;
      }
      case HloOpcode::kSetDimensionSize:
        result = Get(instruction->operand(0));
        result.sizes[instruction->attributes<DimensionAttributes>().dimension] = instruction->operand(1);
        break;
      case HloOpcode::kReduce:
        result = Reduce(instruction, build);
        break;
      case HloOpcode::kDot:
        result = Dot(instruction, build);
        break;
      default:
        result = Move(instruction, build);
        break;
    }
    if (!instruction->shape().IsDynamic()) return ReplaceInstruction(instruction, result.array);
    for (int d = 0; d < instruction->shape().rank(); ++d) {
      if (!instruction->shape().is_dynamic_dimension(d)) result.sizes[d] = nullptr;
    }
    padded_[instruction] = result;
    if (computation_->root() == instruction && instruction->opcode() != HloOpcode::kParameter) {
      ReplaceRoot(instruction, PutTogether(instruction, build));
    }
  }

  void ReplaceRoot(HloInstruction* old, HloInstruction* result) {
    if (result == old) return;
    computation_->set_root(result);
  }

  Padded PadParameter(HloInstruction* parameter, InstructionBuilder& build) {
    const Shape fixed = StaticShape(parameter->shape());
    std::vector<Shape> shapes = {fixed};
    shapes.resize(fixed.rank() + 1, Shape::Scalar(S32));
    auto attributes = std::make_unique<CustomCallAttributes>();
    attributes->custom_call_target = "PadToStatic";
    HloInstruction* const call =
        build.MakeOfShape(HloOpcode::kCustomCall, Shape::Tuple(shapes), {parameter}, std::move(attributes));
    Padded result{build.GetTupleElement(call, 0), {}};
    for (int d = 0; d < fixed.rank(); ++d) {
      const bool is_dynamic = parameter->shape().is_dynamic_dimension(d);
      result.sizes.push_back(is_dynamic ? build.GetTupleElement(call, d + 1) : nullptr);
    }
    return result;
  }

  HloInstruction* SizeOf(const Padded& x, int d, InstructionBuilder& build) {
    return x.sizes[d] != nullptr ? x.sizes[d] : build.Scalar(S32, x.array->shape().dimension(d));
  }

  // A PadToStatic of the program.
  void TakeApart(HloInstruction* call, InstructionBuilder& build) {
    HloInstruction* const x = call->operand(0);
    if (x->opcode() == HloOpcode::kParameter) return;
    const Padded value = Get(x);
    std::vector<HloInstruction*> elements = {value.array};
    for (int d = 0; d < x->shape().rank(); ++d) elements.push_back(SizeOf(value, d, build));
    ReplaceInstruction(call, build.Tuple(elements));
  }

  // The dynamic array that an old instruction was.
  HloInstruction* PutTogether(HloInstruction* old, InstructionBuilder& build) {
    if (old->opcode() == HloOpcode::kParameter ||
        (Calls(*old, "SliceToDynamic") && !old->operand(0)->shape().IsDynamic())) {
      return old;
    }
    const Padded value = Get(old);
    std::vector<HloInstruction*> operands = {value.array};
    for (int d = 0; d < old->shape().rank(); ++d) operands.push_back(SizeOf(value, d, build));
    auto attributes = std::make_unique<CustomCallAttributes>();
    attributes->custom_call_target = "SliceToDynamic";
    return build.MakeOfShape(HloOpcode::kCustomCall, old->shape(), operands, std::move(attributes));
  }

  void FinishTuple(HloInstruction* tuple, InstructionBuilder& build) {
    for (int i = 0; i < tuple->operand_count(); ++i) {
      HloInstruction* const element = tuple->operand(i);
      if (element->shape().IsDynamic()) tuple->ReplaceOperand(i, PutTogether(element, build));
    }
  }

  // `like` on arrays of the bounds.
  HloInstruction* OnBounds(HloInstruction* like, absl::Span<HloInstruction* const> operands,
                           InstructionBuilder& build) {
    auto attributes = like->raw_attributes() == nullptr ? nullptr : like->raw_attributes()->Clone();
    return build.MakeOfShape(like->opcode(), StaticShape(like->shape()), operands, std::move(attributes),
                             like->called_computations());
  }

  HloInstruction* Smaller(HloInstruction* a, HloInstruction* b, InstructionBuilder& build) {
    if (a == nullptr || a == b) return b;
    return b == nullptr ? a : build.Min(a, b);
  }

  // Broadcast, transpose and elementwise operations, which take sizes along.
  Padded Move(HloInstruction* instruction, InstructionBuilder& build) {
    const int rank = instruction->shape().rank();
    std::vector<HloInstruction*> operands;
    Padded result{nullptr, std::vector<HloInstruction*>(rank, nullptr)};
    for (HloInstruction* operand : instruction->operands()) {
      const Padded x = Get(operand);
      operands.push_back(x.array);
      for (int d = 0; d < operand->shape().rank(); ++d) {
        if (instruction->opcode() == HloOpcode::kTranspose) continue;
        const int64_t to = instruction->opcode() == HloOpcode::kBroadcast
                               ? instruction->attributes<BroadcastAttributes>().dimensions[d]
                               : d;
        if (operand->shape().rank() == rank || instruction->opcode() == HloOpcode::kBroadcast) {
          result.sizes[to] = Smaller(result.sizes[to], x.sizes[d], build);
        }
      }
      if (instruction->opcode() == HloOpcode::kTranspose) {
        for (int d = 0; d < rank; ++d) {
          result.sizes[d] = x.sizes[instruction->attributes<DimensionsAttributes>().dimensions[d]];
        }
      }
    }
    result.array = OnBounds(instruction, operands, build);
    return result;
  }

  // x with `value`, a scalar, in place of what lies past the sizes of these dimensions.
  HloInstruction* Masked(HloInstruction* x, absl::Span<HloInstruction* const> sizes, HloInstruction* value,
                         absl::Span<const int64_t> dimensions, InstructionBuilder& build) {
    for (const int64_t d : dimensions) {
      if (sizes[d] == nullptr) continue;
      HloInstruction* const position = build.Iota(Shape::Array(S32, x->shape().dimensions()), d);
      HloInstruction* const is_valid =
          build.Compare(ComparisonDirection::kLt, position, build.BroadcastScalar(sizes[d], position->shape()));
      x = build.Select(is_valid, x, build.BroadcastScalar(value, x->shape()));
    }
    return x;
  }

  Padded Reduce(HloInstruction* reduce, InstructionBuilder& build) {
    const DimensionVector& dims = reduce->attributes<DimensionsAttributes>().dimensions;
    const Padded x = Get(reduce->operand(0));
    HloInstruction* const identity = build.Constant(*Identity(*reduce));
    Padded result{OnBounds(reduce, {Masked(x.array, x.sizes, identity, dims, build), reduce->operand(1)}, build), {}};
    for (int d = 0; d < x.array->shape().rank(); ++d) {
      if (std::find(dims.begin(), dims.end(), d) == dims.end()) result.sizes.push_back(x.sizes[d]);
    }
    return result;
  }

  Padded Dot(HloInstruction* dot, InstructionBuilder& build) {
    const DotAttributes& a = dot->attributes<DotAttributes>();
    Padded lhs = Get(dot->operand(0));
    Padded rhs = Get(dot->operand(1));
    // Paired dimensions are as long as the shorter one.
    const auto pair = [&](const DimensionVector& left, const DimensionVector& right) {
      for (size_t i = 0; i < left.size(); ++i) {
        HloInstruction* const size = Smaller(lhs.sizes[left[i]], rhs.sizes[right[i]], build);
        lhs.sizes[left[i]] = rhs.sizes[right[i]] = size;
      }
    };
    pair(a.lhs_batch_dims, a.rhs_batch_dims);
    pair(a.lhs_contracting_dims, a.rhs_contracting_dims);
    const auto masked = [&](const Padded& x, const DimensionVector& contracting) {
      return Masked(x.array, x.sizes, build.Zero(x.array->shape().element_type()), contracting, build);
    };
    Padded result{OnBounds(dot, {masked(lhs, a.lhs_contracting_dims), masked(rhs, a.rhs_contracting_dims)}, build), {}};
    for (const int64_t d : a.lhs_batch_dims) result.sizes.push_back(lhs.sizes[d]);
    const auto append_free = [&](const Padded& x, const DimensionVector& batch, const DimensionVector& contracting) {
      for (int64_t d = 0; d < x.array->shape().rank(); ++d) {
        const bool is_free = std::find(batch.begin(), batch.end(), d) == batch.end() &&
                             std::find(contracting.begin(), contracting.end(), d) == contracting.end();
        if (is_free) result.sizes.push_back(x.sizes[d]);
      }
    };
    append_free(lhs, a.lhs_batch_dims, a.lhs_contracting_dims);
    append_free(rhs, a.rhs_batch_dims, a.rhs_contracting_dims);
    return result;
  }

  HloComputation* const computation_;
  absl::flat_hash_map<const HloInstruction*, Padded> padded_;
};

}  // namespace

absl::StatusOr<bool> ExpandDynamicDimensions(HloModule& module, PassContext& context) {
  bool any = false;
  for (const auto& computation : module.computations()) {
    const bool in_entry = computation.get() == module.entry();
    for (const HloInstruction* instruction : computation->LiveInstructions()) {
      if (!HasDynamicPart(*instruction)) continue;
      any = any || !IsBoundary(*instruction);
      if (IsKnown(*instruction, in_entry)) continue;
      const std::string message =
          absl::StrCat(instruction->ToShortString(), " in computation ", computation->name(),
                       ": dynamic dimensions are not known of ", instruction->opcode_name(),
                       in_entry ? "" : " outside of the entry computation", ", so the module keeps all of its own");
      if (context.Option("unknown") == "fail") return absl::UnimplementedError(message);
      context.Warn(message);
      return false;
    }
  }
  if (!any) return false;
  RETURN_IF_ERROR(Expander(module.entry()).Run());
  context.CountRewrite("expand-dynamic-dimensions");
  return true;
}

}  // namespace xla
