// How promises are settled. Events of the backend happen on threads of its own, JavaScript may only be touched on its
// own: the event's callback puts the operation into the queue of a thread-safe function, and Node calls that from its
// event loop.
//
// The end of an environment (process.exit(), worker.terminate()) can come at any time. From then on the thread-safe
// function must not be called, and soon JavaScript's memory is gone. So the callback and the clean-up hook agree under
// a lock: the hook closes the door, and waits for those events whose work still uses what is about to go.
// process.exit() on the main thread runs no hooks at all; there the JavaScript half calls WaitForHeld() on the event
// 'exit'.
#include "bindings/node/environment.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "bindings/node/js_status.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {

// Lives until both the environment and all events that it waits for are gone.
struct Environment::Shared {
  std::mutex mutex;
  std::condition_variable all_released;
  bool closed = false;
  int holders = 0;
  napi_threadsafe_function settle = nullptr;
};

struct Environment::Operation {
  napi_deferred deferred = nullptr;
  MakeValue make_value;
  napi_ref kept = nullptr;
  bool keeps_loop_alive = false;
  bool ignores_errors = false;
  absl::Status status;
};

absl::Status Environment::Create(napi_env env) {
  auto environment = std::unique_ptr<Environment>(new Environment(env));
  RETURN_IF_ERROR(environment->Start());
  RETURN_IF_ERROR(Napi(napi_set_instance_data(
      env, environment.get(), [](napi_env, void* data, void*) { delete static_cast<Environment*>(data); }, nullptr)));
  environment.release();
  return absl::OkStatus();
}

Environment* Environment::Of(napi_env env) {
  void* data = nullptr;
  napi_get_instance_data(env, &data);
  return static_cast<Environment*>(data);
}

Environment::Environment(napi_env env) : env_(env), shared_(std::make_shared<Shared>()) {}

// References go with the environment.
Environment::~Environment() = default;

absl::Status Environment::Start() {
  napi_value name;
  RETURN_IF_ERROR(Napi(napi_create_string_utf8(env_, "@halo/webnn", NAPI_AUTO_LENGTH, &name)));
  RETURN_IF_ERROR(Napi(napi_create_threadsafe_function(env_, nullptr, nullptr, name, /*max_queue_size=*/0,
                                                       /*initial_thread_count=*/1, nullptr, nullptr, this,
                                                       SettleCallback, &shared_->settle)));
  RETURN_IF_ERROR(Napi(napi_unref_threadsafe_function(env_, shared_->settle)));
  // Hooks run in the reverse order, so this one comes before that of the thread-safe function.
  return Napi(napi_add_env_cleanup_hook(env_, CleanUp, new std::shared_ptr<Shared>(shared_)));
}

void Environment::CleanUp(void* data) {
  const std::unique_ptr<std::shared_ptr<Shared>> holder(static_cast<std::shared_ptr<Shared>*>(data));
  Shared& shared = **holder;
  std::unique_lock<std::mutex> lock(shared.mutex);
  shared.closed = true;
  shared.all_released.wait(lock, [&shared] { return shared.holders == 0; });
}

absl::Status Environment::SetFunctions(napi_value make_error, napi_value transfer_buffer) {
  if (make_error_ != nullptr) return absl::OkStatus();
  RETURN_IF_ERROR(Napi(napi_create_reference(env_, transfer_buffer, 1, &transfer_buffer_)));
  return Napi(napi_create_reference(env_, make_error, 1, &make_error_));
}

absl::StatusOr<napi_value> Environment::FunctionOf(napi_ref reference) const {
  napi_value function = nullptr;
  if (reference == nullptr) return absl::FailedPreconditionError("the addon was not initialised");
  RETURN_IF_ERROR(Napi(napi_get_reference_value(env_, reference, &function)));
  return function;
}

void Environment::Hold(const Event& event) {
  {
    std::lock_guard<std::mutex> lock(shared_->mutex);
    ++shared_->holders;
  }
  event.OnReady([shared = shared_](const absl::Status&) {
    std::lock_guard<std::mutex> lock(shared->mutex);
    if (--shared->holders == 0) shared->all_released.notify_all();
  });
}

void Environment::WaitForHeld() {
  std::unique_lock<std::mutex> lock(shared_->mutex);
  shared_->all_released.wait(lock, [this] { return shared_->holders == 0; });
}

// A promise that the event settles. Events are ready on other threads, so that a thread-safe function of Node-API
// takes the result to the JavaScript thread; while some operation asks for it, the event loop stays alive.
absl::StatusOr<napi_value> Environment::PromiseFor(const Event& event, MakeValue make_value,
                                                   const PromiseOptions& options) {
  // Before anything can fail: all calls do once a worker is being terminated, and the work goes on nevertheless.
  if (options.holds_environment) Hold(event);
  auto owned = std::make_unique<Operation>();
  Operation* const operation = owned.get();
  operation->make_value = std::move(make_value);
  operation->keeps_loop_alive = options.keeps_loop_alive;
  operation->ignores_errors = options.ignores_errors;
  if (options.kept != nullptr) RETURN_IF_ERROR(Napi(napi_create_reference(env_, options.kept, 1, &operation->kept)));
  napi_value promise;
  RETURN_IF_ERROR(Napi(napi_create_promise(env_, &operation->deferred, &promise)));
  operations_.emplace(operation, std::move(owned));
  if (operation->keeps_loop_alive && keeping_alive_++ == 0) napi_ref_threadsafe_function(env_, shared_->settle);
  event.OnReady([shared = shared_, operation](const absl::Status& status) {
    std::lock_guard<std::mutex> lock(shared->mutex);
    if (shared->closed) return;  // and the operation may be gone
    operation->status = status;
    napi_call_threadsafe_function(shared->settle, operation, napi_tsfn_nonblocking);
  });
  return promise;
}

void Environment::SettleCallback(napi_env env, napi_value, void* context, void* data) {
  // No environment: Node empties the queue at the end.
  if (env != nullptr) static_cast<Environment*>(context)->Settle(static_cast<Operation*>(data));
}

// Resolves or rejects a promise, on the JavaScript thread. An operation that ignores errors leaves its promise
// pending.
void Environment::Settle(Operation* operation) {
  napi_value kept = nullptr;
  if (operation->kept != nullptr) napi_get_reference_value(env_, operation->kept, &kept);
  if (!operation->status.ok()) {
    if (!operation->ignores_errors) {
      napi_reject_deferred(env_, operation->deferred, ToJsError(env_, operation->status));
    }
  } else {
    const absl::StatusOr<napi_value> value = operation->make_value(env_, kept);
    if (value.ok()) {
      napi_resolve_deferred(env_, operation->deferred, *value);
    } else {
      napi_reject_deferred(env_, operation->deferred, ToJsError(env_, value.status()));
    }
  }
  FinishOperation(operation);
}

void Environment::FinishOperation(Operation* operation) {
  if (operation->kept != nullptr) napi_delete_reference(env_, operation->kept);
  if (operation->keeps_loop_alive && --keeping_alive_ == 0) napi_unref_threadsafe_function(env_, shared_->settle);
  operations_.erase(operation);
}

}  // namespace node_addon
}  // namespace xla
