#include "tools/processes/field_list.h"

#include <cstring>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

absl::Status Damaged(absl::string_view what) {
  return absl::InvalidArgumentError(absl::StrCat("what another process sent is damaged: ", what));
}

}  // namespace

void FieldListWriter::Number(int64_t number) { bytes_.append(reinterpret_cast<const char*>(&number), sizeof(number)); }

void FieldListWriter::Text(absl::string_view text) {
  Number(static_cast<int64_t>(text.size()));
  absl::StrAppend(&bytes_, text);
}

// The shape, then the elements of a tuple, or the sizes of dynamic dimensions and the elements of an array.
void FieldListWriter::Value(const Literal& value) {
  Text(value.shape().ToFullString(Shape::LayoutPrinting::kWithout, /*index_comments=*/false));
  if (value.IsTuple()) {
    for (int i = 0; i < value.tuple_size(); ++i) Value(value.element(i));
  } else if (value.shape().IsArray()) {
    for (int d = 0; value.shape().IsDynamic() && d < value.shape().rank(); ++d) Number(value.dynamic_size(d));
    Text(absl::string_view(static_cast<const char*>(value.untyped_data()), static_cast<size_t>(value.size_bytes())));
  }
}

absl::StatusOr<int64_t> FieldListReader::Number() {
  int64_t number;
  if (rest_.size() < sizeof(number)) return Damaged("a number is missing");
  std::memcpy(&number, rest_.data(), sizeof(number));
  rest_.remove_prefix(sizeof(number));
  return number;
}

absl::StatusOr<absl::string_view> FieldListReader::Text() {
  ASSIGN_OR_RETURN(const int64_t size, Number());
  if (size < 0 || size > static_cast<int64_t>(rest_.size())) return Damaged("a text is longer than what came");
  const absl::string_view text = rest_.substr(0, static_cast<size_t>(size));
  rest_.remove_prefix(text.size());
  return text;
}

absl::StatusOr<Literal> FieldListReader::Value() {
  ASSIGN_OR_RETURN(const absl::string_view shape_text, Text());
  ASSIGN_OR_RETURN(const Shape shape, ParseShapeText(shape_text));
  if (shape.IsTuple()) {
    std::vector<Literal> elements;
    for (size_t i = 0; i < shape.tuple_shapes().size(); ++i) {
      ASSIGN_OR_RETURN(Literal element, Value());
      elements.push_back(std::move(element));
    }
    return Literal::Tuple(std::move(elements));
  }
  if (!shape.IsArray()) return Literal::Token();
  std::vector<int64_t> sizes;
  for (int d = 0; shape.IsDynamic() && d < shape.rank(); ++d) {
    ASSIGN_OR_RETURN(const int64_t size, Number());
    if (size < 0 || size > shape.dimension(d)) return Damaged("a dimension is larger than its bound");
    sizes.push_back(size);
  }
  ASSIGN_OR_RETURN(const absl::string_view data, Text());
  ASSIGN_OR_RETURN(Literal value, Literal::Allocate(shape));
  if (static_cast<int64_t>(data.size()) != value.size_bytes()) return Damaged("an array has another size");
  if (!data.empty()) std::memcpy(value.untyped_mutable_data(), data.data(), data.size());
  for (size_t d = 0; d < sizes.size(); ++d) value.SetDynamicSize(static_cast<int>(d), sizes[d]);
  return value;
}

}  // namespace xla
