// Whether two modules say the same.
#ifndef BUILDERS_STABLEHLO_IR_COMPARE_MODULES_H_
#define BUILDERS_STABLEHLO_IR_COMPARE_MODULES_H_

#include <string>

#include "builders/stablehlo/ir/module.h"

namespace xla {
namespace stablehlo {

struct CompareOptions {
  bool with_value_names = false;
  bool with_locations = false;
};

// The first difference in words, with the operation's place in its module; "" if there is none. Where operations stand
// in a text is not compared, and elements of constants are compared whether they are written out or not.
std::string FirstDifference(const Module& a, const Module& b, const CompareOptions& options = {});

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_IR_COMPARE_MODULES_H_
