// LaunchQueue: threads for what runs later: executions whose arguments may not be ready yet.
//
// A task takes a thread only once it can run, so any number of executions may wait for each other's results. There are
// as many threads as CPUs, and one more each time all of them are stuck: an execution that waits in its middle (for
// infeed, say) does not hold up the others for long.
#ifndef BACKENDS_HOST_LAUNCH_QUEUE_H_
#define BACKENDS_HOST_LAUNCH_QUEUE_H_

#include <functional>
#include <memory>

#include "absl/status/status.h"
#include "backends/event.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// What is done before a task takes a thread, for messages.
inline constexpr char kWaitingForArguments[] = "waiting for the arguments";

// Each client has one. Launch may be called from any thread. It returns at once; only where the system refuses to start
// even one thread, a task that can run does so on the calling thread.
class LaunchQueue {
 public:
  // Called once: with OK on a thread of the queue, or, on some thread, with the reason why it must not run.
  using Task = std::function<void(const absl::Status&)>;

  LaunchQueue();
  // Waits for the tasks that run; those that do not yet are called with Cancelled: now, or, if they wait for an event,
  // when it happens, whatever their limits. May be called from a task.
  ~LaunchQueue();

  // Calls `task` when `ready` has happened: with its error if it failed; with that of `resources`, if there are any and
  // a limit is reached first.
  void Launch(const Event& ready, std::shared_ptr<const ResourceContext> resources, Task task);

 private:
  class Workers;
  struct Waiting;

  const std::shared_ptr<Workers> workers_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_LAUNCH_QUEUE_H_
