// The examples of the builder's reference: each is compiled, and what the page shows as its result is what it gives.
#ifndef DOCS_GENERATOR_BUILDER_EXAMPLES_H_
#define DOCS_GENERATOR_BUILDER_EXAMPLES_H_

#include <vector>

#include "absl/status/statusor.h"
#include "builders/computation_builder/computation_builder.h"
#include "docs/generator/page_writer.h"

namespace xla {

// The names that examples use beside `b`, the builder. The opening of the page says what they are.
struct ExampleNames {
  XlaOp v, m;
  XlaComputation add, maximum, ge, less, square, below_100, twice, running_sum;
};

constexpr int kShownOnly = -1;

// One example: the same expression as text for the page (`code`) and as a function that builds it. Strings are
// static.
struct BuilderExample {
  const char* name;  // the operation's
  const char* code;
  XlaOp (*build)(ComputationBuilder& b, const ExampleNames& names);
  // How many replicas run it; 0: it is built and verified, not run; kShownOnly: not even that.
  int replicas;
};

// In any order; several may be of one operation.
const std::vector<BuilderExample>& BuilderExamples();

// Builds and runs them. Errors: the first that failed, with its name.
absl::StatusOr<ShownExamples> RunBuilderExamples();

}  // namespace xla

#endif  // DOCS_GENERATOR_BUILDER_EXAMPLES_H_
