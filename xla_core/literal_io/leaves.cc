#include "xla_core/literal_io/leaves.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

// Tuples nest no deeper than Shape::kMaxNestingDepth, so these may recurse.
void AppendLeaves(const Shape& shape, std::vector<Shape>& leaves) {
  if (!shape.IsTuple()) {
    leaves.push_back(shape);
    return;
  }
  for (const Shape& element : shape.tuple_shapes()) AppendLeaves(element, leaves);
}

void AppendLeaves(const Literal& value, std::vector<Literal>& leaves) {
  if (!value.IsTuple()) {
    leaves.push_back(value);
    return;
  }
  for (int i = 0; i < value.tuple_size(); ++i) AppendLeaves(value.element(i), leaves);
}

Literal TakeValue(const Shape& shape, std::vector<Literal>& leaves, size_t& next) {
  if (!shape.IsTuple()) {
    CHECK(next < leaves.size());
    return std::move(leaves[next++]);
  }
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(TakeValue(element, leaves, next));
  return Literal::Tuple(std::move(elements));
}

}  // namespace

std::vector<Shape> LeafShapes(absl::Span<const Shape> shapes) {
  std::vector<Shape> leaves;
  for (const Shape& shape : shapes) AppendLeaves(shape, leaves);
  return leaves;
}

std::vector<Literal> FlattenLeaves(const Literal& value) {
  std::vector<Literal> leaves;
  AppendLeaves(value, leaves);
  return leaves;
}

std::vector<Literal> UnflattenLeaves(absl::Span<const Shape> shapes, std::vector<Literal> leaves) {
  std::vector<Literal> values;
  size_t next = 0;
  for (const Shape& shape : shapes) values.push_back(TakeValue(shape, leaves, next));
  CHECK(next == leaves.size());
  return values;
}

std::string OutputName(int device, int device_count, int leaf) {
  return device_count > 1 ? absl::StrCat("r", device, "_out", leaf) : absl::StrCat("out", leaf);
}

}  // namespace xla
