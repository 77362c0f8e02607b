// LoopWork: which loops of a kernel may take long.
//
// Such loops ask from time to time whether the run is to end (polling.cc): those with more than kMostWork scalar
// operations, and those that nothing bounds. What a loop does in loops within it that ask themselves does not count, so
// that no more than kMostWork lie between two times that a kernel could ask.
#ifndef BACKENDS_CPU_CODEGEN_LOOP_WORK_H_
#define BACKENDS_CPU_CODEGEN_LOOP_WORK_H_

#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/types/span.h"
#include "backends/kernel_ir/kernel.h"

namespace xla {
namespace codegen {

// Refers to the kernel. Linear in its size.
class LoopWork {
 public:
  // Scalar operations take from a tenth of a nanosecond, in vectors, to some hundred, where they wait for memory.
  static constexpr double kMostWork = 1 << 20;

  explicit LoopWork(const Kernel& kernel);

  // Of one run of the region, in scalar operations, approximately: at least 1.
  double Of(const KernelRegion& region) const { return work_.at(&region); }
  // Of one iteration of the outermost loop of a reduction, or of the loop that `loops` others are around.
  double OfIteration(const KernelInstruction& reduce, size_t loops) const;
  // The most iterations that a loop over this extent has; infinity if that is not known.
  double MostIterations(KernelValue extent) const { return bounds_[extent]; }

  static bool IsLong(double iterations, double work_of_iteration) { return iterations * work_of_iteration > kMostWork; }

 private:
  double Add(const KernelRegion& region);
  double Add(const KernelInstruction& instruction);
  // What a value is at most, of s64.
  double BoundOf(const KernelInstruction& instruction) const;

  const Kernel& kernel_;
  std::vector<double> bounds_;  // by value
  absl::flat_hash_map<const KernelRegion*, double> work_;
};

}  // namespace codegen
}  // namespace xla

#endif  // BACKENDS_CPU_CODEGEN_LOOP_WORK_H_
