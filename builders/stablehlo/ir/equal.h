// Equality and hashes of types, attributes and locations whose parts are given as ids of one module.
#ifndef BUILDERS_STABLEHLO_IR_EQUAL_H_
#define BUILDERS_STABLEHLO_IR_EQUAL_H_

#include <cstddef>

#include "builders/stablehlo/ir/attribute.h"
#include "builders/stablehlo/ir/location.h"
#include "builders/stablehlo/ir/type.h"

namespace xla {
namespace stablehlo {

// Floats are compared by their bits.
bool Equal(const Type& a, const Type& b);
bool Equal(const Attribute& a, const Attribute& b);
bool Equal(const Location& a, const Location& b);

size_t Hash(const Type& type);
size_t Hash(const Attribute& attribute);
size_t Hash(const Location& location);

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_EQUAL_H_
