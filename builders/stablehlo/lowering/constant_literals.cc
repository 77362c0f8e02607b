#include "builders/stablehlo/lowering/constant_literals.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/container/flat_hash_map.h"
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

// Of a constant whose shape is set.
absl::Status CopyElements(ProgramLowering& program, const Elements& elements, ConstantValue* constant) {
  const Shape& shape = constant->shape;
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
  constant->literal = std::make_shared<const Literal>(std::move(literal));
  return absl::OkStatus();
}

}  // namespace

void FindOwnElements(const Module& module, SharedConstants* constants) {
  std::vector<bool>& is_own = constants->is_own;
  is_own.assign(module.attribute_count(), true);
  absl::flat_hash_map<absl::string_view, int> user_of_resource;
  for (int i = 0; i < module.attribute_count(); ++i) {
    const Attribute& attribute = module.attribute(AttributeId{i});
    if (attribute.kind == AttributeKind::kResource) {
      const auto [user, is_first] = user_of_resource.emplace(attribute.text, i);
      if (!is_first) is_own[user->second] = is_own[i] = false;
    }
    for (const AttributeId element : attribute.elements) is_own[element.index] = false;
    for (const NamedAttribute& field : attribute.fields) is_own[field.value.index] = false;
  }
  for (int i = 0; i < module.operation_count(); ++i) {
    const Operation& operation = module.operation(OperationId{i});
    for (const NamedAttribute& attribute : operation.attributes) {
      const bool is_value = operation.name == "stablehlo.constant" && attribute.name == "value";
      if (!is_value) is_own[attribute.value.index] = false;
    }
  }
}

absl::StatusOr<ConstantValue> ConstantValueOf(ProgramLowering& program, AttributeId id) {
  const Attribute& attribute = program.module().attribute(id);
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
  // Only what is in the file may be large: of equal elements there is one.
  if (expected < kSharedConstantBytes) {
    RETURN_IF_ERROR(CopyElements(program, elements, &constant));
    return constant;
  }
  SharedConstants& shared = program.shared_constants();
  std::shared_ptr<const Literal>& literal = shared.literals[id.index];
  if (literal == nullptr) {
    RETURN_IF_ERROR(CopyElements(program, elements, &constant));
    literal = constant.literal;
    const bool is_large = shared.on_copied != nullptr && expected >= kLargeConstantBytes;
    if (is_large && shared.is_own[id.index]) shared.on_copied(elements.data);
  }
  constant.literal = literal;
  return constant;
}

}  // namespace stablehlo
}  // namespace xla
