// What partitioning did with a program, as JSON: hlo-run --spmd --report --json.
#ifndef TOOLS_SHARED_WRITE_PARTITION_REPORT_H_
#define TOOLS_SHARED_WRITE_PARTITION_REPORT_H_

#include "passes/partitioning/partition_report.h"
#include "xla_core/support/json.h"

namespace xla {

// As one object.
void WritePartitionReport(const PartitionReport& report, JsonWriter& json);

}  // namespace xla

#endif  // TOOLS_SHARED_WRITE_PARTITION_REPORT_H_
