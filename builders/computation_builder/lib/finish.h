// Finish: the computation of a builder, or the error that it met, as one value.
#ifndef BUILDERS_COMPUTATION_BUILDER_LIB_FINISH_H_
#define BUILDERS_COMPUTATION_BUILDER_LIB_FINISH_H_

#include <utility>

#include "absl/status/statusor.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {

// Operations that are given the result of a builder that failed report its error. Private to the folder.
inline XlaComputation Finish(absl::StatusOr<XlaComputation> built) {
  return built.ok() ? *std::move(built) : XlaComputation::FromError(built.status());
}
inline XlaComputation Finish(ComputationBuilder& b) { return Finish(b.Build()); }
inline XlaComputation Finish(ComputationBuilder& b, XlaOp root) { return Finish(b.Build(root)); }

}  // namespace xla

#endif  // BUILDERS_COMPUTATION_BUILDER_LIB_FINISH_H_
