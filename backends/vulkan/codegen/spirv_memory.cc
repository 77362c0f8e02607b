#include "backends/vulkan/codegen/spirv_memory.h"

namespace xla {
namespace vulkan {

using codegen::BitsOf;
using codegen::Element;

namespace {

constexpr int kWordBits = 32;

uint64_t WordsOfPart(int bits) { return bits == 64 ? 2 : 1; }
uint64_t PartsOf(PrimitiveType type) { return IsComplex(type) ? 2 : 1; }
int PartBits(PrimitiveType type) { return BitsOf(codegen::StoredKind(type)); }

}  // namespace

MemoryPlan PlanMemory(const Kernel& kernel, const SpirvTarget& target) {
  MemoryPlan plan;
  for (const KernelBuffer& buffer : kernel.buffers) {
    plan.scratch_word.push_back(plan.scratch_words);
    if (buffer.use != KernelBuffer::Use::kScratch) continue;
    plan.scratch_words +=
        static_cast<uint64_t>(buffer.element_count) * PartsOf(buffer.type) * WordsOfPart(PartBits(buffer.type));
  }
  plan.shares_scratch = plan.scratch_words <= target.shared_memory_bytes / sizeof(uint32_t);
  const uint32_t buffers = static_cast<uint32_t>(kernel.CallerBufferCount()) + (plan.shares_scratch ? 0 : 1);
  plan.in_one_binding = buffers > target.storage_buffers;
  plan.binding_count = plan.in_one_binding ? 1 : buffers;
  plan.push_constant_count = plan.in_one_binding ? buffers : 0;
  return plan;
}

SpirvMemory::SpirvMemory(const Kernel& kernel, const MemoryPlan& plan, SpirvIr& ir)
    : kernel_(kernel), plan_(plan), ir_(ir), b_(ir.builder()) {
  if (plan.push_constant_count > 0) push_constants_ = b_.PushConstants(static_cast<int>(plan.push_constant_count));
  if (plan.shares_scratch && plan.scratch_words > 0) {
    shared_ = b_.WorkgroupVariable(b_.ArrayType(b_.IntType(kWordBits), static_cast<uint32_t>(plan.scratch_words)));
  }
}

void SpirvMemory::Begin(V tile) {
  tile_ = tile;
  const Id word = b_.IntType(kWordBits);
  for (uint32_t i = 0; i < plan_.push_constant_count; ++i) {
    const Id place = b_.AccessChain(spv::StorageClass::PushConstant, word, push_constants_, {b_.Word(i)});
    offsets_.push_back(ir_.FromWord(Kind::kI32, b_.Load(word, place)));
  }
}

int SpirvMemory::AccessedBits(int buffer, int bits) const {
  if (IsScratch(buffer)) return kWordBits;
  if (bits == 8 && ir_.target().has_storage8) return 8;
  if (bits == 16 && ir_.target().has_storage16) return 16;
  return kWordBits;
}

// Scratch in memory, and what a kernel may both write and read: it may be read by other invocations of the tile.
SpirvBuilder::BufferUse SpirvMemory::UseOf(uint32_t binding) const {
  const auto of = [&](const KernelBuffer& buffer) {
    if (buffer.use == KernelBuffer::Use::kScratch) {
      return plan_.shares_scratch ? SpirvBuilder::BufferUse::kRead : SpirvBuilder::BufferUse::kShared;
    }
    const bool is_aliased = buffer.same_memory_as >= 0;
    return buffer.use == KernelBuffer::Use::kRead && !is_aliased ? SpirvBuilder::BufferUse::kRead
                                                                 : SpirvBuilder::BufferUse::kShared;
  };
  if (!plan_.in_one_binding) {
    // Scratch is the binding after the caller's.
    if (binding >= static_cast<uint32_t>(kernel_.CallerBufferCount())) return SpirvBuilder::BufferUse::kShared;
    for (const KernelBuffer& buffer : kernel_.buffers) {
      if (buffer.same_memory_as == static_cast<int>(binding)) return SpirvBuilder::BufferUse::kShared;
    }
    return of(kernel_.buffers[binding]);
  }
  for (const KernelBuffer& buffer : kernel_.buffers) {
    if (of(buffer) == SpirvBuilder::BufferUse::kShared) return SpirvBuilder::BufferUse::kShared;
  }
  return SpirvBuilder::BufferUse::kRead;
}

Id SpirvMemory::VariableOf(uint32_t binding, int bits) {
  Id& variable = variables_[{binding, bits}];
  if (variable == 0) {
    const Id array = b_.RuntimeArrayType(b_.IntType(bits), static_cast<uint32_t>(bits / 8));
    variable = b_.StorageBuffer(array, 0, binding, UseOf(binding));
  }
  return variable;
}

SpirvMemory::Place SpirvMemory::PlaceOf(int buffer, int bits) {
  Place place;
  uint32_t number = static_cast<uint32_t>(buffer);
  if (IsScratch(buffer)) {
    const V within = ir_.Int(Kind::kI32, static_cast<int64_t>(plan_.scratch_word[buffer]));
    if (plan_.shares_scratch) return {spv::StorageClass::Workgroup, shared_, within};
    number = static_cast<uint32_t>(kernel_.CallerBufferCount());
    place.first_word = tile_ * static_cast<int64_t>(plan_.scratch_words) + within;
  }
  place.variable = VariableOf(plan_.in_one_binding ? 0 : number, bits);
  if (plan_.in_one_binding) {
    place.first_word = place.first_word.exists() ? place.first_word + offsets_[number] : offsets_[number];
  }
  return place;
}

// Of integer number `index` of `bits` bits.
Id SpirvMemory::PointerTo(int buffer, int bits, V index) {
  const Place place = PlaceOf(buffer, bits);
  V at = index;
  if (place.first_word.exists()) at = at + place.first_word * (kWordBits / bits);
  const Id type = b_.IntType(bits);
  if (place.storage == spv::StorageClass::Workgroup) {
    return b_.AccessChain(place.storage, type, place.variable, {ir_.ToWord(at)});
  }
  return b_.AccessChain(place.storage, type, place.variable, {b_.Word(0), ir_.ToWord(at)});
}

V SpirvMemory::LoadPart(int buffer, Kind kind, V index) {
  const int bits = BitsOf(kind);
  const Id word = b_.IntType(kWordBits);
  if (bits == 64) {
    const V first = index * 2;
    const Id low = b_.Load(word, PointerTo(buffer, kWordBits, first));
    return ir_.FromWords(kind, low, b_.Load(word, PointerTo(buffer, kWordBits, first + 1)));
  }
  const int accessed = AccessedBits(buffer, bits);
  if (accessed < kWordBits) {
    const Id narrow = b_.Load(b_.IntType(accessed), PointerTo(buffer, accessed, index));
    return ir_.FromWord(kind, b_.Op(spv::Op::OpUConvert, word, {narrow}));
  }
  if (bits == kWordBits || IsScratch(buffer)) {
    return ir_.FromWord(kind, b_.Load(word, PointerTo(buffer, kWordBits, index)));
  }
  const int per_word = kWordBits / bits;
  const V whole = ir_.FromWord(Kind::kI32, b_.Load(word, PointerTo(buffer, kWordBits, index / int64_t{per_word})));
  return ir_.ZeroExtend(whole >> ((index & (per_word - 1)) * bits), kind);
}

void SpirvMemory::StorePart(int buffer, Kind kind, V index, V value) {
  const int bits = BitsOf(kind);
  if (bits == 64) {
    const auto words = ir_.ToWords(value);
    const V first = index * 2;
    b_.Store(PointerTo(buffer, kWordBits, first), words.first);
    b_.Store(PointerTo(buffer, kWordBits, first + 1), words.second);
    return;
  }
  const int accessed = AccessedBits(buffer, bits);
  const Id stored = ir_.ToWord(value);
  if (accessed < kWordBits) {
    b_.Store(PointerTo(buffer, accessed, index), b_.Op(spv::Op::OpUConvert, b_.IntType(accessed), {stored}));
    return;
  }
  if (bits == kWordBits || IsScratch(buffer)) return b_.Store(PointerTo(buffer, kWordBits, index), stored);
  const int per_word = kWordBits / bits;
  const V shift = (index & (per_word - 1)) * bits;
  const Id place = PointerTo(buffer, kWordBits, index / int64_t{per_word});
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
