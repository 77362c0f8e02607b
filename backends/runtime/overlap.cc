#include "backends/runtime/overlap.h"

#include <algorithm>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Waking a thread takes as long as some ten thousand operations: what is given to it is worth that.
constexpr double kLeastCost = 8'000;
constexpr double kLeastCostTogether = 50'000;
// Looking for conflicts is quadratic in it.
constexpr int32_t kMostThunks = 16;

bool Overlap(const std::vector<BufferSlice>& some, const std::vector<BufferSlice>& others) {
  return std::any_of(some.begin(), some.end(), [&](const BufferSlice& slice) {
    return std::any_of(others.begin(), others.end(), [&](const BufferSlice& other) { return slice.Overlaps(other); });
  });
}

bool Conflict(const ThunkInfo& a, const ThunkInfo& b) {
  return Overlap(a.writes, b.writes) || Overlap(a.writes, b.reads) || Overlap(a.reads, b.writes);
}

bool IsSmall(const ThunkInfo& info) {
  return !info.has_side_effect && !info.is_fallback && info.serial_cost >= kLeastCost;
}

std::vector<bool> FindTargets(const StepProgram& program) {
  std::vector<bool> is_target(program.steps.size() + 1, false);
  for (const ProgramStep& step : program.steps) {
    if (step.kind == ProgramStep::Kind::kJump || step.kind == ProgramStep::Kind::kJumpUnless) {
      is_target[step.target] = true;
    }
  }
  for (const int32_t target : program.targets) is_target[target] = true;
  return is_target;
}

// Thunks that follow each other, from one on.
struct Sequence {
  int32_t thunks = 1;
  int32_t end = 0;  // the step after the last of them
  double cost = 0;
};

class SequenceFinder {
 public:
  explicit SequenceFinder(const StepProgram& program) : program_(program), is_target_(FindTargets(program)) {}

  // The longest that begins at step `first`, which runs thunk number `thunk`.
  Sequence From(int32_t first, int32_t thunk) const {
    Sequence found;
    found.end = first + 1;
    found.cost = Info(thunk).serial_cost;
    for (int32_t at = first + 1; at < Size() && !is_target_[at] && found.thunks < kMostThunks; ++at) {
      if (program_.steps[at].kind == ProgramStep::Kind::kEntryDone) continue;
      if (program_.steps[at].kind != ProgramStep::Kind::kRun) break;
      const ThunkInfo& next = Info(thunk + found.thunks);
      if (!IsSmall(next) || ConflictsWith(next, thunk, found.thunks)) break;
      ++found.thunks;
      found.end = at + 1;
      found.cost += next.serial_cost;
    }
    return found;
  }

  const ThunkInfo& Info(int32_t thunk) const { return program_.thunks[thunk]->info(); }

 private:
  int32_t Size() const { return static_cast<int32_t>(program_.steps.size()); }
  bool ConflictsWith(const ThunkInfo& info, int32_t first, int32_t count) const {
    for (int32_t i = first; i < first + count; ++i) {
      if (Conflict(info, Info(i))) return true;
    }
    return false;
  }

  const StepProgram& program_;
  const std::vector<bool> is_target_;
};

}  // namespace

// Joins runs of small thunks that do not depend on each other to steps that may run them at the same time, if their
// cost is worth waking another thread.
void OverlapThunks(StepProgram* program) {
  const SequenceFinder finder(*program);
  int32_t thunk = -1;  // the thunks are in the order of the steps that run them
  int32_t done = 0;    // steps before this one are in a sequence already
  for (int32_t at = 0; at < static_cast<int32_t>(program->steps.size()); ++at) {
    ProgramStep& step = program->steps[at];
    if (step.kind != ProgramStep::Kind::kRun) continue;
    ++thunk;
    if (at < done || !IsSmall(finder.Info(thunk))) continue;
    const Sequence sequence = finder.From(at, thunk);
    if (sequence.thunks < 2 || sequence.cost < kLeastCostTogether) continue;
    step.kind = ProgramStep::Kind::kRunTogether;
    step.target = sequence.end;
    step.first_target = thunk;
    step.target_count = sequence.thunks;
    done = sequence.end;
  }
}

absl::Status RunTogether(const StepProgram& program, const ProgramStep& step, ProfileSink* profile,
                         ExecuteContext& context) {
  absl::InlinedVector<absl::Status, kMostThunks> statuses(step.target_count);
  context.ParallelFor(step.target_count, 1, [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      statuses[i] = RunThunk(*program.thunks[step.first_target + i], profile, context);
    }
  });
  for (const absl::Status& status : statuses) RETURN_IF_ERROR(status);
  return absl::OkStatus();
}

}  // namespace xla
