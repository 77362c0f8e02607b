// Rounding: whether two results of a program differ by more than rounding explains.
//
// The program is evaluated in f64, and several times in its own types with noise wherever a backend may round otherwise
// (noise.h): each number there is moved by some units in the last place. An error is the distance from f64. As large as
// those of the runs with noise, or as some times the interpreter's there or usually, it is a matter of rounding:
//
//   f32[] sum of 1e8, 1, -1e8: f64 1, interpreter 0, backend 4     the error of the backend is 3, those of the runs
//   with
//                                                                  noise are a hundred: explained
//   f32[] sum of 2, 2: f64 4, interpreter 4, backend 4.01          error 0.01, those of the runs with noise are 1e-5:
//   not
//
// Infinities and NaNs are explained if f64 or one of the runs has the same there. An integer or a pred is explained if
// the runs do not agree there with f64: a decision sits within rounding of its threshold.
//
// Where f64 is the type already, the interpreter's result stands for the exact one.
#ifndef BACKENDS_AUTOPSY_ROUNDING_H_
#define BACKENDS_AUTOPSY_ROUNDING_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

struct RoundingOptions {
  uint64_t seed = 0;  // of rng
  int threads = 1;
  const ResourceContext* resources = nullptr;
};

// An element that rounding does not explain, or the one that needs most of what rounding allows.
struct JudgedElement {
  int64_t leaf = 0;      // of the result
  int64_t position = 0;  // row-major
  double got = 0, want = 0, exact = 0;
  double got_error = 0, want_error = 0;
  double allowed = 0;
};

struct RoundingVerdict {
  bool explains = false;
  int64_t elements = 0;  // that differ
  int64_t beyond = 0;    // those that rounding does not explain
  JudgedElement worst;
  // "got 4, the interpreter 0, in f64 1: errors 3 and 1, rounding allows 40 (out0 at element 0)"
  std::string ToString() const;
};

// `got` and `want` are the leaves of the results of a verified module for one device, with these arguments: what the
// backend made of them, and what the interpreter did. Unimplemented if there is no form of the module in f64. Errors of
// the evaluator, and of limits.
absl::StatusOr<RoundingVerdict> JudgeRounding(const HloModule& module, const std::vector<Literal>& arguments,
                                              const std::vector<Literal>& got, const std::vector<Literal>& want,
                                              const RoundingOptions& options);

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_ROUNDING_H_
