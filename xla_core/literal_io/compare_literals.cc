#include "xla_core/literal_io/compare_literals.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/types/narrow_types.h"
#include "xla_core/types/ordered_index.h"
#include "xla_core/types/type_dispatch.h"

namespace xla {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();

// What the verdict about one element rests on.
struct Difference {
  bool equal = false;         // including NaN to NaN, and signs of zeros that agree or do not matter
  bool comparable = true;     // both finite
  double error = 0;           // |got - want|
  double want_magnitude = 0;  // |want|
  double ulp = 0;             // distance in units in the last place
};

bool IsNanValue(float x) { return std::isnan(x); }
bool IsNanValue(double x) { return std::isnan(x); }
template <typename T>
bool IsNanValue(std::complex<T> x) {
  return std::isnan(x.real()) || std::isnan(x.imag());
}
template <typename T>
bool IsNanValue(T) {
  return false;
}

bool IsInfinite(float x) { return std::isinf(x); }
bool IsInfinite(double x) { return std::isinf(x); }
template <typename T>
bool IsInfinite(std::complex<T> x) {
  return std::isinf(x.real()) || std::isinf(x.imag());
}
template <typename T>
bool IsInfinite(T) {
  return false;
}

double Magnitude(float x) { return std::fabs(x); }
double Magnitude(double x) { return std::fabs(x); }
template <typename T>
double Magnitude(std::complex<T> x) {
  return std::hypot(static_cast<double>(x.real()), static_cast<double>(x.imag()));
}
template <typename T>
double Magnitude(T x) {
  return std::fabs(static_cast<double>(x));
}

double ErrorOf(float got, float want) { return std::fabs(static_cast<double>(got) - want); }
double ErrorOf(double got, double want) { return std::fabs(got - want); }
template <typename T>
double ErrorOf(std::complex<T> got, std::complex<T> want) {
  return std::hypot(static_cast<double>(got.real()) - want.real(), static_cast<double>(got.imag()) - want.imag());
}
// The difference of integers is taken before it is rounded.
template <typename T>
double ErrorOf(T got, T want) {
  const uint64_t distance = got < want ? static_cast<uint64_t>(want) - static_cast<uint64_t>(got)
                                       : static_cast<uint64_t>(got) - static_cast<uint64_t>(want);
  return static_cast<double>(distance);
}

bool SignsAgree(float got, float want) { return std::signbit(got) == std::signbit(want); }
bool SignsAgree(double got, double want) { return std::signbit(got) == std::signbit(want); }
template <typename T>
bool SignsAgree(std::complex<T> got, std::complex<T> want) {
  return (got.real() != 0 || SignsAgree(got.real(), want.real())) &&
         (got.imag() != 0 || SignsAgree(got.imag(), want.imag()));
}
template <typename T>
bool SignsAgree(T, T) {
  return true;
}

template <typename T>
double UlpOf(T got, T want) {
  return static_cast<double>(UlpDistance(OrderedIndex(got), OrderedIndex(want)));
}
template <typename T>
double UlpOf(std::complex<T> got, std::complex<T> want) {
  return std::max(UlpOf(got.real(), want.real()), UlpOf(got.imag(), want.imag()));
}

template <typename T>
Difference Measure(T got, T want, bool zero_sign) {
  Difference difference;
  difference.want_magnitude = Magnitude(want);
  if (IsNanValue(got) || IsNanValue(want)) {
    difference.equal = IsNanValue(got) && IsNanValue(want);
    difference.comparable = false;
  } else if (got == want) {
    difference.equal = !zero_sign || SignsAgree(got, want);
  } else if (IsInfinite(got) || IsInfinite(want)) {
    difference.comparable = false;
  } else {
    difference.error = ErrorOf(got, want);
  }
  return difference;
}

// Collects the differences of two arrays, element by element.
class Accumulator {
 public:
  Accumulator(const Tolerance& tolerance, double scale, Comparison& result)
      : tolerance_(tolerance), scaled_atol_(tolerance.atol * scale), result_(result) {}

  // `ulp` gives the distance when asked for: few elements need it.
  template <typename T, typename Ulp>
  void Add(int64_t position, T got, T want, Ulp ulp) {
    ++result_.elements;
    result_.got_nan += IsNanValue(got);
    result_.want_nan += IsNanValue(want);
    result_.got_infinite += IsInfinite(got);
    result_.want_infinite += IsInfinite(want);
    const Difference difference = Measure(got, want, tolerance_.zero_sign);
    if (difference.equal) return;
    ++result_.inexact;
    const bool wrong_zero = got == want;
    double allowed = scaled_atol_ + tolerance_.rtol * difference.want_magnitude;
    double distance = 0;
    bool passes = false;
    if (difference.comparable) {
      distance = wrong_zero ? 0 : ulp();
      passes = !wrong_zero && (difference.error <= allowed || distance <= tolerance_.ulp);
      ++result_.histogram[Bucket(difference.error)];
    } else {
      ++result_.incomparable;
    }
    if (!passes) ++result_.differing;
    // Elements that pass rank below those that do not, finite errors below a NaN or an infinity.
    const double excess = passes                                 ? std::min(1.0, Ratio(difference.error, allowed))
                          : !difference.comparable || wrong_zero ? kInfinity
                                                                 : 1 + Ratio(difference.error, allowed);
    if (result_.worst_position >= 0 && !(excess > worst_excess_)) return;
    worst_excess_ = excess;
    result_.worst_position = position;
    result_.worst_error = difference.comparable ? difference.error : kInfinity;
    result_.worst_allowed = allowed;
    result_.worst_ulp = distance;
  }

 private:
  static double Ratio(double error, double allowed) {
    // Where nothing is allowed the errors still have an order.
    return allowed > 0 ? error / allowed : std::min(1e300, error * 1e30);
  }
  static int Bucket(double error) {
    if (!(error > 0)) return 0;
    const int decade = static_cast<int>(std::floor(std::log10(error)));
    return std::min(std::max(decade - Comparison::kFirstDecade + 1, 0), Comparison::kBuckets - 1);
  }

  const Tolerance tolerance_;
  const double scaled_atol_;
  Comparison& result_;
  double worst_excess_ = -1;
};

// Calls visit(position) for each element that means something.
template <typename Visit>
void ForEachValidElement(const Literal& array, Visit visit) {
  const int64_t count = array.element_count();
  if (!array.has_dynamic_sizes()) {
    for (int64_t i = 0; i < count; ++i) visit(i);
    return;
  }
  const Shape& shape = array.shape();
  for (int64_t i = 0; i < count; ++i) {
    int64_t rest = i;
    bool valid = true;
    for (int dim = shape.rank() - 1; dim >= 0; --dim) {
      valid = valid && rest % shape.dimension(dim) < array.dynamic_size(dim);
      rest /= shape.dimension(dim);
    }
    if (valid) visit(i);
  }
}

// Calls fn(got, want, ulp) with functions of a position that give the two elements as numbers of C++ and their
// distance.
template <typename Fn>
void WithElements(const Literal& got, const Literal& want, Fn fn) {
  const PrimitiveType type = want.shape().element_type();
  if (!IsNarrowFloatType(type)) {
    DispatchNative(type, [&](auto tag) {
      using T = TagType<decltype(tag)>;
      const T* const g = got.data<T>();
      const T* const w = want.data<T>();
      fn([g](int64_t i) { return g[i]; }, [w](int64_t i) { return w[i]; },
         [g, w](int64_t i) {
           if constexpr (std::is_integral_v<T>) {
             return ErrorOf(g[i], w[i]);
           } else {
             return UlpOf(g[i], w[i]);
           }
         });
    });
    return;
  }
  const NarrowFormat format = NarrowFormatOf(type);
  const auto bits = [wide = ByteWidth(type) == 2](const Literal& array, int64_t i) {
    return wide ? uint32_t{array.data<uint16_t>()[i]} : uint32_t{array.data<uint8_t>()[i]};
  };
  fn([&](int64_t i) { return DecodeNarrow(format, bits(got, i)); },
     [&](int64_t i) { return DecodeNarrow(format, bits(want, i)); },
     [&](int64_t i) {
       return static_cast<double>(UlpDistance(OrderedIndex(format, bits(got, i)), OrderedIndex(format, bits(want, i))));
     });
}

std::string ShapeMismatch(const Literal& got, const Literal& want) {
  if (!got.shape().Compatible(want.shape())) {
    return absl::StrCat("the result is ", got.shape().ToString(), ", expected ", want.shape().ToString());
  }
  for (int i = 0; i < want.shape().rank(); ++i) {
    if (got.dynamic_size(i) != want.dynamic_size(i)) {
      return absl::StrCat("dimension ", i, " has ", got.dynamic_size(i), " elements, expected ", want.dynamic_size(i));
    }
  }
  return "";
}

// "1e-05..1e-04", the errors that a bucket of the histogram counts.
std::string BucketName(int bucket) {
  if (bucket == 0) return absl::StrFormat("below 1e%+03d", Comparison::kFirstDecade);
  const int decade = Comparison::kFirstDecade + bucket - 1;
  if (bucket == Comparison::kBuckets - 1) return absl::StrFormat("1e%+03d and more", decade);
  return absl::StrFormat("1e%+03d..1e%+03d", decade, decade + 1);
}

std::string DescribeHistogram(const Comparison& comparison) {
  constexpr int kBarLength = 40;
  int64_t largest = comparison.incomparable;
  for (const int64_t count : comparison.histogram) largest = std::max(largest, count);
  std::string text;
  const auto add_line = [&](const std::string& name, int64_t count) {
    if (count == 0) return;
    const int length = std::max<int>(1, static_cast<int>(static_cast<double>(count) / largest * kBarLength));
    absl::StrAppendFormat(&text, "\n    %-15s %10d %s", name, count, std::string(length, '#'));
  };
  for (int i = 0; i < Comparison::kBuckets; ++i) add_line(BucketName(i), comparison.histogram[i]);
  add_line("NaN or infinity", comparison.incomparable);
  return text;
}

std::string Plural(int64_t count, const char* noun) { return absl::StrCat(count, " ", noun, count == 1 ? "" : "s"); }

}  // namespace

// Default tolerances by precision: rtol and atol as numbers, with atol relative to the largest expected magnitude,
// and a distance in units in the last place that is always accepted. Integers and predicates must be equal.
Tolerance DefaultTolerance(PrimitiveType type) {
  Tolerance tolerance;
  tolerance.atol_is_relative = true;
  const auto set = [&](double rtol, double atol, double ulp) {
    tolerance.rtol = rtol;
    tolerance.atol = atol;
    tolerance.ulp = ulp;
  };
  switch (ComplexComponentType(type)) {
    case F64:
      set(1e-12, 1e-14, 4);
      break;
    case F32:
      set(1e-5, 1e-6, 4);
      break;
    case F16:
      set(2e-3, 2e-3, 2);
      break;
    case BF16:
      set(1.6e-2, 8e-3, 2);
      break;
    default:
      set(0, 0, IsNarrowFloatType(type) ? 1 : 0);
  }
  return tolerance;
}

// Compares elements within the expected literal's dynamic sizes. A relative atol is scaled by the largest finite
// magnitude that is expected, so that cancellation in large sums does not count as an error.
Comparison CompareArrays(const Literal& got, const Literal& want, const Tolerance& tolerance) {
  Comparison result;
  result.shape_mismatch = ShapeMismatch(got, want);
  if (!result.shape_mismatch.empty()) return result;
  WithElements(got, want, [&](auto got_at, auto want_at, auto ulp_at) {
    double scale = 0;
    if (tolerance.atol_is_relative && tolerance.atol > 0) {
      ForEachValidElement(want, [&](int64_t i) {
        const double magnitude = Magnitude(want_at(i));
        if (magnitude < kInfinity) scale = std::max(scale, magnitude);
      });
    } else {
      scale = 1;
    }
    Accumulator accumulator(tolerance, scale, result);
    ForEachValidElement(want, [&](int64_t i) { accumulator.Add(i, got_at(i), want_at(i), [&] { return ulp_at(i); }); });
  });
  return result;
}

// One line if all elements agree; else counts, the worst element with its error and allowance, counts of NaN and
// infinities, and a histogram of the errors.
std::string DescribeComparison(const std::string& name, const Comparison& comparison, const Literal& got,
                               const Literal& want) {
  const std::string title = absl::StrCat(name, " ", want.shape().ToString(), ": ");
  if (!comparison.shape_mismatch.empty()) return absl::StrCat(title, comparison.shape_mismatch);
  const auto ulp_text = [&] { return absl::StrFormat("%.6g ulp", comparison.worst_ulp); };
  const auto index = [&] { return FormatIndex(want.shape().dimensions(), comparison.worst_position); };
  if (comparison.matches()) {
    std::string text =
        absl::StrCat(title, Plural(comparison.elements, "element"), " match", comparison.elements == 1 ? "es" : "");
    if (comparison.inexact == 0) return text + " exactly";
    return absl::StrCat(text, absl::StrFormat(", largest error %.3g at ", comparison.worst_error), index(), " (",
                        ulp_text(), ")");
  }
  std::string text = absl::StrFormat("%s%d of %s differ (%.3g %%), %d more are inexact but within the tolerance", title,
                                     comparison.differing, Plural(comparison.elements, "element"),
                                     100.0 * static_cast<double>(comparison.differing) / comparison.elements,
                                     comparison.inexact - comparison.differing);
  absl::StrAppend(&text, "\n  worst at ", index(), ": got ", FormatElement(got, comparison.worst_position),
                  ", expected ", FormatElement(want, comparison.worst_position));
  if (std::isfinite(comparison.worst_error)) {
    absl::StrAppendFormat(&text, "; error %.3g, allowed %.3g", comparison.worst_error, comparison.worst_allowed);
    if (!IsInt(want.shape().element_type()) && want.shape().element_type() != PRED) {
      absl::StrAppend(&text, "; ", ulp_text(), " apart");
    }
  }
  if (comparison.got_nan + comparison.want_nan + comparison.got_infinite + comparison.want_infinite > 0) {
    absl::StrAppend(&text, "\n  NaN: got ", comparison.got_nan, ", expected ", comparison.want_nan, "; infinite: got ",
                    comparison.got_infinite, ", expected ", comparison.want_infinite);
  }
  absl::StrAppend(&text, "\n  |got - expected| of the inexact elements:", DescribeHistogram(comparison));
  return text;
}

}  // namespace xla
