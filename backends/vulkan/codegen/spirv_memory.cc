#include "backends/vulkan/codegen/spirv_memory.h"

#include <algorithm>

#include "backends/kernel_ir/workgroups.h"

namespace xla {
namespace vulkan {

using codegen::BitsOf;
using codegen::Element;

namespace {

constexpr int kWordBits = 32;

uint64_t WordsOfPart(int bits) { return bits == 64 ? 2 : 1; }
uint64_t PartsOf(PrimitiveType type) { return IsComplex(type) ? 2 : 1; }
int PartBits(PrimitiveType type) { return BitsOf(codegen::StoredKind(type)); }

// Tiles that have at most this many words for themselves keep them in a variable of their invocation.
constexpr uint64_t kMostPrivateWords = 1024;
// Of all tiles together, where many of them are to be one workgroup.
constexpr uint64_t kMostBindingWords = uint64_t{1} << 24;

uint64_t LaneWordsOf(const Kernel& kernel, const KernelRegion& region) {
  uint64_t most = 0;
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kReduce && instruction.schedule == LoopSchedule::kInvocations) {
      uint64_t words = 0;
      for (const KernelValue result : instruction.results) {
        const PrimitiveType type = kernel.TypeOf(result);
        words += PartsOf(type) * WordsOfPart(PartBits(type));
      }
      most = std::max(most, words * static_cast<uint64_t>(instruction.lanes));
    }
    for (const KernelRegion& nested : instruction.regions) most = std::max(most, LaneWordsOf(kernel, nested));
  }
  return most;
}

PhaseMemory::Scratch ScratchFor(const KernelPhase& phase, uint64_t scratch_words, uint64_t lane_words,
                                const SpirvTarget& target) {
  using Scratch = PhaseMemory::Scratch;
  if (scratch_words == 0) return Scratch::kNone;
  const bool fits = scratch_words + lane_words <= target.shared_memory_bytes / sizeof(uint32_t);
  if (phase.invocations == 1) {
    if (scratch_words <= kMostPrivateWords) return Scratch::kPrivate;
    if (static_cast<uint64_t>(phase.tile_count) <= kMostBindingWords / scratch_words) return Scratch::kBinding;
  }
  return fits ? Scratch::kShared : Scratch::kBinding;
}

uint64_t BytesOf(const KernelBuffer& buffer) {
  return static_cast<uint64_t>(buffer.element_count) * static_cast<uint64_t>(ByteWidth(buffer.type));
}

// What a buffer takes of a binding that it shares, if it is copied there (recording.cc).
uint64_t SharedBytesOf(const KernelBuffer& buffer) {
  constexpr uint64_t kAlignment = 64;
  return (BytesOf(buffer) + kAlignment - 1) / kAlignment * kAlignment;
}

// In as few bindings as the first that has room for each allows, the largest first.
std::vector<std::vector<int>> Packed(const Kernel& kernel, std::vector<int> from_largest, uint64_t most_bytes) {
  std::vector<std::vector<int>> bindings;
  std::vector<uint64_t> left;
  for (const int memory : from_largest) {
    const uint64_t bytes = SharedBytesOf(kernel.buffers[memory]);
    size_t at = 0;
    while (at < bindings.size() && left[at] < bytes) ++at;
    if (at == bindings.size()) {
      bindings.emplace_back();
      left.push_back(std::max(most_bytes, bytes));
    }
    bindings[at].push_back(memory);
    left[at] -= bytes;
  }
  return bindings;
}

// A binding for each buffer. If these are more than `most`, the smallest buffers share the last one, or, where that
// would be too long, buffers are packed.
std::vector<std::vector<int>> BindingsOf(const Kernel& kernel, const std::set<int>& memories, size_t most,
                                         uint64_t most_bytes) {
  std::vector<int> from_largest(memories.begin(), memories.end());
  std::stable_sort(from_largest.begin(), from_largest.end(),
                   [&](int a, int b) { return BytesOf(kernel.buffers[a]) > BytesOf(kernel.buffers[b]); });
  const size_t alone = memories.size() <= most ? memories.size() : most - 1;
  const auto first_shared = from_largest.begin() + static_cast<std::ptrdiff_t>(alone);
  uint64_t shared_bytes = 0;
  for (auto at = first_shared; at != from_largest.end(); ++at) shared_bytes += SharedBytesOf(kernel.buffers[*at]);
  if (shared_bytes > most_bytes) return Packed(kernel, std::move(from_largest), most_bytes);
  std::sort(from_largest.begin(), first_shared);
  std::sort(first_shared, from_largest.end());
  std::vector<std::vector<int>> bindings;
  for (auto at = from_largest.begin(); at != first_shared; ++at) bindings.push_back({*at});
  if (first_shared != from_largest.end()) bindings.emplace_back(first_shared, from_largest.end());
  return bindings;
}

// Gives each buffer that is larger than a binding the bindings of its windows, and takes it out of `memories`.
void TakeWindows(const Kernel& kernel, uint64_t most_bytes, std::set<int>& memories, PhaseMemory& plan) {
  plan.window_bytes = 1;
  while (plan.window_bytes <= most_bytes / 2) plan.window_bytes *= 2;
  const std::set<int> all = memories;
  for (const int memory : all) {
    const uint64_t bytes = BytesOf(kernel.buffers[memory]);
    if (bytes <= most_bytes) continue;
    memories.erase(memory);
    const uint64_t windows = (bytes + plan.window_bytes - 1) / plan.window_bytes;
    for (uint64_t window = 0; window < windows; ++window) {
      plan.bindings.push_back({memory});
      plan.windows.push_back(static_cast<int>(window));
    }
  }
}

std::vector<int> OffsetsOf(const std::vector<std::vector<int>>& bindings) {
  std::vector<int> offsets;
  for (const std::vector<int>& binding : bindings) {
    if (binding.size() > 1) offsets.insert(offsets.end(), binding.begin(), binding.end());
  }
  return offsets;
}

void CollectStored(const KernelRegion& region, std::set<int>& stored) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kStore) stored.insert(instruction.buffer);
    for (const KernelRegion& nested : instruction.regions) CollectStored(nested, stored);
  }
}

}  // namespace

int MemoryOf(const Kernel& kernel, int buffer) {
  while (kernel.buffers[buffer].same_memory_as >= 0) buffer = kernel.buffers[buffer].same_memory_as;
  return buffer;
}

PhaseMemory PlanPhaseMemory(const Kernel& kernel, const KernelPhase& phase, const SpirvTarget& target) {
  PhaseMemory plan;
  plan.scratch_word.resize(kernel.buffers.size());
  std::set<int> memories;
  for (const int i : BuffersOf(phase)) {
    const KernelBuffer& buffer = kernel.buffers[i];
    if (buffer.use != KernelBuffer::Use::kScratch) {
      memories.insert(MemoryOf(kernel, i));
      continue;
    }
    plan.scratch_word[i] = plan.scratch_words;
    plan.scratch_words +=
        static_cast<uint64_t>(buffer.element_count) * PartsOf(buffer.type) * WordsOfPart(PartBits(buffer.type));
  }
  plan.lane_words = LaneWordsOf(kernel, phase.body);
  plan.scratch = ScratchFor(phase, plan.scratch_words, plan.lane_words, target);
  const bool binds_scratch = plan.scratch == PhaseMemory::Scratch::kBinding;
  TakeWindows(kernel, target.storage_range_bytes, memories, plan);
  const size_t taken = plan.bindings.size() + (binds_scratch ? 1 : 0);
  const auto share = [&](size_t taken_now) {
    const size_t most = std::max<size_t>(target.storage_buffers, taken_now + 1) - taken_now;
    return BindingsOf(kernel, memories, most, target.storage_range_bytes);
  };
  std::vector<std::vector<int>> shared = share(taken);
  if (OffsetsOf(shared).size() > target.push_constant_words) {
    plan.has_table = true;
    shared = share(taken + 1);
  }
  plan.offsets = OffsetsOf(shared);
  for (std::vector<int>& binding : shared) plan.bindings.push_back(std::move(binding));
  if (binds_scratch) plan.bindings.push_back({SpirvPhase::kScratchBinding});
  if (plan.has_table) plan.bindings.push_back({SpirvPhase::kTableBinding});
  plan.windows.resize(plan.bindings.size(), SpirvPhase::kWhole);
  return plan;
}

SpirvMemory::SpirvMemory(const Kernel& kernel, const KernelPhase& phase, const PhaseMemory& plan, SpirvIr& ir)
    : kernel_(kernel),
      plan_(plan),
      ir_(ir),
      b_(ir.builder()),
      is_workgroup_(phase.invocations > 1),
      binding_of_(kernel.buffers.size(), -1),
      windows_of_(kernel.buffers.size()),
      is_stored_(plan.bindings.size()),
      bits_(plan.bindings.size()) {
  std::set<int> stored;
  CollectStored(phase.body, stored);
  for (const int buffer : BuffersOf(phase)) {
    const int known_as = IsScratch(buffer) ? SpirvPhase::kScratchBinding : MemoryOf(kernel, buffer);
    for (size_t i = 0; i < plan.bindings.size(); ++i) {
      const std::vector<int>& binding = plan.bindings[i];
      if (std::find(binding.begin(), binding.end(), known_as) == binding.end()) continue;
      if (windows_of_[buffer]++ == 0) binding_of_[buffer] = static_cast<int>(i);
      bits_[i].insert(AccessedBits(buffer, PartBits(kernel.buffers[buffer].type)));
      if (stored.count(buffer) != 0) is_stored_[i] = true;
    }
  }
  if (!plan.offsets.empty() && !plan.has_table)
    push_constants_ = b_.PushConstants(static_cast<int>(plan.offsets.size()));
  const auto words = [&](uint64_t count) { return b_.ArrayType(b_.IntType(kWordBits), static_cast<uint32_t>(count)); };
  if (plan.scratch == PhaseMemory::Scratch::kShared) scratch_ = b_.WorkgroupVariable(words(plan.scratch_words));
  if (plan.scratch == PhaseMemory::Scratch::kPrivate) scratch_ = b_.FunctionVariable(words(plan.scratch_words));
  if (plan.lane_words > 0) lanes_ = b_.WorkgroupVariable(words(plan.lane_words));
}

void SpirvMemory::Begin(V tile) {
  tile_ = tile;
  const Id word = b_.IntType(kWordBits);
  for (size_t i = 0; i < plan_.offsets.size(); ++i) {
    offsets_[plan_.offsets[i]] = ir_.FromWord(Kind::kI32, b_.Load(word, OffsetPointer(i)));
  }
}

Id SpirvMemory::OffsetPointer(size_t i) {
  const Id word = b_.IntType(kWordBits);
  const Id number = b_.Word(static_cast<uint32_t>(i));
  if (!plan_.has_table) return b_.AccessChain(spv::StorageClass::PushConstant, word, push_constants_, {number});
  const Id table = VariableOf(static_cast<int>(plan_.bindings.size()) - 1, kWordBits);
  return b_.AccessChain(spv::StorageClass::StorageBuffer, word, table, {b_.Word(0), number});
}

Id SpirvMemory::LanePointer(V word) {
  return b_.AccessChain(spv::StorageClass::Workgroup, b_.IntType(kWordBits), lanes_, {ir_.ToWord(word)});
}

int SpirvMemory::AccessedBits(int buffer, int bits) const {
  if (IsScratch(buffer)) return kWordBits;
  if (bits == 8 && ir_.target().has_storage8) return 8;
  if (bits == 16 && ir_.target().has_storage16) return 16;
  return kWordBits;
}

// One variable for each width that a binding is accessed in: they are told to be the same memory.
Id SpirvMemory::VariableOf(int binding, int bits) {
  Id& variable = variables_[{binding, bits}];
  if (variable == 0) {
    const Id array = b_.RuntimeArrayType(b_.IntType(bits), static_cast<uint32_t>(bits / 8));
    const SpirvBuilder::BufferUse use = !is_stored_[binding] ? SpirvBuilder::BufferUse::kRead
                                        : is_workgroup_      ? SpirvBuilder::BufferUse::kShared
                                                             : SpirvBuilder::BufferUse::kWrite;
    const bool is_aliased = is_stored_[binding] && bits_[binding].size() > 1;
    variable = b_.StorageBuffer(array, 0, static_cast<uint32_t>(binding), use, is_aliased);
  }
  return variable;
}

SpirvMemory::Place SpirvMemory::PlaceOf(int buffer, int window, int bits) {
  Place place;
  const int binding = binding_of_[buffer] + window;
  if (IsScratch(buffer)) {
    const V within = ir_.Int(Kind::kI32, static_cast<int64_t>(plan_.scratch_word[buffer]));
    if (plan_.scratch == PhaseMemory::Scratch::kShared) return {spv::StorageClass::Workgroup, scratch_, within};
    if (plan_.scratch == PhaseMemory::Scratch::kPrivate) return {spv::StorageClass::Function, scratch_, within};
    place.first_word = tile_ * static_cast<int64_t>(plan_.scratch_words) + within;
  } else if (plan_.bindings[binding].size() > 1) {
    place.first_word = offsets_.at(MemoryOf(kernel_, buffer));
  }
  place.variable = VariableOf(binding, bits);
  return place;
}

// Of integer number `index` of `bits` bits.
Id SpirvMemory::PointerTo(int buffer, int window, int bits, V index) {
  const Place place = PlaceOf(buffer, window, bits);
  V at = index;
  if (place.first_word.exists()) at = at + place.first_word * (kWordBits / bits);
  const Id type = b_.IntType(bits);
  if (place.storage != spv::StorageClass::StorageBuffer) {
    return b_.AccessChain(place.storage, type, place.variable, {ir_.ToWord(at)});
  }
  return b_.AccessChain(place.storage, type, place.variable, {b_.Word(0), ir_.ToWord(at)});
}

SpirvMemory::Windowed SpirvMemory::InWindow(int bits, V index) const {
  const auto count = static_cast<int64_t>(plan_.window_bytes * 8 / static_cast<uint64_t>(bits));
  return {index / count, index & (count - 1)};
}

// From all windows, because a choice costs less than a branch: from those that do not have it, their first integer.
V SpirvMemory::LoadPart(int buffer, Kind kind, V index) {
  if (windows_of_[buffer] <= 1) return LoadFrom(buffer, 0, kind, index);
  const Windowed place = InWindow(BitsOf(kind), index);
  V value;
  for (int window = 0; window < windows_of_[buffer]; ++window) {
    const V is_here = place.window == window;
    const V loaded = LoadFrom(buffer, window, kind, codegen::Select(is_here, place.index, index.LikeInt(0)));
    value = window == 0 ? loaded : codegen::Select(is_here, loaded, value);
  }
  return value;
}

void SpirvMemory::StorePart(int buffer, Kind kind, V index, V value) {
  if (windows_of_[buffer] <= 1) return StoreTo(buffer, 0, kind, index, value);
  const Windowed place = InWindow(BitsOf(kind), index);
  for (int window = 0; window < windows_of_[buffer]; ++window) {
    ir_.If(place.window == window, [&] { StoreTo(buffer, window, kind, place.index, value); });
  }
}

V SpirvMemory::LoadFrom(int buffer, int window, Kind kind, V index) {
  const int bits = BitsOf(kind);
  const Id word = b_.IntType(kWordBits);
  if (bits == 64) {
    const V first = index * 2;
    const Id low = b_.Load(word, PointerTo(buffer, window, kWordBits, first));
    return ir_.FromWords(kind, low, b_.Load(word, PointerTo(buffer, window, kWordBits, first + 1)));
  }
  const int accessed = AccessedBits(buffer, bits);
  if (accessed < kWordBits) {
    const Id narrow = b_.Load(b_.IntType(accessed), PointerTo(buffer, window, accessed, index));
    return ir_.FromWord(kind, b_.Op(spv::Op::OpUConvert, word, {narrow}));
  }
  if (bits == kWordBits || IsScratch(buffer)) {
    return ir_.FromWord(kind, b_.Load(word, PointerTo(buffer, window, kWordBits, index)));
  }
  const int per_word = kWordBits / bits;
  const V whole =
      ir_.FromWord(Kind::kI32, b_.Load(word, PointerTo(buffer, window, kWordBits, index / int64_t{per_word})));
  return ir_.ZeroExtend(whole >> ((index & (per_word - 1)) * bits), kind);
}

void SpirvMemory::StoreTo(int buffer, int window, Kind kind, V index, V value) {
  const int bits = BitsOf(kind);
  if (bits == 64) {
    const auto words = ir_.ToWords(value);
    const V first = index * 2;
    b_.Store(PointerTo(buffer, window, kWordBits, first), words.first);
    b_.Store(PointerTo(buffer, window, kWordBits, first + 1), words.second);
    return;
  }
  const int accessed = AccessedBits(buffer, bits);
  const Id stored = ir_.ToWord(value);
  if (accessed < kWordBits) {
    b_.Store(PointerTo(buffer, window, accessed, index), b_.Op(spv::Op::OpUConvert, b_.IntType(accessed), {stored}));
    return;
  }
  if (bits == kWordBits || IsScratch(buffer)) return b_.Store(PointerTo(buffer, window, kWordBits, index), stored);
  const int per_word = kWordBits / bits;
  const V shift = (index & (per_word - 1)) * bits;
  const Id place = PointerTo(buffer, window, kWordBits, index / int64_t{per_word});
  const V mask = ir_.Int(Kind::kI32, (int64_t{1} << bits) - 1) << shift;
  const Id scope = b_.Word(static_cast<uint32_t>(spv::Scope::Device));
  const Id relaxed = b_.Word(0);
  const Id word = b_.IntType(kWordBits);
  b_.Op(spv::Op::OpAtomicAnd, word, {place, scope, relaxed, ir_.ToWord(codegen::Not(mask))});
  b_.Op(spv::Op::OpAtomicOr, word, {place, scope, relaxed, ir_.ToWord(ir_.FromWord(Kind::kI32, stored) << shift)});
}

Element SpirvMemory::Load(int buffer, V index) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const Kind kind = codegen::StoredKind(type);
  if (!IsComplex(type)) return codegen::FromStored(type, LoadPart(buffer, kind, index));
  const V first = index * 2;
  const V real = LoadPart(buffer, kind, first);
  return codegen::MakeComplex(type, real, LoadPart(buffer, kind, first + 1));
}

void SpirvMemory::Store(int buffer, V index, const Element& element) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const Kind kind = codegen::StoredKind(type);
  if (!IsComplex(type)) return StorePart(buffer, kind, index, codegen::ToStored(element));
  const V first = index * 2;
  StorePart(buffer, kind, first, element.value);
  StorePart(buffer, kind, first + 1, element.imaginary);
}

}  // namespace vulkan
}  // namespace xla
