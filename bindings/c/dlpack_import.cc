// Buffers from DLPack tensors.
#include <cstring>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "bindings/c/caller_array.h"
#include "bindings/c/caller_input.h"
#include "bindings/c/dlpack_tensor.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// Calls the tensor's deleter when the last copy is gone.
template <typename Tensor>
std::shared_ptr<Tensor> TakeOver(Tensor* tensor) {
  return std::shared_ptr<Tensor>(tensor, [](Tensor* owned) {
    if (owned->deleter != nullptr) owned->deleter(owned);
  });
}

// Only tensors in host memory, of an element type that HLO has, with sizes that fit.
absl::StatusOr<Shape> ShapeOfTensor(const CallerCheck& check, const HaloDLTensor& tensor) {
  if (tensor.device.device_type != kDlpackCpu) {
    return absl::UnimplementedError(
        absl::StrCat("the tensor is on ", DlpackDeviceName(tensor.device),
                     "; only tensors in host memory (cpu) can be taken: copy it there first"));
  }
  const PrimitiveType type = TypeFromDlpack(tensor.dtype);
  if (type == PRIMITIVE_TYPE_INVALID) {
    return absl::UnimplementedError(
        absl::StrCat("the tensor has elements of type ", DlpackTypeName(tensor.dtype), ", which HLO does not have"));
  }
  if (tensor.ndim < 0 || tensor.ndim > Shape::kMaxRank) {
    return check.Error(
        absl::StrCat("the tensor's ndim is ", tensor.ndim, ", expected 0 to ", static_cast<int>(Shape::kMaxRank)));
  }
  if (tensor.ndim > 0) RETURN_IF_ERROR(check.Present(tensor.shape, "the tensor's shape"));
  Shape shape = Shape::Array(type, absl::MakeConstSpan(tensor.shape, static_cast<size_t>(tensor.ndim)));
  RETURN_IF_ERROR(ValidateShape(shape));
  if (shape.ElementCount() > 0) RETURN_IF_ERROR(check.Present(tensor.data, "the tensor's data"));
  return shape;
}

// Empty for a dense row-major tensor.
absl::StatusOr<DimensionVector> ByteStrides(const CallerCheck& check, const HaloDLTensor& tensor, const Shape& shape) {
  DimensionVector strides;
  if (tensor.strides == nullptr || shape.ElementCount() == 0) return strides;
  bool is_dense = true;
  int64_t dense = ByteWidth(shape.element_type());
  strides.resize(shape.rank());
  for (int i = shape.rank() - 1; i >= 0; --i) {
    // Where there is one index only, any stride will do.
    int64_t reach;
    if (shape.dimension(i) == 1) {
      strides[i] = dense;
    } else if (!CheckedMul(tensor.strides[i], ByteWidth(shape.element_type()), &strides[i]) ||
               !CheckedMul(strides[i], shape.dimension(i), &reach)) {
      return check.Error(absl::StrCat("the tensor's stride ", tensor.strides[i], " of dimension ", i, " is too large"));
    }
    is_dense &= strides[i] == dense;
    dense *= shape.dimension(i);
  }
  if (is_dense) strides.clear();
  return strides;
}

// A tensor whose elements share bytes.
absl::StatusOr<Literal> Unpack(const void* data, const Shape& shape) {
  const int bits = BitWidth(shape.element_type());
  if (8 % bits != 0) {
    return absl::UnimplementedError(absl::StrCat("a packed tensor of ", PrimitiveTypeName(shape.element_type()),
                                                 " cannot be taken; pad its elements to a byte each"));
  }
  const int64_t count = shape.ElementCount();
  const auto packed = absl::MakeConstSpan(static_cast<const uint8_t*>(data), CeilDiv(count, 8 / bits));
  ASSIGN_OR_RETURN(const std::vector<uint8_t> elements,
                   UnpackSubByteElements(packed, bits, IsSignedInt(shape.element_type()), count));
  ASSIGN_OR_RETURN(Literal literal, Literal::Allocate(shape));
  if (count > 0) std::memcpy(literal.mutable_data<uint8_t>(), elements.data(), elements.size());
  return literal;
}

// Packed elements of less than a byte are unpacked into a copy; everything else is borrowed or copied as `use` says.
// `owner` keeps the tensor alive as long as its memory is used.
absl::StatusOr<std::unique_ptr<Buffer>> BufferFromTensor(const CallerCheck& check, Client& client, Device& device,
                                                         const HaloDLTensor& tensor, bool is_padded, HostMemoryUse use,
                                                         std::shared_ptr<void> owner) {
  ASSIGN_OR_RETURN(Shape shape, ShapeOfTensor(check, tensor));
  ASSIGN_OR_RETURN(const DimensionVector strides, ByteStrides(check, tensor, shape));
  const char* const data = static_cast<const char*>(tensor.data) + (tensor.data == nullptr ? 0 : tensor.byte_offset);
  if (IsSubByte(shape.element_type()) && !is_padded) {
    if (!strides.empty()) {
      return absl::UnimplementedError(absl::StrCat("a packed tensor of ", PrimitiveTypeName(shape.element_type()),
                                                   " with strides cannot be taken; make it dense first"));
    }
    ASSIGN_OR_RETURN(Literal literal, Unpack(data, shape));
    return client.BufferFromLiteral(std::move(literal), device);
  }
  return client.BufferFromHost(
      data, shape, strides, use, [owner]() mutable { owner.reset(); }, device);
}

absl::Status CheckVersion(const DLManagedTensor&) { return absl::OkStatus(); }
// Of another major version nothing but the version, the context and the deleter may be looked at.
absl::Status CheckVersion(const DLManagedTensorVersioned& tensor) {
  if (tensor.version.major == kDlpackVersion.major) return absl::OkStatus();
  return absl::UnimplementedError(absl::StrCat("the tensor is of DLPack version ", tensor.version.major, ".",
                                               tensor.version.minor, "; this library knows version ",
                                               kDlpackVersion.major));
}

bool IsPadded(const DLManagedTensor&) { return false; }
bool IsPadded(const DLManagedTensorVersioned& tensor) { return (tensor.flags & kDlpackPadded) != 0; }

// Takes over the tensor, errors included: DLPack has the consumer call the deleter, and the caller must not.
template <typename Tensor>
absl::Status Import(const CallerCheck& check, halo_client* client, halo_device* device, Tensor* tensor,
                    halo_memory_use use, halo_buffer** out) {
  // First of all, because whatever is wrong with the rest, the tensor is ours now.
  std::shared_ptr<Tensor> owner = tensor == nullptr ? nullptr : TakeOver(tensor);
  RETURN_IF_ERROR(check.Present(out, "buffer"));
  *out = nullptr;
  RETURN_IF_ERROR(check.Present(tensor, "tensor"));
  RETURN_IF_ERROR(check.Live(client, "client"));
  RETURN_IF_ERROR(CheckVersion(*tensor));
  ASSIGN_OR_RETURN(Device* const place, DeviceOf(check, *client->client, device));
  ASSIGN_OR_RETURN(const HostMemoryUse memory_use, MemoryUseOf(use));
  absl::StatusOr<std::unique_ptr<Buffer>> made =
      BufferFromTensor(check, *client->client, *place, tensor->dl_tensor, IsPadded(*tensor), memory_use, owner);
  if (!made.ok()) return made.status();
  *out = new halo_buffer(*std::move(made));
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

halo_status* halo_buffer_from_dlpack(halo_client* client, halo_device* device, struct DLManagedTensor* tensor,
                                     halo_memory_use use, halo_buffer** buffer) {
  return xla::Guarded(
      __func__, [&](const xla::CallerCheck& check) { return xla::Import(check, client, device, tensor, use, buffer); });
}

halo_status* halo_buffer_from_dlpack_versioned(halo_client* client, halo_device* device,
                                               struct DLManagedTensorVersioned* tensor, halo_memory_use use,
                                               halo_buffer** buffer) {
  return xla::Guarded(
      __func__, [&](const xla::CallerCheck& check) { return xla::Import(check, client, device, tensor, use, buffer); });
}
