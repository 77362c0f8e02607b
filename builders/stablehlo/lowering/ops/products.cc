// dot_general and what older programs have in its place: dot, einsum.
#include "builders/stablehlo/lowering/ops/products.h"

#include <algorithm>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/matrix.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/quantized_products.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// What an algorithm says of types and steps; the only ones that there are.
struct AlgorithmRow {
  const char* lhs;
  const char* rhs;
  const char* accumulation;
  int64_t operations;
  const char* name;  // in HLO
};
constexpr AlgorithmRow kAlgorithms[] = {
    {"f16", "f16", "f16", 1, "dot_f16_f16_f16"},        {"f16", "f16", "f32", 1, "dot_f16_f16_f32"},
    {"bf16", "bf16", "bf16", 1, "dot_bf16_bf16_bf16"},  {"bf16", "bf16", "f32", 1, "dot_bf16_bf16_f32"},
    {"bf16", "bf16", "f32", 3, "dot_bf16_bf16_f32_x3"}, {"bf16", "bf16", "f32", 6, "dot_bf16_bf16_f32_x6"},
    {"bf16", "bf16", "f32", 9, "dot_bf16_bf16_f32_x9"}, {"tf32", "tf32", "f32", 1, "dot_tf32_tf32_f32"},
    {"tf32", "tf32", "f32", 3, "dot_tf32_tf32_f32_x3"}, {"f32", "f32", "f32", 1, "dot_f32_f32_f32"},
    {"f64", "f64", "f64", 1, "dot_f64_f64_f64"},
};

std::string FloatName(const Module& module, const Attribute* attribute) {
  if (attribute == nullptr || attribute->kind != AttributeKind::kType) return "";
  const Type& type = module.type(attribute->type);
  return type.kind == TypeKind::kFloat ? GetFloatKindInfo(type.float_kind).name : "";
}

bool IsF8(absl::string_view name) { return !name.empty() && name.substr(0, 2) == "f8"; }

DotAlgorithm AlgorithmNamed(const char* name) { return static_cast<DotAlgorithm>(DotAlgorithmNames().Find(name)); }

absl::StatusOr<DotAlgorithm> AlgorithmOf(const OperationCall& call) {
  if (!call.attributes().Has("algorithm")) return DotAlgorithm::kUnset;
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("algorithm"));
  const std::string lhs = FloatName(call.module(), fields.Find("lhs_precision_type"));
  const std::string rhs = FloatName(call.module(), fields.Find("rhs_precision_type"));
  const std::string accumulation = FloatName(call.module(), fields.Find("accumulation_type"));
  ASSIGN_OR_RETURN(const int64_t lhs_components, fields.IntOr("lhs_component_count", 1));
  ASSIGN_OR_RETURN(const int64_t rhs_components, fields.IntOr("rhs_component_count", 1));
  ASSIGN_OR_RETURN(const int64_t operations, fields.IntOr("num_primitive_operations", 1));
  ASSIGN_OR_RETURN(const bool imprecise, fields.Flag("allow_imprecise_accumulation"));
  if (lhs_components < 1) return Broken("dot_general_c22", "lhs_component_count must be at least 1");
  if (rhs_components < 1) return Broken("dot_general_c23", "rhs_component_count must be at least 1");
  if (operations < 1) return Broken("dot_general_c24", "num_primitive_operations must be at least 1");
  const bool one_component = lhs_components == 1 && rhs_components == 1;
  if (one_component && IsF8(lhs) && IsF8(rhs) && accumulation == "f32" && operations == 1) {
    return AlgorithmNamed(imprecise ? "dot_any_f8_any_f8_f32_fast_accum" : "dot_any_f8_any_f8_f32");
  }
  for (const AlgorithmRow& row : kAlgorithms) {
    if (one_component && !imprecise && lhs == row.lhs && rhs == row.rhs && accumulation == row.accumulation &&
        operations == row.operations) {
      return AlgorithmNamed(row.name);
    }
  }
  return absl::InvalidArgumentError(absl::StrCat("the dot algorithm is not known: operands ", lhs, " and ", rhs,
                                                 ", accumulation ", accumulation, ", ", operations, " operations"));
}

absl::StatusOr<DotOptions> DotOptionsOf(const OperationCall& call) {
  DotOptions options;
  ASSIGN_OR_RETURN(options.precision, PrecisionConfigOf(call, "dot_general_c11"));
  ASSIGN_OR_RETURN(options.algorithm, AlgorithmOf(call));
  if (options.algorithm != DotAlgorithm::kUnset && !options.precision.empty()) {
    return Broken("dot_general_c21", "with an algorithm, precision_config must be DEFAULT");
  }
  options.preferred_element_type = call.result_shape().element_type();
  return options;
}

absl::Status CheckEqualSizes(const OperationCall& call, absl::string_view what, const DimensionVector& lhs,
                             const DimensionVector& rhs, absl::string_view constraint) {
  for (size_t i = 0; i < lhs.size(); ++i) {
    const int64_t l = call.shape(0).dimension(static_cast<int>(lhs[i]));
    const int64_t r = call.shape(1).dimension(static_cast<int>(rhs[i]));
    if (l == r) continue;
    return Broken(constraint, absl::StrCat(what, " dimension sizes must match: lhs ", call.shape(0).ToString(),
                                           " dimension ", lhs[i], " is ", l, ", rhs ", call.shape(1).ToString(),
                                           " dimension ", rhs[i], " is ", r));
  }
  return absl::OkStatus();
}

DimensionVector Concatenated(const DimensionVector& a, const DimensionVector& b) {
  DimensionVector all = a;
  all.insert(all.end(), b.begin(), b.end());
  return all;
}

absl::Status CheckQuantizedDot(const OperationCall& call, const DotDimensionNumbers& dims) {
  RETURN_IF_ERROR(CheckQuantizedProduct(call, {"c14", "c15", "c17", "c18", "c19", "c20"}));
  const Quantization* const rhs = QuantizationOf(call.module(), call.operand_type(1));
  const DimensionVector& contracting = dims.rhs_contracting_dims;
  if (rhs == nullptr || std::find(contracting.begin(), contracting.end(), rhs->axis) == contracting.end()) {
    return absl::OkStatus();
  }
  return Broken("dot_general_c16",
                absl::StrCat("rhs must not be quantized along its contracting dimension ", rhs->axis));
}

absl::Status LowerDotGeneral(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const AttributeReader fields, call.attributes().Struct("dot_dimension_numbers"));
  DotDimensionNumbers dims;
  ASSIGN_OR_RETURN(dims.lhs_batch_dims, fields.IntsOr("lhs_batching_dimensions", {}));
  ASSIGN_OR_RETURN(dims.rhs_batch_dims, fields.IntsOr("rhs_batching_dimensions", {}));
  ASSIGN_OR_RETURN(dims.lhs_contracting_dims, fields.IntsOr("lhs_contracting_dimensions", {}));
  ASSIGN_OR_RETURN(dims.rhs_contracting_dims, fields.IntsOr("rhs_contracting_dimensions", {}));
  RETURN_IF_ERROR(CheckDotDimensions(call, dims));
  RETURN_IF_ERROR(CheckQuantizedDot(call, dims));
  ASSIGN_OR_RETURN(const DotOptions options, DotOptionsOf(call));
  return call.Return(call.builder().DotGeneral(call.operand(0), call.operand(1), dims, options), "dot_general_c12");
}

// Contracts the last dimension of lhs with the first of rhs.
absl::Status LowerDot(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  for (int i = 0; i < 2; ++i) {
    if (call.shape(i).rank() == 1 || call.shape(i).rank() == 2) continue;
    return Broken("", absl::StrCat("operand #", i, " must be a vector or a matrix, got ", call.shape(i).ToString(),
                                   "; use dot_general"));
  }
  DotDimensionNumbers dims;
  dims.lhs_contracting_dims = {call.shape(0).rank() - 1};
  dims.rhs_contracting_dims = {0};
  RETURN_IF_ERROR(CheckEqualSizes(call, "contracting", dims.lhs_contracting_dims, dims.rhs_contracting_dims, ""));
  ASSIGN_OR_RETURN(const DotOptions options, DotOptionsOf(call));
  return call.Return(call.builder().DotGeneral(call.operand(0), call.operand(1), dims, options), "");
}

// "ij,jk->ik"
absl::Status LowerEinsum(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const std::string config, call.attributes().Text("einsum_config"));
  DotOptions options;
  ASSIGN_OR_RETURN(options.precision, PrecisionConfigOf(call, ""));
  return call.Return(Einsum(call.operand(0), call.operand(1), config, options), "");
}

absl::Status LowerUnaryEinsum(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementTypes(call));
  ASSIGN_OR_RETURN(const std::string config, call.attributes().Text("einsum_config"));
  return call.Return(Einsum(call.operand(0), config), "");
}

}  // namespace

absl::Status CheckDotDimensions(const OperationCall& call, const DotDimensionNumbers& dims) {
  const auto check_count = [](absl::string_view what, const DimensionVector& l, const DimensionVector& r,
                              absl::string_view constraint) {
    if (l.size() == r.size()) return absl::OkStatus();
    return Broken(constraint, absl::StrCat("lhs and rhs must have as many ", what, " dimensions, got ", l.size(),
                                           " and ", r.size()));
  };
  RETURN_IF_ERROR(check_count("batching", dims.lhs_batch_dims, dims.rhs_batch_dims, "dot_general_c1"));
  RETURN_IF_ERROR(check_count("contracting", dims.lhs_contracting_dims, dims.rhs_contracting_dims, "dot_general_c2"));
  const int lhs = call.shape(0).rank(), rhs = call.shape(1).rank();
  RETURN_IF_ERROR(
      CheckDimensions("lhs_batching_dimensions", dims.lhs_batch_dims, lhs, "dot_general_c5", "dot_general_c3"));
  RETURN_IF_ERROR(CheckDimensions("lhs_contracting_dimensions", dims.lhs_contracting_dims, lhs, "dot_general_c6",
                                  "dot_general_c3"));
  RETURN_IF_ERROR(CheckDimensions("batching and contracting dimensions of lhs",
                                  Concatenated(dims.lhs_batch_dims, dims.lhs_contracting_dims), lhs, "dot_general_c6",
                                  "dot_general_c3"));
  RETURN_IF_ERROR(
      CheckDimensions("rhs_batching_dimensions", dims.rhs_batch_dims, rhs, "dot_general_c7", "dot_general_c4"));
  RETURN_IF_ERROR(CheckDimensions("rhs_contracting_dimensions", dims.rhs_contracting_dims, rhs, "dot_general_c8",
                                  "dot_general_c4"));
  RETURN_IF_ERROR(CheckDimensions("batching and contracting dimensions of rhs",
                                  Concatenated(dims.rhs_batch_dims, dims.rhs_contracting_dims), rhs, "dot_general_c8",
                                  "dot_general_c4"));
  RETURN_IF_ERROR(CheckEqualSizes(call, "batching", dims.lhs_batch_dims, dims.rhs_batch_dims, "dot_general_c9"));
  return CheckEqualSizes(call, "contracting", dims.lhs_contracting_dims, dims.rhs_contracting_dims, "dot_general_c10");
}

std::vector<OperationRow> ProductOperations() {
  return {
      Row("stablehlo.dot_general", 2, LowerDotGeneral),
      Row("stablehlo.dot", 2, LowerDot),
      Row("stablehlo.einsum", 2, LowerEinsum),
      Row("stablehlo.unary_einsum", 1, LowerUnaryEinsum),
  };
}

}  // namespace stablehlo
}  // namespace xla
