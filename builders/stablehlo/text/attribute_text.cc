#include "builders/stablehlo/text/attribute_text.h"

#include "builders/stablehlo/text/print_attributes.h"

namespace xla {
namespace stablehlo {

std::string AttributeText(const Module& module, AttributeId attribute) {
  std::string text;
  AppendAttribute(module, attribute, &text);
  return text;
}

std::string ShardingText(const Module& module, AttributeId sharding) {
  std::string text;
  AppendSharding(module, sharding, &text);
  return text;
}

}  // namespace stablehlo
}  // namespace xla
