#include "builders/nnef1/writing/conversion.h"

#include <memory>
#include <string>

#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "builders/nnef1/writing/constant_values.h"

namespace xla {
namespace nnef1 {
namespace {

// Constants of up to this many elements are written into the description.
constexpr int64_t kSmallConstant = 64;

}  // namespace

absl::Status CannotSay(const HloInstruction& instruction, absl::string_view why) {
  return absl::UnimplementedError(absl::StrCat(instruction.ToShortString(), ": NNEF cannot say this: ", why));
}

Extents ExtentsOf(const Shape& shape) { return Extents(shape.dimensions().begin(), shape.dimensions().end()); }

Primitive PrimitiveOf(const Shape& shape) {
  const PrimitiveType type = shape.element_type();
  return type == S64 ? Primitive::kInteger : type == PRED ? Primitive::kLogical : Primitive::kScalar;
}

bool IsIdentity(absl::Span<const int64_t> permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

absl::Status Conversion::SetScalarType(const HloInstruction& instruction) {
  const PrimitiveType type = instruction.shape().element_type();
  if (has_scalar_type_ && type != model_.types.scalar) return CannotSay(instruction, "all floats have one type");
  has_scalar_type_ = true;
  model_.types.scalar = type;
  return absl::OkStatus();
}

Model Conversion::TakeModel() {
  model_.graph = writer_.TakeGraph();
  return std::move(model_);
}

int Conversion::Of(const HloInstruction* instruction) {
  const auto it = tensors_.find(instruction);
  if (it != tensors_.end()) return it->second;
  const int tensor = AddData(*instruction->attributes<ConstantAttributes>().literal, instruction->name());
  Set(*instruction, tensor);
  return tensor;
}

void Conversion::SetNew(const HloInstruction& instruction, absl::string_view operation,
                        const GraphWriter::Arguments& arguments) {
  Set(instruction, writer_.Add(operation, arguments, PrimitiveOf(instruction.shape()), ExtentsOf(instruction.shape()),
                               instruction.name()));
}

int Conversion::Reshaped(int tensor, const Extents& extents, absl::string_view name) {
  const Tensor from = writer_.tensor(tensor);
  if (*from.extents == extents) return tensor;
  return writer_.Add("reshape", {{"input", Value::Tensor(tensor)}, {"shape", IntegerArray(extents)}}, from.primitive,
                     extents, name);
}

int Conversion::Transposed(int tensor, absl::Span<const int64_t> axes, absl::string_view name) {
  if (IsIdentity(axes)) return tensor;
  const Tensor from = writer_.tensor(tensor);
  Extents extents;
  for (const int64_t axis : axes) extents.push_back((*from.extents)[axis]);
  return writer_.Add("transpose", {{"input", Value::Tensor(tensor)}, {"axes", IntegerArray(axes)}}, from.primitive,
                     extents, name);
}

int Conversion::Reversed(int tensor, absl::Span<const int64_t> axes, absl::string_view name) {
  if (axes.empty()) return tensor;
  const Tensor from = writer_.tensor(tensor);
  std::vector<int64_t> begin, end, stride;
  for (const int64_t axis : axes) {
    begin.push_back(-1);
    end.push_back(-(*from.extents)[axis] - 1);
    stride.push_back(-1);
  }
  return writer_.Add("slice",
                     {{"input", Value::Tensor(tensor)},
                      {"axes", IntegerArray(axes)},
                      {"begin", IntegerArray(begin)},
                      {"end", IntegerArray(end)},
                      {"stride", IntegerArray(stride)}},
                     from.primitive, *from.extents, name);
}

int Conversion::AddData(const Literal& array, absl::string_view name) {
  const Extents extents = ExtentsOf(array.shape());
  const Primitive primitive = PrimitiveOf(array.shape());
  const bool is_small = array.element_count() <= kSmallConstant;
  absl::optional<std::vector<Value>> values;
  if (is_small) values = LiteralValues(array);
  if (values.has_value() && extents.empty()) return writer_.AddLiteral(values->front());
  if (values.has_value()) {
    return writer_.Add("constant", {{"shape", IntegerArray(extents)}, {"value", Value::Array(*std::move(values))}},
                       primitive, extents, name);
  }
  const std::string label = absl::StrCat("constants/", model_.variables.size());
  model_.variables[label] = std::make_shared<const Literal>(array);
  return writer_.Add("variable", {{"shape", IntegerArray(extents)}, {"label", Value::String(label)}}, primitive,
                     extents, name);
}

}  // namespace nnef1
}  // namespace xla
