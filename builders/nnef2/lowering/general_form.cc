#include "builders/nnef2/lowering/general_form.h"

#include <algorithm>
#include <numeric>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/computation_builder/constants.h"
#include "builders/computation_builder/scalar_computations.h"
#include "builders/nnef2/lowering/scalar_emission.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

// Elements whose indices are a loop and an offset, or an offset alone, each loop once.
struct Box {
  std::vector<int> loops;  // by dimension; -1: none
  std::vector<int64_t> offsets;
  std::vector<int64_t> sizes;
};

// loop + offset, as which index is read.
bool SplitIndex(const NestNode& index, int* loop, int64_t* offset) {
  *loop = -1;
  *offset = 0;
  if (index.is_known()) {
    *offset = index.scalar.integer;
    return true;
  }
  if (index.kind == NestNode::Kind::kLoop) {
    *loop = index.loop;
    return true;
  }
  if (index.kind != NestNode::Kind::kBinary || index.op != Operator::kAdd) return false;
  for (int side = 0; side < 2; ++side) {
    const NestNode& x = *index.operands[side];
    const NestNode& y = *index.operands[1 - side];
    if (x.kind != NestNode::Kind::kLoop || !y.is_known()) continue;
    *loop = x.loop;
    *offset = y.scalar.integer;
    return true;
  }
  return false;
}

absl::optional<Box> FindBox(const StatementNest& nest, const NestTarget& target) {
  Box box;
  std::vector<bool> is_used(nest.loops.size(), false);
  for (size_t d = 0; d < target.indices.size(); ++d) {
    int loop = -1;
    int64_t offset = 0;
    if (!SplitIndex(*target.indices[d], &loop, &offset)) return absl::nullopt;
    const int64_t size = loop < 0 ? 1 : nest.loops[loop].bound;
    if (offset < 0 || size > target.bounds[d] || offset > target.bounds[d] - size) return absl::nullopt;
    if (loop >= 0 && is_used[loop]) return absl::nullopt;
    if (loop >= 0) is_used[loop] = true;
    box.loops.push_back(loop);
    box.offsets.push_back(offset);
    box.sizes.push_back(size);
  }
  return box;
}

// One target of a statement whose iterations do not depend on each other.
class ParallelForm {
 public:
  ParallelForm(NestLowering* lowering, const StatementNest* nest, SpaceEmitter* emitter, const NestTarget* target)
      : lowering_(*lowering),
        b_(lowering->builder()),
        nest_(*nest),
        emitter_(*emitter),
        target_(*target),
        type_(lowering->TypeOf(nest->type)) {}

  absl::StatusOr<XlaOp> Lower() {
    const absl::optional<Box> box = FindBox(nest_, target_);
    std::vector<int> all(nest_.loops.size());
    std::iota(all.begin(), all.end(), 0);
    if (box.has_value()) return LowerBox(*box, all);
    RETURN_IF_ERROR(CheckIterations());
    return Scatter(all);
  }

 private:
  absl::Status CheckIterations() const {
    int64_t iterations = 1;
    for (const NestLoop& loop : nest_.loops) {
      if (!__builtin_mul_overflow(iterations, loop.bound, &iterations) && iterations <= kMaxIterations) continue;
      return absl::InvalidArgumentError(absl::StrCat(
          "a statement of ", nest_.definition->QualifiedName(), " has more than ", kMaxIterations,
          " iterations, which are computed at a time; use an operation of the library that does the same, or make ",
          "the statement work on parts"));
    }
    return absl::OkStatus();
  }

  XlaOp Initial() { return target_.initial.valid() ? target_.initial : NeutralArray(lowering_, nest_, target_.bounds); }

  // --- boxes ---

  // Loops that count to the end of a dimension need no mask for that: what is past its extent does not count.
  std::vector<bool> WholeLoops(const Box& box) const {
    std::vector<bool> whole(nest_.loops.size(), false);
    if (nest_.target_item != nullptr) return whole;
    for (size_t d = 0; d < box.loops.size(); ++d) {
      if (box.loops[d] < 0 || box.offsets[d] != 0) continue;
      bool agrees = true;
      for (const int tensor : nest_.targets) {
        agrees = agrees && lowering_.tensor(tensor).shape[d] == nest_.loops[box.loops[d]].extent;
      }
      whole[box.loops[d]] = agrees;
    }
    return whole;
  }

  // An array over `loops`, which rise, as a block of the target.
  XlaOp ToBlock(const Box& box, XlaOp array, const std::vector<int>& loops) {
    std::vector<int64_t> order;
    for (const int loop : box.loops) {
      if (loop >= 0) order.push_back(std::find(loops.begin(), loops.end(), loop) - loops.begin());
    }
    if (!std::is_sorted(order.begin(), order.end())) array = b_.Transpose(array, order);
    return order.size() == box.sizes.size() ? array : b_.Reshape(array, box.sizes);
  }

  // The block of the target that the box covers, as an array over `loops`.
  XlaOp FromBlock(const Box& box, XlaOp target, const std::vector<int>& loops) {
    std::vector<int64_t> end;
    for (size_t d = 0; d < box.sizes.size(); ++d) end.push_back(box.offsets[d] + box.sizes[d]);
    XlaOp block = IsWhole(box) ? target : b_.Slice(target, box.offsets, end);
    std::vector<int> in_order;
    std::vector<int64_t> sizes;
    for (size_t d = 0; d < box.loops.size(); ++d) {
      if (box.loops[d] < 0) continue;
      in_order.push_back(box.loops[d]);
      sizes.push_back(box.sizes[d]);
    }
    if (sizes.size() != box.sizes.size()) block = b_.Reshape(block, sizes);
    if (in_order == loops) return block;
    std::vector<int64_t> order;
    for (const int loop : loops) {
      order.push_back(std::find(in_order.begin(), in_order.end(), loop) - in_order.begin());
    }
    return b_.Transpose(block, order);
  }

  bool IsWhole(const Box& box) const { return box.sizes == target_.bounds; }

  absl::StatusOr<XlaOp> LowerBox(const Box& box, const std::vector<int>& all) {
    std::vector<int> loops;
    for (const int loop : box.loops) {
      if (loop >= 0) loops.push_back(loop);
    }
    std::sort(loops.begin(), loops.end());
    const absl::optional<SpaceArray> mask = emitter_.Mask(WholeLoops(box));
    const SpaceArray value = emitter_.Emit(*target_.value);
    XlaOp block;
    if (Accumulates(nest_.op)) {
      if (loops != all) RETURN_IF_ERROR(CheckIterations());
      block = Accumulate(box, value, mask, loops, all);
    } else if (NeedsLoopsOnly(loops, value, mask)) {
      block = emitter_.Spread(value, loops);
      if (mask.has_value()) block = b_.Select(emitter_.Spread(*mask, loops), block, FromBlock(box, Initial(), loops));
    } else {
      RETURN_IF_ERROR(CheckIterations());
      block = LastOf(box, value, mask, loops, all);
    }
    block = ToBlock(box, block, loops);
    if (IsWhole(box)) return block;
    std::vector<XlaOp> starts;
    for (const int64_t offset : box.offsets) starts.push_back(xla::Scalar(&b_, S32, offset));
    return b_.DynamicUpdateSlice(Initial(), block, starts);
  }

  // Whether all iterations with the same indices of `loops` assign the same, and there is at least one.
  bool NeedsLoopsOnly(const std::vector<int>& loops, const SpaceArray& value,
                      const absl::optional<SpaceArray>& mask) const {
    const auto are_within = [&](const SpaceArray& array) {
      return std::includes(loops.begin(), loops.end(), array.loops.begin(), array.loops.end());
    };
    return are_within(value) && (!mask.has_value() || are_within(*mask));
  }

  std::vector<int64_t> ReducedDimensions(const std::vector<int>& loops, const std::vector<int>& all) const {
    std::vector<int64_t> reduced;
    for (size_t i = 0; i < all.size(); ++i) {
      if (!std::binary_search(loops.begin(), loops.end(), all[i])) reduced.push_back(static_cast<int64_t>(i));
    }
    return reduced;
  }

  // The values over all loops, neutral where no iteration takes place.
  XlaOp MaskedValues(const SpaceArray& value, const absl::optional<SpaceArray>& mask, const std::vector<int>& all) {
    const XlaOp values = emitter_.Spread(value, all);
    if (!mask.has_value()) return values;
    const XlaOp neutral = b_.Broadcast(NeutralElement(&b_, nest_.op, type_), emitter_.BoundsOf(all));
    return b_.Select(emitter_.Spread(*mask, all), values, neutral);
  }

  XlaOp Accumulate(const Box& box, const SpaceArray& value, const absl::optional<SpaceArray>& mask,
                   const std::vector<int>& loops, const std::vector<int>& all) {
    XlaOp values = MaskedValues(value, mask, all);
    const std::vector<int64_t> reduced = ReducedDimensions(loops, all);
    if (!reduced.empty()) {
      // Sums of narrow floats are made in a wider type.
      const PrimitiveType sum_type = type_ == F16 || type_ == BF16 ? F32 : type_;
      values = b_.Reduce(EmitConvert(sum_type, values), NeutralElement(&b_, nest_.op, sum_type),
                         CombinerOf(nest_.op, sum_type), reduced);
      values = EmitConvert(type_, values);
    }
    if (!target_.initial.valid()) return values;
    return EmitBinary(nest_.op, FromBlock(box, target_.initial, loops), values);
  }

  // The value of the last iteration that takes place, in the order of the loops that are not among the indices.
  XlaOp LastOf(const Box& box, const SpaceArray& value, const absl::optional<SpaceArray>& mask,
               const std::vector<int>& loops, const std::vector<int>& all) {
    const std::vector<int64_t> reduced = ReducedDimensions(loops, all);
    std::vector<int64_t> bounds;
    std::vector<int64_t> dimensions;
    for (const int64_t d : reduced) bounds.push_back(nest_.loops[all[d]].bound);
    const int64_t count = std::accumulate(bounds.begin(), bounds.end(), int64_t{1}, std::multiplies<int64_t>());
    const std::vector<int64_t> space = emitter_.BoundsOf(all);
    XlaOp order = b_.BroadcastInDim(b_.Reshape(b_.Iota(S32, count), bounds), space, reduced);
    const XlaOp none = b_.ConstantR0<int32_t>(-1);
    if (mask.has_value()) order = b_.Select(emitter_.Spread(*mask, all), order, b_.Broadcast(none, space));
    const XlaOp last = b_.Reduce({order, emitter_.Spread(value, all)}, {none, Zero(&b_, type_)}, LaterOf(), reduced);
    const XlaOp found = b_.GetTupleElement(last, 0);
    return b_.Select(b_.Ge(found, ScalarLike(found, 0)), b_.GetTupleElement(last, 1), FromBlock(box, Initial(), loops));
  }

  // (order, value, order, value) -> those of the greater order.
  XlaComputation LaterOf() const {
    ComputationBuilder b("later");
    b.set_keep_source_locations(false);
    b.SetOpMetadata(b_.op_metadata());
    std::vector<XlaOp> p;
    for (int i = 0; i < 4; ++i) p.push_back(b.Parameter(i, xla::Shape::Scalar(i % 2 == 0 ? S32 : type_)));
    const XlaOp is_later = b.Ge(p[0], p[2]);
    return b.BuildOrError(b.Tuple({b.Max(p[0], p[2]), b.Select(is_later, p[1], p[3])}));
  }

  // --- scatters ---

  // The indices of all iterations, [iterations, rank]; those that do not take place lie outside.
  XlaOp ScatterIndices(const std::vector<int>& all, int64_t count) {
    const absl::optional<SpaceArray> mask = emitter_.Mask(std::vector<bool>(nest_.loops.size(), false));
    std::vector<XlaOp> columns;
    for (const NestNode* const index : target_.indices) {
      XlaOp column = emitter_.Spread(emitter_.Emit(*index), all);
      if (columns.empty() && mask.has_value()) {
        column = b_.Select(emitter_.Spread(*mask, all), column, FullLike(column, -1));
      }
      columns.push_back(b_.Reshape(column, {count, 1}));
    }
    return columns.size() == 1 ? columns[0] : b_.ConcatInDim(columns, 1);
  }

  XlaOp Scatter(const std::vector<int>& all) {
    const std::vector<int64_t> space = emitter_.BoundsOf(all);
    const int64_t count = std::accumulate(space.begin(), space.end(), int64_t{1}, std::multiplies<int64_t>());
    const int64_t volume =
        std::accumulate(target_.bounds.begin(), target_.bounds.end(), int64_t{1}, std::multiplies<int64_t>());
    if (volume == 0) return Initial();
    const XlaOp indices = ScatterIndices(all, count);
    const XlaOp values = b_.Reshape(emitter_.Spread(emitter_.Emit(*target_.value), all), {count});
    ScatterDimensionNumbers numbers;
    for (size_t d = 0; d < target_.bounds.size(); ++d) {
      numbers.inserted_window_dims.push_back(static_cast<int64_t>(d));
      numbers.scatter_dims_to_operand_dims.push_back(static_cast<int64_t>(d));
    }
    numbers.index_vector_dim = 1;
    if (Accumulates(nest_.op)) {
      return b_.Scatter(Initial(), indices, values, CombinerOf(nest_.op, type_), numbers);
    }
    // Which iteration is the last one of each element, and then its value.
    const XlaOp none = b_.Broadcast(b_.ConstantR0<int32_t>(-1), target_.bounds);
    const XlaOp last = b_.Scatter(none, indices, b_.Iota(S32, count), CombinerOf(Operator::kMaximum, S32), numbers);
    GatherDimensionNumbers fetch;
    fetch.collapsed_slice_dims = {0};
    fetch.start_index_map = {0};
    fetch.index_vector_dim = static_cast<int64_t>(target_.bounds.size());
    const XlaOp fetched = b_.Gather(values, last, fetch, {1});
    return b_.Select(b_.Ge(last, ScalarLike(last, 0)), fetched, Initial());
  }

  NestLowering& lowering_;
  ComputationBuilder& b_;
  const StatementNest& nest_;
  SpaceEmitter& emitter_;
  const NestTarget& target_;
  const PrimitiveType type_;
};

// The targets as arrays that one index picks elements of.
std::vector<NestTarget> TargetsOf(NestLowering& lowering, const StatementNest& nest,
                                  const std::vector<XlaOp>& initial) {
  std::vector<NestTarget> targets;
  for (size_t i = 0; i < nest.targets.size(); ++i) {
    NestTarget target;
    target.bounds = lowering.BoundsOf(nest.targets[i]);
    target.indices = nest.indices;
    target.value = nest.values[nest.target_item == nullptr ? i : 0];
    target.initial = initial[i];
    targets.push_back(std::move(target));
  }
  if (nest.target_item == nullptr) return targets;
  NestTarget stacked = targets[0];
  std::vector<XlaOp> arrays;
  for (const NestTarget& target : targets) {
    for (size_t d = 0; d < target.bounds.size(); ++d) {
      stacked.bounds[d] = std::max(stacked.bounds[d], target.bounds[d]);
    }
    // Some items may have been assigned, others not.
    arrays.push_back(target.initial.valid() ? target.initial : NeutralArray(lowering, nest, target.bounds));
  }
  stacked.bounds.insert(stacked.bounds.begin(), static_cast<int64_t>(targets.size()));
  stacked.indices.insert(stacked.indices.begin(), nest.target_item);
  stacked.initial = StackArrays(&lowering.builder(), arrays);
  return {stacked};
}

// The items of what TargetsOf has stacked.
void TakeApart(NestLowering& lowering, const StatementNest& nest, std::vector<XlaOp>* results) {
  if (nest.target_item == nullptr) return;
  ComputationBuilder& b = lowering.builder();
  const XlaOp stacked = results->front();
  results->clear();
  for (size_t i = 0; i < nest.targets.size(); ++i) {
    const std::vector<int64_t> bounds = lowering.BoundsOf(nest.targets[i]);
    std::vector<int64_t> begin(bounds.size() + 1, 0), end = bounds;
    begin[0] = static_cast<int64_t>(i);
    end.insert(end.begin(), begin[0] + 1);
    results->push_back(b.Reshape(b.Slice(stacked, begin, end), bounds));
  }
}

}  // namespace

XlaOp NeutralArray(NestLowering& lowering, const StatementNest& nest, const std::vector<int64_t>& bounds) {
  ComputationBuilder& b = lowering.builder();
  return b.Broadcast(NeutralElement(&b, nest.op, lowering.TypeOf(nest.type)), bounds);
}

absl::Status LowerGeneralForm(NestLowering& lowering, const StatementNest& nest, const std::vector<XlaOp>& initial,
                              std::vector<XlaOp>* results) {
  const std::vector<NestTarget> targets = TargetsOf(lowering, nest, initial);
  results->clear();
  if (nest.reads_output) {
    RETURN_IF_ERROR(LowerSequentialForm(lowering, nest, targets, results));
  } else {
    SpaceEmitter emitter(&lowering, &nest);
    for (const NestTarget& target : targets) {
      ASSIGN_OR_RETURN(const XlaOp result, ParallelForm(&lowering, &nest, &emitter, &target).Lower());
      results->push_back(result);
    }
  }
  TakeApart(lowering, nest, results);
  return absl::OkStatus();
}

}  // namespace nnef2
}  // namespace xla
