// The C layout of the extensions of the PJRT API that this plugin has, and the chain of them.
//
// Source: as pjrt_api.h. Extensions are found by their type, in a list that begins in PJRT_Api.
#ifndef BINDINGS_PJRT_EXTENSIONS_H_
#define BINDINGS_PJRT_EXTENSIONS_H_

#include <cstddef>
#include <cstdint>

#include "bindings/pjrt/pjrt_api.h"

extern "C" {

// ---- Layouts

struct PJRT_Layouts_MemoryLayout;
struct PJRT_Layouts_SerializedLayout;

struct PJRT_Layouts_MemoryLayout_Destroy_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
};

struct PJRT_Layouts_MemoryLayout_Serialize_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Layouts_MemoryLayout* layout;
  const char* serialized_bytes;                                                  // out
  size_t serialized_bytes_size;                                                  // out
  PJRT_Layouts_SerializedLayout* serialized_layout;                              // out
  void (*serialized_layout_deleter)(PJRT_Layouts_SerializedLayout* serialized);  // out
};

struct PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Client* client;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout;  // out
};

struct PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Buffer* buffer;
  PJRT_Layouts_MemoryLayout* layout;  // out
};

struct PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_TopologyDescription* topology;
  PJRT_Buffer_Type type;
  const int64_t* dims;
  size_t num_dims;
  PJRT_Layouts_MemoryLayout* layout;  // out
};

struct PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;                         // out
  PJRT_Layouts_MemoryLayout* const* layouts;  // out; the executable's
};

struct PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters;                      // out
  PJRT_Layouts_MemoryLayout* const* layouts;  // out; the executable's
};

struct PJRT_Layouts_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*memory_layout_destroy)(PJRT_Layouts_MemoryLayout_Destroy_Args* args);
  PJRT_Error* (*memory_layout_serialize)(PJRT_Layouts_MemoryLayout_Serialize_Args* args);
  PJRT_Error* (*client_get_default_layout)(PJRT_Layouts_PJRT_Client_GetDefaultLayout_Args* args);
  PJRT_Error* (*buffer_memory_layout)(PJRT_Layouts_PJRT_Buffer_MemoryLayout_Args* args);
  PJRT_Error* (*topology_get_default_layout)(PJRT_Layouts_PJRT_Topology_GetDefaultLayout_Args* args);
  PJRT_Error* (*executable_get_output_layouts)(PJRT_Layouts_PJRT_Executable_GetOutputLayouts_Args* args);
  PJRT_Error* (*executable_get_parameter_layouts)(PJRT_Layouts_PJRT_Executable_GetParameterLayouts_Args* args);
};

// ---- FFI

struct PJRT_FFI_Type_Register_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const char* type_name;
  size_t type_name_size;
  int64_t type_id;        // in: 0 for a new one; out
  const void* type_info;  // since the third version of the extension
};

struct PJRT_FFI_UserData {
  int64_t type_id;
  void* data;
};

struct PJRT_FFI_UserData_Add_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_ExecuteContext* context;
  PJRT_FFI_UserData user_data;
};

// One function, the execute stage; or a bundle of them, by the client's choice of handler.
struct PJRT_FFI_Register_Handler_Args {
  size_t struct_size;
  const char* target_name;
  size_t target_name_size;
  void* handler;
  const char* platform_name;
  size_t platform_name_size;
  uint32_t traits;
};

struct PJRT_FFI_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*type_register)(PJRT_FFI_Type_Register_Args* args);
  PJRT_Error* (*user_data_add)(PJRT_FFI_UserData_Add_Args* args);
  PJRT_Error* (*register_handler)(PJRT_FFI_Register_Handler_Args* args);
};

// ---- Memory descriptions

struct PJRT_MemoryDescription;

struct PJRT_DeviceDescription_MemoryDescriptions_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_DeviceDescription* device_description;
  const PJRT_MemoryDescription* const* memory_descriptions;  // out
  size_t num_memory_descriptions;                            // out
  size_t default_memory_index;                               // out; -1: there is none
};

struct PJRT_MemoryDescription_Kind_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  const PJRT_MemoryDescription* memory_description;
  const char* kind;  // out
  size_t kind_size;  // out
  int kind_id;       // out
};

struct PJRT_MemoryDescriptions_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*device_description_memory_descriptions)(PJRT_DeviceDescription_MemoryDescriptions_Args* args);
  PJRT_Error* (*memory_description_kind)(PJRT_MemoryDescription_Kind_Args* args);
};

// ---- Shardings

struct PJRT_Shardings_PJRT_Executable_ParameterShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_parameters;         // out
  const char* const* shardings;  // out; serialized OpSharding messages of the executable, or nullptr
  const size_t* sharding_sizes;  // out
};

struct PJRT_Shardings_PJRT_Executable_OutputShardings_Args {
  size_t struct_size;
  PJRT_Extension_Base* extension_start;
  PJRT_Executable* executable;
  size_t num_outputs;            // out
  const char* const* shardings;  // out; as above
  const size_t* sharding_sizes;  // out
};

struct PJRT_Shardings_Extension {
  PJRT_Extension_Base base;
  PJRT_Error* (*executable_parameter_shardings)(PJRT_Shardings_PJRT_Executable_ParameterShardings_Args* args);
  PJRT_Error* (*executable_output_shardings)(PJRT_Shardings_PJRT_Executable_OutputShardings_Args* args);
};

}  // extern "C"

namespace xla {
namespace pjrt {

// One function for each extension: its entry of the chain, in front of `next`. They live for ever.
PJRT_Extension_Base* LayoutsExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* FfiExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* MemoryDescriptionsExtension(PJRT_Extension_Base* next);
PJRT_Extension_Base* ShardingsExtension(PJRT_Extension_Base* next);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_EXTENSIONS_H_
