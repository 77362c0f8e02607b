// Judges a difference between two results of one program: must they be the same, and if not, does rounding explain it?
#ifndef BACKENDS_AUTOPSY_DIFFERENCE_H_
#define BACKENDS_AUTOPSY_DIFFERENCE_H_

#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/autopsy/rounding.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/types/literal.h"

namespace xla {

struct Judgement {
  enum class Kind {
    kSame,     // bit by bit, except for the bits of NaNs
    kRounded,  // what must have the same bits has them, and rounding explains the rest
    kReal,
    kUnjudged,  // beyond the tolerance, and there is no form in f64 to judge it by
  };
  Kind kind = Kind::kSame;
  std::string text;  // what differs, for people; "" if nothing is beyond the tolerance

  bool is_accusation() const { return kind == Kind::kReal || kind == Kind::kUnjudged; }
};

struct JudgeOptions {
  RoundingOptions rounding;
  // Nothing need have the same bits: fast math is on.
  bool is_inexact = false;
  // What is within the tolerance of its type is judged against f64, too.
  bool is_strict = false;
  // The name of a leaf of the result; nullptr: "out0" ...
  std::function<std::string(size_t leaf)> name;
};

// `got` and `want` are the arrays among the leaves of the results of the verified module with these arguments, on one
// device. An array that depends neither on the order of a sum nor on a function that may be rounded in more than one
// way (analyses/exactness.h) must have the same bits. Errors of the evaluator, and of limits.
absl::StatusOr<Judgement> JudgeDifference(const HloModule& module, const std::vector<Literal>& arguments,
                                          const std::vector<Literal>& got, const std::vector<Literal>& want,
                                          const JudgeOptions& options);

// Every bit but those of NaNs.
Tolerance SameBits();
// Whether both have the same bytes, and so need not be looked at.
bool HaveSameBytes(const Literal& a, const Literal& b);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_DIFFERENCE_H_
