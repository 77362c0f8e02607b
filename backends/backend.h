// The one interface through which programs run: Client, Device, Buffer, Executable.
//
//   ASSIGN_OR_RETURN(std::shared_ptr<Client> client, GetClient("interpreter"));
//   ASSIGN_OR_RETURN(std::unique_ptr<Executable> program, client->Compile(std::move(module)));
//   ASSIGN_OR_RETURN(std::unique_ptr<Buffer> x, client->BufferFromLiteral(Literal::Scalar(1.0f)));
//   ASSIGN_OR_RETURN(auto results, program->Execute({x.get()}));          // a list of buffers
//   ASSIGN_OR_RETURN(Literal value, results[0]->ToLiteral());
//
// literal_execution.h does the same in one call, from literals to literals.
//
// A *client* is one backend with its devices. A *device* holds *buffers* and runs programs. An *executable* is a
// compiled program, bound to replicas x partitions devices. Everything here may be called from any number of threads at
// once, on the same objects too. Buffers and executables keep their client alive; devices live as long as it does.
// Destroying an object that an execution still uses is fine: what the execution needs lives until it is done. When the
// last reference to a client goes, executions that still run are stopped.
//
// Errors are values. InvalidArgument: the caller gave something that does not fit (the message says what was expected);
// FailedPrecondition: a buffer that was deleted or donated; ResourceExhausted, DeadlineExceeded, Cancelled: a limit of
// the options; Unimplemented: right, but not by this backend. What goes wrong in the course of an asynchronous
// execution or transfer is the status of the ready events of its buffers, and goes on to every buffer that is computed
// from them.
//
// ---- How backends fit in
//
// *interpreter*: a device is a share of the host; a buffer is a Literal; compiling makes an execution plan for each
// computation. Runs on the caller's thread unless asked to be asynchronous.
//
// *CPU JIT*: as the interpreter, with these differences. Compile runs passes, assigns every value a place in one arena
// (memory_need() is that plan, exactly), and generates code; the arena is taken from a pool at launch, so many threads
// run one executable side by side. Donated arguments and loop-carried values are updated in place (alias_bytes).
// Borrowed host memory is used as it is. Instructions without code (Client::Supports) become calls of the evaluator
// inside of the plan, listed in Executable::report(). Serialize stores the optimised module, the object code and the
// CPU features it was made for; Deserialize refuses another CPU, or compiles again from the module.
//
// *Vulkan*: a device is a physical device. Shapes of buffers carry layouts with tiles and a memory space (Layout), so
// that device-local, host-visible and padded arrays are distinguished without new types; CompileOptions::layouts asks
// for them, program_shape() says what was chosen, and transfers convert, because on the host arrays are always dense
// and row-major. Executions and transfers are submitted to queues and return at once; a timeline semaphore per
// submission sets the ready events, and an execution whose arguments are not ready waits on the device, not on the
// host. Several executions are in flight on a device; data orders them, nothing else. A program that falls back to
// the evaluator for an instruction splits into submissions around it. Memory that cannot be imported is copied, and
// its release callback is called as soon as that is done. AcquireExternalReference says in which memory the data lie.
//
// *Replicas over processes*: every process makes a client with its process_index; devices() lists the devices
// of all processes, addressable_devices() its own, and only those take buffers. Each process compiles the same module
// and launches it with arguments for its own devices (Executable::devices()); launches pair up by launch_id, and the
// first exchange compares fingerprint(), so that a process with another program is named in an error. A process that
// dies or stalls fails the execution's `done` event, and the results, at the deadline at the latest.
//
// *Replicas of any backend in one process* are several devices of its client and ExecuteSharded.
#ifndef BACKENDS_BACKEND_H_
#define BACKENDS_BACKEND_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/time/time.h"
#include "absl/types/span.h"
#include "backends/event.h"
#include "backends/options.h"
#include "backends/registry.h"
#include "backends/report.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

class Client;

// How long a transfer that must wait may do so: DeadlineExceeded, Cancelled.
struct TransferOptions {
  absl::Time deadline = absl::InfiniteFuture();
  std::shared_ptr<const Cancellation> cancellation;
};

// A place where programs run. Owned by its client.
class Device {
 public:
  virtual ~Device() = default;

  virtual Client& client() const = 0;
  // Unique among the devices of all processes of the client.
  virtual int64_t id() const = 0;
  // The process it belongs to; buffers and executions can only be made by that one.
  virtual int64_t process_index() const { return 0; }
  bool is_addressable() const;
  // What it is, the same for equal devices: "interpreter", the name of a GPU.
  virtual std::string kind() const = 0;
  // For people, with the id: "interpreter device 0".
  virtual std::string description() const = 0;
  // Where devices share a memory (the host's), its limit is the same memory for all.
  virtual DeviceMemory memory() const = 0;

  // The device's own queues, first in first out, for programs that were launched without ExecuteOptions::feeds;
  // programs that use them at the same time share them in any order. A value waits in the infeed queue until a program
  // takes it; TransferFromOutfeed waits until a program has given one. InvalidArgument, and the value stays in the
  // queue, if its shape is not `shape`; ResourceExhausted if the memory for queued values is used up.
  virtual absl::Status TransferToInfeed(Literal value, const TransferOptions& options) = 0;
  virtual absl::StatusOr<Literal> TransferFromOutfeed(const Shape& shape, const TransferOptions& options) = 0;
  absl::Status TransferToInfeed(Literal value) { return TransferToInfeed(std::move(value), TransferOptions()); }
  absl::StatusOr<Literal> TransferFromOutfeed(const Shape& shape) {
    return TransferFromOutfeed(shape, TransferOptions());
  }
};

// A hold on a buffer's memory from outside (DLPack). While it lives the memory is neither reused nor freed, and the
// buffer cannot be donated.
class ExternalReference {
 public:
  enum class Memory { kHost, kVulkan };

  virtual ~ExternalReference() = default;
  // Dense and row-major by logical index; types narrower than a byte take one byte per element. In device memory, the
  // device's handle of it. Not to be written to.
  virtual void* data() const = 0;
  virtual Memory memory() const { return Memory::kHost; }
};

// A value on a device: an array, a token or a tuple. Never changes; it only becomes ready, and ends.
class Buffer {
 public:
  // kDonated: an execution has taken it over. Both ends are final.
  enum class State { kLive, kDonated, kDeleted };

  virtual ~Buffer() = default;

  // With the layout that it has on the device. Dynamic dimensions have their bounds.
  virtual const Shape& shape() const = 0;
  virtual Device& device() const = 0;
  // Memory it takes on the device, padding included; 0 once it is not live.
  virtual int64_t size_bytes() const = 0;
  // Happens when the value is there, or with the error because of which it will never be.
  virtual Event ready() const = 0;
  virtual State state() const = 0;
  bool is_live() const { return state() == State::kLive; }

  // The value on the host, once it is ready. FailedPrecondition if the buffer is not live now; it may be deleted or
  // donated after the call.
  virtual Future<Literal> ToLiteralAsync() const = 0;
  absl::StatusOr<Literal> ToLiteral(absl::Time deadline = absl::InfiniteFuture()) const {
    return ToLiteralAsync().Await(deadline);
  }
  // The same for an array, into memory of the caller of exactly `byte_size` bytes, dense and row-major, which must stay
  // valid until the event has happened. InvalidArgument if the value has another size.
  virtual Event CopyToHostAsync(void* destination, int64_t byte_size) const = 0;
  // Waits without a limit, because the destination must not be written to after the call.
  absl::Status CopyToHost(void* destination, int64_t byte_size) const {
    return CopyToHostAsync(destination, byte_size).Await();
  }
  // A buffer of the same value on another device of the same client.
  virtual absl::StatusOr<std::unique_ptr<Buffer>> CopyToDevice(Device& device) const = 0;

  // Gives the memory back as soon as nothing uses it; does nothing if the buffer is not live.
  virtual void Delete() = 0;
  // Waits until the value is ready. Unimplemented if it is not an array or its memory cannot be shown to others.
  virtual absl::StatusOr<std::unique_ptr<ExternalReference>> AcquireExternalReference() = 0;
};

using BufferList = std::vector<std::unique_ptr<Buffer>>;

// An execution that was launched.
struct Execution {
  // By device, in the order of Executable::devices().
  std::vector<BufferList> results;
  // Happens when all devices have ended, with the error of the one that failed first.
  Event done;
};

// A compiled program.
class Executable {
 public:
  virtual ~Executable() = default;

  virtual Client& client() const = 0;
  // The module's.
  virtual const std::string& name() const = 0;
  virtual int64_t replica_count() const = 0;
  virtual int64_t partition_count() const = 0;
  // The devices of this process it runs on: by replica, then partition.
  virtual absl::Span<Device* const> devices() const = 0;
  // Of one device, with the layouts that buffers have.
  virtual const ProgramShape& program_shape() const = 0;
  // Numbers of the parameters that the module lets be donated, ascending.
  virtual absl::Span<const int64_t> donated_parameters() const = 0;
  // What runs, after the backend's own passes; nullptr if only code is left of it.
  virtual const HloModule* module() const = 0;
  // Equal for equal programs compiled with equal options by equal backends, also in another process.
  virtual std::string fingerprint() const = 0;
  virtual CostEstimate cost() const = 0;
  virtual MemoryNeed memory_need() const = 0;
  virtual const CompileReport& report() const = 0;
  // What runs, in the order of the plan; empty if the program is not planned in steps. Made when asked for.
  virtual std::vector<PlannedStep> planned_steps() const { return {}; }
  // For Client::Deserialize, in this or another process.
  virtual absl::StatusOr<std::string> Serialize() const = 0;

  // Starts it on all its devices of this process. arguments[d] are those of devices()[d], a buffer for each parameter,
  // on that device; they need not be ready. A buffer that is donated may stand in one place only. An error means that
  // nothing was launched and nothing donated, or, in inline mode, that the run failed.
  virtual absl::StatusOr<Execution> Launch(absl::Span<const absl::Span<Buffer* const>> arguments,
                                           const ExecuteOptions& options) = 0;
  // Of a program for one device, its results. What goes wrong in an asynchronous run is in their ready events: use
  // Launch, whose event always tells, for a program that may have none.
  absl::StatusOr<BufferList> Execute(absl::Span<Buffer* const> arguments, const ExecuteOptions& options = {});
  // Of a program for several devices, their results.
  absl::StatusOr<std::vector<BufferList>> ExecuteSharded(absl::Span<const std::vector<Buffer*>> arguments,
                                                         const ExecuteOptions& options = {});
};

// A backend at work.
class Client {
 public:
  virtual ~Client() = default;

  // The name it is registered by, and what a report of a fault should say: "interpreter 1.0".
  virtual const std::string& platform_name() const = 0;
  virtual const std::string& platform_version() const = 0;
  virtual int64_t process_index() const { return 0; }
  virtual int64_t process_count() const { return 1; }
  // Of all processes, by id; and of this one. At least one.
  virtual absl::Span<Device* const> devices() const = 0;
  virtual absl::Span<Device* const> addressable_devices() const = 0;
  Device& default_device() const { return *addressable_devices()[0]; }
  // InvalidArgument, with the ids there are, if there is none.
  absl::StatusOr<Device*> FindDevice(int64_t id) const;

  // Whether the backend runs this instruction (of a verified module) itself; with the reason if not. What it does not
  // is run by the evaluator, and listed in Executable::report(): nothing degrades silently.
  virtual InstructionSupport Supports(const HloInstruction& instruction) const = 0;

  // A verified module, shared with the executable. InvalidArgument with the verifier's findings if it is wrong, or if
  // the options do not fit (more devices than there are); Unimplemented if no backend can run an instruction.
  virtual absl::StatusOr<std::unique_ptr<Executable>> CompileShared(std::shared_ptr<const HloModule> module,
                                                                    const CompileOptions& options) = 0;
  absl::StatusOr<std::unique_ptr<Executable>> Compile(std::unique_ptr<HloModule> module,
                                                      const CompileOptions& options = {});
  // Of a copy; a module that is not verified must at least be one that CloneModule can copy.
  absl::StatusOr<std::unique_ptr<Executable>> Compile(const HloModule& module, const CompileOptions& options = {});
  // What Serialize wrote; the options place it on devices. InvalidArgument if it is damaged or of another backend or
  // version. Code in it that is damaged, or for another processor, is made again, which report() notes; code that is
  // not is run as it is: the bytes must come from a source that the process trusts.
  virtual absl::StatusOr<std::unique_ptr<Executable>> Deserialize(absl::string_view serialized,
                                                                  const CompileOptions& options) = 0;
  absl::StatusOr<std::unique_ptr<Executable>> Deserialize(absl::string_view serialized) {
    return Deserialize(serialized, CompileOptions());
  }

  // ---- Buffers. Without a device, on default_device(). `shape` may carry a layout for the device. Errors:
  // InvalidArgument for an invalid shape, another client's device, or one of another process; ResourceExhausted.

  // Shares the literal's memory where host memory is device memory. The literal must not be counted against a budget
  // while other threads use copies of it (Literal::LeaveBudget).
  virtual absl::StatusOr<std::unique_ptr<Buffer>> BufferFromLiteral(Literal literal, Device& device) = 0;
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromLiteral(Literal literal) {
    return BufferFromLiteral(std::move(literal), default_device());
  }
  // An array from elements at `data`: dense and row-major, or with `byte_strides`, one for each dimension; types
  // narrower than a byte take one byte each. `release`, if given, is called once, from any thread, when the memory is
  // not needed any more, also if the call fails.
  virtual absl::StatusOr<std::unique_ptr<Buffer>> BufferFromHost(const void* data, const Shape& shape,
                                                                 absl::Span<const int64_t> byte_strides,
                                                                 HostMemoryUse use, std::function<void()> release,
                                                                 Device& device) = 0;
  absl::StatusOr<std::unique_ptr<Buffer>> BufferFromHost(const void* data, const Shape& shape,
                                                         HostMemoryUse use = HostMemoryUse::kCopyNow,
                                                         std::function<void()> release = nullptr) {
    return BufferFromHost(data, shape, {}, use, std::move(release), default_device());
  }
  // Of a value that comes later: the buffer is ready when it does, and fails if it fails or is not of `shape`.
  virtual absl::StatusOr<std::unique_ptr<Buffer>> BufferFromFuture(Future<Literal> value, const Shape& shape,
                                                                   Device& device) = 0;
  // Its elements are any.
  virtual absl::StatusOr<std::unique_ptr<Buffer>> UninitializedBuffer(const Shape& shape, Device& device) = 0;
};

}  // namespace xla

#endif  // BACKENDS_BACKEND_H_
