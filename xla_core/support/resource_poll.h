// ResourcePoll: looks at limits now and then, for loops of which a step takes less time than a look does.
//
//   ResourcePoll poll(resources);
//   for (...) RETURN_IF_ERROR(poll.Check());
#ifndef XLA_CORE_SUPPORT_RESOURCE_POLL_H_
#define XLA_CORE_SUPPORT_RESOURCE_POLL_H_

#include <cstdint>

#include "absl/status/status.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Of one thread.
class ResourcePoll {
 public:
  // nullptr: there are no limits.
  explicit ResourcePoll(const ResourceContext* resources) : resources_(resources) {}

  // Before the next step of a loop, or before several: an error once a limit has been reached. Looks the first time,
  // and again after some thousand steps.
  absl::Status Check(int64_t steps = 1) { return IsDue(steps) ? CheckResources(resources_) : absl::OkStatus(); }
  // Whether Check would return an error, for whoever asks the limits for it afterwards.
  bool IsOver(int64_t steps = 1) { return IsDue(steps) && resources_ != nullptr && resources_->IsOver(); }

 private:
  // A step is the work on one instruction or value, and takes up to a microsecond.
  static constexpr int64_t kStepsBetweenLooks = 2000;

  bool IsDue(int64_t steps) {
    const bool is_due = left_ <= 0;
    left_ = (is_due ? kStepsBetweenLooks : left_) - steps;
    return is_due;
  }

  const ResourceContext* resources_;
  int64_t left_ = 0;
};

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_RESOURCE_POLL_H_
