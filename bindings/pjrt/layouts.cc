// The extension Layouts: in which order the elements of an array lie in memory, as text: "{1,0}".
#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/element_types.h"
#include "bindings/pjrt/executable_state.h"
#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/handles.h"
#include "bindings/pjrt/serialized.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

PJRT_Layouts_MemoryLayout* LayoutOf(const std::vector<int64_t>& minor_to_major) {
  auto layout = std::make_unique<PJRT_Layouts_MemoryLayout>();
  layout->text = absl::StrCat("{", absl::StrJoin(minor_to_major, ","), "}");
  return layout.release();
}

// Row-major, whatever the array.
absl::StatusOr<PJRT_Layouts_MemoryLayout*> DefaultLayout(const CallerCheck& check, size_t rank) {
  if (rank > static_cast<size_t>(Shape::kMaxRank)) {
    return check.Error(absl::StrCat("num_dims is ", rank, ", expected at most ", static_cast<int>(Shape::kMaxRank)));
  }
  std::vector<int64_t> minor_to_major;
  for (size_t i = rank; i > 0; --i) minor_to_major.push_back(static_cast<int64_t>(i) - 1);
  return LayoutOf(minor_to_major);
}

PJRT_Error* Destroy(PJRT_Layouts_MemoryLayout_Destroy_Args* args) {
  return Guarded("PJRT_Layouts_MemoryLayout_Destroy", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    if (args->layout == nullptr) return absl::OkStatus();
    RETURN_IF_ERROR(check.Live(args->layout, "layout"));
    delete args->layout;
    return absl::OkStatus();
  });
}

PJRT_Error* Serialize(PJRT_Layouts_MemoryLayout_Serialize_Args* args) {
  return Guarded("PJRT_Layouts_MemoryLayout_Serialize", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->layout, "layout"));
    GiveSerialized(args->layout->text, &args->serialized_bytes, &args->serialized_bytes_size, &args->serialized_layout,
                   &args->serialized_layout_deleter);
    return absl::OkStatus();
  });
}

PJRT_Error* ClientDefaultLayout(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args) {
  return Guarded("PJRT_Layouts_PJRT_Client_GetDefaultLayout", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->client, "client"));
    ASSIGN_OR_RETURN(args->layout, DefaultLayout(check, args->num_dims));
    return absl::OkStatus();
  });
}

PJRT_Error* TopologyDefaultLayout(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args) {
  return Guarded("PJRT_Layouts_PJRT_Topology_GetDefaultLayout", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->topology, "topology"));
    ASSIGN_OR_RETURN(args->layout, DefaultLayout(check, args->num_dims));
    return absl::OkStatus();
  });
}

PJRT_Error* BufferLayout(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args) {
  return Guarded("PJRT_Layouts_PJRT_Buffer_MemoryLayout", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->buffer, "buffer"));
    args->layout = LayoutOf(args->buffer->minor_to_major);
    return absl::OkStatus();
  });
}

PJRT_Error* OutputLayouts(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args) {
  return Guarded("PJRT_Layouts_PJRT_Executable_GetOutputLayouts", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->num_outputs = args->executable->state->outputs.layout_list.size();
    args->layouts = args->executable->state->outputs.layout_list.data();
    return absl::OkStatus();
  });
}

PJRT_Error* ParameterLayouts(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args) {
  return Guarded("PJRT_Layouts_PJRT_Executable_GetParameterLayouts", [&](const CallerCheck& check) -> absl::Status {
    RETURN_IF_ERROR(CheckArgs(check, args, sizeof(*args)));
    RETURN_IF_ERROR(check.Live(args->executable, "executable"));
    args->num_parameters = args->executable->state->parameters.layout_list.size();
    args->layouts = args->executable->state->parameters.layout_list.data();
    return absl::OkStatus();
  });
}

}  // namespace

PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next) {
  static auto& extension = *new PJRT_Layouts_Extension{
      {sizeof(PJRT_Layouts_Extension), PJRT_Extension_Type_Layouts, next},
      &Destroy,
      &Serialize,
      &ClientDefaultLayout,
      &BufferLayout,
      &TopologyDefaultLayout,
      &OutputLayouts,
      &ParameterLayouts,
  };
  return &extension.base;
}

}  // namespace pjrt
}  // namespace xla
