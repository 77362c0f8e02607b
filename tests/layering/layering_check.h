// Finds the includes of a source tree that go against its layers.
#ifndef TESTS_LAYERING_LAYERING_CHECK_H_
#define TESTS_LAYERING_LAYERING_CHECK_H_

#include <string>
#include <vector>

#include "tests/layering/layers.h"

namespace xla {

// One sentence, sorted by file, for each include in the C++ files below the folder `root` that leads to a layer not
// below the includer's own, and for each file that is in no layer. Unit tests and benchmarks (`*_test.cc`,
// `*_benchmark.cc`,
// `*_fuzzer.cc`, `test_*.h`) may include anything in their own top folder.
std::vector<std::string> LayeringViolations(const std::string& root, const std::vector<Layer>& layers);

// One sentence for each layer that is, through others, below itself, or that names one that does not exist.
std::vector<std::string> LayerTableErrors(const std::vector<Layer>& layers);

}  // namespace xla

#endif  // TESTS_LAYERING_LAYERING_CHECK_H_
