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
