// Runs a kernel, slowly and suspiciously: the reference for code generators, and a test of whoever made the kernel.
//
// Scalar operations are the op table's. Every promise of kernel.h that can be broken while a kernel runs is checked and
// broken ones are errors: element numbers within their buffers, elements that were written before they are read,
// dividends that are not negative, index arithmetic without overflow, and, if asked for, the independence of loops and
// tiles, and the barriers of workgroups.
#ifndef BACKENDS_KERNEL_IR_KERNEL_INTERPRETER_H_
#define BACKENDS_KERNEL_IR_KERNEL_INTERPRETER_H_

#include <cstdint>
#include <memory>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"
#include "xla_core/types/literal.h"

namespace xla {

// Limits and extra checks of one run.
struct KernelRunOptions {
  // Instructions and iterations to run at most; ResourceExhausted beyond that.
  int64_t step_limit = int64_t{1} << 32;
  // Whether independent loops and tiles are, and whether barriers keep apart what invocations of a workgroup do; takes
  // about a hundred bytes for each element that they touch.
  bool check_independence = false;
};

// A kernel made ready to run any number of times. Tiles run one after the other on the calling thread, in order.
class KernelInterpreter {
 public:
  // Internal if the kernel is not valid. It must outlive the interpreter.
  static absl::StatusOr<std::unique_ptr<KernelInterpreter>> Create(const Kernel& kernel);
  virtual ~KernelInterpreter() = default;

  // `buffers`: the addresses of the caller's buffers in order. Internal: a broken promise, and where.
  virtual absl::Status Run(absl::Span<void* const> buffers, const KernelRunOptions& options = {}) const = 0;
};

// The same, once, on arrays of the buffers' types and sizes; InvalidArgument if they are not. A buffer that shares an
// earlier one's memory is that array: its place in `arrays` is not looked at.
absl::Status RunKernelOnArrays(const Kernel& kernel, absl::Span<Literal> arrays, const KernelRunOptions& options = {});

}  // namespace xla

#endif  // BACKENDS_KERNEL_IR_KERNEL_INTERPRETER_H_
