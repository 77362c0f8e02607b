// The buffers of a phase as SPIR-V variables, and elements in them.
//
//   bytes of an element's part   in a storage buffer                           in scratch
//   1, 2                         themselves, or a part of a word where the     a word
//                                device has no storage of this width
//   4                            a word                                        a word
//   8                            two words                                     two words
//
// A part of a word is stored by two atomic operations, because another tile may store the parts beside it.
//
// Scratch of a workgroup is shared memory. A tile of one invocation has its own variable for it, so that many tiles can
// be one workgroup. Scratch that is too large for either is a storage buffer with a part for each tile.
//
// A buffer that is larger than a binding may be has several, each with a window of it: of equal powers of two of bytes,
// so that the bits of an index say which. If there are more buffers than bindings, the smallest of them share one.
#ifndef BACKENDS_VULKAN_CODEGEN_SPIRV_MEMORY_H_
#define BACKENDS_VULKAN_CODEGEN_SPIRV_MEMORY_H_

#include <map>
#include <set>
#include <utility>
#include <vector>

#include "backends/kernel_ir/kernel.h"
#include "backends/scalar_code/element.h"
#include "backends/vulkan/codegen/kernel_to_spirv.h"
#include "backends/vulkan/codegen/spirv_ir.h"

namespace xla {
namespace vulkan {

// Where the buffers of a phase are.
struct PhaseMemory {
  std::vector<std::vector<int>> bindings;  // as in SpirvPhase, and so are the next two
  std::vector<int> windows;
  uint64_t window_bytes = 0;
  std::vector<int> offsets;  // as in SpirvPhase
  bool has_table = false;    // that offsets are in; its binding is the last one
  enum class Scratch : uint8_t { kNone, kShared, kPrivate, kBinding } scratch = Scratch::kNone;
  uint64_t scratch_words = 0;          // of a tile
  std::vector<uint64_t> scratch_word;  // by buffer: its first word among these
  uint64_t lane_words = 0;             // of shared memory that the lanes of reduces take
};
PhaseMemory PlanPhaseMemory(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target);

class SpirvMemory {
 public:
  // Before BeginMain. Then Begin in it, with the number of the tile, an i32.
  SpirvMemory(const Kernel& kernel, const KernelPhase& phase, const PhaseMemory& plan, SpirvIr& ir);
  void Begin(V tile);

  // `index`: an i32, of an element.
  codegen::Element Load(int buffer, V index);
  void Store(int buffer, V index, const codegen::Element& element);
  // A word of the shared memory for lanes.
  Id LanePointer(V word);

 private:
  // An array of integers of `bits` bits that begins with a buffer, or with the binding that it is in.
  struct Place {
    spv::StorageClass storage = spv::StorageClass::StorageBuffer;
    Id variable = 0;
    V first_word;  // i32; none: 0
  };
  // The window that has integer number `index` of `bits` bits, and the number of it there.
  struct Windowed {
    V window;
    V index;
  };
  Windowed InWindow(int bits, V index) const;
  V LoadPart(int buffer, Kind kind, V index);
  void StorePart(int buffer, Kind kind, V index, V value);
  V LoadFrom(int buffer, int window, Kind kind, V index);
  void StoreTo(int buffer, int window, Kind kind, V index, V value);
  Id PointerTo(int buffer, int window, int bits, V index);
  Id VariableOf(int binding, int bits);
  Id OffsetPointer(size_t i);
  Place PlaceOf(int buffer, int window, int bits);
  bool IsScratch(int buffer) const { return kernel_.buffers[buffer].use == KernelBuffer::Use::kScratch; }
  // How wide what is accessed for a part of that width is.
  int AccessedBits(int buffer, int bits) const;

  const Kernel& kernel_;
  const PhaseMemory& plan_;
  SpirvIr& ir_;
  SpirvBuilder& b_;
  const bool is_workgroup_;
  std::vector<int> binding_of_;                  // by buffer: the first one; scratch: that of all scratch
  std::vector<int> windows_of_;                  // by buffer: how many bindings it has
  std::vector<bool> is_stored_;                  // by binding
  std::vector<std::set<int>> bits_;              // by binding: the widths that it is accessed in
  std::map<std::pair<int, int>, Id> variables_;  // by binding and bits
  Id push_constants_ = 0;
  Id scratch_ = 0;
  Id lanes_ = 0;
  V tile_;
  std::map<int, V> offsets_;  // by buffer
};

// The buffer that the memory of this one is known by.
int MemoryOf(const Kernel& kernel, int buffer);

}  // namespace vulkan
}  // namespace xla

#endif  // BACKENDS_VULKAN_CODEGEN_SPIRV_MEMORY_H_
