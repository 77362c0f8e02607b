#include "tools/processes/process_outcome.h"

#include <utility>

#include "tools/processes/field_list.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

void WriteValues(const std::vector<Literal>& values, FieldListWriter& fields) {
  fields.Number(static_cast<int64_t>(values.size()));
  for (const Literal& value : values) fields.Value(value);
}

absl::StatusOr<std::vector<Literal>> ReadValues(FieldListReader& fields) {
  ASSIGN_OR_RETURN(const int64_t count, fields.Number());
  std::vector<Literal> values;
  for (int64_t i = 0; i < count; ++i) {
    ASSIGN_OR_RETURN(Literal value, fields.Value());
    values.push_back(std::move(value));
  }
  return values;
}

void WriteCollective(const ReportedCollective& collective, FieldListWriter& fields) {
  fields.Text(collective.name);
  fields.Text(collective.opcode);
  fields.Text(collective.shape);
  fields.Number(collective.calls);
  fields.Number(collective.bytes);
  fields.Number(static_cast<int64_t>(collective.waiting_seconds * 1e9));
  fields.Number(static_cast<int64_t>(collective.transfer_seconds * 1e9));
}

absl::StatusOr<ReportedCollective> ReadCollective(FieldListReader& fields) {
  ReportedCollective collective;
  for (std::string* const text : {&collective.name, &collective.opcode, &collective.shape}) {
    ASSIGN_OR_RETURN(const absl::string_view read, fields.Text());
    *text = std::string(read);
  }
  ASSIGN_OR_RETURN(collective.calls, fields.Number());
  ASSIGN_OR_RETURN(collective.bytes, fields.Number());
  for (double* const seconds : {&collective.waiting_seconds, &collective.transfer_seconds}) {
    ASSIGN_OR_RETURN(const int64_t nanoseconds, fields.Number());
    *seconds = static_cast<double>(nanoseconds) / 1e9;
  }
  return collective;
}

}  // namespace

std::string ProcessOutcome::ToBytes() const {
  FieldListWriter fields;
  WriteValues(results, fields);
  fields.Number(static_cast<int64_t>(outfeed.size()));
  for (const std::vector<Literal>& queue : outfeed) WriteValues(queue, fields);
  fields.Number(peak_rss_bytes);
  fields.Number(peak_value_bytes);
  fields.Number(steps);
  fields.Number(static_cast<int64_t>(collectives.size()));
  for (const ReportedCollective& collective : collectives) WriteCollective(collective, fields);
  fields.Text(trace);
  return fields.TakeBytes();
}

absl::StatusOr<ProcessOutcome> ProcessOutcome::FromBytes(absl::string_view bytes) {
  FieldListReader fields(bytes);
  ProcessOutcome outcome;
  ASSIGN_OR_RETURN(outcome.results, ReadValues(fields));
  ASSIGN_OR_RETURN(const int64_t queue_count, fields.Number());
  for (int64_t i = 0; i < queue_count; ++i) {
    ASSIGN_OR_RETURN(std::vector<Literal> queue, ReadValues(fields));
    outcome.outfeed.push_back(std::move(queue));
  }
  ASSIGN_OR_RETURN(outcome.peak_rss_bytes, fields.Number());
  ASSIGN_OR_RETURN(outcome.peak_value_bytes, fields.Number());
  ASSIGN_OR_RETURN(outcome.steps, fields.Number());
  ASSIGN_OR_RETURN(const int64_t collective_count, fields.Number());
  for (int64_t i = 0; i < collective_count; ++i) {
    ASSIGN_OR_RETURN(ReportedCollective collective, ReadCollective(fields));
    outcome.collectives.push_back(std::move(collective));
  }
  ASSIGN_OR_RETURN(const absl::string_view trace, fields.Text());
  outcome.trace = std::string(trace);
  return outcome;
}

}  // namespace xla
