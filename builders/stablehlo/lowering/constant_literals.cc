#include "builders/stablehlo/lowering/constant_literals.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

struct Elements {
  absl::string_view data;
  bool is_splat = false;
};

absl::StatusOr<Elements> ElementsOf(const Module& module, const Attribute& attribute) {
  if (attribute.kind == AttributeKind::kDenseElements) return Elements{attribute.data, attribute.is_splat};
  if (attribute.kind != AttributeKind::kResource) {
    return absl::InvalidArgumentError("the attribute 'value' must be the elements of a tensor: dense<...>");
  }
  const Resource* const resource = module.FindResource(attribute.text);
  if (resource == nullptr) {
    return absl::InvalidArgumentError(
        absl::StrCat("the module has no data for dense_resource<", attribute.text, ">; export it with its resources"));
  }
  return Elements{resource->data, false};
}

void Fill(char* to, int64_t bytes, absl::string_view element) {
  if (bytes == 0) return;
  std::memcpy(to, element.data(), element.size());
  for (int64_t done = static_cast<int64_t>(element.size()); done < bytes;) {
    const int64_t step = std::min(done, bytes - done);
    std::memcpy(to + done, to, step);
    done += step;
  }
}

}  // namespace

absl::StatusOr<ConstantValue> ConstantValueOf(const ProgramLowering& program, const Attribute& attribute) {
  ASSIGN_OR_RETURN(const Elements elements, ElementsOf(program.module(), attribute));
  ConstantValue constant;
  ASSIGN_OR_RETURN(constant.shape, program.shapes().Of(attribute.type));
  const Shape& shape = constant.shape;
  if (shape.IsDynamic() || !shape.IsArray()) {
    return absl::InvalidArgumentError(absl::StrCat("a constant needs a type of known sizes, got ", shape.ToString()));
  }
  const int64_t expected = elements.is_splat ? ByteWidth(shape.element_type()) : shape.ByteSize();
  if (static_cast<int64_t>(elements.data.size()) != expected) {
    return absl::InvalidArgumentError(absl::StrCat("the data of a constant ", shape.ToString(), " must have ", expected,
                                                   " bytes, got ", elements.data.size()));
  }
  const bool is_one = elements.is_splat && shape.ElementCount() > kMostEqualElements;
  ASSIGN_OR_RETURN(Literal literal,
                   Literal::Allocate(is_one ? Shape::Scalar(shape.element_type()) : shape, program.memory_budget()));
  char* const to = static_cast<char*>(literal.untyped_mutable_data());
  if (elements.is_splat) {
    Fill(to, literal.size_bytes(), elements.data);
  } else if (!elements.data.empty()) {
    std::memcpy(to, elements.data.data(), elements.data.size());
  }
  literal.LeaveBudget();
  constant.literal = std::make_shared<const Literal>(std::move(literal));
  return constant;
}

}  // namespace stablehlo
}  // namespace xla
