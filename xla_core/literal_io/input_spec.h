// Inputs that follow from a formula, so that none needs to be stored.
//
// A spec is a JSON object with "dtype" (as HLO text spells it), "shape" and "fill":
//   {"fill": "uniform", "seed": s, "low": a, "high": b}   pseudo-random; a and b default to -1 and 1
//   {"fill": "iota"}                                      0, 1, 2, ... wrapped to the type
//   {"fill": "constant", "value": v}                      v everywhere
//   {"fill": "bytes", "base64": "..."}                    little-endian, row-major; types below a byte take one byte
//   each
// Other keys are notes for others and are not read.
//
// "uniform": element i uses z = mix(s + (i + 1) * 0x9E3779B97F4A7C15), where mix is that of splitmix64, in 64-bit
// wrapping arithmetic. Floats are a + (b - a) * ((z >> 11) * 2^-53) in double, rounded to the type; bf16 and narrower
// ones but f16 are rounded to f32 first, as NumPy does it. Integers are a + z mod (b - a + 1), wrapped to the type.
// pred is z & 1. Complex numbers take their real parts from the even and their imaginary parts from the odd positions
// of a stream twice as long.
#ifndef XLA_CORE_LITERAL_IO_INPUT_SPEC_H_
#define XLA_CORE_LITERAL_IO_INPUT_SPEC_H_

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/thread_pool.h"
#include "xla_core/types/literal.h"

namespace xla {

// A spec that has been read. Which fields count depends on `fill` and on the element type of `shape`.
struct InputSpec {
  enum class Fill { kUniform, kIota, kConstant, kBytes };

  Shape shape;  // an array without layout
  Fill fill = Fill::kUniform;
  uint64_t seed = 0;
  // The range of floats.
  double low = -1;
  double high = 1;
  // The range of integers: its first value, wrapped to 64 bits, and how many values it has (0: all of 2^64).
  uint64_t int_low = ~uint64_t{0};
  uint64_t int_count = 3;
  // The constant, as a number and as an integer.
  std::complex<double> value;
  int64_t int_value = 0;
  std::string bytes;
};

// The spec of a parameter of which only the shape is known: floats in [-1, 1), signed integers in [-8, 8], unsigned
// ones in [0, 8].
InputSpec DefaultInputSpec(const Shape& shape, uint64_t seed);

// Reads one spec. `where` ("case.json: inputs[2]") begins the message of an error. InvalidArgument: a field is missing
// or of the wrong kind, the type is unknown, the size does not fit in 63 bits or does not agree with the bytes.
absl::StatusOr<InputSpec> ParseInputSpec(const JsonValue& json, absl::string_view where);

// The array of a spec; the same for any number of threads. `pool` and `resources` may be null; the elements count
// against `budget`. ResourceExhausted: the memory is not there. Reaching a limit of `resources` is an error too.
absl::StatusOr<Literal> MakeInput(const InputSpec& spec, ThreadPool* pool = nullptr, MemoryBudget* budget = nullptr,
                                  const ResourceContext* resources = nullptr);

// The specs of a whole run.
struct InputSpecs {
  // One list for each device, or a single one that all devices share.
  std::vector<std::vector<InputSpec>> devices;
  // What the file says, 0 if it does not.
  int64_t replica_count = 0;
  int64_t partition_count = 0;
};

// Reads the list "inputs" of a JSON object (or a list by itself): specs, or for several devices one list of specs each.
absl::StatusOr<InputSpecs> ParseInputSpecs(const JsonValue& json, absl::string_view file_name);

}  // namespace xla

#endif  // XLA_CORE_LITERAL_IO_INPUT_SPEC_H_
