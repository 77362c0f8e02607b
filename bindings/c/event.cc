// Events and cancellations.
#include "bindings/c/caller_input.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "xla_core/support/status_macros.h"

int halo_event_is_ready(const halo_event* event) {
  return xla::Ask(event, 0, [](const halo_event& handle) { return handle.event.IsReady(); });
}

halo_status* halo_event_wait(const halo_event* event, double timeout_seconds) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(event, "event"));
    ASSIGN_OR_RETURN(const absl::Time deadline, xla::DeadlineAfter(check, timeout_seconds));
    return event->event.Await(deadline);
  });
}

halo_status* halo_event_on_ready(const halo_event* event, void (*callback)(halo_status* status, void* user),
                                 void* user) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Live(event, "event"));
    if (callback == nullptr) return check.Error("callback is NULL");
    event->event.OnReady([callback, user](const absl::Status& status) { callback(xla::MakeStatus(status), user); });
    return absl::OkStatus();
  });
}

void halo_event_free(halo_event* event) {
  if (event != nullptr && event->has_tag()) delete event;
}

halo_status* halo_cancellation_create(halo_cancellation** cancellation) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(check.Present(cancellation, "cancellation"));
    *cancellation = nullptr;
    *cancellation = new halo_cancellation();
    return absl::OkStatus();
  });
}

void halo_cancellation_cancel(halo_cancellation* cancellation) {
  if (cancellation != nullptr && cancellation->has_tag()) cancellation->cancellation->Cancel();
}

void halo_cancellation_free(halo_cancellation* cancellation) {
  if (cancellation != nullptr && cancellation->has_tag()) delete cancellation;
}
