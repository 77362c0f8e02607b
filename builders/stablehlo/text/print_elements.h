// Constants as text: dense<...>, without the type that follows.
#ifndef BUILDERS_STABLEHLO_TEXT_PRINT_ELEMENTS_H_
#define BUILDERS_STABLEHLO_TEXT_PRINT_ELEMENTS_H_

#include <string>

#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

// Of a kDenseElements. More than a hundred elements are printed as their bytes.
void AppendElements(const Module& module, const Attribute& value, std::string* out);
// One element of `data`, of an integer, index, float or complex type.
void AppendElement(const Module& module, TypeId element, const char* data, std::string* out);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_TEXT_PRINT_ELEMENTS_H_
