// Random numbers.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

absl::Status LowerRng(OperationCall& call) {
  const PrimitiveType type = call.result_shape().element_type();
  if (!IsArrayType(type)) return Broken("rng_c1", "the result must be a tensor");
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass | kIntClass | kFloatClass));
  RETURN_IF_ERROR(CheckScalar(call, 0, type, "rng_c1"));
  RETURN_IF_ERROR(CheckScalar(call, 1, type, "rng_c1"));
  ASSIGN_OR_RETURN(const std::string distribution, call.attributes().Word("rng_distribution"));
  if (distribution != "UNIFORM" && distribution != "NORMAL") {
    return absl::InvalidArgumentError(absl::StrCat("rng_distribution must be UNIFORM or NORMAL, got ", distribution));
  }
  if (distribution == "NORMAL" && !IsFloat(type)) {
    return Broken("rng_c2", absl::StrCat("normally distributed numbers must be floats, got ", PrimitiveTypeName(type)));
  }
  Shape shape = call.result_shape();
  const absl::optional<DimensionVector> sizes = call.KnownIntegers(2);
  if (sizes.has_value()) {
    shape = Shape::Array(type, *sizes);
    RETURN_IF_ERROR(ValidateShape(shape));
    if (!Allows(call.result_shape(), shape)) {
      return Broken("rng_c3", absl::StrCat("the result is declared as ", call.result_shape().ToString(),
                                           ", but `shape` says ", shape.ToString()));
    }
  }
  RETURN_IF_ERROR(sizes.has_value() ? absl::OkStatus() : call.StaticResultShape().status());
  ComputationBuilder& b = call.builder();
  return call.Return(distribution == "UNIFORM" ? b.RngUniform(call.operand(0), call.operand(1), shape)
                                               : b.RngNormal(call.operand(0), call.operand(1), shape),
                     "rng_c3");
}

absl::Status LowerRngBitGenerator(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kUnsignedClass));
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("rng_algorithm"));
  ASSIGN_OR_RETURN(const RandomAlgorithm algorithm, RandomAlgorithmFromWord(word));
  ASSIGN_OR_RETURN(const Shape output, call.StaticResultShape(1));
  return call.ReturnBundle(call.builder().RngBitGenerator(algorithm, call.operand(0), output), "rng_bit_generator_c1");
}

}  // namespace

std::vector<OperationRow> RandomOperations() {
  return {
      Row("stablehlo.rng", 3, LowerRng),
      Row("stablehlo.rng_bit_generator", 1, LowerRngBitGenerator).WithResults(2),
  };
}

}  // namespace stablehlo
}  // namespace xla
