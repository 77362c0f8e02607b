// Attributes by themselves, where other formats carry them as text: configurations of custom calls, frontend
// attributes.
#ifndef BUILDERS_STABLEHLO_TEXT_ATTRIBUTE_TEXT_H_
#define BUILDERS_STABLEHLO_TEXT_ATTRIBUTE_TEXT_H_

#include <string>

#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

// `{mode = 86 : ui8, names = ["a"]}`, `#sdy.sharding<@mesh, [{"a"}, {}]>`
std::string AttributeText(const Module& module, AttributeId attribute);
// Of a "sdy.sharding": `<@mesh, [{"a"}, {}]>`
std::string ShardingText(const Module& module, AttributeId sharding);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_ATTRIBUTE_TEXT_H_
