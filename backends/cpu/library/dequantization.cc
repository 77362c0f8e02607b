// Finds prologues: operands of dots that are made of integers of few bits.
#include <algorithm>
#include <utility>

#include "backends/cpu/library/product/product_program.h"
#include "backends/cpu/library/product_fusion.h"
#include "passes/analyses/strided_dot.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

constexpr int kMaxSteps = 8;

// Elements of f32 between one index of a dimension and the next.
struct SizeAndStride {
  int64_t size, stride;
};

// Dimensions, outermost first, as one direction; nullopt if it is not one.
absl::optional<PrologueStep::Direction> DirectionOf(const std::vector<SizeAndStride>& dimensions) {
  std::vector<SizeAndStride> merged;
  for (const SizeAndStride& d : dimensions) {
    if (d.size == 1) continue;
    if (!merged.empty() && merged.back().stride == d.stride * d.size) {
      merged.back() = {merged.back().size * d.size, d.stride};
    } else {
      merged.push_back(d);
    }
  }
  if (merged.empty()) return PrologueStep::Direction{1, 0};
  if (merged.size() == 1) return PrologueStep::Direction{1, merged[0].stride};
  if (merged.size() == 2 && merged[1].stride == 0) return PrologueStep::Direction{merged[1].size, merged[0].stride};
  return absl::nullopt;
}

class PrologueFinder {
 public:
  explicit PrologueFinder(const StridedDot& product) : product_(product) {}

  // The steps from the operand back to what is stored.
  absl::optional<FusedPrologue> Find(const HloInstruction& operand) {
    const HloInstruction* value = &operand;
    for (int step = 0; step < kMaxSteps; ++step) {
      while (MovesNothing(*value)) value = value->operand(0);
      if (value->shape().element_type() != F32 || !value->shape().IsRowMajor()) return absl::nullopt;
      if (value->opcode() == HloOpcode::kConvert) return Finish(*value);
      if (value->operand_count() != 2) return absl::nullopt;
      const bool is_left = ComesFromIntegers(*value->operand(0));
      if (is_left == ComesFromIntegers(*value->operand(1))) return absl::nullopt;
      const absl::optional<EpilogueOperation> operation = OperationOf(value->opcode(), is_left);
      if (!operation.has_value() || !AddStep(*operation, *value->operand(is_left ? 1 : 0))) return absl::nullopt;
      value = value->operand(is_left ? 0 : 1);
    }
    return absl::nullopt;
  }

 private:
  static bool IsFew(const HloInstruction& instruction) {
    const PrimitiveType type = instruction.shape().element_type();
    return IsInt(type) && BitWidth(type) <= 16;
  }

  // Whether there is a conversion of as many integers at the bottom.
  static bool ComesFromIntegers(const HloInstruction& instruction) {
    const HloInstruction* value = &instruction;
    for (int step = 0; step < 4 * kMaxSteps; ++step) {
      if (value->opcode() == HloOpcode::kConvert) return IsFew(*value->operand(0));
      if (value->opcode() == HloOpcode::kBroadcast || value->operand_count() == 0) return false;
      const bool goes_right = value->operand_count() == 2 && (value->operand(0)->opcode() == HloOpcode::kBroadcast ||
                                                              value->operand(0)->opcode() == HloOpcode::kParameter);
      value = value->operand(goes_right ? 1 : 0);
    }
    return false;
  }

  absl::optional<FusedPrologue> Finish(const HloInstruction& conversion) {
    const HloInstruction* from = conversion.operand(0);
    if (!IsFew(*from)) return absl::nullopt;
    const HloInstruction* const stored = ParameterBehind(from);
    if (stored == nullptr) return absl::nullopt;
    prologue_.stored = stored;
    prologue_.type = from->shape().element_type();
    if (BitWidth(prologue_.type) < 8) prologue_.type = IsSignedInt(prologue_.type) ? S8 : U8;
    std::reverse(prologue_.steps.begin(), prologue_.steps.end());
    return std::move(prologue_);
  }

  bool AddStep(EpilogueOperation operation, const HloInstruction& other) {
    PrologueStep step;
    step.operation = operation;
    const HloInstruction* value = &other;
    while (MovesNothing(*value)) value = value->operand(0);
    const Shape& shape = value->shape();
    const bool is_broadcast = value->opcode() == HloOpcode::kBroadcast;
    const HloInstruction* const source = is_broadcast ? value->operand(0) : value;
    if (source->shape().element_type() != F32 || !shape.IsRowMajor()) return false;
    if (source->opcode() == HloOpcode::kConstant && source->shape().IsScalar()) {
      const auto& literal = source->attributes<ConstantAttributes>().literal;
      if (literal == nullptr) return false;
      step.constant = *static_cast<const float*>(literal->untyped_data());
      prologue_.steps.push_back(step);
      return true;
    }
    const HloInstruction* const parameter = ParameterBehind(source);
    if (parameter == nullptr) return false;
    std::vector<SizeAndStride> dimensions;
    const DimensionVector strides = ElementStrides(source->shape());
    for (int d = 0; d < shape.rank(); ++d) dimensions.push_back({shape.dimension(d), is_broadcast ? 0 : strides[d]});
    if (is_broadcast) {
      const auto& places = value->attributes<BroadcastAttributes>().dimensions;
      for (size_t i = 0; i < places.size(); ++i) dimensions[places[i]].stride = strides[i];
    }
    if (!SetDirections(dimensions, step)) return false;
    step.argument = static_cast<int>(prologue_.arguments.size());
    prologue_.arguments.push_back(parameter->attributes<ParameterAttributes>().number);
    prologue_.steps.push_back(step);
    return true;
  }

  // `dimensions`: of an array that lies in memory as the operand does.
  bool SetDirections(const std::vector<SizeAndStride>& dimensions, PrologueStep& step) const {
    const bool along_k = product_.rhs_k == 1;
    const int64_t inner_size = along_k ? product_.k : product_.n;
    size_t first_inner = dimensions.size();
    for (int64_t size = 1; size < inner_size;) {
      if (first_inner == 0) return false;
      size *= dimensions[--first_inner].size;
      if (size > inner_size) return false;
    }
    const auto outer = DirectionOf({dimensions.begin(), dimensions.begin() + static_cast<int64_t>(first_inner)});
    const auto inner = DirectionOf({dimensions.begin() + static_cast<int64_t>(first_inner), dimensions.end()});
    if (!outer.has_value() || !inner.has_value()) return false;
    step.k = along_k ? *inner : *outer;
    step.n = along_k ? *outer : *inner;
    return true;
  }

  const StridedDot& product_;
  FusedPrologue prologue_;
};

}  // namespace

absl::optional<FusedPrologue> FindPrologue(const HloInstruction& dot) {
  if (dot.opcode() != HloOpcode::kDot) return absl::nullopt;
  const absl::StatusOr<StridedDot> product = StridedDotOf(dot);
  if (!product.ok() || product->BatchCount() != 1) return absl::nullopt;
  for (const int operand : {1, 0}) {
    if (ParameterBehind(dot.operand(1 - operand)) == nullptr) continue;
    const StridedDot arranged = operand == 1 ? *product : Transposed(*product);
    // One run of rows or columns, so that a place in memory tells which element it is.
    const bool has_rows = arranged.rhs_n == 1 && (arranged.rhs_k == arranged.n || arranged.k == 1);
    const bool has_columns = arranged.rhs_k == 1 && (arranged.rhs_n == arranged.k || arranged.n == 1);
    if (!has_rows && !has_columns) continue;
    absl::optional<FusedPrologue> prologue = PrologueFinder(arranged).Find(*dot.operand(operand));
    if (!prologue.has_value()) continue;
    prologue->dequantized = operand;
    return prologue;
  }
  return absl::nullopt;
}

}  // namespace xla
