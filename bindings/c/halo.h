/* Halo's C interface: load a program in HLO, compile it for a backend, run it. C99 and C++.
 *
 *   halo_module* module = NULL;
 *   halo_client* client = NULL;
 *   halo_executable* program = NULL;
 *   halo_status* error = halo_module_load_file("model.hlo", NULL, &module);
 *   if (error == NULL) error = halo_client_create("cpu", NULL, &client);
 *   if (error == NULL) error = halo_client_compile(client, module, NULL, &program);
 *   if (error == NULL) error = halo_executable_run(program, arguments, 2, results, 1, NULL);
 *   if (error != NULL) fprintf(stderr, "%s\n", halo_status_message(error));
 *
 * Errors. What can fail returns a halo_status*: NULL is success; anything else is an error, which the caller frees with
 * halo_status_free. Results go through the last pointers of the parameter list; they are set to NULL (or 0) on failure.
 * Functions that cannot fail return their result; for a NULL handle that is 0, NULL or "".
 * Nothing here ends the process or throws. NULL where a value is needed, a handle of another kind and sizes that do not
 * fit are errors; a handle that was freed is noticed where that is possible.
 *
 * Ownership. A handle that a function gives through a `**` parameter belongs to the caller, who frees it with
 * halo_<kind>_free; NULL is fine there. What comes as a `const halo_shape*`, `halo_device*` or `const char*` result
 * belongs to the handle it was asked of, and lives as long. Handles keep alive what they need: a client may be freed
 * before its executables and buffers, a module before its executables. Text and bytes that come through a `char**` are
 * freed with halo_free. Arguments are copied where they must outlive the call, unless the function says otherwise.
 *
 * Threads. Every function may be called from any thread, and at the same time on the same handles, except that no
 * thread may use a handle while or after it is freed.
 *
 * Options. A struct of options begins with its size: initialise it with its HALO_..._INIT, then set fields. NULL stands
 * for all defaults, and zero is the default of every field. Fields are only ever added at the end, so that programs
 * run with newer libraries; an older library refuses a field that it does not know unless it is zero.
 *
 * Data. Arrays in host memory are row-major unless they have strides, in the byte order of the machine. pred takes one
 * byte, and any but 0 is true; types narrower than a byte (s4, f4e2m1fn, ...) take the low bits of one byte per
 * element.
 */
#ifndef HALO_BINDINGS_C_HALO_H_
#define HALO_BINDINGS_C_HALO_H_

#include <stddef.h>
#include <stdint.h>

#define HALO_VERSION_MAJOR 0
#define HALO_VERSION_MINOR 1
#define HALO_VERSION_PATCH 0
/* Changes when programs must be compiled again; the number behind libhalo.so. */
#define HALO_ABI_VERSION 0

#if defined(__GNUC__)
#define HALO_EXPORT __attribute__((visibility("default")))
#else
#define HALO_EXPORT
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef struct halo_status halo_status;
typedef struct halo_module halo_module;
typedef struct halo_client halo_client;
typedef struct halo_device halo_device;
typedef struct halo_executable halo_executable;
typedef struct halo_buffer halo_buffer;
typedef struct halo_event halo_event;
typedef struct halo_cancellation halo_cancellation;
typedef struct halo_shape halo_shape;

/* Of dlpack.h, which is not needed to compile this header. */
struct DLManagedTensor;
struct DLManagedTensorVersioned;

/* ---- Version ---- */

/* HALO_ABI_VERSION of the library at run time. */
HALO_EXPORT int32_t halo_abi_version(void);
/* "0.1.0": of the library at run time. */
HALO_EXPORT const char* halo_version(void);

/* ---- Errors and memory ---- */

typedef int32_t halo_code;
enum {
  HALO_OK = 0,
  HALO_CANCELLED = 1,
  HALO_UNKNOWN = 2,
  HALO_INVALID_ARGUMENT = 3, /* the caller, or the program, is wrong; the message says what was expected */
  HALO_DEADLINE_EXCEEDED = 4,
  HALO_NOT_FOUND = 5, /* a file or a backend */
  HALO_ALREADY_EXISTS = 6,
  HALO_PERMISSION_DENIED = 7,
  HALO_RESOURCE_EXHAUSTED = 8,  /* memory, steps, space on a disk */
  HALO_FAILED_PRECONDITION = 9, /* a buffer that is gone; a deadlock of the program */
  HALO_ABORTED = 10,
  HALO_OUT_OF_RANGE = 11,
  HALO_UNIMPLEMENTED = 12, /* right, but not by this backend or build */
  HALO_INTERNAL = 13,      /* a fault of Halo */
  HALO_UNAVAILABLE = 14    /* a device, or a part of the library, that is not there */
};

/* HALO_OK for NULL. */
HALO_EXPORT halo_code halo_status_code(const halo_status* status);
/* For people: lower case, no newline at the end; errors in HLO text have several lines. "" for NULL. */
HALO_EXPORT const char* halo_status_message(const halo_status* status);
HALO_EXPORT void halo_status_free(halo_status* status);
/* "INVALID_ARGUMENT"; "UNKNOWN" for a number that is no code. */
HALO_EXPORT const char* halo_code_name(halo_code code);
/* Frees what a `char**` parameter gave. */
HALO_EXPORT void halo_free(void* memory);

/* ---- Element types and shapes ---- */

/* The numbers are those of XLA's protobuf enum PrimitiveType. */
typedef int32_t halo_element_type;
enum {
  HALO_TYPE_INVALID = 0,
  HALO_PRED = 1,
  HALO_S8 = 2,
  HALO_S16 = 3,
  HALO_S32 = 4,
  HALO_S64 = 5,
  HALO_U8 = 6,
  HALO_U16 = 7,
  HALO_U32 = 8,
  HALO_U64 = 9,
  HALO_F16 = 10,
  HALO_F32 = 11,
  HALO_F64 = 12,
  HALO_TUPLE = 13,
  HALO_OPAQUE = 14,
  HALO_C64 = 15,
  HALO_BF16 = 16,
  HALO_TOKEN = 17,
  HALO_C128 = 18,
  HALO_F8E5M2 = 19,
  HALO_F8E4M3FN = 20,
  HALO_S4 = 21,
  HALO_U4 = 22,
  HALO_F8E4M3B11FNUZ = 23,
  HALO_F8E5M2FNUZ = 24,
  HALO_F8E4M3FNUZ = 25,
  HALO_S2 = 26,
  HALO_U2 = 27,
  HALO_F8E4M3 = 28,
  HALO_F8E3M4 = 29,
  HALO_S1 = 30,
  HALO_U1 = 31,
  HALO_F4E2M1FN = 32,
  HALO_F8E8M0FNU = 33,
  HALO_BUFFER = 34,
  HALO_F6E3M2FN = 35,
  HALO_F6E2M3FN = 36
};

/* As HLO text spells it: "f32". "invalid" for a number that is no type. */
HALO_EXPORT const char* halo_element_type_name(halo_element_type type);
/* HALO_TYPE_INVALID if there is no such type. */
HALO_EXPORT halo_element_type halo_element_type_from_name(const char* name);
/* Bytes of one element in host memory; 0 for what is no element of an array. */
HALO_EXPORT size_t halo_element_type_size(halo_element_type type);

/* HALO_TUPLE and HALO_TOKEN for what is not an array. */
HALO_EXPORT halo_element_type halo_shape_element_type(const halo_shape* shape);
HALO_EXPORT size_t halo_shape_rank(const halo_shape* shape);
/* halo_shape_rank of them; NULL for rank 0. A dynamic dimension has its bound. */
HALO_EXPORT const int64_t* halo_shape_dimensions(const halo_shape* shape);
HALO_EXPORT int halo_shape_is_dynamic_dimension(const halo_shape* shape, size_t dimension);
/* Bytes of such a value, dense, in host memory. 0 if a dimension has no bound. */
HALO_EXPORT size_t halo_shape_byte_size(const halo_shape* shape);
/* Elements of a tuple; 0 for what is none. */
HALO_EXPORT size_t halo_shape_tuple_size(const halo_shape* shape);
/* NULL if there is no such element. */
HALO_EXPORT const halo_shape* halo_shape_tuple_element(const halo_shape* shape, size_t index);
/* "f32[2,3]". */
HALO_EXPORT halo_status* halo_shape_to_string(const halo_shape* shape, char** text);

/* ---- Modules: programs as they were read ---- */

typedef struct halo_load_options {
  size_t struct_size;
  const char* name;                      /* what messages call the program; by default the path, or "<memory>" */
  const char* module;                    /* of a file with several modules, which: its name, or its number from 0 */
  int32_t unverified;                    /* not 0: do not check HLO's rules now; compiling still does */
  double timeout_seconds;                /* DEADLINE_EXCEEDED; 0: none */
  const halo_cancellation* cancellation; /* CANCELLED; may be NULL */
} halo_load_options;
#define HALO_LOAD_OPTIONS_INIT \
  { sizeof(halo_load_options), NULL, NULL, 0, 0, NULL }

/* Reads HLO or StableHLO text, a StableHLO artifact, or a HloModuleProto, HloProto or HloSnapshot, binary or text, whichever `data` holds,
 * and verifies it. INVALID_ARGUMENT: it is none of these (with line, column and a caret for text), breaks HLO's rules
 * (a line for each violation), or has several modules and none was chosen. */
HALO_EXPORT halo_status* halo_module_load(const void* data, size_t size, const halo_load_options* options,
                                          halo_module** module);
/* The same from a file. NOT_FOUND, PERMISSION_DENIED, UNAVAILABLE if it cannot be read. */
HALO_EXPORT halo_status* halo_module_load_file(const char* path, const halo_load_options* options,
                                               halo_module** module);
HALO_EXPORT void halo_module_free(halo_module* module);
/* INVALID_ARGUMENT with a line for each violation of HLO's rules. */
HALO_EXPORT halo_status* halo_module_verify(const halo_module* module);

HALO_EXPORT const char* halo_module_name(const halo_module* module);
/* "HLO text", "StableHLO text", "StableHLO bytecode", "binary protobuf" or "text protobuf". */
HALO_EXPORT const char* halo_module_format(const halo_module* module);
/* What was dropped or changed in reading a protobuf; NULL after the last. */
HALO_EXPORT size_t halo_module_warning_count(const halo_module* module);
HALO_EXPORT const char* halo_module_warning(const halo_module* module, size_t index);
HALO_EXPORT int64_t halo_module_instruction_count(const halo_module* module);
/* As the module's header says; 1 unless it does. */
HALO_EXPORT int64_t halo_module_replica_count(const halo_module* module);
HALO_EXPORT int64_t halo_module_partition_count(const halo_module* module);
/* The entry computation. NULL for an index that is too large, or in an unverified module that lacks it. */
HALO_EXPORT size_t halo_module_parameter_count(const halo_module* module);
HALO_EXPORT const char* halo_module_parameter_name(const halo_module* module, size_t index);
HALO_EXPORT const halo_shape* halo_module_parameter_shape(const halo_module* module, size_t index);
/* A program whose result is a tuple has the tuple's elements as results (tuples within stay tuples); any other has one
 * result. The name is that of the instruction that computes it. */
HALO_EXPORT size_t halo_module_result_count(const halo_module* module);
HALO_EXPORT const char* halo_module_result_name(const halo_module* module, size_t index);
HALO_EXPORT const halo_shape* halo_module_result_shape(const halo_module* module, size_t index);

typedef int32_t halo_text_style;
enum {
  HALO_TEXT_LONG = 0,     /* as XLA prints in full */
  HALO_TEXT_SHORT = 1,    /* without metadata, signatures, percent signs */
  HALO_TEXT_CANONICAL = 2 /* independent of names */
};

typedef struct halo_print_options {
  size_t struct_size;
  halo_text_style style;
  int32_t elide_large_constants; /* not 0: {...} for more than ten elements; such text cannot be run */
  int32_t without_metadata;
} halo_print_options;
#define HALO_PRINT_OPTIONS_INIT \
  { sizeof(halo_print_options), HALO_TEXT_LONG, 0, 0 }

/* HLO text; ends with a zero byte, which `size` (may be NULL) does not count. Free it with halo_free. */
HALO_EXPORT halo_status* halo_module_to_text(const halo_module* module, const halo_print_options* options, char** text,
                                             size_t* size);

typedef int32_t halo_proto_encoding;
enum { HALO_PROTO_BINARY = 0, HALO_PROTO_TEXT = 1 };

/* A HloModuleProto, free it with halo_free. INVALID_ARGUMENT if the module cannot be expressed in one. */
HALO_EXPORT halo_status* halo_module_to_proto(const halo_module* module, halo_proto_encoding encoding, char** data,
                                              size_t* size);

/* ---- Clients and devices: backends at work ---- */

HALO_EXPORT size_t halo_backend_count(void);
/* Sorted; NULL if `index` is too large. */
HALO_EXPORT const char* halo_backend_name(size_t index);

typedef struct halo_client_options {
  size_t struct_size;
  int64_t device_count;     /* devices to make; 0: as many as there are, 1 on the host */
  int32_t threads;          /* that share the loops of one execution; 0: one per CPU. Results do not depend on it */
  int64_t max_memory_bytes; /* for buffers and values; 0: 80 % of what there is */
  int64_t process_index;    /* of process_count that form one client together */
  int64_t process_count;    /* 0: 1 */
  /* Settings of the backend, setting_count names and as many values. */
  const char* const* setting_names;
  const char* const* setting_values;
  size_t setting_count;
} halo_client_options;
#define HALO_CLIENT_OPTIONS_INIT \
  { sizeof(halo_client_options), 0, 0, 0, 0, 0, NULL, NULL, 0 }

/* A client of "interpreter", which is always right, of "cpu", which compiles, or of "vulkan", which compiles for devices
 * with Vulkan (its setting "device" chooses one by name or number); halo_backend_name lists what there is. NOT_FOUND for
 * an unknown backend or device (with those there are), UNAVAILABLE if there is no device, with what is missing,
 * INVALID_ARGUMENT for options that do not fit. */
HALO_EXPORT halo_status* halo_client_create(const char* backend, const halo_client_options* options,
                                            halo_client** client);
HALO_EXPORT void halo_client_free(halo_client* client);
HALO_EXPORT const char* halo_client_platform_name(const halo_client* client);
HALO_EXPORT const char* halo_client_platform_version(const halo_client* client);
/* The devices of this process. */
HALO_EXPORT size_t halo_client_device_count(const halo_client* client);
/* NULL if `index` is too large. Lives as long as the client or anything made with it. */
HALO_EXPORT halo_device* halo_client_device(const halo_client* client, size_t index);

/* -1 for NULL. */
HALO_EXPORT int64_t halo_device_id(const halo_device* device);
HALO_EXPORT const char* halo_device_kind(const halo_device* device);
/* For people: "interpreter device 0". */
HALO_EXPORT const char* halo_device_description(const halo_device* device);

typedef struct halo_device_memory {
  size_t struct_size;
  int64_t bytes_in_use;
  int64_t peak_bytes_in_use;
  int64_t bytes_limit; /* devices that share the host's memory share its limit */
} halo_device_memory;
#define HALO_DEVICE_MEMORY_INIT \
  { sizeof(halo_device_memory), 0, 0, 0 }
HALO_EXPORT halo_status* halo_device_get_memory(const halo_device* device, halo_device_memory* memory);

/* Puts the buffer's value into the queue that programs on the device read with infeed. */
HALO_EXPORT halo_status* halo_device_infeed(halo_device* device, const halo_buffer* value);
/* Takes the next value that a program on the device wrote with outfeed; waits for it at most timeout_seconds (0:
 * without a limit), until `cancellation` (may be NULL). INVALID_ARGUMENT, and the value stays, if its shape is not
 * `shape`:
 * "(f32[2], s32[])". */
HALO_EXPORT halo_status* halo_device_outfeed(halo_device* device, const char* shape, double timeout_seconds,
                                             const halo_cancellation* cancellation, halo_buffer** value);

/* ---- Buffers: values on a device ---- */

/* An array in the caller's memory. */
typedef struct halo_array {
  void* data; /* not written to in an argument */
  size_t byte_size;
  halo_element_type element_type;
  int32_t rank;
  const int64_t* dimensions;   /* rank of them */
  const int64_t* byte_strides; /* rank of them; NULL: dense, then byte_size is exactly that of the array. Not negative,
                                  and every element lies in the byte_size bytes at data */
} halo_array;

typedef int32_t halo_memory_use;
enum {
  HALO_MEMORY_COPY = 0, /* read during the call */
  /* The buffer lives in the caller's memory, where the backend can do so and the array is dense and aligned, and copies
   * it otherwise. The memory must not change before it is released. */
  HALO_MEMORY_BORROW = 1
};

/* `device` may be NULL: the client's first. `release`, unless NULL, is called exactly once with `user`, from any
 * thread, when the memory is not needed any more; also if the call fails, then before it returns. */
HALO_EXPORT halo_status* halo_buffer_from_host(halo_client* client, halo_device* device, const halo_array* array,
                                               halo_memory_use use, void (*release)(void* user), void* user,
                                               halo_buffer** buffer);
/* Of a tensor in host memory (kDLCPU), which is taken over: its deleter is called exactly once, from any thread, when
 * the memory is not needed any more; also if the call fails, then before it returns. Any strides and byte offset. With
 * HALO_MEMORY_BORROW as above. UNIMPLEMENTED for another device or an element type that HLO lacks. */
HALO_EXPORT halo_status* halo_buffer_from_dlpack(halo_client* client, halo_device* device,
                                                 struct DLManagedTensor* tensor, halo_memory_use use,
                                                 halo_buffer** buffer);
/* The same for DLPack 1.x, and UNIMPLEMENTED for a later major version. */
HALO_EXPORT halo_status* halo_buffer_from_dlpack_versioned(halo_client* client, halo_device* device,
                                                           struct DLManagedTensorVersioned* tensor, halo_memory_use use,
                                                           halo_buffer** buffer);
/* A value written as in HLO: "f32[2]{0} {1, 2}", "(s32[] 1, pred[] true)"; arrays need their layout. */
HALO_EXPORT halo_status* halo_buffer_from_text(halo_client* client, halo_device* device, const char* text,
                                               halo_buffer** buffer);
/* A tuple of the values of `elements`, which stay as they are. */
HALO_EXPORT halo_status* halo_buffer_from_tuple(halo_client* client, halo_device* device,
                                                const halo_buffer* const* elements, size_t element_count,
                                                halo_buffer** buffer);
/* The memory is given back as soon as no execution uses it. */
HALO_EXPORT void halo_buffer_free(halo_buffer* buffer);

HALO_EXPORT const halo_shape* halo_buffer_shape(const halo_buffer* buffer);
HALO_EXPORT halo_device* halo_buffer_device(const halo_buffer* buffer);
/* Bytes it takes on its device; 0 once an execution has taken it over. */
HALO_EXPORT size_t halo_buffer_size_on_device(const halo_buffer* buffer);
/* Whether it still has its value: 0 once an execution has taken it over (donation). */
HALO_EXPORT int halo_buffer_is_live(const halo_buffer* buffer);
/* Happens when the value is there, or with the error because of which it never will be. */
HALO_EXPORT halo_status* halo_buffer_ready(const halo_buffer* buffer, halo_event** event);
/* Waits for the value and copies it, dense and row-major. `byte_size` must be that of the shape. */
HALO_EXPORT halo_status* halo_buffer_to_host(const halo_buffer* buffer, void* destination, size_t byte_size);
/* The same without waiting; `destination` must stay valid until the event has happened. */
HALO_EXPORT halo_status* halo_buffer_to_host_async(const halo_buffer* buffer, void* destination, size_t byte_size,
                                                   halo_event** done);
/* Sizes of the dimensions now, where the shape has bounds: `rank` of them. Waits for the value. */
HALO_EXPORT halo_status* halo_buffer_dynamic_dimensions(const halo_buffer* buffer, int64_t* dimensions, size_t rank);
/* "f32[2]{0} {1, 2}", free it with halo_free. Waits for the value. */
HALO_EXPORT halo_status* halo_buffer_to_text(const halo_buffer* buffer, char** text);
/* A tensor that shares the buffer's memory where the backend can show it, else has a copy. Waits for the value. The
 * tensor outlives the buffer; whoever has it calls its deleter once. It must not be written to: the versioned form says
 * so in its flags. While it lives the buffer cannot be donated. UNIMPLEMENTED for a tuple, and for types that DLPack
 * lacks; types narrower than a byte need the versioned form, which says that they are padded. */
HALO_EXPORT halo_status* halo_buffer_to_dlpack(halo_buffer* buffer, struct DLManagedTensor** tensor);
HALO_EXPORT halo_status* halo_buffer_to_dlpack_versioned(halo_buffer* buffer, struct DLManagedTensorVersioned** tensor);
/* A buffer of the same value on another device of the same client. */
HALO_EXPORT halo_status* halo_buffer_copy_to_device(const halo_buffer* buffer, halo_device* device, halo_buffer** copy);
/* A buffer of one element of a tuple. Waits for the value. */
HALO_EXPORT halo_status* halo_buffer_tuple_element(const halo_buffer* buffer, size_t index, halo_buffer** element);

/* ---- Executables: compiled programs ---- */

typedef int32_t halo_optimization;
enum {
  HALO_OPTIMIZATION_DEFAULT = 0,
  HALO_OPTIMIZATION_FAST_COMPILE = 1,
  HALO_OPTIMIZATION_USUAL = 2,
  HALO_OPTIMIZATION_FULL = 3 /* whatever it takes */
};

typedef struct halo_compile_options {
  size_t struct_size;
  int64_t replica_count;   /* copies that run together; 0: as the module says */
  int64_t partition_count; /* parts of each; 0: as the module says */
  /* Ids of the devices, that of (replica r, partition p) at r * partition_count + p. NULL: the client's first. */
  const int64_t* device_ids;
  size_t device_id_count;
  halo_optimization optimization;
  int32_t fast_math; /* not 0: allows rewrites that can change NaNs, infinities, signs of zeros or last bits */
  /* Settings of the backend, setting_count names and as many values; those of cpu: backends/cpu/compile_settings.h. */
  const char* const* setting_names;
  const char* const* setting_values;
  size_t setting_count;
  double timeout_seconds;                /* DEADLINE_EXCEEDED; 0: none */
  const halo_cancellation* cancellation; /* CANCELLED; may be NULL */
  int64_t max_memory_bytes;              /* for values that are computed meanwhile, RESOURCE_EXHAUSTED; 0: no limit */
  /* Not 0: the module is a program on whole arrays, with shardings, and is cut for its partitions. Arguments and
   * results are those of each device. */
  int32_t spmd;
} halo_compile_options;
#define HALO_COMPILE_OPTIONS_INIT \
  { sizeof(halo_compile_options), 0, 0, NULL, 0, HALO_OPTIMIZATION_DEFAULT, 0, NULL, NULL, 0, 0, NULL, 0, 0 }

/* The module is shared with the executable, not copied. INVALID_ARGUMENT if it breaks HLO's rules or the options do not
 * fit (more devices than the client has); UNIMPLEMENTED if no backend can run an instruction. */
HALO_EXPORT halo_status* halo_client_compile(halo_client* client, const halo_module* module,
                                             const halo_compile_options* options, halo_executable** executable);
/* Bytes from which halo_client_deserialize makes the executable again, in this process or another. */
HALO_EXPORT halo_status* halo_executable_serialize(const halo_executable* executable, char** data, size_t* size);
HALO_EXPORT halo_status* halo_client_deserialize(halo_client* client, const void* data, size_t size,
                                                 const halo_compile_options* options, halo_executable** executable);
HALO_EXPORT void halo_executable_free(halo_executable* executable);

HALO_EXPORT const char* halo_executable_name(const halo_executable* executable);
HALO_EXPORT int64_t halo_executable_replica_count(const halo_executable* executable);
HALO_EXPORT int64_t halo_executable_partition_count(const halo_executable* executable);
/* The devices of this process that it runs on, by replica, then partition. */
HALO_EXPORT size_t halo_executable_device_count(const halo_executable* executable);
HALO_EXPORT halo_device* halo_executable_device(const halo_executable* executable, size_t index);
/* Of one device; results as in halo_module_result_count. */
HALO_EXPORT size_t halo_executable_parameter_count(const halo_executable* executable);
HALO_EXPORT const halo_shape* halo_executable_parameter_shape(const halo_executable* executable, size_t index);
HALO_EXPORT size_t halo_executable_result_count(const halo_executable* executable);
HALO_EXPORT const halo_shape* halo_executable_result_shape(const halo_executable* executable, size_t index);
/* Equal for equal programs compiled with equal options by equal backends. */
HALO_EXPORT const char* halo_executable_fingerprint(const halo_executable* executable);
/* Stages of the compilation with their times, and what the backend leaves to the interpreter; a line each. Free it with
 * halo_free. */
HALO_EXPORT halo_status* halo_executable_report(const halo_executable* executable, char** text);

typedef struct halo_cost {
  size_t struct_size;
  double flops;                    /* operations; a multiply-add counts as two */
  double transcendentals;          /* exp, log, tanh ... among them */
  double bytes_accessed;           /* operands and results of every instruction */
  int32_t has_unknown_trip_counts; /* not 0: a loop counts as one iteration */
} halo_cost;
#define HALO_COST_INIT \
  { sizeof(halo_cost), 0, 0, 0, 0 }
/* What one run costs, from shapes alone. */
HALO_EXPORT halo_status* halo_executable_cost(const halo_executable* executable, halo_cost* cost);

typedef struct halo_memory_need {
  size_t struct_size;
  int64_t argument_bytes;
  int64_t output_bytes;
  int64_t alias_bytes;     /* of the output, in memory of donated arguments */
  int64_t temporary_bytes; /* an upper bound */
  int64_t code_bytes;
} halo_memory_need;
#define HALO_MEMORY_NEED_INIT \
  { sizeof(halo_memory_need), 0, 0, 0, 0, 0 }
/* Bytes on each device. */
HALO_EXPORT halo_status* halo_executable_memory_need(const halo_executable* executable, halo_memory_need* need);

/* ---- Running ---- */

/* Stops what it was given to (reading, compilations, executions, waits), from any thread, once and for good. */
HALO_EXPORT halo_status* halo_cancellation_create(halo_cancellation** cancellation);
HALO_EXPORT void halo_cancellation_cancel(halo_cancellation* cancellation);
/* What it was given to goes on, and cannot be cancelled any more. */
HALO_EXPORT void halo_cancellation_free(halo_cancellation* cancellation);

typedef struct halo_execution_report {
  size_t struct_size;
  int64_t steps;          /* instructions evaluated, on all devices */
  int64_t fallback_steps; /* those of them that the interpreter ran for a backend that cannot */
  int64_t peak_memory_bytes;
  double elapsed_seconds;
} halo_execution_report;
#define HALO_EXECUTION_REPORT_INIT \
  { sizeof(halo_execution_report), 0, 0, 0, 0 }

typedef int32_t halo_execution_mode;
enum {
  HALO_EXECUTE_DEFAULT = 0, /* the backend's choice */
  HALO_EXECUTE_INLINE = 1,  /* all is done when the call returns, and errors are its result */
  HALO_EXECUTE_ASYNC = 2    /* the call returns at once; errors of the run are in the events of the results */
};

typedef struct halo_execute_options {
  size_t struct_size;
  halo_execution_mode mode;
  uint64_t seed;                         /* of rng */
  double timeout_seconds;                /* DEADLINE_EXCEEDED; 0: none */
  const halo_cancellation* cancellation; /* CANCELLED; may be NULL */
  int64_t max_steps;                     /* instructions per device, RESOURCE_EXHAUSTED; 0: no limit */
  int64_t max_memory_bytes;              /* for values, RESOURCE_EXHAUSTED; 0: as the client's */
  /* Numbers of parameters whose buffers the execution takes over, besides those that the module names; and of those
   * that it must leave alone although the module names them. */
  const int64_t* donated_parameters;
  size_t donated_parameter_count;
  const int64_t* kept_parameters;
  size_t kept_parameter_count;
  int64_t launch_id; /* pairs the launches of several processes */
  /* (entry instructions done, all of them, progress_user), from the thread that runs the first device; may be NULL. */
  void (*progress)(int64_t done, int64_t total, void* user);
  void* progress_user;
  /* Filled when the run is over, also if it failed; the call then waits for that. Not with HALO_EXECUTE_ASYNC. */
  halo_execution_report* report;
} halo_execute_options;
#define HALO_EXECUTE_OPTIONS_INIT \
  { sizeof(halo_execute_options), HALO_EXECUTE_DEFAULT, 0, 0, NULL, 0, 0, NULL, 0, NULL, 0, 0, NULL, NULL, NULL }

/* Runs on arrays in the caller's memory and waits. An array for each parameter, and one for each result, which is
 * filled; element type, dimensions and size of each must be those of the program. For several devices, first all arrays
 * of device 0, then those of device 1. INVALID_ARGUMENT if an array does not fit (nothing was run then), or if a
 * parameter or result is not an array: use halo_executable_execute. Contents of result arrays after an error are not
 * defined. */
HALO_EXPORT halo_status* halo_executable_run(halo_executable* executable, const halo_array* arguments,
                                             size_t argument_count, const halo_array* results, size_t result_count,
                                             const halo_execute_options* options);
/* Runs on buffers, which need not be ready. A buffer for each parameter; `results` gets new buffers, result_count of
 * them, for each device in turn as above. `done`, unless NULL, gets an event that happens when all devices have ended.
 */
HALO_EXPORT halo_status* halo_executable_execute(halo_executable* executable, const halo_buffer* const* arguments,
                                                 size_t argument_count, halo_buffer** results, size_t result_count,
                                                 const halo_execute_options* options, halo_event** done);

/* ---- Events ---- */

/* 1 if it has happened, with success or with an error. */
HALO_EXPORT int halo_event_is_ready(const halo_event* event);
/* Waits at most timeout_seconds (0: without a limit) and gives what it happened with; DEADLINE_EXCEEDED if it did not.
 */
HALO_EXPORT halo_status* halo_event_wait(const halo_event* event, double timeout_seconds);
/* Calls `callback` once when the event happens, at once if it has. The status belongs to the callback, NULL is success.
 * The callback must not wait for other events. */
HALO_EXPORT halo_status* halo_event_on_ready(const halo_event* event, void (*callback)(halo_status* status, void* user),
                                             void* user);
HALO_EXPORT void halo_event_free(halo_event* event);

/* ---- Custom calls ---- */

/* Gives custom-call instructions with this target a function, in this process: `out` is the result array (for a tuple,
 * an array of pointers to its elements), `in` has a pointer for each operand. Dense, row-major. The function may be
 * called from several threads at once. ALREADY_EXISTS if the target has one. */
HALO_EXPORT halo_status* halo_custom_call_register(const char* target, void (*function)(void* out, const void** in));

#ifdef __cplusplus
}
#endif

#endif /* HALO_BINDINGS_C_HALO_H_ */
