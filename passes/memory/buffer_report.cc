// The plan of a program's memory as a text for people: totals by kind, the slot where most temporaries are live, what
// is live there with its share, and all buffers with the lines of source that they come from.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/base/pass_context.h"
#include "passes/memory/buffer_assignment.h"
#include "passes/memory/insert_copies.h"
#include "passes/memory/separate_callees.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace {

using Kind = AssignedBuffer::Kind;

const char* KindName(Kind kind) {
  switch (kind) {
    case Kind::kArgument:
      return "argument";
    case Kind::kResult:
      return "result";
    case Kind::kConstant:
      return "constant";
    case Kind::kTemporary:
      return "temporary";
  }
  return "";
}

// The slot at which most bytes of temporaries are live, and how many those are.
std::pair<int64_t, int64_t> FindPeak(const BufferAssignment& assignment) {
  std::vector<int64_t> change(assignment.liveness().slot_count() + 1, 0);
  for (const AssignedBuffer& buffer : assignment.buffers()) {
    if (buffer.kind != Kind::kTemporary) continue;
    int64_t covered = -1;
    for (const LiveInterval& interval : buffer.live) {
      const int64_t start = std::max(interval.start, covered + 1);
      if (start > interval.end) continue;
      change[start] += buffer.bytes;
      change[interval.end + 1] -= buffer.bytes;
      covered = interval.end;
    }
  }
  int64_t live = 0, peak = 0, most = 0;
  for (size_t slot = 0; slot < change.size(); ++slot) {
    live += change[slot];
    if (live > most) {
      most = live;
      peak = static_cast<int64_t>(slot);
    }
  }
  return {peak, most};
}

std::string Place(const AssignedBuffer& buffer) {
  if (buffer.kind == Kind::kTemporary) return absl::StrCat("offset ", buffer.offset);
  std::string text = KindName(buffer.kind);
  if (buffer.kind == Kind::kArgument) {
    absl::StrAppend(&text, " ", buffer.parameter_number, " ", ShapeIndexToString(buffer.parameter_index));
  }
  if (buffer.result_leaf >= 0) {
    absl::StrAppend(&text, buffer.kind == Kind::kResult ? " " : ", result ", buffer.result_leaf);
  }
  return text;
}

// "12 bytes, offset 0: e/a f32[3], e/b f32[3]  op_name (file:line)"; of the first values when there are many.
std::string Line(const AssignedBuffer& buffer, const Dataflow& dataflow) {
  constexpr size_t kMostValues = 6;
  std::string text = absl::StrCat("  ", buffer.bytes, " bytes, ", Place(buffer), ":");
  for (size_t i = 0; i < buffer.values.size() && i < kMostValues; ++i) {
    const Dataflow::Value value = buffer.values[i];
    absl::StrAppend(&text, i == 0 ? " " : ", ", dataflow.InstructionAt(value).parent()->name(), "/",
                    dataflow.PositionName(value), " ", dataflow.ShapeAt(value).ToString());
  }
  if (buffer.values.size() > kMostValues) absl::StrAppend(&text, ", ", buffer.values.size() - kMostValues, " more");
  const std::string source = SourceOf(*buffer.first_definer);
  return absl::StrCat(text, source.empty() ? "" : "  ", source, "\n");
}

bool IsLiveAt(const AssignedBuffer& buffer, int64_t slot) {
  return std::any_of(buffer.live.begin(), buffer.live.end(),
                     [&](const LiveInterval& interval) { return interval.start <= slot && slot <= interval.end; });
}

std::vector<const AssignedBuffer*> LargestFirst(const BufferAssignment& assignment) {
  std::vector<const AssignedBuffer*> buffers;
  for (const AssignedBuffer& buffer : assignment.buffers()) buffers.push_back(&buffer);
  std::stable_sort(buffers.begin(), buffers.end(),
                   [](const AssignedBuffer* a, const AssignedBuffer* b) { return a->bytes > b->bytes; });
  return buffers;
}

}  // namespace

// Totals by kind of buffer, then what fills the peak with its cumulated share, then all buffers by size.
std::string DescribeBuffers(const HloModule& module, const BufferAssignment& assignment,
                            const ResourceContext* resources) {
  ResourcePoll poll(resources);
  int64_t bytes[4] = {}, count[4] = {};
  for (const AssignedBuffer& buffer : assignment.buffers()) {
    bytes[static_cast<int>(buffer.kind)] += buffer.bytes;
    ++count[static_cast<int>(buffer.kind)];
  }
  std::string text = absl::StrCat("module ", module.name(), "\n");
  for (const Kind kind : {Kind::kArgument, Kind::kResult, Kind::kConstant, Kind::kTemporary}) {
    const int k = static_cast<int>(kind);
    absl::StrAppend(&text, kind == Kind::kTemporary ? "temporaries" : absl::StrCat(KindName(kind), "s"), ": ", bytes[k],
                    " bytes in ", count[k], " buffers\n");
  }
  const int64_t arena = assignment.arena_bytes(), bound = assignment.arena_lower_bound();
  absl::StrAppendFormat(&text, "arena: %d bytes; at least %d are needed; lost between buffers: %.1f %%\n", arena, bound,
                        arena > 0 ? 100.0 * static_cast<double>(arena - bound) / static_cast<double>(arena) : 0.0);
  const auto [peak, peak_bytes] = FindPeak(assignment);
  const std::vector<const AssignedBuffer*> buffers = LargestFirst(assignment);
  if (peak_bytes > 0) {
    const HloInstruction& at = assignment.liveness().InstructionAt(peak);
    absl::StrAppend(&text, "\npeak: ", peak_bytes, " bytes of temporaries live at ", at.parent()->name(), "/",
                    at.name(), "\n");
    int64_t sum = 0;
    for (const AssignedBuffer* buffer : buffers) {
      if (poll.IsOver()) return text;
      if (buffer->kind != Kind::kTemporary || !IsLiveAt(*buffer, peak)) continue;
      sum += buffer->bytes;
      absl::StrAppendFormat(&text, "%3.0f %%", 100.0 * static_cast<double>(sum) / static_cast<double>(peak_bytes));
      text += Line(*buffer, assignment.dataflow());
    }
  }
  text += "\nall buffers, the largest first:\n";
  for (const AssignedBuffer* buffer : buffers) {
    if (poll.IsOver()) return text;
    text += Line(*buffer, assignment.dataflow());
  }
  return text;
}

std::string PrintBuffers(const HloModule& module, const ResourceContext* resources) {
  absl::StatusOr<BufferAssignment> assignment = AssignBuffers(module, resources);
  if (assignment.ok()) return DescribeBuffers(module, *assignment, resources);
  std::string text = absl::StrCat("of a copy with separate callees and inserted copies, because ",
                                  assignment.status().message(), "\n");
  const std::unique_ptr<HloModule> copy = CloneModule(module);
  SeparateCallees(*copy);
  PassContext context;
  context.resources = resources;
  context.StartPass("insert-copies", {});
  const absl::StatusOr<bool> copied = InsertCopies(*copy, context);
  if (!copied.ok()) return absl::StrCat(copied.status().message(), "\n");
  assignment = AssignBuffers(*copy, resources);
  if (!assignment.ok()) return absl::StrCat(assignment.status().message(), "\n");
  return text + DescribeBuffers(*copy, *assignment, resources);
}

}  // namespace xla
