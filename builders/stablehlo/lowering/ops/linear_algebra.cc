// Decompositions, transforms, batch normalisation.
#include <cmath>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerCholesky(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  const Shape& a = call.shape(0);
  if (a.rank() < 2) return Broken("cholesky_c2", absl::StrCat("expected a matrix, got ", a.ToString()));
  if (a.dimension(a.rank() - 2) != a.dimension(a.rank() - 1)) {
    return Broken("cholesky_c3", absl::StrCat("expected a square matrix, got ", a.ToString()));
  }
  ASSIGN_OR_RETURN(const bool lower, call.attributes().Flag("lower"));
  return call.Return(call.builder().Cholesky(call.operand(0), lower), "cholesky_c1");
}

absl::Status LowerTriangularSolve(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  RETURN_IF_ERROR(CheckSameElementType(call, 0, 1, "triangular_solve_c1"));
  ASSIGN_OR_RETURN(const bool left_side, call.attributes().Bool("left_side"));
  ASSIGN_OR_RETURN(const bool lower, call.attributes().Bool("lower"));
  ASSIGN_OR_RETURN(const bool unit_diagonal, call.attributes().Bool("unit_diagonal"));
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("transpose_a"));
  ASSIGN_OR_RETURN(const TransposeA transpose, TransposeFromWord(word));
  const Shape& a = call.shape(0);
  const Shape& b = call.shape(1);
  const int rank = a.rank();
  if (rank < 2 || rank != b.rank()) {
    return Broken("triangular_solve_c2",
                  absl::StrCat("expected matrices of the same rank, got ", a.ToString(), " and ", b.ToString()));
  }
  bool fits = a.dimension(rank - 2) == a.dimension(rank - 1) &&
              a.dimension(rank - 1) == b.dimension(left_side ? rank - 2 : rank - 1);
  for (int i = 0; i < rank - 2; ++i) fits = fits && a.dimension(i) == b.dimension(i);
  if (!fits) {
    return Broken("triangular_solve_c3",
                  absl::StrCat("expected square matrices and right-hand sides that fit them, got ", a.ToString(),
                               " and ", b.ToString()));
  }
  return call.Return(
      call.builder().TriangularSolve(call.operand(0), call.operand(1), left_side, lower, unit_diagonal, transpose),
      "triangular_solve_c4");
}

absl::Status LowerFft(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("fft_type"));
  ASSIGN_OR_RETURN(const FftType type, FftTypeFromWord(word));
  ASSIGN_OR_RETURN(DimensionVector length, call.attributes().Ints("fft_length"));
  const Shape& operand = call.shape(0);
  if (length.empty() || length.size() > 3) {
    return Broken("fft_c3", absl::StrCat("fft_length must have 1 to 3 entries, got ", length.size()));
  }
  const int count = static_cast<int>(length.size());
  if (operand.rank() < count) {
    return Broken("fft_c1",
                  absl::StrCat("fft_length has ", count, " entries, more than the rank of ", operand.ToString()));
  }
  if (IsComplex(operand.element_type()) != (type != FftType::kRfft)) {
    return Broken("fft_c2", absl::StrCat(word, " takes ", type == FftType::kRfft ? "real" : "complex", " numbers, got ",
                                         operand.ToString()));
  }
  // The sizes of the real array where there is one. Between complex ones, its lengths are those of
  // HLO, whatever the attribute says.
  for (int i = 0; i < count; ++i) {
    const int64_t size = operand.dimension(operand.rank() - count + i);
    if (type == FftType::kFft || type == FftType::kIfft) {
      length[i] = size;
      continue;
    }
    const bool is_half = type == FftType::kIrfft && i == count - 1;
    const int64_t expected = !is_half ? length[i] : length[i] == 0 ? 0 : length[i] / 2 + 1;
    if (size == expected) continue;
    return Broken("fft_c4",
                  absl::StrCat("fft_length[", i, "] is ", length[i], ", for which dimension ",
                               operand.rank() - count + i, " of ", operand.ToString(), " must be ", expected));
  }
  return call.Return(call.builder().Fft(call.operand(0), type, length), {"fft_c5", "fft_c2"});
}

// ---- Batch normalisation

struct BatchNormAttributesOf {
  float epsilon = 0;
  int64_t feature_index = 0;
};

// Operands from 1 on are vectors with an entry for each feature, except the gradient, which is like operand 0.
// `labels`: of these, by the operand.
absl::StatusOr<BatchNormAttributesOf> CheckBatchNorm(const OperationCall& call, int gradient,
                                                     absl::Span<const char* const> labels) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  BatchNormAttributesOf attributes;
  ASSIGN_OR_RETURN(attributes.epsilon, call.attributes().Float32("epsilon"));
  ASSIGN_OR_RETURN(attributes.feature_index, call.attributes().Int("feature_index"));
  const Shape& operand = call.shape(0);
  if (attributes.feature_index < 0 || attributes.feature_index >= operand.rank()) {
    return Broken(call.Constraint("c1"), absl::StrCat("feature_index must be at least 0 and less than the rank of ",
                                                      operand.ToString(), ", got ", attributes.feature_index));
  }
  const int64_t features = operand.dimension(static_cast<int>(attributes.feature_index));
  for (int i = 1; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckSameElementType(call, 0, i, call.Constraint("c2")));
    if (i == gradient) {
      RETURN_IF_ERROR(CheckSameSizes(call, 0, i, call.Constraint("c3")));
    } else if (call.shape(i).rank() != 1 || call.shape(i).dimension(0) != features) {
      return Broken(call.Constraint(labels[i]), absl::StrCat("operand #", i, " must have an entry for each of ",
                                                             features, " features, got ", call.shape(i).ToString()));
    }
  }
  return attributes;
}

absl::Status LowerBatchNormInference(OperationCall& call) {
  ASSIGN_OR_RETURN(const BatchNormAttributesOf attributes, CheckBatchNorm(call, -1, {"", "c3", "c4", "c5", "c6"}));
  return call.Return(
      call.builder().BatchNormInference(call.operand(0), call.operand(1), call.operand(2), call.operand(3),
                                        call.operand(4), attributes.epsilon, attributes.feature_index),
      {"batch_norm_inference_c7", "batch_norm_inference_c2"});
}

absl::Status LowerBatchNormTraining(OperationCall& call) {
  ASSIGN_OR_RETURN(const BatchNormAttributesOf attributes, CheckBatchNorm(call, -1, {"", "c3", "c4"}));
  return call.ReturnBundle(call.builder().BatchNormTraining(call.operand(0), call.operand(1), call.operand(2),
                                                            attributes.epsilon, attributes.feature_index),
                           {"batch_norm_training_c7", "batch_norm_training_c2"});
}

absl::Status LowerBatchNormGrad(OperationCall& call) {
  ASSIGN_OR_RETURN(const BatchNormAttributesOf attributes, CheckBatchNorm(call, 4, {"", "c5", "c4", "c4", ""}));
  return call.ReturnBundle(
      call.builder().BatchNormGrad(call.operand(0), call.operand(1), call.operand(2), call.operand(3), call.operand(4),
                                   attributes.epsilon, attributes.feature_index),
      {"batch_norm_grad_c3", "batch_norm_grad_c2"});
}

}  // namespace

std::vector<OperationRow> LinearAlgebraOperations() {
  constexpr uint8_t kFloatOrComplexClass = kFloatClass | kComplexClass;
  return {
      Row("stablehlo.cholesky", 1, LowerCholesky).WithClasses(kFloatOrComplexClass),
      Row("stablehlo.triangular_solve", 2, LowerTriangularSolve).WithClasses(kFloatOrComplexClass),
      Row("stablehlo.fft", 1, LowerFft).WithClasses(kFloatOrComplexClass),
      Row("stablehlo.batch_norm_inference", 5, LowerBatchNormInference).WithClasses(kFloatClass),
      Row("stablehlo.batch_norm_training", 3, LowerBatchNormTraining).WithResults(3).WithClasses(kFloatClass),
      Row("stablehlo.batch_norm_grad", 5, LowerBatchNormGrad).WithResults(3).WithClasses(kFloatClass),
  };
}

}  // namespace stablehlo
}  // namespace xla
