// For tests of operations: runs the body of a graph on the interpreter.
#ifndef BUILDERS_NNEF1_OPERATIONS_OPERATION_TEST_SUPPORT_H_
#define BUILDERS_NNEF1_OPERATIONS_OPERATION_TEST_SUPPORT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef1/graph.h"
#include "builders/nnef1/operation.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace nnef1 {

// What a graph body computes from inputs: the body may use operators and assigns z.
//
//   RunBody("x", "x = external(shape = [2]); z = -x;", {{1, 2}})
struct BodyResult {
  std::string error;  // without it, `z` is there: the first diagnostic "E3: ...", or the check that failed
  Extents extents;
  std::vector<double> z;  // numbers as they are, logical values as 0 and 1
};

// `parameters` are the graph's: "x, y". `inputs` in their order; each has as many items as `external` says.
// `expand_compounds`: the bodies that the specification has for compounds are run instead of their own lowerings.
// `scalar`: the type that tensor<scalar> has.
BodyResult RunBody(absl::string_view parameters, absl::string_view body,
                   const std::vector<std::vector<double>>& inputs = {}, bool expand_compounds = false,
                   PrimitiveType scalar = F32);

// The same, for a body without errors.
std::vector<double> ZOf(absl::string_view parameters, absl::string_view body,
                        const std::vector<std::vector<double>>& inputs = {});

// The message of its first error; "" if there is none. Nothing is run.
std::string ErrorOf(absl::string_view parameters, absl::string_view body);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_OPERATIONS_OPERATION_TEST_SUPPORT_H_
