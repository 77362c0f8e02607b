// ProcessOutcome: what a process has at the end of its part of a run, for the first one to show.
#ifndef TOOLS_PROCESSES_PROCESS_OUTCOME_H_
#define TOOLS_PROCESSES_PROCESS_OUTCOME_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/shared/run_report.h"
#include "xla_core/types/literal.h"

namespace xla {

struct ProcessOutcome {
  std::vector<Literal> results;               // by device
  std::vector<std::vector<Literal>> outfeed;  // likewise
  int64_t peak_rss_bytes = 0;
  int64_t peak_value_bytes = 0;
  int64_t steps = 0;
  std::vector<ReportedCollective> collectives;
  std::string trace;  // TraceWriter::TakePart

  std::string ToBytes() const;
  // InvalidArgument if the bytes are damaged.
  static absl::StatusOr<ProcessOutcome> FromBytes(absl::string_view bytes);
};

}  // namespace xla

#endif  // TOOLS_PROCESSES_PROCESS_OUTCOME_H_
