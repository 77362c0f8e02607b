#include "builders/webnn/array_buffer.h"

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/webnn/errors.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

template <>
const EnumNames& EnumNamesOf<ArrayBufferViewType>() {
  static constexpr absl::string_view kValues[] = {
      "Int8Array",    "Uint8Array",   "Uint8ClampedArray", "Int16Array",     "Uint16Array",
      "Int32Array",   "Uint32Array",  "BigInt64Array",     "BigUint64Array", "Float16Array",
      "Float32Array", "Float64Array", "DataView"};
  static const EnumNames names = {"ArrayBufferView", kValues};
  return names;
}

absl::StatusOr<ArrayBuffer> ArrayBuffer::Allocate(int64_t byte_length) {
  // The memory of a literal, whose alignment and pages suit programs: compute() has them read and write it in place.
  absl::StatusOr<Literal> bytes = absl::InvalidArgumentError("");
  if (byte_length >= 0) bytes = Literal::Zeros(Shape::Array(U8, {byte_length}));
  if (!bytes.ok()) {
    return MakeError(MLErrorKind::kUnknownError, "allocation",
                     absl::StrCat("there is no memory for a buffer of ", byte_length, " bytes"));
  }
  const auto owner = std::make_shared<Literal>(*std::move(bytes));
  return Over(owner->untyped_mutable_data(), byte_length, [owner] {});
}

ArrayBuffer ArrayBuffer::Over(void* data, int64_t byte_length, std::function<void()> release) {
  auto contents = std::make_shared<Contents>();
  contents->memory = std::shared_ptr<void>(data, [release = std::move(release)](void*) {
    if (release) release();
  });
  contents->byte_length = byte_length;
  return ArrayBuffer(std::move(contents));
}

absl::StatusOr<ArrayBuffer> ArrayBuffer::transfer() {
  if (detached()) return TypeError("buffer detached", "the buffer is detached: it was transferred before");
  return ArrayBuffer(std::make_shared<Contents>(std::exchange(*contents_, Contents())));
}

ArrayBufferViewType ViewTypeOf(MLOperandDataType type) {
  // By MLOperandDataType.
  static constexpr ArrayBufferViewType kTypes[] = {
      ArrayBufferViewType::kFloat32Array, ArrayBufferViewType::kFloat16Array,  ArrayBufferViewType::kInt32Array,
      ArrayBufferViewType::kUint32Array,  ArrayBufferViewType::kBigInt64Array, ArrayBufferViewType::kBigUint64Array,
      ArrayBufferViewType::kInt8Array,    ArrayBufferViewType::kUint8Array,    ArrayBufferViewType::kInt8Array,
      ArrayBufferViewType::kUint8Array};
  return kTypes[static_cast<int>(type)];
}

absl::StatusOr<ArrayBufferView> ArrayBufferView::For(const MLOperandDescriptor& descriptor) {
  ArrayBufferView view;
  view.type = ViewTypeOf(descriptor.dataType);
  view.length_in_bytes = ByteLengthOf(descriptor).value_or(-1);
  ASSIGN_OR_RETURN(view.buffer, ArrayBuffer::Allocate(view.length_in_bytes));
  return view;
}

ArrayBufferView ArrayBufferView::OverBytes(ArrayBufferViewType type, void* data, int64_t byte_length,
                                           std::function<void()> release) {
  ArrayBufferView view;
  view.type = type;
  view.buffer = ArrayBuffer::Over(data, byte_length, std::move(release));
  view.length_in_bytes = byte_length;
  return view;
}

std::string ArrayBufferView::ToString() const {
  if (buffer.detached()) return absl::StrCat("a detached ", webnn::ToString(type));
  return absl::StrCat("a ", webnn::ToString(type), " of ", byteLength(), " bytes");
}

absl::Status CheckBuffer(const ArrayBufferView& view, const MLOperandDescriptor& descriptor, absl::string_view what) {
  const ArrayBufferViewType wanted = ViewTypeOf(descriptor.dataType);
  const bool stands_in_for_float16 =
      wanted == ArrayBufferViewType::kFloat16Array && view.type == ArrayBufferViewType::kUint16Array;
  if (view.type != wanted && !stands_in_for_float16) {
    return TypeError("buffer element type", absl::StrCat(what, " is ", descriptor.ToString(), " and needs a ",
                                                         webnn::ToString(wanted), ", got ", view.ToString()));
  }
  return CheckByteLength(view, descriptor, what);
}

absl::Status CheckByteLength(const ArrayBufferView& view, const MLOperandDescriptor& descriptor,
                             absl::string_view what) {
  const absl::optional<int64_t> bytes = ByteLengthOf(descriptor);
  if (bytes != view.byteLength()) {
    return TypeError("buffer byte length", absl::StrCat(what, " is ", descriptor.ToString(), " and needs ",
                                                        bytes.value_or(-1), " bytes, got ", view.ToString()));
  }
  return absl::OkStatus();
}

absl::Status CheckTransferable(const MLNamedArrayBufferViews& views) {
  absl::flat_hash_set<const void*> seen;
  for (const auto& [name, view] : views) {
    if (view.buffer.detached() || !seen.insert(view.buffer.data()).second) {
      return TypeError("buffer cannot be transferred",
                       absl::StrCat("the buffer of '", name, "' ",
                                    view.buffer.detached() ? "is detached" : "is used by another view too",
                                    "; give each view a buffer of its own"));
    }
  }
  return absl::OkStatus();
}

absl::StatusOr<MLNamedArrayBufferViews> TransferViews(const MLNamedArrayBufferViews& views) {
  RETURN_IF_ERROR(CheckTransferable(views));
  MLNamedArrayBufferViews transferred;
  transferred.reserve(views.size());
  for (const auto& [name, view] : views) {
    ArrayBuffer buffer = view.buffer;
    ArrayBufferView moved = view;
    ASSIGN_OR_RETURN(moved.buffer, buffer.transfer());
    transferred.emplace_back(name, std::move(moved));
  }
  return transferred;
}

}  // namespace webnn
}  // namespace xla
