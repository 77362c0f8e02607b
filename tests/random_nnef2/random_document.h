// Random documents of NNEF 2 with one operation, and what is fed to them.
#ifndef TESTS_RANDOM_NNEF2_RANDOM_DOCUMENT_H_
#define TESTS_RANDOM_NNEF2_RANDOM_DOCUMENT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "tests/random_nnef2/direct_tensor.h"
#include "xla_core/support/random_source.h"

namespace xla {
namespace nnef2 {

struct RandomDocument {
  std::string text;
  std::vector<DirectTensors> inputs;
};

// An operator whose body is one or two random statements, on extents some of which are known at run time only. `size`, from 1: of smaller ones there are fewer loops, loads
// and operations.
RandomDocument RandomStatement(uint64_t seed, int size);

// An operator that finds the place of the least or greatest element, in a dimension or among the tensors of a pack, or
// nearly does so.
RandomDocument RandomArgument(uint64_t seed);

// A call of an operator of the standard library with random shapes and attributes. Its text has $0 in place of the type
// of the output.
RandomDocument RandomLibraryCall(uint64_t seed);

// The operators that RandomLibraryCall calls: "math.add".
std::vector<std::string> CalledOperators();

// ---- for both

// Which numbers elements are. They are multiples of 1/4, so that sums and products of few of them are exact.
enum class Domain {
  kAny,       // from -2 to 2
  kNonzero,   // the same without 0
  kPositive,  // from 1/4 to 3
  kUnit,      // from -3/4 to 3/4
  kAboveOne,  // from 5/4 to 3
};

DirectTensor RandomReals(RandomSource& random, std::vector<int64_t> extents, Domain domain = Domain::kAny);
DirectTensor RandomInts(RandomSource& random, std::vector<int64_t> extents, int64_t least, int64_t greatest);
DirectTensor RandomBools(RandomSource& random, std::vector<int64_t> extents);

// "real[2,3]".
std::string DeclarationOf(const DirectTensor& tensor);
// "[1,2]".
std::string ListText(const std::vector<int64_t>& numbers);

}  // namespace nnef2
}  // namespace xla

#endif  // TESTS_RANDOM_NNEF2_RANDOM_DOCUMENT_H_
