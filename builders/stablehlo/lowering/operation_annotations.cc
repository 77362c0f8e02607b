#include "builders/stablehlo/lowering/operation_annotations.h"

#include <string>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/sdy_shardings.h"
#include "builders/stablehlo/text/attribute_text.h"
#include "xla_core/proto/sharding_message.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace stablehlo {
namespace {

absl::StatusOr<Sharding> ShardingOf(const Attribute& attribute) {
  if (attribute.kind != AttributeKind::kString) {
    return absl::InvalidArgumentError("the attribute 'mhlo.sharding' must be a string, such as \"{replicated}\"");
  }
  // The text of a sharding is in braces; its message begins with the number of a field, and that of a replicated value
  // is empty.
  const bool is_message = attribute.text.empty() || absl::ascii_iscntrl(static_cast<unsigned char>(attribute.text[0]));
  absl::StatusOr<Sharding> sharding =
      is_message ? ParseShardingMessage(attribute.text) : ParseShardingText(attribute.text);
  if (sharding.ok()) return sharding;
  return absl::InvalidArgumentError(
      absl::StrCat("the attribute 'mhlo.sharding' is not a sharding of HLO: ", sharding.status().message()));
}

}  // namespace

absl::StatusOr<FrontendAttributes> FrontendAttributesOf(const Module& module, const Attribute& dictionary) {
  FrontendAttributes result;
  if (dictionary.kind != AttributeKind::kDictionary) {
    return absl::InvalidArgumentError("the attribute 'mhlo.frontend_attributes' must be a dictionary of strings");
  }
  for (const NamedAttribute& field : dictionary.fields) {
    const Attribute& value = module.attribute(field.value);
    if (value.kind != AttributeKind::kString) {
      return absl::InvalidArgumentError(absl::StrCat("the frontend attribute '", field.name, "' must be a string"));
    }
    result.emplace(std::string(field.name), std::string(value.text));
  }
  return result;
}

absl::StatusOr<OperationAnnotations> AnnotationsOf(const ProgramLowering& program,
                                                   absl::Span<const NamedAttribute> attributes) {
  const Module& module = program.module();
  OperationAnnotations annotations;
  for (const NamedAttribute& attribute : attributes) {
    const Attribute& value = module.attribute(attribute.value);
    if (attribute.name == "mhlo.sharding") {
      ASSIGN_OR_RETURN(annotations.sharding, ShardingOf(value));
    } else if (attribute.name == "mhlo.frontend_attributes") {
      ASSIGN_OR_RETURN(FrontendAttributes given, FrontendAttributesOf(module, value));
      annotations.frontend_attributes.merge(std::move(given));
    } else if (attribute.name == "sdy.sharding_rule") {
      annotations.frontend_attributes.emplace("xla.sdy.sharding_rule", AttributeText(module, attribute.value));
    } else if (attribute.name == "sdy.sharding" && program.partition_count() > 1) {
      annotations.frontend_attributes.emplace("xla.sdy.sharding", AttributeText(module, attribute.value));
      if (value.name == "sdy.sharding") {
        ASSIGN_OR_RETURN(annotations.sharding, HloShardingOf(program, value));
      }
    }
  }
  return annotations;
}

}  // namespace stablehlo
}  // namespace xla
