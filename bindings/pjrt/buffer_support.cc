#include "bindings/pjrt/buffer_support.h"

#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/call.h"
#include "bindings/pjrt/client_state.h"
#include "bindings/pjrt/element_types.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

std::vector<int64_t> RowMajorOrder(int rank) {
  std::vector<int64_t> order;
  for (int64_t i = rank - 1; i >= 0; --i) order.push_back(i);
  return order;
}

absl::StatusOr<std::vector<int64_t>> OrderOfTiled(const CallerCheck& check, const PJRT_Buffer_MemoryLayout_Tiled& tiled,
                                                  const Shape& shape) {
  if (tiled.num_tiles > 0) {
    return absl::UnimplementedError(absl::StrCat(check.function(), ": arrays lie in memory without tiles, a layout of ",
                                                 tiled.num_tiles, " tiles was given"));
  }
  RETURN_IF_ERROR(CheckList(check, tiled.minor_to_major, tiled.minor_to_major_size, "layout.minor_to_major"));
  std::vector<bool> seen(shape.rank(), false);
  bool is_permutation = tiled.minor_to_major_size == seen.size();
  for (size_t i = 0; i < tiled.minor_to_major_size && is_permutation; ++i) {
    const int64_t dimension = tiled.minor_to_major[i];
    is_permutation = dimension >= 0 && dimension < shape.rank() && !seen[dimension];
    if (is_permutation) seen[dimension] = true;
  }
  if (!is_permutation) {
    return check.Error(
        absl::StrCat("layout.minor_to_major does not name each dimension of ", shape.ToString(), " once"));
  }
  return std::vector<int64_t>(tiled.minor_to_major, tiled.minor_to_major + tiled.minor_to_major_size);
}

}  // namespace

absl::StatusOr<DeviceMemorySpace*> PlaceOf(const CallerCheck& check, const ClientState& client, PJRT_Device* device,
                                           PJRT_Memory* memory) {
  if (memory != nullptr) {
    DeviceMemorySpace* const found = FindMemory(client, memory);
    return found != nullptr ? absl::StatusOr<DeviceMemorySpace*>(found)
                            : check.Error("memory is none of this client's");
  }
  if (device == nullptr) return AsOurs(client.addressable_memories[kDeviceMemory]);
  for (PJRT_Device* const known : client.addressable_devices) {
    if (known == device) return AsOurs(known->memories[kDeviceMemory]);
  }
  return check.Error("device is none of this client in this process");
}

absl::StatusOr<Shape> ShapeOf(const CallerCheck& check, PJRT_Buffer_Type type, const int64_t* dims, size_t num_dims) {
  RETURN_IF_ERROR(CheckList(check, dims, num_dims, "dims"));
  const absl::StatusOr<PrimitiveType> element_type = FromPjrt(type);
  if (!element_type.ok()) return check.Error(element_type.status().message());
  if (num_dims > static_cast<size_t>(Shape::kMaxRank)) {
    return check.Error(
        absl::StrCat("num_dims is ", num_dims, ", expected at most ", static_cast<int>(Shape::kMaxRank)));
  }
  Shape shape = Shape::Array(*element_type, absl::MakeConstSpan(dims, num_dims));
  if (const absl::Status valid = ValidateShape(shape); !valid.ok()) return check.Error(valid.message());
  if (shape.IsUnboundedDynamic()) return check.Error(absl::StrCat(shape.ToString(), " has a dimension without a size"));
  return shape;
}

absl::StatusOr<std::vector<int64_t>> MinorToMajorOf(const CallerCheck& check, const PJRT_Buffer_MemoryLayout* layout,
                                                    const Shape& shape) {
  // Its struct_size says nothing: jaxlib 0.6.2 leaves it as it was.
  if (layout == nullptr) return RowMajorOrder(shape.rank());
  if (layout->type == PJRT_Buffer_MemoryLayout_Type_Tiled) return OrderOfTiled(check, layout->tiled, shape);
  if (layout->type != PJRT_Buffer_MemoryLayout_Type_Strides) {
    return check.Error(absl::StrCat("layout.type is ", static_cast<int>(layout->type), ", expected 0 or 1"));
  }
  const PJRT_Buffer_MemoryLayout_Strides& strides = layout->strides;
  RETURN_IF_ERROR(CheckList(check, strides.byte_strides, strides.num_byte_strides, "layout.byte_strides"));
  int64_t stride = ByteWidth(shape.element_type());
  bool is_dense = strides.num_byte_strides == static_cast<size_t>(shape.rank());
  for (int i = shape.rank() - 1; i >= 0 && is_dense; --i) {
    is_dense = shape.dimension(i) <= 1 || strides.byte_strides[i] == stride;
    stride *= shape.dimension(i);
  }
  if (is_dense) return RowMajorOrder(shape.rank());
  return absl::UnimplementedError(absl::StrCat(
      check.function(), ": the byte strides of the layout are not those of a dense row-major ", shape.ToString()));
}

bool IsRowMajorOrder(absl::Span<const int64_t> minor_to_major) {
  for (size_t i = 0; i < minor_to_major.size(); ++i) {
    if (minor_to_major[i] != static_cast<int64_t>(minor_to_major.size() - 1 - i)) return false;
  }
  return true;
}

absl::Status EndedError(const PJRT_Buffer& buffer) {
  return absl::FailedPreconditionError(absl::StrCat("the buffer of shape ", buffer.buffer->shape().ToString(),
                                                    " was deleted or donated and cannot be used any more"));
}

PJRT_Buffer* MakeBuffer(std::unique_ptr<Buffer> buffer, DeviceMemorySpace* place, std::vector<int64_t> minor_to_major) {
  const int rank = buffer->shape().rank();
  auto made = std::make_unique<PJRT_Buffer>(std::move(buffer), place->device, place);
  const bool is_given = minor_to_major.size() == static_cast<size_t>(rank);
  made->minor_to_major = is_given ? std::move(minor_to_major) : RowMajorOrder(rank);
  return made.release();
}

Future<Literal> ValueAfter(const Future<Literal>& value, const Event& also, std::function<void(Literal*)> change) {
  auto literal = std::make_shared<Literal>();
  auto source = std::make_shared<EventSource>();
  const Event both[] = {value.event(), also};
  AllOf(both).OnReady([value, literal, source, change = std::move(change)](const absl::Status& status) {
    if (!status.ok()) return source->Set(status);
    absl::StatusOr<Literal> arrived = value.Await();
    if (arrived.ok()) {
      *literal = *std::move(arrived);
      if (change != nullptr) change(literal.get());
    }
    source->Set(arrived.status());
  });
  return Future<Literal>(source->event(), std::move(literal));
}

void CopyInOrder(const Shape& shape, const void* row_major, absl::Span<const int64_t> minor_to_major, void* to) {
  const int64_t width = ByteWidth(shape.element_type());
  const int64_t count = shape.ElementCount();
  if (count == 0) return;
  if (IsRowMajorOrder(minor_to_major)) {
    std::memcpy(to, row_major, static_cast<size_t>(count * width));
    return;
  }
  DimensionVector strides(shape.rank(), 0);  // of the source, in elements
  int64_t stride = 1;
  for (int i = shape.rank() - 1; i >= 0; --i) {
    strides[i] = stride;
    stride *= shape.dimension(i);
  }
  DimensionVector index(shape.rank(), 0);
  int64_t from = 0;
  for (int64_t done = 0; done < count; ++done) {
    std::memcpy(static_cast<char*>(to) + done * width, static_cast<const char*>(row_major) + from * width,
                static_cast<size_t>(width));
    for (const int64_t dimension : minor_to_major) {
      from += strides[dimension];
      if (++index[dimension] < shape.dimension(static_cast<int>(dimension))) break;
      from -= strides[dimension] * index[dimension];
      index[dimension] = 0;
    }
  }
}

}  // namespace pjrt
}  // namespace xla

PJRT_Buffer::PJRT_Buffer(std::unique_ptr<xla::Buffer> of, PJRT_Device* on, PJRT_Memory* in)
    : client(on->client->shared_from_this()),
      buffer(std::move(of)),
      device(on),
      memory(in),
      type(xla::pjrt::ToPjrt(buffer->shape().element_type())) {}

bool PJRT_Buffer::is_row_major() const { return xla::pjrt::IsRowMajorOrder(minor_to_major); }
