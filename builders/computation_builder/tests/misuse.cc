#include "builders/computation_builder/tests/misuse.h"

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/tests/evaluate.h"
#include "gtest/gtest.h"

namespace xla {

ComputationBuilder& Misuse::b(SourceLocation loc) {
  EXPECT_TRUE(builder_.ok()) << builder_.first_error();
  place_ = loc;
  return builder_;
}

XlaOp Misuse::operator()(absl::string_view shape) { return builder_.Parameter(parameters_++, ShapeOf(shape)); }

XlaOp Misuse::Foreign(absl::string_view shape) { return other_.Parameter(other_parameters_++, ShapeOf(shape)); }

XlaComputation Misuse::Function(absl::string_view parameters, absl::string_view result) {
  ComputationBuilder b("function");
  const Shape arguments = ShapeOf(absl::StrCat("(", parameters, ")"));
  for (int i = 0; i < arguments.tuple_size(); ++i) b.Parameter(i, arguments.tuple_shape(i));
  b.ConstantLiteral(Literal::Zeros(ShapeOf(result)));
  return b.Build().value();
}

Shape Misuse::ShapeOf(absl::string_view shape) { return ShapeOfText(shape); }

}  // namespace xla
