// LoopValues: the values of a statement's nodes in all iterations, as arrays with a dimension for each loop.
//
// An array has dimensions only for the loops that its node depends on, and none for loops of one iteration but those
// that are kept; where several meet, they are broadcast. First everything is planned (Plan): what cannot be computed so
// is found before an instruction is made.
#ifndef BUILDERS_NNEF2_RECOGNITION_LOOP_VALUES_H_
#define BUILDERS_NNEF2_RECOGNITION_LOOP_VALUES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "builders/nnef2/lowering/nest_lowering.h"
#include "builders/nnef2/recognition/load_plan.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace nnef2 {

// Dimension d counts through loops[d].
struct LoopArray {
  XlaOp array;
  std::vector<int> loops;
};

class LoopValues {
 public:
  // `order`: the loops, in the order that dimensions have; `kept`: loops of one iteration that are dimensions where a
  // load has them, so that nothing is reshaped. Both outlive it.
  LoopValues(NestLowering* lowering, const StatementNest& nest, std::vector<int> order, std::vector<int> kept = {});

  // Whether `node` can be computed.
  bool Plan(const NestNode& node);
  // Whether guards and the condition can.
  bool PlanMask();

  // Of planned nodes. Elements that a guard leaves out may be anything.
  LoopArray ValueOf(const NestNode& node);
  // A load, with `padding` in place of the elements that a guard leaves out.
  LoopArray LoadOf(const LoadPlan& plan, XlaOp padding);
  // The same with the dimensions in the order of the tensor, those of gathering indices first.
  LoopArray LoadInPlace(const LoadPlan& plan, XlaOp padding);
  // Whether iterations do something; invalid: all do.
  LoopArray Mask();
  // Whether iterations of these loops exist, of those whose extents vary; invalid: all do.
  LoopArray ExistenceOf(const std::vector<int>& loops);

  // The same values with dimensions for all of `loops`, in this order; they include those that it has.
  XlaOp Over(const LoopArray& value, const std::vector<int>& loops);
  // `loops`, without those of one iteration that are not kept, in the order of dimensions.
  std::vector<int> InOrder(const std::vector<int>& loops) const;
  std::vector<int64_t> BoundsOf(const std::vector<int>& loops) const;
  // x op y, broadcast to the loops of both; scalars are left to the builder.
  LoopArray Together(const LoopArray& x, const LoopArray& y, absl::FunctionRef<XlaOp(XlaOp, XlaOp)> emit);
  // Both hold; either may be invalid: it always holds.
  LoopArray And(const LoopArray& a, const LoopArray& b);
  // pred ? x : y over all of their loops.
  LoopArray Choose(const LoopArray& pred, const LoopArray& x, const LoopArray& y);
  XlaOp Number(PrimitiveType type, double value);

 private:
  bool PlanNode(const NestNode& node);
  bool PlanTable(const NestNode& node);
  LoopArray Compute(const NestNode& node);
  LoopArray Known(const NestNode& node);
  LoopArray Unary(const NestNode& node);
  LoopArray Binary(const NestNode& node);
  LoopArray Idiom(const NestNode& node);
  LoopArray Convert(const NestNode& node);
  LoopArray Remap(const NestNode& node);
  LoopArray Table(const NestNode& node);
  int KeptLoopOf(const NestNode& load, size_t axis) const;
  XlaOp Gathered(const LoadPlan& plan, XlaOp x, std::vector<int>* loops, std::vector<size_t>* axes);
  // The loops of both.
  std::vector<int> Union(const std::vector<int>& a, const std::vector<int>& b) const;

  NestLowering& lowering_;
  ComputationBuilder& b_;
  const StatementNest& nest_;
  std::vector<int> order_;
  std::vector<int> kept_;
  std::vector<int> place_;  // by loop: its place in order_
  absl::flat_hash_map<const NestNode*, bool> planned_;
  absl::flat_hash_map<const NestNode*, LoadPlan> loads_;
  absl::flat_hash_map<const NestNode*, LoopArray> values_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_RECOGNITION_LOOP_VALUES_H_
