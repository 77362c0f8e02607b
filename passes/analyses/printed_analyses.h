// The table of analyses that print what they know, for `hlo-opt --print-analysis=NAME`.
#ifndef PASSES_ANALYSES_PRINTED_ANALYSES_H_
#define PASSES_ANALYSES_PRINTED_ANALYSES_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// A row of the table. Strings are static.
struct PrintedAnalysis {
  const char* name;     // "call-graph"
  const char* summary;  // one line
  // Lines, each ended; the module is verified. Once a limit of `resources`, which may be nullptr, has been reached, any
  // part of them.
  std::string (*print)(const HloModule& module, const ResourceContext* resources);

  // All of them, or the error of the limit.
  absl::StatusOr<std::string> Print(const HloModule& module, const ResourceContext* resources) const;
};

// In the order in which they are listed to people.
absl::Span<const PrintedAnalysis> PrintedAnalyses();
// nullptr if there is none of that name.
const PrintedAnalysis* FindPrintedAnalysis(absl::string_view name);

}  // namespace xla

#endif  // PASSES_ANALYSES_PRINTED_ANALYSES_H_
