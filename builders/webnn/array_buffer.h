// ArrayBuffer and ArrayBufferView: JavaScript's binary buffers, as far as WebNN needs them.
//
//   auto view = ArrayBufferView::Of<float>({1, 2, 3});       // a Float32Array with memory of its own
//   auto view = ArrayBufferView::Over(samples, count);       // over memory of the caller
//
// A buffer is a handle to memory that several views may share. Transferring a buffer gives the memory to a new handle
// and detaches the old one, whose views are empty from then on: that is how compute() keeps its caller's hands off.
#ifndef BUILDERS_WEBNN_ARRAY_BUFFER_H_
#define BUILDERS_WEBNN_ARRAY_BUFFER_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/webnn/descriptor.h"
#include "builders/webnn/enums.h"

namespace xla {
namespace webnn {

// A handle; copies are the same buffer. Not to be used from several threads at once.
class ArrayBuffer {
 public:
  // Detached.
  ArrayBuffer() = default;
  // Zeros. UnknownError if there is no memory.
  static absl::StatusOr<ArrayBuffer> Allocate(int64_t byte_length);
  // Memory of the caller; `release`, if given, is called when nothing uses it any more.
  static ArrayBuffer Over(void* data, int64_t byte_length, std::function<void()> release = nullptr);

  bool detached() const { return contents_ == nullptr || contents_->memory == nullptr; }
  // nullptr, 0 if it is detached.
  void* data() const { return detached() ? nullptr : contents_->memory.get(); }
  int64_t byteLength() const { return detached() ? 0 : contents_->byte_length; }
  // The memory, which lives as long as the pointer does, whatever becomes of the buffer.
  std::shared_ptr<void> memory() const { return detached() ? nullptr : contents_->memory; }

  // A new buffer with the memory of this one, which is detached. TypeError if it was detached before.
  absl::StatusOr<ArrayBuffer> transfer();

  bool IsSameAs(const ArrayBuffer& other) const { return contents_ == other.contents_; }

 private:
  struct Contents {
    std::shared_ptr<void> memory;
    int64_t byte_length = 0;
  };
  explicit ArrayBuffer(std::shared_ptr<Contents> contents) : contents_(std::move(contents)) {}

  std::shared_ptr<Contents> contents_;
};

// The element types of views. Float16Array may be missing in a JavaScript engine: Uint16Array stands in for it.
enum class ArrayBufferViewType : int {
  kInt8Array,
  kUint8Array,
  kUint8ClampedArray,
  kInt16Array,
  kUint16Array,
  kInt32Array,
  kUint32Array,
  kBigInt64Array,
  kBigUint64Array,
  kFloat16Array,
  kFloat32Array,
  kFloat64Array,
  kDataView,
};
template <>
const EnumNames& EnumNamesOf<ArrayBufferViewType>();

// The type of view for operands of a data type: Float32Array for float32. int4 and uint4 are packed in the bytes of an
// Int8Array and an Uint8Array, element 0 in the low half of the first byte.
ArrayBufferViewType ViewTypeOf(MLOperandDataType type);

// A typed window on a buffer. It holds a handle to the buffer, so it keeps the memory alive; when the buffer is
// transferred, the view becomes empty. `byteOffset` and lengths are in bytes.
struct ArrayBufferView {
  ArrayBufferViewType type = ArrayBufferViewType::kUint8Array;
  ArrayBuffer buffer;
  int64_t byteOffset = 0;
  // As it was made; see byteLength().
  int64_t length_in_bytes = 0;

  // Zeros for operands of this descriptor. UnknownError if there is no memory.
  static absl::StatusOr<ArrayBufferView> For(const MLOperandDescriptor& descriptor);
  // Memory of the caller of this many bytes.
  static ArrayBufferView OverBytes(ArrayBufferViewType type, void* data, int64_t byte_length,
                                   std::function<void()> release = nullptr);
  template <typename T>
  static ArrayBufferView Over(T* data, int64_t count) {
    return OverBytes(TypeOf<T>(), data, count * static_cast<int64_t>(sizeof(T)));
  }
  // A copy of `values`.
  template <typename T>
  static ArrayBufferView Of(absl::Span<const T> values) {
    auto copy = std::make_shared<std::vector<T>>(values.begin(), values.end());
    return OverBytes(TypeOf<T>(), copy->data(), static_cast<int64_t>(copy->size() * sizeof(T)), [copy] {});
  }
  template <typename T>
  static ArrayBufferView Of(std::initializer_list<T> values) {
    return Of<T>(absl::MakeConstSpan(values.begin(), values.size()));
  }

  // 0 if the buffer is detached.
  int64_t byteLength() const { return buffer.detached() ? 0 : length_in_bytes; }
  // nullptr if the buffer is detached.
  void* data() const { return buffer.detached() ? nullptr : static_cast<char*>(buffer.data()) + byteOffset; }
  template <typename T>
  absl::Span<T> span() const {
    return absl::MakeSpan(static_cast<T*>(data()), static_cast<size_t>(byteLength()) / sizeof(T));
  }
  std::string ToString() const;

 private:
  template <typename T>
  static ArrayBufferViewType TypeOf();
};

template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<int8_t>() {
  return ArrayBufferViewType::kInt8Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<uint8_t>() {
  return ArrayBufferViewType::kUint8Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<int16_t>() {
  return ArrayBufferViewType::kInt16Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<uint16_t>() {
  return ArrayBufferViewType::kUint16Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<int32_t>() {
  return ArrayBufferViewType::kInt32Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<uint32_t>() {
  return ArrayBufferViewType::kUint32Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<int64_t>() {
  return ArrayBufferViewType::kBigInt64Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<uint64_t>() {
  return ArrayBufferViewType::kBigUint64Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<float>() {
  return ArrayBufferViewType::kFloat32Array;
}
template <>
inline ArrayBufferViewType ArrayBufferView::TypeOf<double>() {
  return ArrayBufferViewType::kFloat64Array;
}

// Records of the IDL: names and values in the order in which they were given.
using MLNamedArrayBufferViews = std::vector<std::pair<std::string, ArrayBufferView>>;

// TypeError unless the view has the element type and exactly the bytes of the descriptor ("validate buffer with
// descriptor"); `what` names the view in the message.
absl::Status CheckBuffer(const ArrayBufferView& view, const MLOperandDescriptor& descriptor, absl::string_view what);

// The same for later editions, which only count the bytes.
absl::Status CheckByteLength(const ArrayBufferView& view, const MLOperandDescriptor& descriptor,
                             absl::string_view what);

// TypeError if a buffer is detached, or two views share one.
absl::Status CheckTransferable(const MLNamedArrayBufferViews& views);
// Transfers the buffers of all views, in order: the record with views of the same memory. TypeError, and nothing is
// transferred, as above.
absl::StatusOr<MLNamedArrayBufferViews> TransferViews(const MLNamedArrayBufferViews& views);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_ARRAY_BUFFER_H_
