// MLNumber: a number of JavaScript, which is a double or, as bigint, an exact integer.
#ifndef BUILDERS_WEBNN_NUMBER_H_
#define BUILDERS_WEBNN_NUMBER_H_

#include <cstdint>
#include <string>
#include <type_traits>

#include "absl/types/variant.h"
#include "builders/webnn/data_type.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

// Comparison and conversion are exact: 2^53 + 1 given as int64_t stays that number in an int64 operand.
class MLNumber {
 public:
  MLNumber() : value_(0.0) {}
  // C++ integers are exact, as bigints are.
  template <typename T, std::enable_if_t<std::is_arithmetic<T>::value, int> = 0>
  MLNumber(T value) : value_(Widen(value)) {}  // NOLINT: implicit

  bool IsDouble() const { return absl::holds_alternative<double>(value_); }
  bool IsNan() const;
  // The nearest double.
  double AsDouble() const;
  const absl::variant<double, int64_t, uint64_t>& value() const { return value_; }
  bool operator==(const MLNumber& other) const { return value_ == other.value_; }
  std::string ToString() const;

  // As a scalar of `type`: floats are rounded to nearest even; for integers fractions are cut off, values beyond the
  // range give the nearest that there is, NaN gives 0.
  Literal ToLiteral(MLOperandDataType type) const;

 private:
  template <typename T>
  static absl::variant<double, int64_t, uint64_t> Widen(T value) {
    if constexpr (std::is_floating_point<T>::value) {
      return static_cast<double>(value);
    } else if constexpr (std::is_signed<T>::value) {
      return static_cast<int64_t>(value);
    } else {
      return static_cast<uint64_t>(value);
    }
  }

  absl::variant<double, int64_t, uint64_t> value_;
};

// -1, 0 or 1 as a is less than, equal to or greater than b, exactly. Neither is NaN.
int Compare(const MLNumber& a, const MLNumber& b);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_NUMBER_H_
