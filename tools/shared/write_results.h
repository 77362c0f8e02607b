// Results on their way out: to files, and as text for people.
#ifndef TOOLS_SHARED_WRITE_RESULTS_H_
#define TOOLS_SHARED_WRITE_RESULTS_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// An array and its name in files and messages.
using NamedArray = std::pair<std::string, Literal>;

// The arrays of each device's result, flattened in order: under `names` if they are as many, else out0, out1, ...; of
// several devices r0_out0, ... Tokens are left out.
std::vector<NamedArray> NameResults(absl::Span<const Literal> results, absl::Span<const std::string> names = {});

// Writes the arrays to an .npz archive if `path` ends in .npz or is "-" or some special file, to a single .npy file if
// it ends in .npy, else as .npy files into the folder `path`, which is made if it is missing. A file appears only when
// it is complete. Errors: those of files; a limit of `resources`, which may be nullptr, was reached.
absl::Status WriteResults(const std::vector<NamedArray>& arrays, const std::string& path,
                          const ResourceContext* resources);

// "out0 = f32[2] {1, 2}", one below the other, long arrays abbreviated.
std::string DescribeResults(const std::vector<NamedArray>& arrays);

}  // namespace xla

#endif  // TOOLS_SHARED_WRITE_RESULTS_H_
