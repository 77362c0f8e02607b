#include <algorithm>
#include <utility>

#include "builders/computation_builder/constants.h"
#include "builders/nnef2/recognition/recognisers.h"

namespace xla {
namespace nnef2 {
namespace {

// A factor whose dimension d counts through loops[d].
struct Factor {
  const NestNode* load = nullptr;
  LoadPlan plan;
  std::vector<int> loops;
};

// The loops of the indices, if each dimension is one loop that counts through all of it, also those of one iteration.
absl::optional<std::vector<int>> PlainLoops(const std::vector<const NestNode*>& indices,
                                            const std::vector<int64_t>& extents, const std::vector<NestLoop>& loops) {
  std::vector<int> plain;
  for (size_t d = 0; d < indices.size(); ++d) {
    const NestNode& index = *indices[d];
    if (index.kind != NestNode::Kind::kLoop || loops[index.loop].bound != extents[d] || Contains(plain, index.loop)) {
      return absl::nullopt;
    }
    plain.push_back(index.loop);
  }
  return plain;
}

absl::optional<Factor> FactorOf(const NestLowering& lowering, const StatementNest& nest, const NestNode& load) {
  if (load.kind != NestNode::Kind::kLoad) return absl::nullopt;
  const absl::optional<LoadPlan> plan = PlanLoad(lowering, nest, load);
  if (!plan.has_value() || plan->gathers() || plan->has_padding()) return absl::nullopt;
  Factor factor{&load, *plan, {}};
  for (const LoadAxis& axis : plan->axes) {
    factor.loops.insert(factor.loops.end(), axis.counting.loops.begin(), axis.counting.loops.end());
  }
  return factor;
}

// Elements of loops that do not exist count as 0.
XlaOp WithoutTheRest(LoopValues* values, const std::vector<int>& contracted, const LoopArray& factor) {
  const LoopArray exists = values->ExistenceOf(contracted);
  if (!exists.array.valid() || !factor.array.valid()) return factor.array;
  return factor.array.builder()->Select(values->Over(exists, factor.loops), factor.array, ZerosLike(factor.array));
}

}  // namespace

XlaOp RecogniseDot(NestLowering& lowering, const StatementNest& nest, StartValue start) {
  const NestNode& product = *nest.values[0];
  if (nest.op != Operator::kAdd || !nest.guards.empty() || nest.condition != nullptr ||
      product.kind != NestNode::Kind::kBinary || product.op != Operator::kMultiply) {
    return XlaOp();
  }
  const absl::optional<TargetPlan> target = PlanTarget(lowering, nest);
  absl::optional<Factor> lhs = FactorOf(lowering, nest, *product.operands[0]);
  absl::optional<Factor> rhs = FactorOf(lowering, nest, *product.operands[1]);
  if (!target.has_value() || !lhs.has_value() || !rhs.has_value()) return XlaOp();
  // Where nothing is sliced, dimensions of one element stay.
  std::vector<int> target_loops = target->loops;
  const auto lhs_plain = lhs->load->item != nullptr
                             ? absl::nullopt
                             : PlainLoops(lhs->load->operands, lowering.BoundsOf(lhs->load->tensors[0]), nest.loops);
  const auto rhs_plain = rhs->load->item != nullptr
                             ? absl::nullopt
                             : PlainLoops(rhs->load->operands, lowering.BoundsOf(rhs->load->tensors[0]), nest.loops);
  const auto target_plain = PlainLoops(nest.indices, target->extents, nest.loops);
  const bool is_plain = lhs_plain.has_value() && rhs_plain.has_value() && target_plain.has_value();
  if (is_plain) {
    lhs->loops = *lhs_plain;
    rhs->loops = *rhs_plain;
    target_loops = *target_plain;
  }
  std::vector<int> contracted;
  for (int i = 0; i < static_cast<int>(nest.loops.size()); ++i) {
    const bool in_lhs = Contains(lhs->loops, i), in_rhs = Contains(rhs->loops, i),
               in_target = Contains(target_loops, i);
    if (in_lhs && in_rhs && !in_target) contracted.push_back(i);
    // What only one factor has is summed before, or is repeated.
    if (!in_target && in_lhs != in_rhs) return XlaOp();
    if (!in_target && !in_lhs && !RunsOnce(nest.loops[i])) return XlaOp();
  }
  if (contracted.empty()) return XlaOp();

  ComputationBuilder& b = lowering.builder();
  const PrimitiveType type = lowering.TypeOf(nest.type);
  std::vector<XlaOp> arrays;
  LoopValues values(&lowering, nest, TargetFirst(nest, *target));
  for (Factor* const factor : {&*lhs, &*rhs}) {
    const XlaOp array =
        is_plain ? lowering.Array(factor->load->tensors[0]) : values.LoadInPlace(factor->plan, XlaOp()).array;
    arrays.push_back(WithoutTheRest(&values, contracted, {array, factor->loops}));
  }
  DotDimensionNumbers numbers;
  std::vector<int> loops;
  const auto place = [](const std::vector<int>& all, int loop) {
    return static_cast<int64_t>(std::find(all.begin(), all.end(), loop) - all.begin());
  };
  for (const int loop : target_loops) {
    if (!Contains(lhs->loops, loop) || !Contains(rhs->loops, loop)) continue;
    numbers.lhs_batch_dims.push_back(place(lhs->loops, loop));
    numbers.rhs_batch_dims.push_back(place(rhs->loops, loop));
    loops.push_back(loop);
  }
  for (const int loop : contracted) {
    numbers.lhs_contracting_dims.push_back(place(lhs->loops, loop));
    numbers.rhs_contracting_dims.push_back(place(rhs->loops, loop));
  }
  for (const Factor* const factor : {&*lhs, &*rhs}) {
    const Factor& other = factor == &*lhs ? *rhs : *lhs;
    for (const int loop : factor->loops) {
      if (!Contains(other.loops, loop)) loops.push_back(loop);
    }
  }
  DotOptions options;
  if (SumType(type) != type) options.preferred_element_type = SumType(type);
  const XlaOp dot = ConvertTo(b.DotGeneral(arrays[0], arrays[1], numbers, options), type);
  const XlaOp elements = ElementsOfTarget(*target, values.Over({dot, loops}, target_loops));
  return AddToStart(lowering, nest, std::move(start), PlaceOver(*target, elements, values.Number(type, 0)));
}

}  // namespace nnef2
}  // namespace xla
