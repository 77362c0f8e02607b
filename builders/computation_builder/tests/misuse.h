// For the tests of the builder's errors: tables of wrong calls and the whole messages that they give.
//
//   {"a sum of different types", [](Misuse& m) { m.b().Add(m("f32[]"), m("s32[]")); },
//    "Add(f32[], s32[]): ..."},
#ifndef BUILDERS_COMPUTATION_BUILDER_TESTS_MISUSE_H_
#define BUILDERS_COMPUTATION_BUILDER_TESTS_MISUSE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// A builder, and the things that wrong calls need.
class Misuse {
 public:
  // The builder. The call that goes wrong is made on the line where this one stands, before any error.
  ComputationBuilder& b(SourceLocation loc = SourceLocation::Current());
  // The builder, for calls that go well.
  ComputationBuilder& fine() { return builder_; }

  // A new parameter: m("f32[2,3]").
  XlaOp operator()(absl::string_view shape);
  // The same for another builder.
  XlaOp Foreign(absl::string_view shape);
  // A function of that signature, which returns zeros: Function("f32[], s32[2]", "pred[]").
  XlaComputation Function(absl::string_view parameters, absl::string_view result);
  Shape ShapeOf(absl::string_view shape);

  const SourceLocation& place() const { return place_; }

 private:
  ComputationBuilder builder_{"misuse"};
  ComputationBuilder other_{"other"};
  int64_t parameters_ = 0;
  int64_t other_parameters_ = 0;
  SourceLocation place_ = SourceLocation::Current();
};

struct ErrorCase {
  const char* what;
  void (*call)(Misuse& m);
  // Without the place in front.
  const char* message;
};

absl::Span<const ErrorCase> BuildingErrors();
absl::Span<const ErrorCase> ElementwiseErrors();
absl::Span<const ErrorCase> DataMovementErrors();
absl::Span<const ErrorCase> IndexingErrors();
absl::Span<const ErrorCase> FunctionErrors();
absl::Span<const ErrorCase> WindowErrors();
absl::Span<const ErrorCase> LinearAlgebraErrors();
absl::Span<const ErrorCase> DeviceErrors();

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_TESTS_MISUSE_H_
