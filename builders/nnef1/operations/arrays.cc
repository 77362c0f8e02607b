#include "builders/nnef1/operations/arrays.h"

#include <algorithm>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

int64_t ExtentOf(absl::Span<const int64_t> extents, size_t dimension) {
  return dimension < extents.size() ? extents[dimension] : 1;
}

// The first dimension in which the shapes are neither equal nor 1; -1 if there is none, and `*result` is complete.
int64_t Broadcast(absl::Span<const int64_t> a, absl::Span<const int64_t> b, Extents* result) {
  result->clear();
  for (size_t d = 0; d < std::max(a.size(), b.size()); ++d) {
    const int64_t x = ExtentOf(a, d), y = ExtentOf(b, d);
    if (x != y && x != 1 && y != 1) return static_cast<int64_t>(d);
    result->push_back(x == 1 ? y : x);
  }
  return -1;
}

}  // namespace

std::string ShapeText(absl::Span<const int64_t> extents) {
  constexpr size_t kShown = 32;  // of lists that no model means, and would not read
  if (extents.size() <= kShown) return absl::StrCat("[", absl::StrJoin(extents, ","), "]");
  return absl::StrCat("[", absl::StrJoin(extents.first(kShown), ","), ",... ", extents.size(), " in all]");
}

absl::StatusOr<Extents> BroadcastExtents(const OperationCall& call, absl::Span<const absl::string_view> names) {
  Extents all = call.extents(names[0]);
  for (size_t i = 1; i < names.size(); ++i) {
    ASSIGN_OR_RETURN(
        all, BroadcastExtents(names[i], call.extents(names[i]), absl::StrJoin(names.first(i), " and "), all));
  }
  return all;
}

absl::StatusOr<Extents> BroadcastExtents(absl::string_view name, absl::Span<const int64_t> extents,
                                         absl::string_view other_name, absl::Span<const int64_t> other) {
  Extents joined;
  const int64_t dimension = Broadcast(other, extents, &joined);
  if (dimension < 0) return joined;
  return WrongArgument(name,
                       absl::StrCat("extents that equal those of ", other_name, ", ", ShapeText(other),
                                    ", or are 1 on either side, counted from the first"),
                       absl::StrCat(ShapeText(extents), ", which differs in dimension ", dimension));
}

absl::Status CheckCount(absl::string_view name, size_t items, int64_t count, absl::string_view of_what) {
  if (static_cast<int64_t>(items) == count) return absl::OkStatus();
  return WrongArgument(name, absl::StrCat("one item for each ", of_what, ", which are ", count), absl::StrCat(items));
}

absl::Status CheckAtLeast(absl::string_view name, absl::Span<const int64_t> values, int64_t least) {
  for (const int64_t value : values) {
    if (value >= least) continue;
    return WrongArgument(name, absl::StrCat("items of at least ", least), ShapeText(values));
  }
  return absl::OkStatus();
}

PrimitiveType TypeOf(XlaOp x) {
  return x.valid() ? x.builder()->ShapeOrInvalid(x).element_type() : PRIMITIVE_TYPE_INVALID;
}

std::vector<int64_t> DimensionsOf(XlaOp x) {
  if (!x.valid()) return {};
  const Shape shape = x.builder()->ShapeOrInvalid(x);
  return {shape.dimensions().begin(), shape.dimensions().end()};
}

// Broadcasts along trailing dimensions that x lacks or has with extent 1: in NNEF, dimensions are aligned from the
// first one on.
XlaOp BroadcastLeading(XlaOp x, absl::Span<const int64_t> extents) {
  if (!x.valid()) return x;
  ComputationBuilder& b = *x.builder();
  const std::vector<int64_t> from = DimensionsOf(x);
  if (absl::MakeConstSpan(from) == extents) return x;
  const bool has_all = [&] {
    for (size_t d = 0; d < extents.size(); ++d) {
      if (ExtentOf(from, d) != extents[d]) return false;
    }
    return from.size() <= extents.size();
  }();
  if (has_all) return b.Reshape(x, extents);
  std::vector<int64_t> mapping(from.size());
  std::iota(mapping.begin(), mapping.end(), 0);
  return b.BroadcastInDim(x, extents, mapping);
}

XlaOp OperandLikeResult(const LoweringCall& call, absl::string_view name) {
  return BroadcastLeading(call.operand(name), call.result_extents());
}

XlaOp NumberLike(XlaOp like, double value) { return ScalarLike(like, value); }

XlaOp NumbersOfType(ComputationBuilder& b, PrimitiveType type, absl::Span<const int64_t> extents,
                    absl::Span<const double> numbers) {
  if (type != F32) return ConvertTo(b.ConstantArray<double>(extents, numbers), type);
  return b.ConstantArray<float>(extents, std::vector<float>(numbers.begin(), numbers.end()));
}

XlaOp ConvertTo(XlaOp x, PrimitiveType type) {
  if (!x.valid() || TypeOf(x) == type) return x;
  return x.builder()->ConvertElementType(x, type);
}

XlaOp Widen(XlaOp x) { return ConvertTo(x, SumType(TypeOf(x))); }

XlaOp SliceAlong(XlaOp x, int64_t dimension, int64_t begin, int64_t end) {
  if (!x.valid() || (begin == 0 && end == DimensionsOf(x)[dimension])) return x;
  return x.builder()->SliceInDim(x, begin, end, 1, dimension);
}

}  // namespace nnef1
}  // namespace xla
