#include "passes/analyses/strided_dot.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

constexpr int kLhs = 0;
constexpr int kRhs = 1;
constexpr int kResult = 2;

struct Run {
  int64_t size = 1;
  std::array<int64_t, 3> strides = {0, 0, 0};  // of lhs, rhs, result
};

// Dimensions that belong to one index, joined where they lie in each array as one dimension would; outermost first.
std::vector<Run> Join(std::vector<Run> dims) {
  dims.erase(std::remove_if(dims.begin(), dims.end(), [](const Run& dim) { return dim.size == 1; }), dims.end());
  std::stable_sort(dims.begin(), dims.end(), [](const Run& a, const Run& b) {
    for (const int array : {kResult, kLhs, kRhs}) {
      if (a.strides[array] != b.strides[array]) return a.strides[array] > b.strides[array];
    }
    return false;
  });
  std::vector<Run> runs;
  for (const Run& dim : dims) {
    const auto continues = [&](const Run& outer) {
      for (const int array : {kLhs, kRhs, kResult}) {
        if (outer.strides[array] != dim.strides[array] * dim.size) return false;
      }
      return true;
    };
    if (!runs.empty() && continues(runs.back())) {
      runs.back().size *= dim.size;
      runs.back().strides = dim.strides;
    } else {
      runs.push_back(dim);
    }
  }
  return runs;
}

// Takes the longest run out; the innermost among equals. A single index if there is none.
Run TakeLongest(std::vector<Run>& runs) {
  if (runs.empty()) return Run();
  auto longest = runs.begin();
  for (auto it = runs.begin(); it != runs.end(); ++it) {
    if (it->size >= longest->size) longest = it;
  }
  const Run run = *longest;
  runs.erase(longest);
  return run;
}

bool IsAmong(int64_t dim, const DimensionVector& a, const DimensionVector& b) {
  return std::find(a.begin(), a.end(), dim) != a.end() || std::find(b.begin(), b.end(), dim) != b.end();
}

}  // namespace

DimensionVector ElementStrides(const Shape& shape) {
  DimensionVector strides(shape.rank());
  int64_t stride = 1;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t dim = shape.has_layout() ? shape.layout()->minor_to_major[i] : shape.rank() - 1 - i;
    strides[dim] = stride;
    stride *= shape.dimension(static_cast<int>(dim));
  }
  return strides;
}

int64_t StridedDot::BatchCount() const {
  int64_t count = 1;
  for (const Batch& dim : batch) count *= dim.size;
  return count;
}

bool StridedDot::HasUnitStrides() const {
  const auto is_unit = [](int64_t size1, int64_t stride1, int64_t size2, int64_t stride2) {
    return stride1 == 1 || stride2 == 1 || (size1 == 1 && size2 == 1);
  };
  return is_unit(m, lhs_m, k, lhs_k) && is_unit(k, rhs_k, n, rhs_n) && is_unit(m, result_m, n, result_n);
}

absl::StatusOr<StridedDot> StridedDotOf(const HloInstruction& dot) {
  if (dot.shape().IsDynamic()) return absl::UnimplementedError("dimensions are dynamic");
  return StridedDotInto(dot, ElementStrides(dot.shape()));
}

// Collects the four kinds of dimensions of a dot (batch, rows, columns, contracted) with their strides in both
// operands and in the result, joins neighbours that lie in memory as one, and takes the longest of each kind as m, n
// and k. What is left over becomes further batch dimensions. Unimplemented where contracted dimensions cannot be
// joined to one.
absl::StatusOr<StridedDot> StridedDotInto(const HloInstruction& dot, const DimensionVector& result_strides) {
  const DotAttributes& a = dot.attributes<DotAttributes>();
  const Shape& lhs = dot.operand(0)->shape();
  const Shape& rhs = dot.operand(1)->shape();
  if (lhs.IsDynamic() || rhs.IsDynamic() || dot.shape().IsDynamic()) {
    return absl::UnimplementedError("dimensions are dynamic");
  }
  if (lhs.ElementCount() == 0 || rhs.ElementCount() == 0) return absl::UnimplementedError("an operand is empty");
  const DimensionVector lhs_strides = ElementStrides(lhs);
  const DimensionVector rhs_strides = ElementStrides(rhs);

  std::vector<Run> batch, rows, columns, inner;
  int out = 0;
  for (size_t i = 0; i < a.lhs_batch_dims.size(); ++i) {
    const int64_t l = a.lhs_batch_dims[i], r = a.rhs_batch_dims[i];
    batch.push_back({lhs.dimension(static_cast<int>(l)), {lhs_strides[l], rhs_strides[r], result_strides[out++]}});
  }
  for (size_t i = 0; i < a.lhs_contracting_dims.size(); ++i) {
    const int64_t l = a.lhs_contracting_dims[i], r = a.rhs_contracting_dims[i];
    inner.push_back({lhs.dimension(static_cast<int>(l)), {lhs_strides[l], rhs_strides[r], 0}});
  }
  for (int d = 0; d < lhs.rank(); ++d) {
    if (IsAmong(d, a.lhs_batch_dims, a.lhs_contracting_dims)) continue;
    rows.push_back({lhs.dimension(d), {lhs_strides[d], 0, result_strides[out++]}});
  }
  for (int d = 0; d < rhs.rank(); ++d) {
    if (IsAmong(d, a.rhs_batch_dims, a.rhs_contracting_dims)) continue;
    columns.push_back({rhs.dimension(d), {0, rhs_strides[d], result_strides[out++]}});
  }

  inner = Join(std::move(inner));
  if (inner.size() > 1) return absl::UnimplementedError("contracting dimensions do not lie in memory as one");
  rows = Join(std::move(rows));
  columns = Join(std::move(columns));
  const Run k = TakeLongest(inner), m = TakeLongest(rows), n = TakeLongest(columns);
  StridedDot product;
  product.has_split_rows = !rows.empty() || !columns.empty();
  batch.insert(batch.end(), rows.begin(), rows.end());
  batch.insert(batch.end(), columns.begin(), columns.end());
  for (const Run& run : Join(std::move(batch))) {
    product.batch.push_back({run.size, run.strides[kLhs], run.strides[kRhs], run.strides[kResult]});
  }
  product.m = m.size;
  product.n = n.size;
  product.k = k.size;
  product.lhs_m = m.strides[kLhs];
  product.lhs_k = k.strides[kLhs];
  product.rhs_k = k.strides[kRhs];
  product.rhs_n = n.strides[kRhs];
  product.result_m = m.strides[kResult];
  product.result_n = n.strides[kResult];
  return product;
}

StridedDot Transposed(const StridedDot& product) {
  StridedDot other = product;
  for (StridedDot::Batch& dim : other.batch) std::swap(dim.lhs, dim.rhs);
  std::swap(other.m, other.n);
  other.lhs_m = product.rhs_n;
  other.lhs_k = product.rhs_k;
  other.rhs_k = product.lhs_k;
  other.rhs_n = product.lhs_m;
  std::swap(other.result_m, other.result_n);
  return other;
}

}  // namespace xla
