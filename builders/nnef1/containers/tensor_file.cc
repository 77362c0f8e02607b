#include "builders/nnef1/containers/tensor_file.h"

#include "builders/nnef1/containers/code_meaning.h"

namespace xla {
namespace nnef1 {
namespace {

nnef::ItemKind KindOf(Primitive primitive) {
  if (primitive == Primitive::kLogical) return nnef::ItemKind::kLogical;
  return primitive == Primitive::kInteger ? nnef::ItemKind::kInteger : nnef::ItemKind::kReal;
}

}  // namespace

absl::StatusOr<TensorHeader> ParseTensorHeader(absl::string_view bytes, int64_t file_bytes, absl::string_view name) {
  return nnef::ParseTensorHeader(bytes, file_bytes, name, Nnef1Format());
}

nnef::DeclaredTensor DeclaredAs(Primitive primitive, const NumberTypes& types) {
  nnef::DeclaredTensor declared;
  declared.kind = KindOf(primitive);
  declared.type = PrimitiveName(primitive);
  declared.element_type = types.Of(primitive);
  return declared;
}

absl::StatusOr<Literal> ReadTensor(const Container& container, absl::string_view member, Primitive declared,
                                   const Extents* extents, const NumberTypes& types, const Quantization* quantization,
                                   Diagnostics* diagnostics) {
  nnef::DeclaredTensor tensor = DeclaredAs(declared, types);
  tensor.extents = extents;
  const auto find_meaning = [&](const TensorHeader& header) { return MeaningOfCodes(header, quantization); };
  return nnef::ReadTensor(container, member, tensor, find_meaning, diagnostics);
}

absl::StatusOr<Literal> ParseTensor(absl::string_view bytes, Primitive declared, const NumberTypes& types,
                                    absl::string_view name, int64_t* consumed) {
  const auto find_meaning = [](const TensorHeader& header) { return MeaningOfCodes(header, nullptr); };
  return nnef::ParseTensor(bytes, DeclaredAs(declared, types), find_meaning, name, Nnef1Format(), consumed);
}

absl::StatusOr<std::string> SerializeTensor(const Literal& literal) {
  return nnef::SerializeTensor(literal, Nnef1Format());
}

}  // namespace nnef1
}  // namespace xla
