#include "xla_core/ops/callee_signature.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"

namespace xla {
namespace {

// An invalid shape stands for a parameter number that nothing has.
std::vector<Shape> ParameterShapes(const HloComputation& computation) {
  std::vector<Shape> shapes;
  for (const HloInstruction* parameter : computation.parameters()) {
    shapes.push_back(parameter == nullptr ? Shape() : parameter->shape());
  }
  return shapes;
}

std::string SignatureToString(absl::Span<const Shape> parameters, const Shape& result) {
  return absl::StrCat(
      "(",
      absl::StrJoin(parameters, ", ",
                    [](std::string* out, const Shape& shape) {
                      out->append(shape.element_type() == PRIMITIVE_TYPE_INVALID ? "missing" : shape.ToString());
                    }),
      ") -> ", result.ToString());
}

bool AllCompatible(absl::Span<const Shape> a, absl::Span<const Shape> b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!a[i].Compatible(b[i])) return false;
  }
  return true;
}

std::vector<Shape> Scalars(absl::Span<const PrimitiveType> types) {
  std::vector<Shape> shapes;
  for (PrimitiveType type : types) shapes.push_back(Shape::Scalar(type));
  return shapes;
}

}  // namespace

void CheckCallee(absl::string_view role, const HloComputation& callee, absl::Span<const Shape> parameters,
                 const Shape& result, Violations& violations) {
  if (callee.root() == nullptr) {
    violations.Add(absl::StrCat(role, " ", callee.name(), " has no root"));
    return;
  }
  const std::vector<Shape> actual = ParameterShapes(callee);
  if (AllCompatible(actual, parameters) && callee.root()->shape().Compatible(result)) return;
  violations.Add(absl::StrCat(role, " ", callee.name(), " must be ", SignatureToString(parameters, result), ", got ",
                              SignatureToString(actual, callee.root()->shape())));
}

void CheckScalarCallee(absl::string_view role, const HloComputation& callee, absl::Span<const PrimitiveType> parameters,
                       absl::Span<const PrimitiveType> results, Violations& violations, bool gives_tuple) {
  const std::vector<Shape> shapes = Scalars(results);
  const bool is_tuple = gives_tuple || shapes.size() != 1;
  CheckCallee(role, callee, Scalars(parameters), is_tuple ? Shape::Tuple(shapes) : shapes[0], violations);
}

}  // namespace xla
