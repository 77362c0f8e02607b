// Random numbers.
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
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
  RETURN_IF_ERROR(CheckElementType(call, 2, kIntClass));
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
                     {"rng_c3", "rng_c1"});
}

PrimitiveType UnsignedOfWidth(int bits) { return bits == 8 ? U8 : bits == 16 ? U16 : bits == 32 ? U32 : U64; }

// What HLO runs: a key of 64 bits, and a counter of 64 or, by Philox, 128 bits. The specification leaves the state of
// DEFAULT open; here it is Philox's.
absl::Status CheckRandomState(const OperationCall& call, RandomAlgorithm algorithm) {
  const Shape& state = call.shape(0);
  const bool is_vector = state.element_type() == U64 && state.rank() == 1;
  const bool is_three_fry = algorithm == RandomAlgorithm::kThreeFry;
  if (is_vector && (state.dimension(0) == 2 || (state.dimension(0) == 3 && !is_three_fry))) return absl::OkStatus();
  return Broken("rng_bit_generator_c2",
                absl::StrCat("initial_state must be ", is_three_fry ? "u64[2]" : "u64[2] or u64[3]", " for ",
                             is_three_fry ? "THREE_FRY" : "PHILOX and DEFAULT", ", got ", state.ToString()));
}

absl::Status LowerRngBitGenerator(OperationCall& call) {
  RETURN_IF_ERROR(CheckElementType(call, 0, kUnsignedClass));
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("rng_algorithm"));
  ASSIGN_OR_RETURN(const RandomAlgorithm algorithm, RandomAlgorithmFromWord(word));
  RETURN_IF_ERROR(CheckRandomState(call, algorithm));
  ASSIGN_OR_RETURN(Shape output, call.StaticResultShape(1));
  // HLO makes integers; floats have their bits.
  const PrimitiveType type = output.element_type();
  const bool is_float = IsFloat(type) && BitWidth(type) >= 8;
  if (is_float) output.set_element_type(UnsignedOfWidth(BitWidth(type)));
  ComputationBuilder& b = call.builder();
  std::vector<XlaOp> results = Unbundle(b, b.RngBitGenerator(algorithm, call.operand(0), output), 2);
  if (is_float) results[1] = b.BitcastConvertType(results[1], type);
  return call.ReturnAll(results, "rng_bit_generator_c1");
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
