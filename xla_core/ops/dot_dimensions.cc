#include "xla_core/ops/dot_dimensions.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/ops/operand_checks.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

std::string List(const DimensionVector& dims) { return absl::StrCat("{", absl::StrJoin(dims, ","), "}"); }

// The dimensions of `shape` that neither list names, or an error if the lists name one twice or one that is not there.
absl::StatusOr<DimensionVector> FreeDimensions(absl::string_view side, const Shape& shape, const DimensionVector& batch,
                                               const DimensionVector& contracting) {
  std::vector<absl::string_view> named_by(shape.rank());
  const auto mark = [&](absl::string_view list, const DimensionVector& dims) -> absl::Status {
    for (const int64_t d : dims) {
      RETURN_IF_ERROR(CheckDimension(absl::StrCat("a dimension of ", side, "_", list, "=", List(dims)), d, shape));
      if (!named_by[d].empty()) {
        return absl::InvalidArgumentError(absl::StrCat(
            "dimension ", d, " of ", side, " ", shape.ToString(), " is named twice, in ", side, "_", named_by[d],
            " and in ", side, "_", list, "; each dimension may be a batch or a contracting dimension once"));
      }
      named_by[d] = list;
    }
    return absl::OkStatus();
  };
  RETURN_IF_ERROR(mark("batch_dims", batch));
  RETURN_IF_ERROR(mark("contracting_dims", contracting));
  DimensionVector free;
  for (int d = 0; d < shape.rank(); ++d) {
    if (named_by[d].empty()) free.push_back(d);
  }
  return free;
}

// Sizes that need not be known yet agree with any.
bool SizesAgree(int64_t a, int64_t b) { return a == b || a == Shape::kUnboundedSize || b == Shape::kUnboundedSize; }

// Contracting or batch dimensions must pair up one to one with equal sizes; unknown sizes agree with all.
absl::Status CheckPairs(absl::string_view kind, const Shape& lhs, const Shape& rhs, const DimensionVector& lhs_dims,
                        const DimensionVector& rhs_dims) {
  if (lhs_dims.size() != rhs_dims.size()) {
    return absl::InvalidArgumentError(absl::StrCat("lhs and rhs must have equally many ", kind, " dimensions, got ",
                                                   List(lhs_dims), " and ", List(rhs_dims)));
  }
  for (size_t i = 0; i < lhs_dims.size(); ++i) {
    const int64_t l = lhs_dims[i], r = rhs_dims[i];
    if (SizesAgree(lhs.dimension(l), rhs.dimension(r))) continue;
    return absl::InvalidArgumentError(absl::StrCat(kind, " dimensions must have equal size: lhs ", lhs.ToString(),
                                                   " dim ", l, " is ", lhs.dimension(l), ", expected the same of rhs ",
                                                   rhs.ToString(), " dim ", r, ", got ", rhs.dimension(r),
                                                   "; transpose an operand or change rhs_", kind, "_dims"));
  }
  return absl::OkStatus();
}

}  // namespace

PrimitiveType WiderType(PrimitiveType a, PrimitiveType b) {
  if (a == b) return a;
  const auto rank = [](PrimitiveType t) { return IsComplex(t) ? 3 : IsFloat(t) ? 2 : IsInt(t) ? 1 : 0; };
  if (rank(a) != rank(b)) return rank(a) > rank(b) ? a : b;
  if (BitWidth(a) != BitWidth(b)) return BitWidth(a) > BitWidth(b) ? a : b;
  if (IsFloat(a)) return BitWidth(a) == 16 ? F32 : std::min(a, b);
  return IsSignedInt(a) ? a : b;
}

absl::Status CompleteDotDimensions(const Shape& lhs, const Shape& rhs, DotDimensions& dims) {
  if (!lhs.IsArray() || !rhs.IsArray()) {
    return absl::InvalidArgumentError(
        absl::StrCat("operands must be arrays, got ", lhs.ToString(), " and ", rhs.ToString()));
  }
  ASSIGN_OR_RETURN(dims.lhs_free, FreeDimensions("lhs", lhs, dims.lhs_batch, dims.lhs_contracting));
  ASSIGN_OR_RETURN(dims.rhs_free, FreeDimensions("rhs", rhs, dims.rhs_batch, dims.rhs_contracting));
  RETURN_IF_ERROR(CheckPairs("batch", lhs, rhs, dims.lhs_batch, dims.rhs_batch));
  return CheckPairs("contracting", lhs, rhs, dims.lhs_contracting, dims.rhs_contracting);
}

// The type that the written shape names, or the wider of the operands' if none is written. XLA accepts nearly any
// result type; those without a meaning are refused.
absl::StatusOr<PrimitiveType> ProductElementType(const HloInstruction& instruction) {
  const PrimitiveType lhs = instruction.operand(0)->shape().element_type();
  const PrimitiveType rhs = instruction.operand(1)->shape().element_type();
  if (!instruction.shape().IsArray()) return WiderType(lhs, rhs);
  const PrimitiveType result = instruction.shape().element_type();
  if ((IsComplex(lhs) || IsComplex(rhs)) && !IsComplex(result)) {
    return absl::InvalidArgumentError(absl::StrCat("a product of complex operands cannot be ",
                                                   PrimitiveTypeName(result), "; take `real` of a complex result"));
  }
  const bool of_one_kind = (lhs == PRED && rhs == PRED) || (IsFloat(lhs) && IsFloat(rhs));
  if (result == PRED && !of_one_kind) {
    return absl::InvalidArgumentError(absl::StrCat("a product of ", PrimitiveTypeName(lhs), " and ",
                                                   PrimitiveTypeName(rhs),
                                                   " cannot be pred; compare a sum of another type with 0"));
  }
  return result;
}

void VerifyProductTypes(const HloInstruction& instruction, Violations& violations) {
  const PrimitiveType lhs = instruction.operand(0)->shape().element_type();
  const PrimitiveType rhs = instruction.operand(1)->shape().element_type();
  const PrimitiveType result = instruction.shape().element_type();
  if ((lhs == PRED) != (rhs == PRED) || IsComplex(lhs) != IsComplex(rhs)) {
    violations.Warn(absl::StrCat("the operands are ", PrimitiveTypeName(lhs), " and ", PrimitiveTypeName(rhs),
                                 "; they are multiplied as ", PrimitiveTypeName(WiderType(lhs, rhs))));
  }
  if (IsInt(lhs) && IsInt(rhs) && IsInt(result) && BitWidth(result) < std::max(BitWidth(lhs), BitWidth(rhs))) {
    violations.Warn(absl::StrCat("the result's element type ", PrimitiveTypeName(result), " is narrower than ",
                                 PrimitiveTypeName(WiderType(lhs, rhs)), "; sums keep their low bits"));
  }
}

absl::Status CheckPrecisionCount(const std::vector<Precision>& precision, int expected) {
  if (precision.empty() || static_cast<int>(precision.size()) == expected) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("operand_precision must have one entry for each of the ", expected,
                                                 " operands, got ", precision.size()));
}

// Appends result dimensions in HLO's order: batch, free of lhs, free of rhs.
void AppendDotDimensions(const Shape& lhs, const Shape& rhs, const DotDimensions& dims, Shape& to) {
  const auto append = [&](const Shape& from, const DimensionVector& list) {
    for (const int64_t d : list) {
      const int i = static_cast<int>(d);
      to.AddDimension(from.dimension(i), from.is_dynamic_dimension(i));
    }
  };
  // Batches are as many as both operands have.
  for (size_t i = 0; i < dims.lhs_batch.size(); ++i) {
    const int l = static_cast<int>(dims.lhs_batch[i]), r = static_cast<int>(dims.rhs_batch[i]);
    to.AddDimension(lhs.dimension(l), lhs.is_dynamic_dimension(l) || rhs.is_dynamic_dimension(r));
  }
  append(lhs, dims.lhs_free);
  append(rhs, dims.rhs_free);
}

}  // namespace xla
