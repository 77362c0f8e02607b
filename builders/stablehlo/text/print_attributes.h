// Attributes as text.
#ifndef BUILDERS_STABLEHLO_TEXT_PRINT_ATTRIBUTES_H_
#define BUILDERS_STABLEHLO_TEXT_PRINT_ATTRIBUTES_H_

#include <string>

#include "absl/types/span.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

void AppendAttribute(const Module& module, AttributeId attribute, std::string* out);
// {name = attribute, flag}
void AppendDictionary(const Module& module, absl::Span<const NamedAttribute> fields, std::string* out);
// [0, 1]
void AppendIntegers(absl::Span<const int64_t> values, std::string* out);
// <name = value, ...> of the structs that dialect_attributes.h has.
void AppendStructBody(const Module& module, const Attribute& value, std::string* out);
// [b, 0, f]x[0, i, o]->[b, 0, f]. False, and nothing appended, if the numbers are not a permutation.
bool AppendDimensionLetters(const Module& module, AttributeId dimensions, std::string* out);
// <@mesh, [{"a"}]>, [<...>], <["a"=2]> and {"a"}: what follows the names of these attributes.
void AppendSharding(const Module& module, AttributeId sharding, std::string* out);
void AppendShardings(const Module& module, AttributeId shardings, std::string* out);
void AppendMesh(const Module& module, AttributeId mesh, std::string* out);
void AppendManualAxes(const Module& module, AttributeId axes, std::string* out);
// {"a"}, [{"a"}, {}] or [{"b"}: 1->0]: the inside of one of the attributes that say what a collective of sdy works along.
void AppendCollectiveAxes(const Module& module, AttributeId axes, std::string* out);
void AppendShardingRule(const Module& module, AttributeId rule, std::string* out);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_PRINT_ATTRIBUTES_H_
