// Checks that the structs of pjrt_api.h lie in memory as clients expect them.
#include <cstddef>

#include "bindings/pjrt/extensions.h"
#include "bindings/pjrt/pjrt_api.h"

namespace {

// The struct_size that belongs to a last field.
#define END_OF(Struct, field) (offsetof(Struct, field) + sizeof(static_cast<Struct*>(nullptr)->field))

#define PJRT_OFFSET(Name, field, offset) static_assert(offsetof(PJRT_##Name##_Args, field) == (offset));
#include "bindings/pjrt/pjrt_offsets.inc"
#undef PJRT_OFFSET

// Structs end in padding up to the alignment of their first field, 8 bytes.
#define PJRT_FUNCTION(Result, Name, minor, size, required) \
  static_assert(sizeof(PJRT_##Name##_Args) == ((size) + 7) / 8 * 8 && (required) <= (size));
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION

constexpr int kFunctionCount = 0
#define PJRT_FUNCTION(Result, Name, minor, size, required) +1
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION
    ;
static_assert(kFunctionCount == 138);
static_assert(offsetof(PJRT_Api, PJRT_Error_Destroy) == 40);
static_assert(offsetof(PJRT_Api, PJRT_Client_Create) == 40 + 10 * 8);
static_assert(offsetof(PJRT_Api, PJRT_LoadedExecutable_Execute) == 40 + 55 * 8);
static_assert(sizeof(PJRT_Api) == 40 + kFunctionCount * 8);

static_assert(sizeof(PJRT_Extension_Base) == 24);
static_assert(END_OF(PJRT_Api_Version, minor_version) == 24);
static_assert(offsetof(PJRT_NamedValue, type) == 32 && offsetof(PJRT_NamedValue, string_value) == 40 &&
              END_OF(PJRT_NamedValue, value_size) == 56);
static_assert(END_OF(PJRT_Program, format_size) == 48);
static_assert(sizeof(PJRT_Buffer_MemoryLayout_Tiled) == 56);
static_assert(sizeof(PJRT_Buffer_MemoryLayout_Strides) == 32);
static_assert(offsetof(PJRT_Buffer_MemoryLayout, tiled) == 16 && END_OF(PJRT_Buffer_MemoryLayout, type) == 76);
static_assert(END_OF(PJRT_ShapeSpec, element_type) == 36);
static_assert(sizeof(PJRT_Chunk) == 32);
static_assert(offsetof(PJRT_ProcessInfo, incarnation_id) == 16 && sizeof(PJRT_ProcessInfo) == 48);
static_assert(sizeof(PJRT_LogicalDeviceId) == 8);
static_assert(sizeof(PJRT_LoadOptions) == 32);
static_assert(sizeof(PJRT_Error_FunctionTable) == 56);
static_assert(sizeof(PJRT_Memory_FunctionTable) == 40);
static_assert(offsetof(PJRT_KeyValueGetCallback_Args, callback_error) == 40 &&
              sizeof(PJRT_KeyValueGetCallback_Args) == 80);
static_assert(sizeof(PJRT_KeyValueTryGetCallback_Args) == 72);
static_assert(sizeof(PJRT_KeyValuePutCallback_Args) == 64);
static_assert(sizeof(PJRT_SendCallbackInfo) == 24 && sizeof(PJRT_RecvCallbackInfo) == 24);
static_assert(sizeof(PJRT_Buffer_CopyRawToHostFuture_Callback_Args) == 48);
static_assert(sizeof(PJRT_Buffer_DonateWithControlDependency_Callback_Args) == 40);
static_assert(offsetof(PJRT_ExecuteOptions, launch_id) == 48 && offsetof(PJRT_ExecuteOptions, context) == 72 &&
              offsetof(PJRT_ExecuteOptions, call_location) == 80 &&
              offsetof(PJRT_ExecuteOptions, incarnation_ids) == 104 &&
              offsetof(PJRT_ExecuteOptions, use_major_to_minor_data_layout_for_callbacks) == 120 &&
              END_OF(PJRT_ExecuteOptions, num_hlo_output_callbacks) == 144);

}  // namespace
