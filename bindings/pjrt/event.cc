// Events. A handle is a copy of a Halo event, which several handles share; the event owns its callbacks, so that a
// handle may be freed before them, and from inside of one.
#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/functions.h"
#include "bindings/pjrt/handles.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {

PJRT_Error* Event_Destroy(PJRT_Event_Destroy_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    if (args->event == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->event, "event"));
    delete args->event;
    return absl::OkStatus();
  });
}

PJRT_Error* Event_IsReady(PJRT_Event_IsReady_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->event, "event"));
    args->is_ready = args->event->event.IsReady();
    return absl::OkStatus();
  });
}

// The event's own error is the answer, as it is that of Await.
PJRT_Error* Event_Error(PJRT_Event_Error_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->event, "event"));
    return args->event->event.status();
  });
}

PJRT_Error* Event_Await(PJRT_Event_Await_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->event, "event"));
    return args->event->event.Await();
  });
}

// An event that has happened takes no callback: Halo calls those that are added inside of another one after it, and
// the client may wait for this one.
PJRT_Error* Event_OnReady(PJRT_Event_OnReady_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->event, "event"));
    if (args->callback == nullptr) return check.Error("callback is NULL");
    const Event event = args->event->event;
    if (event.IsReady()) {
      args->callback(MakeError(event.status()), args->user_arg);
      return absl::OkStatus();
    }
    event.OnReady([callback = args->callback, user_arg = args->user_arg](const absl::Status& status) {
      callback(MakeError(status), user_arg);
    });
    return absl::OkStatus();
  });
}

PJRT_Error* Event_Create(PJRT_Event_Create_Args* args) {
  return Answer(args, [&](const CallerCheck&) -> absl::Status {
    auto source = std::make_unique<EventSource>();
    auto event = std::make_unique<PJRT_Event>(source->event());
    event->source = std::move(source);
    args->event = event.release();
    return absl::OkStatus();
  });
}

PJRT_Error* Event_Set(PJRT_Event_Set_Args* args) {
  return Answer(args, [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(args->event, "event"));
    RETURN_IF_ERROR(CheckList(check, args->error_message, args->error_message_size, "error_message"));
    PJRT_Event& event = *args->event;
    if (event.source == nullptr) return check.Error("the event was not made with PJRT_Event_Create");
    if (event.event.IsReady()) return absl::FailedPreconditionError("PJRT_Event_Set: the event was set before");
    event.source->Set(StatusOf(args->error_code, args->error_message, args->error_message_size));
    return absl::OkStatus();
  });
}

}  // namespace pjrt
}  // namespace xla
