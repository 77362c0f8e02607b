// Functions that this plugin does not have: each says so by its name, and what to do instead.
#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/functions.h"

namespace xla {
namespace pjrt {
namespace {

template <typename Args>
PJRT_Error* Unimplemented(const Args* args, absl::string_view why) {
  return Answer(args, [&](const CallerCheck& check) {
    return absl::UnimplementedError(absl::StrCat(check.function(), ": ", why));
  });
}

constexpr absl::string_view kNoStreams = "there are no streams: a program calls the host by custom calls";
constexpr absl::string_view kNoDma = "devices read the host's memory as it is; leave the call out";

}  // namespace

PJRT_Error* CopyToDeviceStream_Destroy(PJRT_CopyToDeviceStream_Destroy_Args* args) {
  return Unimplemented(args, kNoStreams);
}
PJRT_Error* CopyToDeviceStream_AddChunk(PJRT_CopyToDeviceStream_AddChunk_Args* args) {
  return Unimplemented(args, kNoStreams);
}
PJRT_Error* CopyToDeviceStream_TotalBytes(PJRT_CopyToDeviceStream_TotalBytes_Args* args) {
  return Unimplemented(args, kNoStreams);
}
PJRT_Error* CopyToDeviceStream_GranuleSize(PJRT_CopyToDeviceStream_GranuleSize_Args* args) {
  return Unimplemented(args, kNoStreams);
}
PJRT_Error* CopyToDeviceStream_CurrentBytes(PJRT_CopyToDeviceStream_CurrentBytes_Args* args) {
  return Unimplemented(args, kNoStreams);
}
PJRT_Error* Client_DmaMap(PJRT_Client_DmaMap_Args* args) { return Unimplemented(args, kNoDma); }
PJRT_Error* Client_DmaUnmap(PJRT_Client_DmaUnmap_Args* args) { return Unimplemented(args, kNoDma); }
PJRT_Error* Device_PoisonExecution(PJRT_Device_PoisonExecution_Args* args) {
  return Unimplemented(args, "an execution that is launched goes on to its end");
}
PJRT_Error* Device_CreateAsyncTrackingEvent(PJRT_Device_CreateAsyncTrackingEvent_Args* args) {
  return Unimplemented(args, "executions are not tracked");
}
PJRT_Error* AsyncTrackingEvent_Destroy(PJRT_AsyncTrackingEvent_Destroy_Args* args) {
  return Unimplemented(args, "executions are not tracked");
}

}  // namespace pjrt
}  // namespace xla
