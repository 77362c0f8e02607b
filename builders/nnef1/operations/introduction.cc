// The operations that introduce tensors, and update.
// Source: NNEF 1.0.4, sections 4.1 and 4.8.
#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef1/operation.h"
#include "builders/nnef1/operations/arrays.h"
#include "builders/nnef1/operations/wrong_argument.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

// ---- external

Inferred InferExternal(const OperationCall& call) {
  Extents shape = call.integers("shape");
  RETURN_IF_ERROR(CheckAtLeast("shape", shape, 1));
  return std::vector<Extents>{std::move(shape)};
}

// ---- constant

Inferred InferConstant(const OperationCall& call) {
  Extents shape = call.integers("shape");
  RETURN_IF_ERROR(CheckAtLeast("shape", shape, 1));
  const auto count = static_cast<int64_t>(call.argument("value").items().size());
  int64_t volume = 1;
  bool fits = true;
  for (const int64_t extent : shape) fits = fits && CheckedMul(volume, extent, &volume);
  if (count == 1 || (fits && count == volume)) return std::vector<Extents>{std::move(shape)};
  return WrongArgument("value", absl::StrCat("1 item or all items of shape ", ShapeText(shape)),
                       absl::StrCat(count, fits ? absl::StrCat(" of ", volume) : ""));
}

XlaOp ScalarOf(ComputationBuilder& b, PrimitiveType type, const Value& value) {
  if (value.is_logical()) return b.ConstantR0<bool>(value.logical());
  if (value.is_integer()) return Scalar(&b, type, value.integer());
  return Scalar(&b, type, value.scalar());
}

std::vector<XlaOp> LowerConstant(const LoweringCall& call) {
  ComputationBuilder& b = call.builder();
  const Extents& shape = call.result_extents();
  const PrimitiveType type = call.types().Of(call.node().generic);
  const std::vector<Value>& items = call.argument("value").items();
  if (items.size() == 1) return {BroadcastLeading(ScalarOf(b, type, items[0]), shape)};
  if (call.node().generic == Primitive::kLogical) {
    // vector<bool> has no elements to point to.
    const auto values = std::make_unique<bool[]>(items.size());
    for (size_t i = 0; i < items.size(); ++i) values[i] = items[i].logical();
    return {b.ConstantArray<bool>(shape, absl::MakeConstSpan(values.get(), items.size()))};
  }
  if (call.node().generic == Primitive::kInteger) {
    std::vector<int64_t> values;
    for (const Value& item : items) values.push_back(item.integer());
    return {ConvertTo(b.ConstantArray<int64_t>(shape, values), type)};
  }
  std::vector<double> values;
  for (const Value& item : items) values.push_back(item.scalar());
  return {NumbersOfType(b, type, shape, values)};
}

// ---- variable

bool IsLabelCharacter(char c) {
  return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.' || c == '/' || c == '\\';
}

absl::Status CheckLabel(const std::string& label) {
  if (label.empty()) return WrongArgument("label", "a name that is not empty", "\"\"");
  const auto odd = std::find_if_not(label.begin(), label.end(), IsLabelCharacter);
  if (odd != label.end()) {
    return WrongArgument("label", "letters, digits and _ - . / \\", absl::StrCat("\"", absl::CEscape(label), "\""));
  }
  const std::vector<absl::string_view> parts = absl::StrSplit(label, absl::ByAnyChar("/\\"));
  if (parts.front().empty() || std::find(parts.begin(), parts.end(), "..") != parts.end()) {
    return WrongArgument("label", "the name of a file inside the model, without '..' and no '/' in front",
                         absl::StrCat("\"", label, "\""));
  }
  return absl::OkStatus();
}

Inferred InferVariable(const OperationCall& call) {
  RETURN_IF_ERROR(CheckLabel(call.string("label")));
  return InferExternal(call);
}

// ---- update

Inferred InferUpdate(const OperationCall& call) {
  const Extents& variable = call.extents("variable");
  if (call.extents("value") == variable) return std::vector<Extents>{variable};
  return WrongArgument("value", absl::StrCat("the shape of the variable ", ShapeText(variable)),
                       ShapeText(call.extents("value")));
}

std::vector<XlaOp> LowerUpdate(const LoweringCall& call) { return {call.operand("value")}; }

}  // namespace

std::vector<OperationDefinition> IntroductionOperations() {
  return {
      {"fragment external<? = scalar>( shape: integer[] ) -> ( output: tensor<?> );", "4.1.1", InferExternal},
      {"fragment constant<? = scalar>( shape: integer[], value: ?[] ) -> ( output: tensor<?> );", "4.1.2",
       InferConstant, LowerConstant},
      {"fragment variable<? = scalar>( shape: integer[], label: string ) -> ( output: tensor<?> );", "4.1.3",
       InferVariable},
      {"fragment update<?>( variable: tensor<?>, value: tensor<?> ) -> ( result: tensor<?> );", "4.8", InferUpdate,
       LowerUpdate},
  };
}

}  // namespace nnef1
}  // namespace xla
