// DLPack tensors from buffers.
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/backend.h"
#include "bindings/c/dlpack_tensor.h"
#include "bindings/c/halo.h"
#include "bindings/c/handles.h"
#include "bindings/c/status.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace {

// A tensor with everything that it points to. Its deleter deletes this.
template <typename Tensor>
struct ExportedTensor {
  Tensor tensor = {};
  DimensionVector dimensions;
  DimensionVector strides;
  // The memory: that of the buffer, or where it cannot be shown, a copy.
  std::unique_ptr<ExternalReference> reference;
  Literal copy;
};

void SetHeader(DLManagedTensor&, bool, bool) {}
void SetHeader(DLManagedTensorVersioned& tensor, bool is_copy, bool is_padded) {
  tensor.version = kDlpackVersion;
  tensor.flags = kDlpackReadOnly | (is_copy ? kDlpackIsCopied : 0) | (is_padded ? kDlpackPadded : 0);
}

// False for a form of tensor that cannot say that its elements are padded.
bool CanBePadded(const DLManagedTensor*) { return false; }
bool CanBePadded(const DLManagedTensorVersioned*) { return true; }

// Fills in where the elements are.
template <typename Tensor>
absl::Status HoldMemory(Buffer& buffer, ExportedTensor<Tensor>& exported) {
  absl::StatusOr<std::unique_ptr<ExternalReference>> reference = buffer.AcquireExternalReference();
  if (reference.ok() && (*reference)->memory() == ExternalReference::Memory::kHost) {
    exported.reference = *std::move(reference);
    exported.tensor.dl_tensor.data = exported.reference->data();
    return absl::OkStatus();
  }
  if (!reference.ok() && !absl::IsUnimplemented(reference.status())) return reference.status();
  ASSIGN_OR_RETURN(exported.copy, buffer.ToLiteral());
  RETURN_IF_ERROR(exported.copy.MakeWritable(nullptr));
  exported.tensor.dl_tensor.data = exported.copy.untyped_mutable_data();
  return absl::OkStatus();
}

// Makes a DLPack tensor that shares the buffer's memory and keeps it alive until the consumer calls its deleter.
// Types that DLPack cannot describe are refused.
template <typename Tensor>
absl::Status Export(const CallerCheck& check, halo_buffer* buffer, Tensor** out) {
  RETURN_IF_ERROR(check.Present(out, "tensor"));
  *out = nullptr;
  RETURN_IF_ERROR(check.Live(buffer, "buffer"));
  const Shape& shape = buffer->buffer->shape();
  const absl::optional<HaloDLDataType> type = TypeToDlpack(shape.element_type());
  if (!type.has_value()) {
    return absl::UnimplementedError(absl::StrCat("a value of shape ", shape.ToString(), " cannot be a DLPack tensor"));
  }
  const bool is_padded = IsSubByte(shape.element_type());
  if (is_padded && !CanBePadded(*out)) {
    return absl::UnimplementedError(absl::StrCat(
        "elements of ", shape.ToString(),
        " take a byte each, which this form of DLPack tensor cannot say; use halo_buffer_to_dlpack_versioned"));
  }
  auto exported = std::make_unique<ExportedTensor<Tensor>>();
  RETURN_IF_ERROR(HoldMemory(*buffer->buffer, *exported));
  exported->dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  exported->strides.resize(shape.rank());
  uint64_t stride = 1;  // of an empty array it may leave 64 bits, and does not matter
  for (int i = shape.rank() - 1; i >= 0; --i) {
    exported->strides[i] = static_cast<int64_t>(stride);
    stride *= static_cast<uint64_t>(shape.dimension(i));
  }
  Tensor& tensor = exported->tensor;
  tensor.dl_tensor.device = {kDlpackCpu, 0};
  tensor.dl_tensor.ndim = shape.rank();
  tensor.dl_tensor.dtype = *type;
  tensor.dl_tensor.shape = exported->dimensions.data();
  tensor.dl_tensor.strides = exported->strides.data();
  SetHeader(tensor, exported->reference == nullptr, is_padded);
  tensor.manager_ctx = exported.get();
  tensor.deleter = [](Tensor* self) { delete static_cast<ExportedTensor<Tensor>*>(self->manager_ctx); };
  *out = &exported.release()->tensor;
  return absl::OkStatus();
}

}  // namespace
}  // namespace xla

halo_status* halo_buffer_to_dlpack(halo_buffer* buffer, struct DLManagedTensor** tensor) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) { return xla::Export(check, buffer, tensor); });
}

halo_status* halo_buffer_to_dlpack_versioned(halo_buffer* buffer, struct DLManagedTensorVersioned** tensor) {
  return xla::Guarded(__func__, [&](const xla::CallerCheck& check) { return xla::Export(check, buffer, tensor); });
}
