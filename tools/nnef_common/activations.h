// What hlo-run tells of the named tensors of an NNEF model: numbers about them, and their values in tensor files.
#ifndef TOOLS_NNEF_COMMON_ACTIVATIONS_H_
#define TOOLS_NNEF_COMMON_ACTIVATIONS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "builders/nnef_common/model_format.h"
#include "tools/shared/write_results.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// By cycle: the tensors of `names`.
using ActivationCycles = std::vector<std::vector<Literal>>;

// {"NAME": {"type", "shape", "count", "min", "max", "mean", "std", "nan"}, ...}, over all cycles. NaN count only as
// "nan"; a logical tensor counts as zeros and ones. A number that JSON lacks, or that does not exist, is null. Errors:
// ResourceExhausted.
absl::StatusOr<std::string> StatisticsJson(absl::Span<const std::string> names, const ActivationCycles& cycles);

// Writes each to "folder/NAME.dat", or "folder/NAME.CYCLE.dat" of several cycles. The folder is made if it is missing.
absl::Status DumpActivations(absl::Span<const std::string> names, const ActivationCycles& cycles,
                             const std::string& folder, const nnef::ModelFormat& format);

// The names of what comes out of all cycles: of several, with ".0", ".1", ... added.
std::vector<std::string> CycleNames(absl::Span<const std::string> names, int64_t cycles);

// Writes tensor files: "out.dat", or several with commas between them, or "out/*.dat", where "*" stands for the name of
// an array. Errors: InvalidArgument if `path` does not have a place for each; a limit of `resources`, which may be
// nullptr, was reached.
absl::Status WriteTensorFiles(const std::vector<NamedArray>& arrays, const std::string& path,
                              const nnef::ModelFormat& format, const ResourceContext* resources);

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_ACTIVATIONS_H_
