#include "backends/vulkan/control_recorder.h"

#include <vector>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace vulkan {
namespace {

using Kind = ControlNode::Kind;
using Nodes = std::vector<ControlNode>;

constexpr int32_t kLoopScope = 0;
constexpr uint32_t kByte = 0xFF;
constexpr uint32_t kAllBits = 0xFFFFFFFF;

class ControlRecorder {
 public:
  ControlRecorder(absl::FunctionRef<BufferPart(const BufferSlice&)> part_of, Recorder& recorder,
                  ExecuteContext& context)
      : part_of_(part_of), recorder_(recorder), context_(context) {}

  absl::Status RecordLoop(const ControlRegion& region, int64_t iterations) {
    Recorder::Gate goes_on = GateOn(region.slice);
    goes_on.mask = kByte;
    goes_on.last = 1;
    goes_on.wanted = 1;
    for (int64_t i = 0; i < iterations; ++i) {
      next_scope_ = 0;
      const int32_t scope = NextScope();
      recorder_.Enter(scope);
      RETURN_IF_ERROR(Record(region.condition));
      recorder_.AddGate(scope, goes_on);
      RETURN_IF_ERROR(Record(region.body));
      recorder_.Leave();
    }
    return absl::OkStatus();
  }

  absl::Status Record(const Nodes& nodes) {
    for (const ControlNode& node : nodes) {
      switch (node.kind) {
        case Kind::kThunk:
          RETURN_IF_ERROR(node.thunk->Execute(context_));
          break;
        case Kind::kRepeat:
          for (int64_t i = 0; i < node.times; ++i) RETURN_IF_ERROR(Record(node.parts[0]));
          break;
        case Kind::kChoice:
          RETURN_IF_ERROR(RecordChoice(node));
          break;
      }
    }
    return absl::OkStatus();
  }

 private:
  // Iterations have the same scopes in the same order.
  int32_t NextScope() {
    if (next_scope_ == scopes_.size()) scopes_.push_back(recorder_.AddScope());
    return scopes_[next_scope_++];
  }

  Recorder::Gate GateOn(const BufferSlice& slice) const {
    Recorder::Gate gate;
    gate.condition = part_of_(slice);
    return gate;
  }

  // All gates first: a branch may write what decides.
  absl::Status RecordChoice(const ControlNode& choice) {
    const auto count = static_cast<uint32_t>(choice.parts.size());
    std::vector<int32_t> scopes;
    for (uint32_t i = 0; i < count; ++i) {
      Recorder::Gate gate = GateOn(choice.slice);
      gate.mask = choice.is_pred ? kByte : kAllBits;
      gate.last = count - 1;
      gate.wanted = choice.is_pred ? count - 1 - i : i;
      scopes.push_back(NextScope());
      if (!choice.parts[i].empty()) recorder_.AddGate(scopes.back(), gate);
    }
    for (uint32_t i = 0; i < count; ++i) {
      recorder_.Enter(scopes[i]);
      RETURN_IF_ERROR(Record(choice.parts[i]));
      recorder_.Leave();
    }
    return absl::OkStatus();
  }

  const absl::FunctionRef<BufferPart(const BufferSlice&)> part_of_;
  Recorder& recorder_;
  ExecuteContext& context_;
  std::vector<int32_t> scopes_;
  size_t next_scope_ = 0;
};

}  // namespace

absl::Status RecordControl(const ControlRegion& region, int64_t iterations,
                           absl::FunctionRef<BufferPart(const BufferSlice&)> part_of, Recorder& recorder,
                           ExecuteContext& context) {
  ControlRecorder control(part_of, recorder, context);
  return region.is_loop ? control.RecordLoop(region, iterations) : control.Record(region.body);
}

LoopCounts CountLoop(const ControlRegion& region, const Recording& recording, int64_t iterations) {
  const int64_t done = recording.TimesOpen(kLoopScope);
  LoopCounts counts;
  counts.iterations = done;
  counts.has_ended = done < iterations;
  counts.thunks = ThunksOf(region.condition) * (counts.has_ended ? done + 1 : done) + ThunksOf(region.body) * done;
  return counts;
}

}  // namespace vulkan
}  // namespace xla
