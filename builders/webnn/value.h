// MLValue: a value of JavaScript or JSON, as arguments and options arrive from there.
//
// C++ programs call the typed methods of MLGraphBuilder. Frontends that learn at run time what they are to call hand
// these to MLGraphBuilder::call(), which converts them as Web IDL says (idl_conversions.h).
#ifndef BUILDERS_WEBNN_VALUE_H_
#define BUILDERS_WEBNN_VALUE_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/variant.h"
#include "builders/webnn/operand.h"

namespace xla {
namespace webnn {

struct MLValue;
using MLValueList = std::vector<MLValue>;

// monostate is undefined (and null). Numbers of JavaScript are double; an integer type holds what is written as an
// integer: a number as well, or, beyond 2^53 where doubles are not exact any more, a bigint.
struct MLValue : absl::variant<absl::monostate, bool, double, int64_t, uint64_t, std::string, MLOperand, MLActivation,
                               MLValueList> {
  using variant::variant;
  MLValue(const char* text) : variant(std::string(text)) {}  // NOLINT: implicit
  MLValue(int value) : variant(int64_t{value}) {}            // NOLINT: implicit

  template <typename T>
  const T* As() const {
    return absl::get_if<T>(static_cast<const variant*>(this));
  }
  bool IsUndefined() const { return As<absl::monostate>() != nullptr; }
};

// A record of the IDL, in the order in which it was given.
template <typename T>
using Named = std::vector<std::pair<std::string, T>>;

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_VALUE_H_
