// The buffers of a kernel as SPIR-V variables, and elements in them.
//
//   bytes of an element's part   in a storage buffer                           in scratch
//   1, 2                         themselves, or a part of a word where the     a word
//                                device has no storage of this width
//   4                            a word                                        a word
//   8                            two words                                     two words
//
// A part of a word is stored by two atomic operations, because another tile may store the parts beside it.
#ifndef BACKENDS_VULKAN_CODEGEN_SPIRV_MEMORY_H_
#define BACKENDS_VULKAN_CODEGEN_SPIRV_MEMORY_H_

#include <map>
#include <vector>

#include "backends/kernel_ir/kernel.h"
#include "backends/scalar_code/element.h"
#include "backends/vulkan/codegen/spirv_ir.h"

namespace xla {
namespace vulkan {

// Where the buffers of a kernel are; the same for all of its phases.
struct MemoryPlan {
  bool in_one_binding = false;
  bool shares_scratch = true;  // in shared memory
  uint32_t binding_count = 0;
  uint32_t push_constant_count = 0;
  uint64_t scratch_words = 0;          // of a tile
  std::vector<uint64_t> scratch_word;  // by buffer: its first word among these
};
MemoryPlan PlanMemory(const Kernel& kernel, const SpirvTarget& target);

class SpirvMemory {
 public:
  // Before BeginMain. Then Begin in it, with the number of the tile, an i32.
  SpirvMemory(const Kernel& kernel, const MemoryPlan& plan, SpirvIr& ir);
  void Begin(V tile);

  // `index`: an i32, of an element.
  codegen::Element Load(int buffer, V index);
  void Store(int buffer, V index, const codegen::Element& element);

 private:
  // An array of integers of `bits` bits that begins with a buffer, or with the binding that it is in.
  struct Place {
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    Id variable = 0;
    V first_word;  // i32; none: 0
  };
  V LoadPart(int buffer, Kind kind, V index);
  void StorePart(int buffer, Kind kind, V index, V value);
  Id PointerTo(int buffer, int bits, V index);
  Id VariableOf(uint32_t binding, int bits);
  SpirvBuilder::BufferUse UseOf(uint32_t binding) const;
  Place PlaceOf(int buffer, int bits);
  bool IsScratch(int buffer) const { return kernel_.buffers[buffer].use == KernelBuffer::Use::kScratch; }
  // How wide what is accessed for a part of that width is.
  int AccessedBits(int buffer, int bits) const;

  const Kernel& kernel_;
  const MemoryPlan& plan_;
  SpirvIr& ir_;
  SpirvBuilder& b_;
  std::map<std::pair<uint32_t, int>, Id> variables_;  // by binding and bits
  Id push_constants_ = 0;
  Id shared_ = 0;
  V tile_;
  std::vector<V> offsets_;  // the push constants
};

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_SPIRV_MEMORY_H_
