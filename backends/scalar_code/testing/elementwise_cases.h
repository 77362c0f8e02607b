// Every elementwise operation on every element type, as kernels that a code generator's test compiles, with inputs that
// are likely to be trouble and what the interpreter computes from them.
#ifndef BACKENDS_SCALAR_CODE_TESTING_ELEMENTWISE_CASES_H_
#define BACKENDS_SCALAR_CODE_TESTING_ELEMENTWISE_CASES_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/ir/opcode.h"

namespace xla {

// Of elements of a case. Not a multiple of any number of lanes.
constexpr int64_t kElementwiseCount = 1003;

// One phase of one tile: z[i] is an operation of x0[i], x1[i] ...; z is the last buffer.
struct ElementwiseCase {
  std::string name;
  Kernel kernel;
  int max_ulp = 0;
  HloOpcode opcode = HloOpcode::kCopy;  // of a row of elementwise.def
};

std::vector<ElementwiseCase> RowCases();  // of elementwise.def
std::vector<ElementwiseCase> ConvertCases();
std::vector<ElementwiseCase> StochasticConvertCases();
std::vector<ElementwiseCase> CompareAndSelectCases();
// A maximum or minimum with a number takes less than of two that are not known. And products and sums that round once.
std::vector<ElementwiseCase> BoundAndMultiplyAddCases();

struct ElementwiseReference {
  std::vector<std::vector<char>> inputs;  // by buffer; the last one is not used
  std::vector<char> want;
};
absl::StatusOr<ElementwiseReference> InterpretElementwise(const Kernel& kernel, uint64_t seed);

// "" if the elements are equal enough. Zeros of unequal sign are not equal; NaN is NaN.
std::string ElementDifference(PrimitiveType type, const char* got, const char* want, int max_ulp);

// The same for complex numbers that were computed in the type of their parts: by modulus, within the tolerance of that
// type; a NaN in either part is NaN. Infinities are equal, and the part beside one is compared by itself.
std::string ModulusDifference(PrimitiveType type, const char* got, const char* want);

// The operands of element i, for messages.
std::string OperandsOf(const ElementwiseCase& tested, const ElementwiseReference& reference, int64_t i);

}  // namespace xla

#endif  // BACKENDS_SCALAR_CODE_TESTING_ELEMENTWISE_CASES_H_
