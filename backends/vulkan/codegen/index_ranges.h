// IndexRanges: what the instructions of a phase show of its indices.
#ifndef BACKENDS_VULKAN_CODEGEN_INDEX_RANGES_H_
#define BACKENDS_VULKAN_CODEGEN_INDEX_RANGES_H_

#include <vector>

#include "backends/kernel_ir/index_form.h"
#include "backends/kernel_ir/kernel.h"

namespace xla {
namespace vulkan {

// To be told of a phase and its instructions in order, those within regions too. Of other values than indices, and of
// state, nothing is known.
class IndexRanges {
 public:
  explicit IndexRanges(const Kernel& kernel) : kernel_(kernel), ranges_(kernel.value_types.size()) {}

  void NoteTile(const KernelPhase& phase);
  // Of a loop or a reduce: the indices that its regions are given.
  void NoteArguments(const KernelInstruction& instruction);
  // Of what an instruction computes, operands first.
  void NoteResult(const KernelInstruction& instruction);

  const IndexRange& Of(KernelValue index) const { return ranges_[index]; }
  // Whether arithmetic of words gives it.
  bool IsInWords(KernelValue index) const;

 private:
  const Kernel& kernel_;
  std::vector<IndexRange> ranges_;  // by value
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_INDEX_RANGES_H_
