// Random kernels and inputs for them, to compare code generators with the kernel interpreter.
//
// A kernel has a few phases of a few tiles; in each there are nests of loops that fill a part of an output or scratch
// that is their own, accumulate into it in order, or scatter into it. What they store are random expressions of all
// scalar operations and element types over loads of every kind, reductions with and without lanes, loops with state,
// branches and bounded while loops. Each fourth is for workgroups. Kernels are valid, and no result depends on what the
// op table leaves open: an operation that may be off by units in the last place comes last before a store, and the bits
// of a NaN that was computed are never looked at.
#ifndef BACKENDS_KERNEL_IR_TESTING_RANDOM_KERNEL_H_
#define BACKENDS_KERNEL_IR_TESTING_RANDOM_KERNEL_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/types/literal.h"

namespace xla {

struct RandomKernelOptions {
  uint64_t seed = 0;
  // Element types and operations (by the type of the first operand that is not a predicate) that may occur; empty: all.
  // s64 and pred occur in any case.
  std::function<bool(PrimitiveType)> admits_type;
  std::function<bool(HloOpcode, PrimitiveType)> admits_operation;
};

struct RandomKernel {
  Kernel kernel;
  // How far each of the caller's buffers may be from the interpreter's, in units in the last place.
  std::vector<int> max_ulp;
};

RandomKernel MakeRandomKernel(const RandomKernelOptions& options);

// Arrays for the caller's buffers, in order, with special values of their types among others. A buffer that shares
// memory with an earlier one gets an array too, which is not used.
std::vector<Literal> MakeRandomBuffers(const Kernel& kernel, uint64_t seed);

// What differs between the arrays after two runs, one line for each buffer that does; empty if nothing.
std::string DescribeDifferences(const RandomKernel& kernel, absl::Span<const Literal> got,
                                absl::Span<const Literal> want);

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_TESTING_RANDOM_KERNEL_H_
