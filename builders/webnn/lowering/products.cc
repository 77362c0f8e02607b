#include "builders/webnn/lowering/products.h"

#include <algorithm>
#include <vector>

#include "builders/webnn/lowering/arrays.h"

namespace xla {
namespace webnn {
namespace {

XlaOp DotInSumType(XlaOp a, XlaOp b, const DotDimensionNumbers& numbers) {
  DotOptions options;
  if (SumType(TypeOf(a)) != TypeOf(a)) options.preferred_element_type = SumType(TypeOf(a));
  return a.builder()->DotGeneral(a, b, numbers, options);
}

}  // namespace

XlaOp LowerGemm(XlaOp a, XlaOp b, absl::optional<XlaOp> c, double alpha, double beta, bool a_transpose,
                bool b_transpose) {
  if (!a.valid() || !b.valid()) return XlaOp();
  ComputationBuilder& builder = *a.builder();
  DotDimensionNumbers numbers;
  numbers.lhs_contracting_dims = {a_transpose ? 0 : 1};
  numbers.rhs_contracting_dims = {b_transpose ? 1 : 0};
  XlaOp result = DotInSumType(a, b, numbers);
  if (alpha != 1) result = builder.Mul(result, NumberLike(result, alpha));
  if (c.has_value() && beta != 0) {
    XlaOp addend = Widen(*c);
    if (beta != 1) addend = builder.Mul(addend, NumberLike(addend, beta));
    result = builder.Add(result, BroadcastTo(addend, DimensionsOf(result)));
  }
  return ConvertTo(result, TypeOf(a));
}

XlaOp LowerMatmul(XlaOp a, XlaOp b) {
  if (!a.valid() || !b.valid()) return XlaOp();
  ComputationBuilder& builder = *a.builder();
  const std::vector<int64_t> a_sizes = DimensionsOf(a), b_sizes = DimensionsOf(b);
  if (a_sizes.size() < 2 || b_sizes.size() < 2) return XlaOp();
  const int64_t rank = static_cast<int64_t>(std::max(a_sizes.size(), b_sizes.size()));
  // The size of a batch dimension of the result in an operand; 1 where the operand does not have it.
  const auto size_in = [rank](const std::vector<int64_t>& sizes, int64_t d) {
    const int64_t own = d - (rank - static_cast<int64_t>(sizes.size()));
    return own < 0 ? 1 : sizes[own];
  };
  const int64_t first_of_both = rank - static_cast<int64_t>(std::min(a_sizes.size(), b_sizes.size()));
  DotDimensionNumbers numbers;
  std::vector<int64_t> a_kept, b_kept;          // sizes of the operands without dimensions that are repeated
  std::vector<int64_t> shared, only_a, only_b;  // batch dimensions of the result
  std::vector<int64_t> result_sizes(rank, 1);
  for (int64_t d = 0; d < rank - 2; ++d) {
    const int64_t a_size = size_in(a_sizes, d), b_size = size_in(b_sizes, d);
    result_sizes[d] = std::max(a_size, b_size);
    if (a_size == b_size && d >= first_of_both) {
      // Also of size 1: an operand that keeps all of its dimensions needs no reshape, which would hide what it is.
      numbers.lhs_batch_dims.push_back(static_cast<int64_t>(a_kept.size()));
      numbers.rhs_batch_dims.push_back(static_cast<int64_t>(b_kept.size()));
      shared.push_back(d);
      a_kept.push_back(a_size);
      b_kept.push_back(b_size);
    } else if (a_size != 1) {
      only_a.push_back(d);
      a_kept.push_back(a_size);
    } else if (b_size != 1) {
      only_b.push_back(d);
      b_kept.push_back(b_size);
    }
  }
  result_sizes[rank - 2] = a_sizes[a_sizes.size() - 2];
  result_sizes[rank - 1] = b_sizes.back();
  numbers.lhs_contracting_dims = {static_cast<int64_t>(a_kept.size()) + 1};
  numbers.rhs_contracting_dims = {static_cast<int64_t>(b_kept.size())};
  a_kept.insert(a_kept.end(), a_sizes.end() - 2, a_sizes.end());
  b_kept.insert(b_kept.end(), b_sizes.end() - 2, b_sizes.end());
  if (a_kept != a_sizes) a = builder.Reshape(a, a_kept);
  if (b_kept != b_sizes) b = builder.Reshape(b, b_kept);
  XlaOp result = DotInSumType(a, b, numbers);
  if (!result.valid()) return result;

  // The dot has [shared.., only_a.., rows, only_b.., columns].
  std::vector<int64_t> order = shared;
  order.insert(order.end(), only_a.begin(), only_a.end());
  order.push_back(rank - 2);
  order.insert(order.end(), only_b.begin(), only_b.end());
  order.push_back(rank - 1);
  std::vector<int64_t> permutation(order.size());
  for (size_t i = 0; i < order.size(); ++i) permutation[i] = static_cast<int64_t>(i);
  std::sort(permutation.begin(), permutation.end(), [&](int64_t i, int64_t j) { return order[i] < order[j]; });
  if (!std::is_sorted(order.begin(), order.end())) result = builder.Transpose(result, permutation);
  if (DimensionsOf(result) != result_sizes) result = builder.Reshape(result, result_sizes);
  return ConvertTo(result, TypeOf(a));
}

}  // namespace webnn
}  // namespace xla
