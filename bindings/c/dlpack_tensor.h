// DLPack's structs, and how its element types correspond to HLO's.
//
// Written here once more so that neither Halo nor its users need DLPack's header: the layout is its binary interface.
// Source: DLPack 1.1, dlpack.h.
#ifndef BINDINGS_C_DLPACK_TENSOR_H_
#define BINDINGS_C_DLPACK_TENSOR_H_

#include <cstdint>
#include <string>

#include "absl/types/optional.h"
#include "xla_core/types/primitive_type.h"

// DLDevice: where the data is. Only kDlpackCpu is accepted; `device_id` is 0 there.
struct HaloDLDevice {
  int32_t device_type;
  int32_t device_id;
};

// DLDataType. `code`: 0 signed, 1 unsigned, 2 float, 4 bfloat16, 5 complex, 6 bool, and from 7 on the 8-bit floats
// (DLDataTypeCode).
struct HaloDLDataType {
  uint8_t code;
  uint8_t bits;    // of one element; of both parts for complex numbers
  uint16_t lanes;  // elements of a vector type; 1 for all that HLO knows
};

// DLTensor: a strided view of memory that it does not own. The first element is `byte_offset` bytes after `data`.
struct HaloDLTensor {
  void* data;
  HaloDLDevice device;
  int32_t ndim;
  HaloDLDataType dtype;
  int64_t* shape;
  int64_t* strides;  // in elements; nullptr: dense and row-major
  uint64_t byte_offset;
};

// DLPack's struct before version 1.0: a tensor that its consumer gives back by calling `deleter` once (nullptr:
// nothing to do). `manager_ctx` belongs to the producer. The name is DLPack's own, because halo.h declares functions
// with it.
struct DLManagedTensor {
  HaloDLTensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(DLManagedTensor* self);
};

// DLPackVersion. A consumer must not touch anything but `version` and `deleter` of a tensor with another major
// version.
struct HaloDLPackVersion {
  uint32_t major;
  uint32_t minor;
};

// The same since version 1.0, with flags (kDlpackReadOnly ...). Fields have another order than in DLManagedTensor.
struct DLManagedTensorVersioned {
  HaloDLPackVersion version;
  void* manager_ctx;
  void (*deleter)(DLManagedTensorVersioned* self);
  uint64_t flags;
  HaloDLTensor dl_tensor;
};

namespace xla {

constexpr HaloDLPackVersion kDlpackVersion = {1, 1};
constexpr int32_t kDlpackCpu = 1;
constexpr uint64_t kDlpackReadOnly = 1;
constexpr uint64_t kDlpackIsCopied = 2;
// Types narrower than a byte take one byte per element; packed without this flag.
constexpr uint64_t kDlpackPadded = 4;

// PRIMITIVE_TYPE_INVALID if HLO has no such type.
PrimitiveType TypeFromDlpack(HaloDLDataType type);
absl::optional<HaloDLDataType> TypeToDlpack(PrimitiveType type);

// For messages: "float64 x 2 lanes", "cuda:0".
std::string DlpackTypeName(HaloDLDataType type);
std::string DlpackDeviceName(HaloDLDevice device);

}  // namespace xla

#endif  // BINDINGS_C_DLPACK_TENSOR_H_
