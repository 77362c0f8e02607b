// Types as text.
#ifndef BUILDERS_STABLEHLO_TEXT_PRINT_TYPES_H_
#define BUILDERS_STABLEHLO_TEXT_PRINT_TYPES_H_

#include <string>

#include "absl/types/span.h"
#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

void AppendType(const Module& module, TypeId type, std::string* out);
// What follows an arrow: one type, or several in parentheses.
void AppendResultTypes(const Module& module, absl::Span<const TypeId> types, std::string* out);
std::string TypeText(const Module& module, TypeId type);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_PRINT_TYPES_H_
