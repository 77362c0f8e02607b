// For the tests of this folder: runs what a builder built on the interpreter.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_RUN_BUILDER_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_RUN_BUILDER_H_

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"
#include "gtest/gtest.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/support/status_macros.h"

namespace xla {

// The value of `root`, of a computation without parameters.
inline absl::StatusOr<Literal> RunBuilder(ComputationBuilder& b, XlaOp root) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> module, b.BuildModule(root));
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(*module));
  return evaluator->RunOne({});
}

// Its elements; none, and a failure of the test, if there is an error.
template <typename T>
std::vector<T> ElementsOf(const Literal& literal) {
  EXPECT_EQ(literal.shape().element_type(), PrimitiveTypeOf<T>::value) << literal.shape().ToString();
  if (literal.shape().element_type() != PrimitiveTypeOf<T>::value) return {};
  return std::vector<T>(literal.data<T>(), literal.data<T>() + literal.element_count());
}
template <typename T>
std::vector<T> Values(ComputationBuilder& b, XlaOp root) {
  const absl::StatusOr<Literal> result = RunBuilder(b, root);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? ElementsOf<T>(*result) : std::vector<T>();
}

// That the builder has failed with a message that begins with the call site, FILE:LINE, and `rest`.
inline void ExpectError(const ComputationBuilder& b, const char* file, int line, const std::string& rest) {
  const std::string expected = absl::StrCat(file, ":", line, ": ", rest);
  EXPECT_EQ(std::string(b.first_error().message()).substr(0, expected.size()), expected);
}

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_RUN_BUILDER_H_
