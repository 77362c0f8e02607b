// DeviceThreads: a thread for each device of a run, kept for the next run.
//
// The devices of a run wait for each other, so none of them may be on a thread of the pool, which another one may need.
// To start a thread takes longer than many programs run.
#ifndef BACKENDS_HOST_DEVICE_THREADS_H_
#define BACKENDS_HOST_DEVICE_THREADS_H_

#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla {

// Thread-safe. No thread is there before the first run; threads that have nothing to do sleep. It outlives its runs.
class DeviceThreads {
 public:
  DeviceThreads();
  ~DeviceThreads();

  // Calls body(d) for each d of [0, count), all at the same time and that for 0 on the calling thread, and returns when
  // all are done. If the system refuses a thread, body(d) is not called, but refused(d, error) on the calling thread.
  void Run(int64_t count, absl::FunctionRef<void(int64_t)> body,
           absl::FunctionRef<void(int64_t, const absl::Status&)> refused);

 private:
  struct Together;
  class Worker;

  absl::StatusOr<Worker*> Take();
  void GiveBack(Worker* worker);

  std::mutex mutex_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::vector<Worker*> idle_;  // the last one has run last
};

}  // namespace xla

#endif  // BACKENDS_HOST_DEVICE_THREADS_H_
