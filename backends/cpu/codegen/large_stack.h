// LLVM's code generator recurses along chains of operations, and how long those are is up to the program.
#ifndef BACKENDS_CPU_CODEGEN_LARGE_STACK_H_
#define BACKENDS_CPU_CODEGEN_LARGE_STACK_H_

#include <cstdint>

#include "absl/functional/function_ref.h"

namespace xla {
namespace codegen {

// Runs `work` to its end on a thread with so much stack, of which only what is used takes memory; on this thread if
// the system gives no other.
void RunOnStackOf(int64_t bytes, absl::FunctionRef<void()> work);

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_LARGE_STACK_H_
