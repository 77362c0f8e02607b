#include "passes/algebra/dot_sides.h"

#include <memory>
#include <utility>

#include "passes/algebra/movement.h"

namespace xla {

DotSide SideOf(const HloInstruction& dot, int operand) {
  const DotAttributes& a = dot.attributes<DotAttributes>();
  DotSide side{operand == 0 ? a.lhs_batch_dims : a.rhs_batch_dims,
               operand == 0 ? a.lhs_contracting_dims : a.rhs_contracting_dims,
               {}};
  DimensionVector named = side.batch;
  named.insert(named.end(), side.contracting.begin(), side.contracting.end());
  side.free = OtherDimensions(dot.operand(operand)->shape().rank(), named);
  return side;
}

int64_t FirstFreeOf(int i, const DotSide sides[2]) {
  return static_cast<int64_t>(sides[0].batch.size() + (i == 0 ? 0 : sides[0].free.size()));
}

bool MayAddParts(const HloInstruction& dot) {
  const PrimitiveType type = dot.shape().element_type();
  for (const HloInstruction* operand : dot.operands()) {
    const PrimitiveType from = operand->shape().element_type();
    if (IsFloat(type) ? BitWidth(from) > BitWidth(type) : !IsInt(from) && from != PRED) return false;
  }
  return IsInt(type) || type == PRED || type == F32 || type == F64;
}

HloInstruction* MakeDot(const HloInstruction& like, HloInstruction* lhs, const DotSide& left, HloInstruction* rhs,
                        const DotSide& right, absl::Span<const int64_t> dimensions, InstructionBuilder& build) {
  auto attributes = std::make_unique<DotAttributes>(like.attributes<DotAttributes>());
  attributes->lhs_batch_dims = left.batch;
  attributes->lhs_contracting_dims = left.contracting;
  attributes->rhs_batch_dims = right.batch;
  attributes->rhs_contracting_dims = right.contracting;
  return build.MakeOfShape(HloOpcode::kDot, Shape::Array(like.shape().element_type(), dimensions), {lhs, rhs},
                           std::move(attributes));
}

}  // namespace xla
