// The C layout of XLA's FFI, version 0.3: how a program calls functions that a client has registered.
//
// A handler is given a call frame: operands, results, attributes and a table of functions that it may call. Every
// struct has its struct_size in front.
// Source: the layout is that of the public XLA FFI C API (openxla/xla, xla/ffi/api).
#ifndef BINDINGS_PJRT_FFI_API_H_
#define BINDINGS_PJRT_FFI_API_H_

#include <cstddef>
#include <cstdint>

extern "C" {

struct XLA_FFI_Error;
struct XLA_FFI_ExecutionContext;
struct XLA_FFI_Future;
struct XLA_FFI_InternalApi;

struct XLA_FFI_Extension_Base {
  size_t struct_size;
  int32_t type;
  XLA_FFI_Extension_Base* next;
};

struct XLA_FFI_Api_Version {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int major_version;
  int minor_version;
};

struct XLA_FFI_ByteSpan {
  const char* ptr;
  size_t len;
};

// Numbers of types are HLO's.
struct XLA_FFI_Scalar {
  int32_t dtype;
  void* value;
};

struct XLA_FFI_Array {
  int32_t dtype;
  size_t size;
  void* data;
};

struct XLA_FFI_TypeId {
  int64_t type_id;
};

struct XLA_FFI_TypeInfo {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  void (*deleter)(void* object);
};

struct XLA_FFI_Buffer {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int32_t dtype;
  void* data;
  int64_t rank;
  int64_t* dims;
};

enum XLA_FFI_ValueType : int32_t { XLA_FFI_ValueType_BUFFER = 1 };

enum XLA_FFI_AttrType : int32_t {
  XLA_FFI_AttrType_ARRAY = 1,
  XLA_FFI_AttrType_DICTIONARY = 2,
  XLA_FFI_AttrType_SCALAR = 3,
  XLA_FFI_AttrType_STRING = 4,
};

enum XLA_FFI_ExecutionStage : int32_t { XLA_FFI_ExecutionStage_EXECUTE = 3 };

// Operands or results.
struct XLA_FFI_Values {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  XLA_FFI_ValueType* types;
  void** values;
};

// By name, in ascending order.
struct XLA_FFI_Attrs {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  int64_t size;
  XLA_FFI_AttrType* types;
  XLA_FFI_ByteSpan** names;
  void** attrs;
};

struct XLA_FFI_Api;

struct XLA_FFI_CallFrame {
  size_t struct_size;  // up to `attrs`: handlers refuse frames of another one
  XLA_FFI_Extension_Base* extension_start;
  const XLA_FFI_Api* api;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_ExecutionStage stage;
  XLA_FFI_Values args;
  XLA_FFI_Values rets;
  XLA_FFI_Attrs attrs;
  XLA_FFI_Future* future;  // out: of a handler that ends later
};

typedef XLA_FFI_Error* XLA_FFI_Handler(XLA_FFI_CallFrame* frame);

struct XLA_FFI_Handler_Bundle {
  XLA_FFI_Handler* instantiate;
  XLA_FFI_Handler* prepare;
  XLA_FFI_Handler* initialize;
  XLA_FFI_Handler* execute;
};

// ---- Arguments of the functions of the table

struct XLA_FFI_Error_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  const char* message;
  int32_t errc;
};

struct XLA_FFI_Error_GetMessage_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
  const char* message;  // out
};

struct XLA_FFI_Error_Destroy_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Error* error;
};

struct XLA_FFI_Handler_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_ByteSpan platform;
  XLA_FFI_Handler_Bundle bundle;
  uint32_t traits;
};

struct XLA_FFI_Stream_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void* stream;  // out
};

struct XLA_FFI_Type_Register_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ByteSpan name;
  XLA_FFI_TypeId* type_id;  // in: 0 for a new one; out
  const XLA_FFI_TypeInfo* type_info;
};

struct XLA_FFI_ExecutionContext_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  XLA_FFI_TypeId* type_id;
  void* data;  // out
};

struct XLA_FFI_State_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int32_t stage;
  XLA_FFI_TypeId* type_id;
  void* state;
};

struct XLA_FFI_DeviceMemory_Allocate_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  size_t size;
  size_t alignment;
  void* data;  // out
};

struct XLA_FFI_DeviceMemory_Free_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  size_t size;
  void* data;
};

struct XLA_FFI_ThreadPool_Schedule_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  void (*task)(void* data);
  void* data;
};

struct XLA_FFI_ThreadPool_NumThreads_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t* num_threads;
};

struct XLA_FFI_Future_Create_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;  // out
};

struct XLA_FFI_Future_SetAvailable_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
};

struct XLA_FFI_Future_SetError_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Future* future;
  XLA_FFI_Error* error;  // the callee's
};

struct XLA_FFI_RunId_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int64_t run_id;  // out
};

struct XLA_FFI_DeviceOrdinal_Get_Args {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_ExecutionContext* ctx;
  int32_t device_ordinal;  // out
};

struct XLA_FFI_Api {
  size_t struct_size;
  XLA_FFI_Extension_Base* extension_start;
  XLA_FFI_Api_Version api_version;
  const XLA_FFI_InternalApi* internal_api;
  XLA_FFI_Error* (*error_create)(XLA_FFI_Error_Create_Args* args);
  void (*error_get_message)(XLA_FFI_Error_GetMessage_Args* args);
  void (*error_destroy)(XLA_FFI_Error_Destroy_Args* args);
  XLA_FFI_Error* (*handler_register)(XLA_FFI_Handler_Register_Args* args);
  XLA_FFI_Error* (*stream_get)(XLA_FFI_Stream_Get_Args* args);
  XLA_FFI_Error* (*type_register)(XLA_FFI_Type_Register_Args* args);
  XLA_FFI_Error* (*execution_context_get)(XLA_FFI_ExecutionContext_Get_Args* args);
  XLA_FFI_Error* (*state_set)(XLA_FFI_State_Args* args);
  XLA_FFI_Error* (*state_get)(XLA_FFI_State_Args* args);
  XLA_FFI_Error* (*device_memory_allocate)(XLA_FFI_DeviceMemory_Allocate_Args* args);
  XLA_FFI_Error* (*device_memory_free)(XLA_FFI_DeviceMemory_Free_Args* args);
  XLA_FFI_Error* (*thread_pool_schedule)(XLA_FFI_ThreadPool_Schedule_Args* args);
  XLA_FFI_Error* (*thread_pool_num_threads)(XLA_FFI_ThreadPool_NumThreads_Args* args);
  XLA_FFI_Error* (*future_create)(XLA_FFI_Future_Create_Args* args);
  XLA_FFI_Error* (*future_set_available)(XLA_FFI_Future_SetAvailable_Args* args);
  XLA_FFI_Error* (*future_set_error)(XLA_FFI_Future_SetError_Args* args);
  XLA_FFI_Error* (*run_id_get)(XLA_FFI_RunId_Get_Args* args);
  XLA_FFI_Error* (*device_ordinal_get)(XLA_FFI_DeviceOrdinal_Get_Args* args);
};

}  // extern "C"

static_assert(sizeof(XLA_FFI_Api_Version) == 24 && sizeof(XLA_FFI_Buffer) == 48 && sizeof(XLA_FFI_Scalar) == 16 &&
              sizeof(XLA_FFI_Array) == 24 && sizeof(XLA_FFI_Values) == 40 && sizeof(XLA_FFI_Attrs) == 48);
static_assert(offsetof(XLA_FFI_CallFrame, args) == 40 && offsetof(XLA_FFI_CallFrame, attrs) == 120 &&
              sizeof(XLA_FFI_CallFrame) == 176);
static_assert(offsetof(XLA_FFI_Api, error_create) == 48 && sizeof(XLA_FFI_Api) == 48 + 18 * 8);

#endif  // BINDINGS_PJRT_FFI_API_H_
