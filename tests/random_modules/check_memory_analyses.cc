// Liveness, aliasing and the plan of memory: every use lies where its value is live, sums and overlaps are counted one
// by one, and the report for people says the same numbers.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "passes/analyses/aliasing.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/liveness.h"
#include "passes/memory/buffer_assignment.h"
#include "passes/pass_runner.h"
#include "tests/random_modules/check_analyses.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"

namespace xla {
namespace {

// The number at the start of the text, -1 if there is none.
int64_t LeadingNumber(absl::string_view text) {
  int64_t number = -1;
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  return absl::SimpleAtoi(text.substr(0, end), &number) ? number : -1;
}

// The number after the first `word`.
int64_t NumberBehind(absl::string_view text, absl::string_view word) {
  const size_t at = text.find(word);
  return at == absl::string_view::npos ? -1 : LeadingNumber(text.substr(at + word.size()));
}

bool IsLive(absl::Span<const LiveInterval> intervals, int64_t slot) {
  return std::any_of(intervals.begin(), intervals.end(),
                     [slot](const LiveInterval& interval) { return interval.start <= slot && slot <= interval.end; });
}

// ---- Liveness

// Only arrays; what hands values on uses none of them.
bool UsesOperands(const HloInstruction& instruction) {
  constexpr uint32_t kPassOn = opcode_trait::kView | opcode_trait::kControlFlow | opcode_trait::kAsyncCall;
  return !HasTrait(instruction.opcode(), kPassOn) && instruction.opcode() != HloOpcode::kAfterAll;
}

void CheckUses(const HloModule& module, const Dataflow& dataflow, const Liveness& liveness,
               AnalysisFindings* findings) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (!liveness.HasSlot(*instruction)) continue;
      if (liveness.BeginOf(*instruction) > liveness.EndOf(*instruction) ||
          liveness.LoopDepthAt(liveness.BeginOf(*instruction)) < 0) {
        findings->Add("liveness", PlaceOf(*instruction), " ends before it begins");
      }
      if (!UsesOperands(*instruction)) continue;
      for (const HloInstruction* operand : instruction->operands()) {
        if (!operand->shape().IsArray() || operand->opcode() == HloOpcode::kConstant) continue;
        if (!IsLive(liveness.IntervalsOf(dataflow.ValueAt(*operand)), liveness.BeginOf(*instruction))) {
          findings->Add("liveness", operand->name(), " is dead at ", PlaceOf(*instruction), ", which uses it");
        }
      }
    }
  }
}

void CheckLiveness(const HloModule& module, AnalysisFindings* findings) {
  const Dataflow dataflow(module);
  const std::string text = PrintLiveness(module);
  const auto liveness = Liveness::Create(module, dataflow);
  if (!liveness.ok()) {
    if (text != absl::StrCat(liveness.status().message(), "\n")) findings->Add("liveness", "prints another error");
    return;
  }
  CheckUses(module, dataflow, *liveness, findings);
  const std::vector<double> live = liveness->LiveBytes();
  double most = 0;
  for (int64_t slot = 0; slot < liveness->slot_count(); ++slot) {
    double bytes = 0;
    for (Dataflow::Value value = 0; value < dataflow.position_count(); ++value) {
      if (dataflow.InstructionAt(value).opcode() == HloOpcode::kConstant) continue;
      if (!IsLive(liveness->IntervalsOf(value), slot)) continue;
      bytes += static_cast<double>(BufferBytes(dataflow.ShapeAt(value)));
    }
    most = std::max(most, bytes);
    if (live[slot] != bytes) findings->Add("liveness", bytes, " bytes are live in slot ", slot, ", not ", live[slot]);
  }
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  if (LeadingNumber(text) != liveness->slot_count() || NumberBehind(text, "at most ") != static_cast<int64_t>(most)) {
    findings->Add("liveness", "prints other numbers: ", lines[0]);
  }
  if (absl::StrContains(lines.back(), "smaller ones")) return;
  int64_t sum = 0;
  for (size_t i = 1; i < lines.size(); ++i) sum += NumberBehind(lines[i], "  ");
  if (sum != static_cast<int64_t>(most)) findings->Add("liveness", "lists ", sum, " bytes as live, not ", most);
}

// ---- Aliasing

void CheckAliasing(const HloModule& module, AnalysisFindings* findings) {
  const Dataflow dataflow(module);
  const std::vector<BufferSharing> sharing = FindBufferSharing(module, dataflow);
  const AliasSets sets(dataflow, sharing);
  int64_t lines = 0;
  std::map<Dataflow::Value, int64_t> members;
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    members[sets.SetOf(position)] += dataflow.IsDefinition(position);
    if (!sets.MustAlias(position, dataflow.ValueAt(position))) {
      findings->Add("aliasing", dataflow.PositionName(position), " is not where its value is");
    }
  }
  for (const auto& [set, count] : members) lines += count > 1;
  for (const BufferSharing& pair : sharing) {
    if (!pair.required) ++lines;
    if (pair.required && !sets.MustAlias(pair.result, pair.operand)) {
      findings->Add("aliasing", dataflow.PositionName(pair.result), " and ", dataflow.PositionName(pair.operand),
                    " are apart");
    }
  }
  const std::string text = PrintAliasing(module);
  if (std::count(text.begin(), text.end(), '\n') != lines) {
    findings->Add("aliasing", "another number of lines than ", lines);
  }
}

// ---- Buffers

// Buffers of the arena begin at multiples of this many bytes.
constexpr int64_t kAlignment = 64;

bool Overlap(const AssignedBuffer& a, const AssignedBuffer& b) {
  for (const LiveInterval& x : a.live) {
    for (const LiveInterval& y : b.live) {
      if (x.start <= y.end && y.start <= x.end) return true;
    }
  }
  return false;
}

void CheckPlan(const BufferAssignment& plan, const HloModule& module, AnalysisFindings* findings) {
  using Kind = AssignedBuffer::Kind;
  std::map<int64_t, int64_t> live;  // bytes of temporaries by slot
  for (const AssignedBuffer& a : plan.buffers()) {
    if (a.kind != Kind::kTemporary) continue;
    if (a.offset < 0 || a.offset % kAlignment != 0 || a.offset + a.bytes > plan.arena_bytes()) {
      findings->Add("buffers", a.id, " leaves the arena, or begins at an odd place");
    }
    std::set<int64_t> slots;
    for (const LiveInterval& interval : a.live) {
      for (int64_t slot = interval.start; slot <= interval.end; ++slot) slots.insert(slot);
    }
    for (const int64_t slot : slots) live[slot] += (a.bytes + kAlignment - 1) / kAlignment * kAlignment;
    for (const AssignedBuffer& b : plan.buffers()) {
      if (b.kind != Kind::kTemporary || b.id <= a.id || a.bytes == 0 || b.bytes == 0) continue;
      if (a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes && Overlap(a, b)) {
        findings->Add("buffers", "two live ones overlap: ", a.id, " and ", b.id);
      }
    }
  }
  int64_t most = 0;
  for (const auto& [slot, bytes] : live) most = std::max(most, bytes);
  if (most != plan.arena_lower_bound()) {
    findings->Add("buffers", most, " bytes are live at once, not ", plan.arena_lower_bound());
  }
  for (const BufferSharing& pair : FindBufferSharing(module, plan.dataflow())) {
    if (!pair.required) continue;
    if (plan.BufferAt(pair.result) != plan.BufferAt(pair.operand)) {
      findings->Add("buffers", plan.dataflow().PositionName(pair.result), " is in another one than ",
                    plan.dataflow().PositionName(pair.operand));
    }
  }
}

// The totals of a report are the sums of its lines, whichever copy of the module it is about.
void CheckReport(const std::string& text, AnalysisFindings* findings) {
  const std::vector<std::string> lines = absl::StrSplit(text, '\n', absl::SkipEmpty());
  std::map<std::string, std::pair<int64_t, int64_t>> totals;  // bytes and buffers by kind
  int64_t peak = -1, live = 0;
  bool in_list = false;
  for (const std::string& line : lines) {
    if (absl::StartsWith(line, "all buffers")) in_list = true;
    if (absl::StartsWith(line, "peak: ")) peak = NumberBehind(line, "peak: ");
    if (peak >= 0 && !in_list && absl::StrContains(line, "%  ")) live += NumberBehind(line, "%  ");
    if (!in_list || !absl::StartsWith(line, "  ")) continue;
    const size_t place = line.find("bytes, ") + 7;
    const std::string word = line.substr(place, line.find_first_of(" :", place) - place);
    auto& [bytes, count] = totals[word == "offset" ? "temporaries" : absl::StrCat(word, "s")];
    bytes += NumberBehind(line, "  ");
    ++count;
  }
  for (const char* const kind : {"arguments", "results", "constants", "temporaries"}) {
    const auto& [bytes, count] = totals[kind];
    const std::string line = absl::StrCat("\n", kind, ": ", bytes, " bytes in ", count, " buffers\n");
    if (text.find(line) == std::string::npos) findings->Add("buffers", "the report does not say '", line, "'");
  }
  if (totals.size() != 4) findings->Add("buffers", "the report has another kind of buffers");
  if (peak >= 0 && live != peak) findings->Add("buffers", live, " bytes are listed as live, not ", peak);
}

void CheckBuffers(const HloModule& module, AnalysisFindings* findings) {
  CheckReport(PrintBuffers(module), findings);
  const std::unique_ptr<HloModule> planned = CloneModule(module);
  PassContext context;
  const auto changed = RunPasses({{"flatten-call-graph"}, {"insert-copies"}}, {}, context, *planned);
  if (!changed.ok()) return findings->Add("buffers", changed.status().message());
  const auto plan = AssignBuffers(*planned);
  // A computation that meets other devices is not copied for each of its callers.
  if (!plan.ok()) return;
  CheckPlan(*plan, *planned, findings);
  CheckReport(DescribeBuffers(*planned, *plan), findings);
}

}  // namespace

void CheckMemoryAnalyses(const HloModule& module, AnalysisFindings* findings) {
  CheckLiveness(module, findings);
  CheckAliasing(module, findings);
  CheckBuffers(module, findings);
}

}  // namespace xla
