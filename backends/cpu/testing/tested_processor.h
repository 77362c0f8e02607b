// Other processors than the one that tests run on: which code is made, and which loops of the library run.
//
//   matrix-unit   as the host, with AVX-512, but with a matrix unit (AMX), which is emulated (emulated_tiles.h), and with
//                 arithmetic on f16
//   avx2          without AVX-512
//   baseline      x86-64 without extensions
//
// oneDNN and Highway look for themselves what there is, and use all of it.
#ifndef BACKENDS_CPU_TESTING_TESTED_PROCESSOR_H_
#define BACKENDS_CPU_TESTING_TESTED_PROCESSOR_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace xla {

enum class TestedProcessor { kHost, kMatrixUnit, kAvx2, kBaseline };

// "host", "matrix-unit", "avx2", "baseline".
std::string TestedProcessorName(TestedProcessor processor);

// Those that can be tested here: all that need no instructions but the host's. A host with a matrix unit of its own is
// not given the emulation.
std::vector<TestedProcessor> TestableProcessors();

// Programs that are compiled from now on are for `processor`, which must be testable. No program that was made before
// may run.
void TestOnProcessor(TestedProcessor processor);

}  // namespace xla

#endif  // BACKENDS_CPU_TESTING_TESTED_PROCESSOR_H_
