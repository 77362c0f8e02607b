#include "builders/computation_builder/scalar_computations.h"

#include <map>
#include <mutex>

#include "absl/strings/str_cat.h"

namespace xla {
namespace {

using Operation = XlaOp (*)(ComputationBuilder&, XlaOp, XlaOp);

// "add_f32" for (name, {F32}).
std::string NameFor(absl::string_view name, ArraySlice<PrimitiveType> types) {
  std::string text(name);
  for (const PrimitiveType type : types) absl::StrAppend(&text, "_", PrimitiveTypeName(type));
  return text;
}

// Parameters come in pairs; the operation is of the first one.
XlaComputation Build(const std::string& name, Operation operation, ArraySlice<PrimitiveType> types) {
  ComputationBuilder builder(name);
  builder.set_keep_source_locations(false);
  XlaOp x, y;
  for (size_t i = 0; i < types.size(); ++i) {
    const std::string suffix = i == 0 ? "" : absl::StrCat(i);
    const XlaOp a = builder.Parameter(2 * i, Shape::Scalar(types[i]), "x" + suffix);
    const XlaOp b = builder.Parameter(2 * i + 1, Shape::Scalar(types[i]), "y" + suffix);
    if (i > 0) continue;
    x = a;
    y = b;
  }
  const XlaOp result = operation(builder, x, y);
  if (builder.ok()) return builder.BuildOrError(result);
  // Who asked for it does not care where it would have been made.
  const absl::string_view message = builder.first_error().message();
  const size_t rule = message.find("): ");
  return XlaComputation::FromError(absl::InvalidArgumentError(absl::StrCat(
      "there is no computation ", name, ": ", rule == absl::string_view::npos ? message : message.substr(rule + 3))));
}

// Made once for a name, and kept: there are few types.
XlaComputation Shared(absl::string_view name, Operation operation, ArraySlice<PrimitiveType> types) {
  if (types.empty()) {
    return XlaComputation::FromError(absl::InvalidArgumentError(absl::StrCat(name, " needs at least one type")));
  }
  static auto& mutex = *new std::mutex;
  static auto& made = *new std::map<std::string, XlaComputation>;
  const std::string key = NameFor(name, types);
  const std::lock_guard<std::mutex> lock(mutex);
  XlaComputation& computation = made[key];
  if (!computation.valid()) computation = Build(key, operation, types);
  return computation;
}

}  // namespace

#define SCALAR_COMPUTATION(function, name, method)                                                       \
  XlaComputation function(PrimitiveType type) {                                                          \
    return Shared(name, [](ComputationBuilder& b, XlaOp x, XlaOp y) { return b.method(x, y); }, {type}); \
  }
SCALAR_COMPUTATION(CreateScalarAddComputation, "add", Add)
SCALAR_COMPUTATION(CreateScalarMultiplyComputation, "multiply", Mul)
SCALAR_COMPUTATION(CreateScalarMaxComputation, "max", Max)
SCALAR_COMPUTATION(CreateScalarMinComputation, "min", Min)
SCALAR_COMPUTATION(CreateScalarAndComputation, "and", And)
SCALAR_COMPUTATION(CreateScalarOrComputation, "or", Or)
SCALAR_COMPUTATION(CreateScalarXorComputation, "xor", Xor)
SCALAR_COMPUTATION(CreateScalarGeComputation, "ge", Ge)
SCALAR_COMPUTATION(CreateScalarLeComputation, "le", Le)
#undef SCALAR_COMPUTATION

XlaComputation CreateScalarSecondComputation(PrimitiveType type) {
  return Shared("second", [](ComputationBuilder&, XlaOp, XlaOp y) { return y; }, {type});
}

XlaComputation CreateScalarLtComputation(ArraySlice<PrimitiveType> types) {
  return Shared(
      "less", [](ComputationBuilder& b, XlaOp x, XlaOp y) { return b.LtTotalOrder(x, y); }, types);
}

XlaComputation CreateScalarGtComputation(ArraySlice<PrimitiveType> types) {
  return Shared(
      "greater", [](ComputationBuilder& b, XlaOp x, XlaOp y) { return b.GtTotalOrder(x, y); }, types);
}

}  // namespace xla
