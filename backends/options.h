// What a caller of backend.h may choose: for a client, a compilation, an execution, a transfer.
#ifndef BACKENDS_OPTIONS_H_
#define BACKENDS_OPTIONS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/time/time.h"
#include "absl/types/optional.h"
#include "xla_core/evaluator/feed_queues.h"
#include "xla_core/evaluator/profile_sink.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

class Collectives;
struct ExecutionReport;
class ThreadPool;

// Settings that only one backend understands, by name. One that it does not know is an InvalidArgument error that
// names the nearest known one.
using BackendSettings = std::map<std::string, std::string>;

// What a client is created with (GetClient in registry.h). A value that a backend cannot honour is an InvalidArgument
// error, not a hint that it ignores.
struct ClientOptions {
  // Devices to make; 0: as many as the backend finds, 1 where devices are not things (interpreter, cpu).
  int64_t device_count = 0;
  // The id of the first device; those of the others follow. Of a client that is a part of another one, for whose devices
  // messages are (`replicated`).
  int64_t first_device_id = 0;
  // Threads that share the loops of one execution, its own among them; 0: one per CPU. Results do not depend on it.
  int threads = 0;
  // Threads to use instead of the client's own; `threads` is not read then. Several clients may share them.
  std::shared_ptr<ThreadPool> thread_pool;
  // Most bytes that buffers and values may take on a device, or on all devices together that share the host's memory;
  // 0: 80 % of what there is.
  int64_t max_memory_bytes = 0;
  // Of several processes that form one client (backend `replicated`): which one this is.
  int64_t process_index = 0;
  int64_t process_count = 1;
  BackendSettings settings;
};

// How one module is compiled. Only `fast_math`, `optimization_level` and `settings` may change bits of results, as
// they say; all else decides where the program runs, its memory and its speed.
struct CompileOptions {
  // Copies of the program that run together, and parts of each; 0: as the module's header says.
  int64_t replica_count = 0;
  int64_t partition_count = 0;
  // The module is a program on whole arrays, with shardings: it is cut for its partitions, of a single replica, before
  // all else; `partition_count` 0: as many as its header or its mesh says. The executable is one for shards, as
  // EntryShards (passes/partitioning/entry_shards.h) cuts arguments and joins results; `layouts` are those of shards.
  // Of no meaning to Deserialize: what was serialized is cut already.
  bool spmd = false;
  // Ids of the devices it runs on, that of (replica r, partition p) at r * partition_count + p. Empty: the client's
  // first.
  std::vector<int64_t> device_assignment;
  // Numbers (r * partition_count + p, ascending) of the devices that this client runs of the program; the others run in
  // other processes. `device_assignment` is then of these alone, and a launch needs ExecuteOptions::collectives. Empty:
  // all of them. The backend `replicated` sets it.
  std::vector<int64_t> own_devices;
  // False if the caller has just verified the module: a wrong module then has no defined behaviour.
  bool verify = true;
  // 0: compile fast; 1: the usual effort; 2: whatever it takes. Results may differ in the order of sums, not more.
  int optimization_level = 1;
  // Allows rewrites that can change NaNs, infinities, the sign of zero or the last bits.
  bool fast_math = false;
  // Numbers of parameters that are weights: given the same buffers in run after run. A backend may keep what it
  // computes from such a buffer, its elements in another order for example, until it is given another one. Memory that
  // such a buffer borrows must not change as long as the buffer lives.
  std::vector<int64_t> weights;
  // Layouts of parameters and result on the device; unset: the module's entry_computation_layout, else the backend's
  // choice. Where a layout is not given, the backend chooses.
  absl::optional<ProgramShape> layouts;
  BackendSettings settings;
  // Limits of the compilation, and who may stop it; nullptr: none. It must live until the call returns.
  const ResourceContext* resources = nullptr;
};

// On which thread a launch runs, and so where its errors appear.
enum class ExecutionMode {
  kDefault,  // the backend's choice
  kInline,   // on the calling thread: everything has happened when the call returns, and errors are its result
  kAsync,    // the call returns at once; errors of the run are in the ready events of the results
};

// Pointers in it must stay valid until the execution is done.
struct ExecuteOptions {
  ExecutionMode mode = ExecutionMode::kDefault;

  // ---- Limits. Reaching one ends the run on all devices.
  absl::Duration timeout = absl::InfiniteDuration();  // from the launch: DeadlineExceeded
  absl::Time deadline = absl::InfiniteFuture();       // likewise; the earlier of both counts
  std::shared_ptr<const Cancellation> cancellation;   // Cancelled
  const ResourceContext* resources = nullptr;         // limits besides these; nullptr: none
  int64_t max_steps = 0;                              // instructions per device: ResourceExhausted; 0: no limit
  int64_t max_memory_bytes = 0;  // for values, all devices together: ResourceExhausted; 0: as the client's

  // ---- Arguments and results
  // A parameter is donated if the module says so (input_output_alias, buffer_donor) or if it is listed here. Its buffer
  // cannot be used afterwards, even if the run fails, and its memory serves for results and temporaries.
  std::vector<int64_t> donated_parameters;
  // Parameters that stay usable although the module lets them be donated: what would be donated is copied.
  std::vector<int64_t> non_donatable_parameters;
  // A result that is a tuple comes as one buffer for each element; else as one buffer of tuple shape.
  bool untuple_result = true;

  // ---- What the run uses
  uint64_t seed = 0;  // of rng
  // Pairs the launches of processes that run one program together: equal on all of them, different for each launch of
  // the client. 0: its launches pair up in their order, which must be the same in all processes.
  int64_t launch_id = 0;
  // Queues of this run alone, by device of Executable::devices() in its order. nullptr: infeed and outfeed use the
  // queues of the devices (Device::TransferToInfeed), and wait for them.
  FeedQueues* feeds = nullptr;
  // Where the devices meet (collectives.h), for this run alone. nullptr: among themselves, in this process.
  Collectives* collectives = nullptr;

  // ---- What it tells
  ProfileSink* profile = nullptr;
  // (entry instructions done, all of them), from the first device.
  std::function<void(int64_t done, int64_t total)> progress;
  // Filled before the execution's `done` event happens, also if it fails.
  ExecutionReport* report = nullptr;
};

// What may be done with host memory that a buffer is made from.
enum class HostMemoryUse {
  kCopyNow,        // read during the call
  kCopyLater,      // read until `release` is called, which may be after the call: must not change meanwhile
  kBorrow,         // the buffer lives in it if the backend can; must not change until `release` is called
  kBorrowMutable,  // the same, and whoever the buffer is donated to may write into it
};

}  // namespace xla

#endif  // BACKENDS_OPTIONS_H_
