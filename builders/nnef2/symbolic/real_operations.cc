#include "builders/nnef2/symbolic/real_operations.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace xla {
namespace nnef2 {
namespace {

// Ints are 32 bits wide at run time.
constexpr int64_t kLargestRunTimeInt = std::numeric_limits<int32_t>::max();
constexpr int64_t kSmallestRunTimeInt = std::numeric_limits<int32_t>::min();

constexpr bool kRises = true;
constexpr bool kTurns = false;

constexpr RealFunction kFunctions[] = {
    {"abs", [](double x) { return std::fabs(x); }, kTurns},
    {"sign", [](double x) { return x > 0   ? 1.0
                                   : x < 0 ? -1.0
                                           : 0.0; }, kRises},
    {"sqrt", [](double x) { return std::sqrt(x); }, kRises},
    {"exp", [](double x) { return std::exp(x); }, kRises},
    {"log", [](double x) { return std::log(x); }, kRises},
    {"sin", [](double x) { return std::sin(x); }, kTurns},
    {"cos", [](double x) { return std::cos(x); }, kTurns},
    {"tan", [](double x) { return std::tan(x); }, kTurns},
    {"asin", [](double x) { return std::asin(x); }, kRises},
    {"acos", [](double x) { return std::acos(x); }, kTurns},
    {"atan", [](double x) { return std::atan(x); }, kRises},
    {"sinh", [](double x) { return std::sinh(x); }, kRises},
    {"cosh", [](double x) { return std::cosh(x); }, kTurns},
    {"tanh", [](double x) { return std::tanh(x); }, kRises},
    {"asinh", [](double x) { return std::asinh(x); }, kRises},
    {"acosh", [](double x) { return std::acosh(x); }, kRises},
    {"atanh", [](double x) { return std::atanh(x); }, kRises},
    {"erf", [](double x) { return std::erf(x); }, kRises},
    {"round", [](double x) { return std::round(x); }, kRises},
    {"floor", [](double x) { return std::floor(x); }, kRises},
    {"ceil", [](double x) { return std::ceil(x); }, kRises},
    {"frac", [](double x) { return x - std::trunc(x); }, kTurns},
};

}  // namespace

absl::Span<const RealFunction> RealFunctions() { return kFunctions; }

const RealFunction* FindRealFunction(absl::string_view name) {
  const auto place = std::find_if(std::begin(kFunctions), std::end(kFunctions),
                                  [&](const RealFunction& function) { return function.name == name; });
  return place == std::end(kFunctions) ? nullptr : place;
}

int64_t TruncateToInt(double x) {
  if (std::isnan(x)) return 0;
  if (std::isinf(x)) return x > 0 ? kLargestRunTimeInt : kSmallestRunTimeInt;
  if (x >= 9223372036854775807.0) return std::numeric_limits<int64_t>::max();
  if (x <= -9223372036854775808.0) return std::numeric_limits<int64_t>::min();
  return static_cast<int64_t>(x);
}

}  // namespace nnef2
}  // namespace xla
