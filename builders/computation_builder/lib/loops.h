// While loops over several values, whose conditions and bodies are C++ functions.
//
//   // 1 * 2 * ... * n
//   std::vector<XlaOp> r = ForEachIndex(
//       n, S32, [](XlaOp i, absl::Span<const XlaOp> values, ComputationBuilder* b) ->
//       absl::StatusOr<std::vector<XlaOp>> {
//         return std::vector<XlaOp>{values[0] * (i + 1)};
//       },
//       {one}, "factorial", &b);
//
// The functions are called once, while building, with a builder of their own: they can use the values that they are
// given, not those outside, which must be made values of the loop. They may return an error, or leave one in the
// builder that they are given; either becomes the error of the loop.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_LOOPS_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_LOOPS_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Whether to go on, a pred[], from the values of the loop.
using WhileLoopHelperConditionFunction =
    std::function<absl::StatusOr<XlaOp>(ArraySlice<XlaOp> values, ComputationBuilder* builder)>;
// The next values of the loop, of the same shapes.
using WhileLoopHelperBodyFunction =
    std::function<absl::StatusOr<std::vector<XlaOp>>(ArraySlice<XlaOp> values, ComputationBuilder* builder)>;
// The same, told the number of the step, a scalar.
using ForEachIndexBodyFunction = std::function<absl::StatusOr<std::vector<XlaOp>>(XlaOp index, ArraySlice<XlaOp> values,
                                                                                  ComputationBuilder* builder)>;

// values = initial_values; while (condition(values)) values = body(values).
//   name: of the computations of condition and body
//   Shapes: values of any shapes S_i -> S_i
//   Errors: those of the functions; a condition that is no pred[]; other shapes or another number of values. The list
//   is
//     empty then.
//   HLO: tuple, while, get-tuple-element
std::vector<XlaOp> WhileLoopHelper(const WhileLoopHelperConditionFunction& condition,
                                   const WhileLoopHelperBodyFunction& body, ArraySlice<XlaOp> initial_values,
                                   absl::string_view name, ComputationBuilder* builder,
                                   SourceLocation loc = SourceLocation::Current());

// values = body(index, values) for index = 0, 1, ..., num_iterations - 1. For no iterations there is no loop, and the
// body, which might make no sense for values without elements, is not called.
//   Shapes: values of any shapes S_i -> S_i; index num_iterations_type[]
//   Errors: as above; num_iterations < 0, or too large for its type, an integer type.
//   HLO: tuple, while, get-tuple-element
std::vector<XlaOp> ForEachIndex(int64_t num_iterations, PrimitiveType num_iterations_type,
                                const ForEachIndexBodyFunction& body, ArraySlice<XlaOp> initial_values,
                                absl::string_view name, ComputationBuilder* builder,
                                SourceLocation loc = SourceLocation::Current());

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_LOOPS_H_
