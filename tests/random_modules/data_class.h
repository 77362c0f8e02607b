// What values a parameter or constant of a random module takes, and how to make them.
#ifndef TESTS_RANDOM_MODULES_DATA_CLASS_H_
#define TESTS_RANDOM_MODULES_DATA_CLASS_H_

#include "absl/strings/string_view.h"
#include "xla_core/support/random_source.h"
#include "xla_core/types/literal.h"
#include "xla_core/types/shape.h"

namespace xla {

enum class DataClass {
  kAny,         // anything the type has, special values among them
  kOrdinary,    // numbers in [-4, 4]
  kPositive,    // numbers in [0.5, 2]
  kSmall,       // whole numbers in [-3, 3]
  kCount,       // whole numbers in [0, 3]
  kDefinite,    // symmetric matrices whose diagonal dominates
  kTriangular,  // matrices with whole numbers in [1, 2] on the diagonal and small ones elsewhere
};

// "small": the last word of a parameter's name, after an underscore.
const char* DataClassName(DataClass data_class);
// kAny if the name says nothing.
DataClass DataClassOfName(absl::string_view parameter_name);

// What can be said of all values of a class in a type; narrow integers hold less than the class allows.
struct DataRange {
  bool bounded = false;  // the next three hold
  double low = 0;
  double high = 0;
  bool integral = false;
};
DataRange RangeOf(DataClass data_class, PrimitiveType type);

// An array without dynamic dimensions. `special_values`: let kAny have NaN, infinities, limits.
Literal MakeData(const Shape& shape, DataClass data_class, bool special_values, RandomSource& random);

}  // namespace xla

#endif  // TESTS_RANDOM_MODULES_DATA_CLASS_H_
