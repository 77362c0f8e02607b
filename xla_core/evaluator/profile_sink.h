// ProfileSink: who is told of what a run does, instruction by instruction.
#ifndef XLA_CORE_EVALUATOR_PROFILE_SINK_H_
#define XLA_CORE_EVALUATOR_PROFILE_SINK_H_

#include <cstdint>

#include "absl/time/time.h"

namespace xla {

class HloInstruction;

// Told of every instruction that was evaluated. Called from the thread of the device; several devices call at the same
// time.
class ProfileSink {
 public:
  virtual ~ProfileSink() = default;
  virtual void OnInstruction(const HloInstruction& instruction, int64_t device, absl::Time start, absl::Time end) = 0;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_PROFILE_SINK_H_
