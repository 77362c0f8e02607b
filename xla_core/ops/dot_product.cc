#include "xla_core/ops/dot_product.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "xla_core/ops/tiled_matmul.h"
#include "xla_core/ops/wide_elements.h"

namespace xla {
namespace {

template <typename Wide>
class DotOperands : public MatmulOperands<Wide> {
 public:
  DotOperands(const MatrixProduct& product, const Literal& lhs, const Literal& rhs, const WideStore& store)
      : product_(product), lhs_(lhs), rhs_(rhs), store_(store) {}

  void PackLhs(const MatmulBlock& block, Wide* packed, uint8_t* /*valid*/) const override {
    const Offsets offsets(product_.lhs, block);
    GatherWide(lhs_.shape().element_type(), lhs_.untyped_data(), offsets.outer, offsets.inner, block.inner_count,
               packed);
  }

  void PackRhs(const MatmulBlock& block, Wide* packed) const override {
    const Offsets offsets(product_.rhs, block);
    const absl::Span<const int64_t> columns = offsets.outer;
    for (size_t first = 0; first < columns.size(); first += kTileColumns) {
      const absl::Span<const int64_t> panel = columns.subspan(first, kTileColumns);
      if (panel.size() < kTileColumns) std::fill_n(packed, block.inner_count * kTileColumns, Wide());
      GatherWide(rhs_.shape().element_type(), rhs_.untyped_data(), offsets.inner, panel, kTileColumns, packed);
      packed += block.inner_count * kTileColumns;
    }
  }

  void Store(int64_t batch, int64_t m_begin, int64_t m_count, int64_t n_begin, int64_t n_count, const Wide* sums,
             int64_t pitch) const override {
    const Offsets offsets(product_.result, {batch, m_begin, m_count, n_begin, n_count});
    std::vector<int64_t> row(n_count);
    for (int64_t m = 0; m < m_count; ++m) {
      for (int64_t n = 0; n < n_count; ++n) row[n] = offsets.outer[m] + offsets.inner[n];
      ScatterWide(store_, sums + m * pitch, row);
    }
  }

 private:
  struct Offsets {
    Offsets(const MatrixView& view, const MatmulBlock& block) : outer(block.count), inner(block.inner_count) {
      view.outer.Offsets(block.begin, block.count, outer.data());
      view.inner.Offsets(block.inner_begin, block.inner_count, inner.data());
      const int64_t base = view.batch.Offset(block.batch);
      for (int64_t& offset : outer) offset += base;
    }
    std::vector<int64_t> outer;
    std::vector<int64_t> inner;
  };

  const MatrixProduct& product_;
  const Literal& lhs_;
  const Literal& rhs_;
  const WideStore& store_;
};

// Two axes over dimensions that belong together, of the smaller dynamic size where they differ.
std::pair<StridedAxis, StridedAxis> PairedAxes(const Literal& lhs, const DimensionVector& lhs_dims, const Literal& rhs,
                                               const DimensionVector& rhs_dims) {
  const DimensionVector lhs_strides = RowMajorStrides(lhs.shape().dimensions());
  const DimensionVector rhs_strides = RowMajorStrides(rhs.shape().dimensions());
  std::pair<StridedAxis, StridedAxis> axes;
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const int l = static_cast<int>(lhs_dims[i]), r = static_cast<int>(rhs_dims[i]);
    const int64_t size = std::min(lhs.dynamic_size(l), rhs.dynamic_size(r));
    axes.first.Add(size, lhs_strides[l]);
    axes.second.Add(size, rhs_strides[r]);
  }
  return axes;
}

void SetDynamicSizes(const DotDimensions& dims, const Literal& lhs, const Literal& rhs, Literal& result) {
  int out = 0;
  const auto set_next = [&](int64_t size) {
    if (size != result.shape().dimension(out)) result.SetDynamicSize(out, size);
    ++out;
  };
  const auto dynamic_size = [](const Literal& array, int64_t d) { return array.dynamic_size(static_cast<int>(d)); };
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
    set_next(std::min(dynamic_size(lhs, dims.lhs_batch[i]), dynamic_size(rhs, dims.rhs_batch[i])));
  }
  for (const int64_t d : dims.lhs_free) set_next(dynamic_size(lhs, d));
  for (const int64_t d : dims.rhs_free) set_next(dynamic_size(rhs, d));
}

}  // namespace

// Products of integers are summed in double where that is exact. Otherwise sums run in 64-bit integers and wrap.
absl::Status EvaluateMatrixProduct(const MatrixProduct& given, const Literal& lhs, const Literal& rhs, Literal& result,
                                   EvalContext& context) {
  // Tiles are wider than high: a product with a column or two is done on its side.
  if (given.result.inner.size() < kTileColumns && given.result.outer.size() >= kTileColumns) {
    MatrixProduct swapped{given.rhs, given.lhs, given.result};
    std::swap(swapped.result.outer, swapped.result.inner);
    return EvaluateMatrixProduct(swapped, rhs, lhs, result, context);
  }
  const PrimitiveType a = lhs.shape().element_type(), b = rhs.shape().element_type();
  const MatmulSizes sizes{given.result.batch.size(), given.result.outer.size(), given.result.inner.size(),
                          std::min(given.lhs.inner.size(), given.rhs.inner.size())};
  WideStore store{result.shape().element_type(), result.untyped_mutable_data()};
  store.integers_are_signed = !(IsUnsignedInt(a) && IsUnsignedInt(b));
  WideType wide_type = WideTypeFor(a, b);
  if (wide_type == WideType::kInteger && IntegerSumsFitDouble(a, b, sizes.k)) {
    wide_type = WideType::kFloat;
    store.doubles_are_integers = true;
  }
  return DispatchWide(wide_type, [&](auto tag) {
    using Wide = typename decltype(tag)::type;
    return TiledMatmul<Wide>(sizes, DotOperands<Wide>(given, lhs, rhs, store), context);
  });
}

StridedAxis AxisOf(const Literal& array, absl::Span<const int64_t> dimensions) {
  const DimensionVector strides = RowMajorStrides(array.shape().dimensions());
  StridedAxis axis;
  for (const int64_t d : dimensions) axis.Add(array.dynamic_size(static_cast<int>(d)), strides[d]);
  return axis;
}

// Axes merge all dimensions of a kind, so that one matrix product covers every form of dot.
absl::Status EvaluateDot(const DotDimensions& dims, const Literal& lhs, const Literal& rhs, Literal& result,
                         EvalContext& context) {
  SetDynamicSizes(dims, lhs, rhs, result);
  DimensionVector result_dims(result.shape().rank());
  for (size_t i = 0; i < result_dims.size(); ++i) result_dims[i] = static_cast<int64_t>(i);
  const auto all = absl::MakeConstSpan(result_dims);
  const size_t batch = dims.lhs_batch.size(), rows = dims.lhs_free.size();
  auto [lhs_batch, rhs_batch] = PairedAxes(lhs, dims.lhs_batch, rhs, dims.rhs_batch);
  auto [lhs_inner, rhs_inner] = PairedAxes(lhs, dims.lhs_contracting, rhs, dims.rhs_contracting);
  const MatrixProduct product{{std::move(lhs_batch), AxisOf(lhs, dims.lhs_free), std::move(lhs_inner)},
                              {std::move(rhs_batch), AxisOf(rhs, dims.rhs_free), std::move(rhs_inner)},
                              {AxisOf(result, all.subspan(0, batch)), AxisOf(result, all.subspan(batch, rows)),
                               AxisOf(result, all.subspan(batch + rows))}};
  return EvaluateMatrixProduct(product, lhs, rhs, result, context);
}

}  // namespace xla
