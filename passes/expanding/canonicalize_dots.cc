#include "passes/expanding/canonicalize_dots.h"

#include <algorithm>
#include <memory>
#include <numeric>
#include <vector>

#include "passes/analyses/strided_dot.h"
#include "passes/base/rewrite_rule.h"

namespace xla {
namespace {

using Dims = std::vector<int64_t>;

int64_t Product(const Shape& shape, const Dims& dims) {
  int64_t product = 1;
  for (const int64_t d : dims) product *= shape.dimension(static_cast<int>(d));
  return product;
}

Dims FreeDims(const Shape& shape, const DimensionVector& batch, const DimensionVector& contracting) {
  Dims free;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    const auto is_d = [d](int64_t other) { return other == d; };
    if (std::none_of(batch.begin(), batch.end(), is_d) && std::none_of(contracting.begin(), contracting.end(), is_d)) {
      free.push_back(d);
    }
  }
  return free;
}

Dims Counting(int64_t n) {
  Dims dims(n);
  std::iota(dims.begin(), dims.end(), 0);
  return dims;
}

// x with its dimensions in the order batch, first, second, where the last two are merged into one dimension each.
HloInstruction* Arrange(HloInstruction* x, const Dims& batch, bool merge_batch, const Dims& first, const Dims& second,
                        InstructionBuilder& build) {
  Dims permutation = batch;
  permutation.insert(permutation.end(), first.begin(), first.end());
  permutation.insert(permutation.end(), second.begin(), second.end());
  const Shape& shape = x->shape();
  Dims sizes;
  if (merge_batch) {
    sizes.push_back(Product(shape, batch));
  } else {
    for (const int64_t d : batch) sizes.push_back(shape.dimension(static_cast<int>(d)));
  }
  sizes.push_back(Product(shape, first));
  sizes.push_back(Product(shape, second));
  const bool in_order = std::is_sorted(permutation.begin(), permutation.end());
  return build.Reshape(in_order ? x : build.Transpose(x, permutation), sizes);
}

// Whether libraries take the operands as they lie in memory, in matrices that are worth a call.
bool IsStrided(const HloInstruction& dot) {
  constexpr int64_t kMinResult = 256;
  const absl::StatusOr<StridedDot> product = StridedDotOf(dot);
  return product.ok() && product->HasUnitStrides() &&
         (!product->has_split_rows || product->m * product->n >= kMinResult);
}

HloInstruction* CanonicalizeDot(HloInstruction* dot, const RuleContext& context) {
  InstructionBuilder& build = context.build;
  const DotAttributes& a = dot->attributes<DotAttributes>();
  HloInstruction* const lhs = dot->operand(0);
  HloInstruction* const rhs = dot->operand(1);
  const Dims lhs_batch(a.lhs_batch_dims.begin(), a.lhs_batch_dims.end());
  const Dims rhs_batch(a.rhs_batch_dims.begin(), a.rhs_batch_dims.end());
  const Dims lhs_contracting(a.lhs_contracting_dims.begin(), a.lhs_contracting_dims.end());
  const Dims rhs_contracting(a.rhs_contracting_dims.begin(), a.rhs_contracting_dims.end());
  const Dims lhs_free = FreeDims(lhs->shape(), a.lhs_batch_dims, a.lhs_contracting_dims);
  const Dims rhs_free = FreeDims(rhs->shape(), a.rhs_batch_dims, a.rhs_contracting_dims);
  const bool merge_batch = context.pass.BoolOption("merge-batch") && lhs_batch.size() > 1;
  const int64_t n_batch = static_cast<int64_t>(lhs_batch.size());
  const bool is_canonical = !merge_batch && lhs_batch == Counting(n_batch) && rhs_batch == lhs_batch &&
                            lhs_free == Dims{n_batch} && lhs_contracting == Dims{n_batch + 1} &&
                            rhs_contracting == Dims{n_batch} && rhs_free == Dims{n_batch + 1};
  if (is_canonical || (context.pass.BoolOption("strided") && IsStrided(*dot))) return nullptr;

  HloInstruction* const left = Arrange(lhs, lhs_batch, merge_batch, lhs_free, lhs_contracting, build);
  HloInstruction* const right = Arrange(rhs, rhs_batch, merge_batch, rhs_contracting, rhs_free, build);
  const int64_t n = left->shape().rank() - 2;
  auto attributes = std::make_unique<DotAttributes>(a);
  attributes->lhs_batch_dims.clear();
  for (const int64_t d : Counting(n)) attributes->lhs_batch_dims.push_back(d);
  attributes->rhs_batch_dims = attributes->lhs_batch_dims;
  attributes->lhs_contracting_dims = {n + 1};
  attributes->rhs_contracting_dims = {n};
  Shape shape = left->shape().WithoutLayout();
  shape.set_element_type(dot->shape().element_type());
  shape.set_dimension(static_cast<int>(n) + 1, right->shape().dimension(static_cast<int>(n) + 1));
  return build.Reshape(build.MakeOfShape(HloOpcode::kDot, shape, {left, right}, std::move(attributes)),
                       dot->shape().dimensions());
}

}  // namespace

absl::StatusOr<bool> CanonicalizeDots(HloModule& module, PassContext& context) {
  static const RewriteRule kRule = {
      "canonical-dot", "dot(a, b) => dot of [batch.., m, k] and [batch.., k, n]", {HloOpcode::kDot}, &CanonicalizeDot};
  return ApplyRules({&kRule}, module, context);
}

}  // namespace xla
