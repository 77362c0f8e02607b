#include "backends/autopsy/rounding.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "backends/autopsy/in_double.h"
#include "backends/autopsy/noise.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/leaves.h"
#include "xla_core/ops/literal_util.h"
#include "xla_core/support/random_source.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// Runs with noise. Of n random signs, all are alike once in 2^n times: four show the size.
constexpr int kSamples = 4;
// As many if that leaves elements that are near to being explained: a comparison of equal numbers is random each time.
constexpr int kMostSamples = 24;
// Units in the last place of the noise; an error is explained up to this many times the interpreter's: the order of a
// sum of n terms has been seen to need 10.
constexpr double kAllowance = 16;
// That many times as large an error may be explained by more runs.
constexpr double kNear = 1000;
// Kernels may flush smaller numbers to zero.
constexpr double kFlushed = std::numeric_limits<float>::min();

double Distance(complex128 a, complex128 b) {
  const bool same = a == b || (std::isnan(std::abs(a)) && std::isnan(std::abs(b)));
  return same ? 0 : std::abs(a - b);
}

absl::StatusOr<std::vector<complex128>> Elements(const Literal& array) {
  ASSIGN_OR_RETURN(const Literal wide, LiteralUtil::Convert(array, C128));
  const absl::Span<const complex128> elements = wide.span<complex128>();
  return std::vector<complex128>(elements.begin(), elements.end());
}

// The leaves that are arrays, as JudgeRounding is given them.
absl::StatusOr<std::vector<Literal>> Run(const HloModule& module, std::vector<Literal> arguments,
                                         const RoundingOptions& options) {
  EvaluatorOptions evaluator_options;
  evaluator_options.threads = options.threads;
  evaluator_options.seed = options.seed;
  evaluator_options.resources = options.resources;
  ASSIGN_OR_RETURN(const std::unique_ptr<Evaluator> evaluator, Evaluator::Create(module, evaluator_options));
  ASSIGN_OR_RETURN(const std::vector<Literal> results, evaluator->Run({std::move(arguments)}));
  std::vector<Literal> leaves;
  for (Literal& leaf : FlattenLeaves(results[0])) {
    if (leaf.shape().IsArray()) leaves.push_back(std::move(leaf));
  }
  return leaves;
}

absl::StatusOr<std::vector<Literal>> RunInDouble(const HloModule& module, const std::vector<Literal>& arguments,
                                                 const RoundingOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> wide_module, InDouble(module, options.resources));
  std::vector<Literal> wide_arguments;
  for (const Literal& argument : arguments) {
    ASSIGN_OR_RETURN(Literal wide, ConvertedToDouble(argument));
    wide_arguments.push_back(std::move(wide));
  }
  return Run(*wide_module, std::move(wide_arguments), options);
}

// One leaf of the result on all sides.
struct Sides {
  std::vector<complex128> got, want, exact;
  std::vector<std::vector<complex128>> samples;
  bool is_float = false;
  double epsilon = 0;
  double typical_error = 0;  // of the interpreter, relative; the median over all elements
};

// What kind of number an element is: errors are distances between finite ones only.
enum class NumberKind { kFinite, kPositiveInfinity, kNegativeInfinity, kOtherInfinity, kNan };

NumberKind KindOf(complex128 value) {
  if (std::isnan(value.real()) || std::isnan(value.imag())) return NumberKind::kNan;
  if (std::isfinite(value.real()) && std::isfinite(value.imag())) return NumberKind::kFinite;
  if (std::isfinite(value.real()) || value.imag() != 0) return NumberKind::kOtherInfinity;
  return value.real() > 0 ? NumberKind::kPositiveInfinity : NumberKind::kNegativeInfinity;
}

// The largest error of the runs with noise whose result is finite; -1: there is none.
double LargestError(const Sides& sides, size_t i) {
  double largest = -1;
  for (const std::vector<complex128>& sample : sides.samples) {
    if (KindOf(sample[i]) == NumberKind::kFinite) largest = std::max(largest, Distance(sample[i], sides.exact[i]));
  }
  return largest;
}

// Whether a run with other roundings has a result of this kind there.
bool SomeRunIs(NumberKind kind, const Sides& sides, size_t i) {
  const auto is_of_kind = [&](const std::vector<complex128>& sample) { return KindOf(sample[i]) == kind; };
  return KindOf(sides.exact[i]) == kind || std::any_of(sides.samples.begin(), sides.samples.end(), is_of_kind);
}

// How far from f64 an element may be; infinity: anything goes.
double Allowed(const Sides& sides, size_t i) {
  if (!sides.is_float) {
    const auto is_other = [&](const std::vector<complex128>& sample) { return sample[i] != sides.exact[i]; };
    const bool is_decided_by_rounding =
        sides.want[i] != sides.exact[i] || std::any_of(sides.samples.begin(), sides.samples.end(), is_other);
    return is_decided_by_rounding ? HUGE_VAL : 0;
  }
  const NumberKind kind = KindOf(sides.got[i]);
  if (kind != NumberKind::kFinite) return SomeRunIs(kind, sides, i) ? HUGE_VAL : 0;
  const double largest_error = LargestError(sides, i);
  if (largest_error < 0) return 0;
  if (KindOf(sides.exact[i]) != NumberKind::kFinite) return HUGE_VAL;
  const bool is_finite = KindOf(sides.want[i]) == NumberKind::kFinite;
  const double want_error = is_finite ? Distance(sides.want[i], sides.exact[i]) : 0;
  return largest_error +
         kAllowance * (want_error + kFlushed + (sides.epsilon + sides.typical_error) * std::abs(sides.exact[i]));
}

double TypicalError(const Sides& sides) {
  std::vector<double> errors;
  for (size_t i = 0; i < sides.want.size(); ++i) {
    const double error = Distance(sides.want[i], sides.exact[i]) / std::abs(sides.exact[i]);
    if (std::isfinite(error)) errors.push_back(error);
  }
  if (errors.empty()) return 0;
  const auto middle = errors.begin() + static_cast<int64_t>((errors.size() - 1) / 2);
  std::nth_element(errors.begin(), middle, errors.end());
  return *middle;
}

// Whether more runs may explain what is beyond.
bool IsNear(const Sides& sides, const JudgedElement& element) {
  return !sides.is_float || element.got_error <= kNear * element.allowed;
}

void JudgeLeaf(const Sides& sides, int64_t leaf, RoundingVerdict* verdict, bool* is_near) {
  double worst_ratio = -1;
  for (size_t i = 0; i < sides.got.size(); ++i) {
    if (Distance(sides.got[i], sides.want[i]) == 0) continue;
    ++verdict->elements;
    JudgedElement element;
    element.leaf = leaf;
    element.position = static_cast<int64_t>(i);
    element.got = sides.got[i].real();
    element.want = sides.want[i].real();
    element.exact = sides.exact[i].real();
    element.got_error = Distance(sides.got[i], sides.exact[i]);
    element.want_error = Distance(sides.want[i], sides.exact[i]);
    element.allowed = Allowed(sides, i);
    const bool is_explained = std::isinf(element.allowed) || element.got_error <= element.allowed;
    const double ratio = is_explained ? (element.allowed > 0 ? element.got_error / element.allowed : 0) : HUGE_VAL;
    if (!is_explained) {
      ++verdict->beyond;
      *is_near = *is_near && IsNear(sides, element);
    }
    const bool is_worst = verdict->elements == 1 || (!is_explained && verdict->beyond == 1) ||
                          (is_explained && verdict->beyond == 0 && ratio > worst_ratio);
    if (!is_worst) continue;
    worst_ratio = ratio;
    verdict->worst = element;
  }
}

absl::StatusOr<Sides> SidesOf(const Literal& got, const Literal& want, const Literal& exact,
                              const std::vector<const Literal*>& samples) {
  Sides sides;
  const PrimitiveType type = want.shape().element_type();
  sides.is_float = IsFloat(type) || IsComplex(type);
  ASSIGN_OR_RETURN(sides.epsilon, EpsilonOf(type));
  ASSIGN_OR_RETURN(sides.got, Elements(got));
  ASSIGN_OR_RETURN(sides.want, Elements(want));
  ASSIGN_OR_RETURN(sides.exact, Elements(exact));
  for (const Literal* sample : samples) {
    ASSIGN_OR_RETURN(std::vector<complex128> elements, Elements(*sample));
    sides.samples.push_back(std::move(elements));
  }
  if (!sides.is_float) return sides;
  sides.typical_error = TypicalError(sides);
  return sides;
}

absl::StatusOr<RoundingVerdict> JudgeLeaves(const std::vector<Literal>& got, const std::vector<Literal>& want,
                                            const std::vector<Literal>& exact,
                                            const std::vector<std::vector<Literal>>& runs, bool* is_near) {
  RoundingVerdict verdict;
  for (size_t leaf = 0; leaf < exact.size(); ++leaf) {
    std::vector<const Literal*> samples;
    for (const std::vector<Literal>& run : runs) samples.push_back(&run[leaf]);
    ASSIGN_OR_RETURN(const Sides sides, SidesOf(got[leaf], want[leaf], exact[leaf], samples));
    JudgeLeaf(sides, static_cast<int64_t>(leaf), &verdict, is_near);
  }
  verdict.explains = verdict.beyond == 0;
  return verdict;
}

}  // namespace

std::string RoundingVerdict::ToString() const {
  return absl::StrFormat(
      "%d of %d differing elements are beyond what rounding does; %s: got %.9g, the interpreter %.9g, in f64 %.17g: "
      "errors %.3g and %.3g, rounding explains %.3g (out%d, element %d)",
      beyond, elements, explains ? "the one that needs most" : "the worst", worst.got, worst.want, worst.exact,
      worst.got_error, worst.want_error, worst.allowed, worst.leaf, worst.position);
}

absl::StatusOr<RoundingVerdict> JudgeRounding(const HloModule& module, const std::vector<Literal>& arguments,
                                              const std::vector<Literal>& got, const std::vector<Literal>& want,
                                              const RoundingOptions& options) {
  ASSIGN_OR_RETURN(const std::vector<Literal> exact, RunInDouble(module, arguments, options));
  if (exact.size() != got.size() || exact.size() != want.size()) {
    return absl::InternalError("the program in f64 has another number of results");
  }
  std::vector<std::vector<Literal>> runs;
  for (int count = kSamples;; count = kMostSamples) {
    while (static_cast<int>(runs.size()) < count) {
      const uint64_t seed = runs.size();
      ASSIGN_OR_RETURN(const std::unique_ptr<HloModule> noisy, WithNoise(module, kAllowance, seed, options.resources));
      ASSIGN_OR_RETURN(std::vector<Literal> results, Run(*noisy, arguments, options));
      runs.push_back(std::move(results));
    }
    bool is_near = true;
    ASSIGN_OR_RETURN(const RoundingVerdict verdict, JudgeLeaves(got, want, exact, runs, &is_near));
    if (verdict.explains || !is_near || count == kMostSamples) return verdict;
  }
}

}  // namespace xla
