#include "tests/conformance/webnn_metric.h"

#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

#include "absl/strings/str_cat.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// The sign and magnitude of a float's bits as an integer.
int64_t OrderedBits(uint32_t bits, int width) {
  const uint32_t sign = uint32_t{1} << (width - 1);
  const int64_t magnitude = bits & (sign - 1);
  return (bits & sign) != 0 ? -magnitude : magnitude;
}

double FloatAt(const Literal& array, int64_t i, int64_t* ordered) {
  if (array.shape().element_type() == F32) {
    uint32_t bits;
    std::memcpy(&bits, array.data<char>() + 4 * i, sizeof(bits));
    *ordered = OrderedBits(bits, 32);
    return array.data<float>()[i];
  }
  const uint16_t bits = array.data<uint16_t>()[i];
  *ordered = OrderedBits(bits, 16);
  return DecodeNarrow(NarrowFormat::kF16, bits);
}

double FloatDistance(const Literal& got, const Literal& want, int64_t i, WebnnTolerance::Metric metric) {
  int64_t got_bits, want_bits;
  const double a = FloatAt(got, i, &got_bits);
  const double b = FloatAt(want, i, &want_bits);
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : kInfinity;
  if (metric == WebnnTolerance::Metric::kUlp) return static_cast<double>(std::abs(got_bits - want_bits));
  if (std::isinf(a) || std::isinf(b)) return a == b ? 0 : kInfinity;
  return std::abs(a - b);
}

double IntegerDistance(const Literal& got, const Literal& want, int64_t i) {
  return DispatchInt(got.shape().element_type(), [&](auto tag) {
    using T = TagType<decltype(tag)>;
    const T a = got.data<T>()[i], b = want.data<T>()[i];
    // Exact, because the difference of two 64-bit integers fits as an unsigned one.
    const uint64_t distance = a > b ? static_cast<uint64_t>(a) - static_cast<uint64_t>(b)
                                    : static_cast<uint64_t>(b) - static_cast<uint64_t>(a);
    return static_cast<double>(distance);
  });
}

std::string ElementText(const Literal& array, int64_t i) {
  const PrimitiveType type = array.shape().element_type();
  if (IsFloat(type)) {
    int64_t ordered;
    return absl::StrCat(FloatAt(array, i, &ordered));
  }
  return DispatchInt(type, [&](auto tag) {
    using T = TagType<decltype(tag)>;
    using Wide = std::conditional_t<std::is_signed<T>::value, int64_t, uint64_t>;
    return absl::StrCat(static_cast<Wide>(array.data<T>()[i]));
  });
}

}  // namespace

absl::Status CheckWebnnResult(const std::string& name, const Literal& got, const Literal& want,
                              const WebnnTolerance& tolerance) {
  if (!got.shape().Compatible(want.shape())) {
    return absl::DataLossError(
        absl::StrCat(name, ": got ", got.shape().ToString(), ", expected ", want.shape().ToString()));
  }
  int64_t wrong = 0, worst = 0;
  double worst_distance = -1;
  for (int64_t i = 0; i < want.element_count(); ++i) {
    const double distance = IsFloat(want.shape().element_type()) ? FloatDistance(got, want, i, tolerance.metric)
                                                                 : IntegerDistance(got, want, i);
    if (distance <= tolerance.value) continue;
    ++wrong;
    if (distance <= worst_distance) continue;
    worst = i;
    worst_distance = distance;
  }
  if (wrong == 0) return absl::OkStatus();
  return absl::DataLossError(absl::StrCat(
      name, ": ", wrong, " of ", want.element_count(), " elements are wrong, most of all number ", worst, ": got ",
      ElementText(got, worst), ", expected ", ElementText(want, worst), ", distance ", worst_distance, ", allowed ",
      tolerance.value, tolerance.metric == WebnnTolerance::Metric::kUlp ? " ULP" : ""));
}

}  // namespace xla
