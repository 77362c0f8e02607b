#include "builders/stablehlo/lowering/ops/dynamic_custom_calls.h"

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/dynamic_operands.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/lowering/words.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The condition must hold while the program is lowered; then nothing is left of it.
absl::Status LowerShapeAssertion(OperationCall& call) {
  if (call.operand_count() == 0) return absl::InvalidArgumentError("shape_assertion needs a condition");
  ASSIGN_OR_RETURN(const DimensionVector holds, RequiredIntegers(call, 0, "the condition"));
  if (holds.size() == 1 && holds[0] != 0) return call.ReturnAll({}, "");
  ASSIGN_OR_RETURN(std::string message, call.attributes().TextOr("error_message", "a shape assertion fails"));
  for (int i = 1; i < call.operand_count(); ++i) {
    const absl::optional<DimensionVector> value = call.KnownIntegers(i);
    const std::string text = value.has_value() && value->size() == 1 ? absl::StrCat((*value)[0]) : "?";
    message = absl::StrReplaceAll(message, {{absl::StrCat("{", i - 1, "}"), text}});
  }
  return absl::InvalidArgumentError(message);
}

// dynamic_top_k(x, k)
absl::Status LowerDynamicTopK(OperationCall& call) {
  if (call.operand_count() != 2) return absl::InvalidArgumentError("expected an array and k");
  RETURN_IF_ERROR(CheckElementType(call, 0, kPredClass | kIntClass | kFloatClass));
  ASSIGN_OR_RETURN(const DimensionVector k, RequiredIntegers(call, 1, "k"));
  if (k.size() != 1) return absl::InvalidArgumentError("k must be one number");
  return call.ReturnBundle(call.builder().TopK(call.operand(0), k[0]), "");
}

// dynamic_rng_bit_generator(state, shape)
absl::Status LowerDynamicRngBitGenerator(OperationCall& call) {
  if (call.operand_count() != 2 || call.result_count() != 2) {
    return absl::InvalidArgumentError("expected a state and a shape, and a state and bits as results");
  }
  ASSIGN_OR_RETURN(const std::string word, call.attributes().Word("rng_algorithm"));
  ASSIGN_OR_RETURN(const RandomAlgorithm algorithm, RandomAlgorithmFromWord(word));
  ASSIGN_OR_RETURN(const DimensionVector sizes, RequiredIntegers(call, 1, "the shape of the result"));
  const PrimitiveType type = call.result_shape(1).element_type();
  if (!IsArrayType(type)) return absl::InvalidArgumentError("the second result must be a tensor");
  return call.ReturnBundle(call.builder().RngBitGenerator(algorithm, call.operand(0), Shape::Array(type, sizes)), "");
}

// dynamic_reduce_window(n arrays, n initial values, window_dimensions, window_strides, base_dilations,
// window_dilations, padding), called_computations = [the body]
absl::Status LowerDynamicReduceWindow(OperationCall& call) {
  constexpr int kLists = 5;
  const int count = (call.operand_count() - kLists) / 2;
  if (count < 1 || call.operand_count() != 2 * count + kLists) {
    return absl::InvalidArgumentError("expected arrays, as many initial values, and five lists of the window");
  }
  std::vector<DimensionVector> lists;
  for (const absl::string_view what :
       {"window_dimensions", "window_strides", "base_dilations", "window_dilations", "the padding"}) {
    const int operand = 2 * count + static_cast<int>(lists.size());
    ASSIGN_OR_RETURN(DimensionVector list, RequiredIntegers(call, operand, what));
    const size_t expected = call.shape(0).rank() * (lists.size() + 1 == kLists ? 2 : 1);
    RETURN_IF_ERROR(CheckSize(what, list.size(), static_cast<int64_t>(expected), ""));
    lists.push_back(std::move(list));
  }
  IntPairs padding;
  for (size_t i = 0; i + 1 < lists[4].size(); i += 2) padding.emplace_back(lists[4][i], lists[4][i + 1]);
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> callees, call.attributes().Elements("called_computations"));
  if (callees.size() != 1) return absl::InvalidArgumentError("'called_computations' must name the body");
  std::vector<Shape> arguments;
  for (int i = 0; i < 2 * count; ++i) {
    RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
    arguments.push_back(Shape::Scalar(call.shape(i % count).element_type()));
  }
  ASSIGN_OR_RETURN(const XlaComputation body,
                   call.scope().program().Function(call.module().attribute(callees[0]).text, arguments));
  return call.ReturnBundle(call.builder().ReduceWindowWithGeneralPadding(
                               call.operands().subspan(0, count), call.operands().subspan(count, count), body, lists[0],
                               lists[1], lists[2], lists[3], padding),
                           "");
}

}  // namespace

absl::StatusOr<bool> LowerDynamicCustomCall(OperationCall& call, absl::string_view target) {
  absl::Status (*lower)(OperationCall & call) = nullptr;
  if (target == "shape_assertion") lower = LowerShapeAssertion;
  if (target == "stablehlo.dynamic_top_k") lower = LowerDynamicTopK;
  if (target == "stablehlo.dynamic_rng_bit_generator") lower = LowerDynamicRngBitGenerator;
  if (target == "stablehlo.dynamic_reduce_window") lower = LowerDynamicReduceWindow;
  if (lower == nullptr) return false;
  RETURN_IF_ERROR(lower(call));
  return true;
}

}  // namespace stablehlo
}  // namespace xla
