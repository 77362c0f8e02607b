// Which processor machine code is made for.
#ifndef BACKENDS_CPU_CODEGEN_CODEGEN_TARGET_H_
#define BACKENDS_CPU_CODEGEN_CODEGEN_TARGET_H_

#include <string>

#include "absl/types/optional.h"

namespace xla {

// A processor as LLVM names it, and the facts about it that the emitter itself has to know. Two targets with one
// TargetKey give the same code. Defaults are those of x86-64 without extensions.
struct CodegenTarget {
  std::string triple;
  std::string cpu;
  std::string features;           // as LLVM takes them: "+avx2,-avx512f"
  int vector_bytes = 16;          // of a register
  bool has_masks = false;         // loads and stores of any element under a mask are instructions
  bool has_half = false;          // conversions between f16 and f32 are
  bool has_multiply_add = false;  // KernelOp::kMultiplyAdd is, and no call
  bool has_half_arithmetic = false;  // sums, products and quotients of f16 are
};

// The machine that runs this.
CodegenTarget HostTarget();
// From now on the function above returns `target`; nullopt: the machine. For tests, and not while others compile.
void UseTargetInTests(absl::optional<CodegenTarget> target);
// x86-64 without extensions, and with AVX2, FMA and F16C. Only tests compile for these: they run the code that an older
// processor than this one gets.
CodegenTarget BaselineTarget();
CodegenTarget Avx2Target();
// For objects; 64-bit ARM with NEON.
CodegenTarget Aarch64Target();

// Whether this machine can run code for an x86-64 target of those above. For tests, too.
bool HostRuns(const CodegenTarget& target);

// Everything that code of equal kernels for `target` depends on, LLVM's version and the emitter's included: a part of
// the key of a cache of objects.
std::string TargetKey(const CodegenTarget& target);

}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_CODEGEN_TARGET_H_
