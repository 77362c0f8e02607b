#include "passes/loops/batch_loop_products.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/types/optional.h"
#include "passes/analyses/trip_counts.h"
#include "passes/base/instruction_builder.h"
#include "passes/base/rewrite_rule.h"
#include "passes/loops/loop_parts.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// A dot of a slice of an array and of another array, both of which the loop passes on.
struct SlicedProduct {
  HloInstruction* dot = nullptr;
  int sliced_operand = 0;
  HloInstruction* slice = nullptr;
  HloInstruction* array = nullptr;  // what is sliced
  HloInstruction* other = nullptr;
  int64_t dimension = 0;    // of the array
  bool is_dropped = false;  // from the slice, before the dot
};

class Finder {
 public:
  Finder(const LoopParts& parts, int64_t turns, PassContext& context)
      : parts_(parts),
        turns_(turns),
        max_rows_(context.IntOption("max-rows")),
        max_bytes_(context.IntOption("max-bytes")) {}

  // A dot without batch dimensions, one operand of which is a slice of something that the loop does not change, by a
  // start that may change.
  absl::optional<SlicedProduct> Find(HloInstruction* dot) const {
    if (dot->opcode() != HloOpcode::kDot || dot->HasControlEdges() || dot->shape().IsDynamic()) return absl::nullopt;
    const auto& attributes = dot->attributes<DotAttributes>();
    if (!attributes.lhs_batch_dims.empty()) return absl::nullopt;
    for (const int operand : {0, 1}) {
      absl::optional<SlicedProduct> product = SliceBehind(*dot, operand);
      if (!product.has_value()) continue;
      product->dot = dot;
      if (IsWorthIt(*product, attributes)) return product;
    }
    return absl::nullopt;
  }

 private:
  bool IsInvariant(const HloInstruction& value) const {
    if (value.opcode() != HloOpcode::kGetTupleElement || value.operand(0) != parts_.body_parameter) return false;
    return value.shape().IsArray() && !value.shape().IsDynamic() &&
           parts_.IsInvariant(static_cast<int>(value.attributes<GetTupleElementAttributes>().index));
  }

  // Matches operand = dynamic-slice(array), or the reshape that drops its sliced dimension, where exactly one
  // dimension is sliced and both array and other operand are invariant.
  absl::optional<SlicedProduct> SliceBehind(const HloInstruction& dot, int operand) const {
    SlicedProduct product;
    product.sliced_operand = operand;
    product.other = dot.operand(1 - operand);
    HloInstruction* const factor = dot.operand(operand);
    product.is_dropped = factor->opcode() == HloOpcode::kReshape;
    product.slice = product.is_dropped ? factor->operand(0) : factor;
    if (product.slice->opcode() != HloOpcode::kDynamicSlice) return absl::nullopt;
    product.array = product.slice->operand(0);
    if (!IsInvariant(*product.array) || !IsInvariant(*product.other)) return absl::nullopt;
    // One dimension is sliced, and a reshape drops that one.
    const Shape& whole = product.array->shape();
    const Shape& part = product.slice->shape();
    int sliced = 0;
    DimensionVector others;
    for (int d = 0; d < whole.rank(); ++d) {
      if (part.dimension(d) == whole.dimension(d)) {
        others.push_back(part.dimension(d));
        continue;
      }
      ++sliced;
      product.dimension = d;
    }
    if (sliced != 1) return absl::nullopt;
    const auto dropped = factor->shape().dimensions();
    if (product.is_dropped && !(part.dimension(static_cast<int>(product.dimension)) == 1 &&
                                std::equal(dropped.begin(), dropped.end(), others.begin(), others.end()))) {
      return absl::nullopt;
    }
    return product;
  }

  // Worth it if the slices have few rows, the product of all of them fits in memory, and the loop runs often enough
  // to need each slice.
  bool IsWorthIt(const SlicedProduct& product, const DotAttributes& attributes) const {
    const DimensionVector& contracted =
        product.sliced_operand == 0 ? attributes.lhs_contracting_dims : attributes.rhs_contracting_dims;
    if (!product.is_dropped && absl::c_linear_search(contracted, product.dimension)) return false;
    const Shape& factor = product.dot->operand(product.sliced_operand)->shape();
    int64_t rows = 1;
    for (int d = 0; d < factor.rank(); ++d) {
      if (!absl::c_linear_search(contracted, d)) rows *= factor.dimension(d);
    }
    const auto d = static_cast<int>(product.dimension);
    const int64_t size = product.slice->shape().dimension(d);
    if (size == 0 || rows > max_rows_) return false;
    const int64_t slices = (product.array->shape().dimension(d) - 1) / size + 1;
    return slices <= turns_ && product.dot->shape().ByteSize() <= max_bytes_ / slices;
  }

  const LoopParts& parts_;
  const int64_t turns_;
  const int64_t max_rows_;
  const int64_t max_bytes_;
};

// The product of the whole arrays, and the slice of it that the iteration needs.
class Batching {
 public:
  // Dimension numbers of the product of the whole array: those of the slice's with the dropped dimension put back;
  // `place_` is where the sliced dimension comes in the result.
  Batching(const SlicedProduct& product, const LoopParts& parts) : product_(product), parts_(parts) {
    auto attributes = product.dot->attributes<DotAttributes>();
    DimensionVector& contracted =
        product.sliced_operand == 0 ? attributes.lhs_contracting_dims : attributes.rhs_contracting_dims;
    place_ = product.sliced_operand == 0 ? 0 : FreeCount(*product.dot->operand(0), attributes.lhs_contracting_dims);
    for (int64_t& d : contracted) {
      if (product.is_dropped && d >= product.dimension) ++d;
    }
    for (int64_t d = 0; d < product.dimension; ++d) place_ += absl::c_linear_search(contracted, d) ? 0 : 1;
    attributes_ = std::move(attributes);
  }

  HloInstruction* Outside() const {
    InstructionBuilder builder(parts_.loop->parent(), product_.dot);
    HloInstruction* factors[2];
    factors[product_.sliced_operand] = parts_.InitialOf(*product_.array);
    factors[1 - product_.sliced_operand] = parts_.InitialOf(*product_.other);
    HloInstruction* const all = builder.Dot(factors[0], factors[1], attributes_);
    all->mutable_shape().set_element_type(product_.dot->shape().element_type());
    return all;
  }

  // In the loop, takes the slice of the finished product instead of multiplying.
  absl::Status ReplaceBy(HloInstruction* all) const {
    InstructionBuilder builder(parts_.body, product_.dot);
    HloInstruction* const start = product_.slice->operand(1 + static_cast<int>(product_.dimension));
    HloInstruction* const zero = builder.Zero(start->shape().element_type());
    std::vector<HloInstruction*> starts(all->shape().rank(), zero);
    starts[place_] = start;
    const auto whole = all->shape().dimensions();
    std::vector<int64_t> sizes(whole.begin(), whole.end());
    sizes[place_] = product_.slice->shape().dimension(static_cast<int>(product_.dimension));
    HloInstruction* part = builder.DynamicSlice(all, starts, sizes);
    if (product_.is_dropped) part = builder.Reshape(part, product_.dot->shape().dimensions());
    RETURN_IF_ERROR(builder.status());
    ReplaceInstruction(product_.dot, part);
    parts_.body->RemoveInstruction(product_.dot);
    return absl::OkStatus();
  }

 private:
  static int64_t FreeCount(const HloInstruction& operand, const DimensionVector& contracted) {
    return operand.shape().rank() - static_cast<int64_t>(contracted.size());
  }

  const SlicedProduct product_;
  const LoopParts parts_;
  DotAttributes attributes_;
  int64_t place_ = 0;  // of the sliced dimension in the result
};

// Batches the products of one loop. It looks for them twice: bodies shared by several loops are copied in between,
// which changes the instructions.
absl::StatusOr<bool> BatchProductsOf(HloInstruction* loop, PassContext& context) {
  absl::optional<LoopParts> parts = FindLoopParts(loop);
  if (!parts.has_value()) return false;
  const absl::optional<LoopCounter> counter = FindLoopCounter(*loop);
  if (!counter.has_value() || counter->trip_count < 1) return false;
  const auto find = [&] {
    std::vector<SlicedProduct> products;
    const Finder finder(*parts, counter->trip_count, context);
    for (HloInstruction* instruction : parts->body->LiveInstructions()) {
      absl::optional<SlicedProduct> product = finder.Find(instruction);
      if (product.has_value()) products.push_back(*product);
    }
    return products;
  };
  if (find().empty() || !MakeOwn(*parts)) return false;
  std::vector<Batching> batchings;
  for (const SlicedProduct& product : find()) batchings.emplace_back(product, *parts);
  std::vector<HloInstruction*> values;
  for (const Batching& batching : batchings) values.push_back(batching.Outside());
  const std::vector<HloInstruction*> added = AddInvariantElements(*parts, values);
  for (size_t i = 0; i < added.size(); ++i) {
    RETURN_IF_ERROR(batchings[i].ReplaceBy(added[i]));
    context.CountRewrite("products-batched");
  }
  return true;
}

}  // namespace

absl::StatusOr<bool> BatchLoopProducts(HloModule& module, PassContext& context) {
  bool changed = false;
  // By number, because bodies that several loops share are copied.
  const size_t count = module.computations().size();
  for (size_t c = 0; c < count; ++c) {
    HloComputation* const computation = module.computations()[c].get();
    for (HloInstruction* loop : computation->LiveInstructions()) {
      if (loop->opcode() != HloOpcode::kWhile) continue;
      RETURN_IF_ERROR(context.CheckDeadline());
      ASSIGN_OR_RETURN(const bool batched, BatchProductsOf(loop, context));
      changed = changed || batched;
    }
    computation->Tidy();
  }
  return changed;
}

}  // namespace xla
