// Environment: what the addon keeps for one JavaScript environment (the main thread, or a worker), and promises that
// are settled when an event of the backend happens.
#ifndef BINDINGS_NODE_ENVIRONMENT_H_
#define BINDINGS_NODE_ENVIRONMENT_H_

#include <node/node_api.h>

#include <functional>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "backends/event.h"

namespace xla {
namespace node_addon {

// How a promise is settled.
struct PromiseOptions {
  // Kept alive until then, and handed to what makes the value. nullptr: nothing.
  napi_value kept = nullptr;
  // Hold() for the event.
  bool holds_environment = false;
  // Node does not exit before.
  bool keeps_loop_alive = true;
  // If the event happens with an error, the promise stays pending.
  bool ignores_errors = false;
};

// Used on its own JavaScript thread only, except for what Shared says.
class Environment {
 public:
  // Makes it, when the addon is loaded.
  static absl::Status Create(napi_env env);
  static Environment* Of(napi_env env);
  ~Environment();

  // Functions of the JavaScript half, given once: makeError(name, message, rule) gives an exception,
  // transferBuffer(buffer) an ArrayBuffer with the memory of another one, which is then detached.
  absl::Status SetFunctions(napi_value make_error, napi_value transfer_buffer);
  absl::StatusOr<napi_value> make_error() const { return FunctionOf(make_error_); }
  absl::StatusOr<napi_value> transfer_buffer() const { return FunctionOf(transfer_buffer_); }

  // The environment, and the process, do not end before the event has happened: its work uses memory of JavaScript, or
  // runs on threads that must not go on while the process is taken down.
  void Hold(const Event& event);
  // Waits for all events that are held.
  void WaitForHeld();

  // What the promise resolves to; `kept` is that of the options. Runs on the JavaScript thread.
  using MakeValue = std::function<absl::StatusOr<napi_value>(napi_env env, napi_value kept)>;
  // A promise for what `make_value` gives once the event has happened.
  absl::StatusOr<napi_value> PromiseFor(const Event& event, MakeValue make_value, const PromiseOptions& options);

 private:
  struct Operation;
  struct Shared;

  explicit Environment(napi_env env);
  absl::Status Start();
  void Settle(Operation* operation);
  void FinishOperation(Operation* operation);
  absl::StatusOr<napi_value> FunctionOf(napi_ref reference) const;

  static void SettleCallback(napi_env env, napi_value js_callback, void* context, void* data);
  static void CleanUp(void* shared);

  const napi_env env_;
  napi_ref make_error_ = nullptr;
  napi_ref transfer_buffer_ = nullptr;
  const std::shared_ptr<Shared> shared_;
  absl::flat_hash_map<Operation*, std::unique_ptr<Operation>> operations_;
  // Those of operations_ that keep the loop alive.
  int keeping_alive_ = 0;
};

}  // namespace node_addon
}  // namespace xla

#endif  // BINDINGS_NODE_ENVIRONMENT_H_
