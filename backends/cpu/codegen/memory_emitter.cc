// Loads and stores. Elements are aligned to their own width and no more: callers may lend memory of theirs.
#include <algorithm>

#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

int Alignment(PrimitiveType type) { return BitsOf(StoredKind(type)) / 8; }

std::vector<int> Reversed(int lanes) {
  std::vector<int> order;
  for (int i = lanes - 1; i >= 0; --i) order.push_back(i);
  return order;
}
V ReverseLanes(V x) { return LlvmOf(x).Shuffle(x, x, Reversed(x.lanes)); }

// Each lane twice, one after the other.
V Doubled(V mask) {
  std::vector<int> order;
  for (int i = 0; i < mask.lanes; ++i) order.insert(order.end(), {i, i});
  return LlvmOf(mask).Shuffle(mask, mask, order);
}

// The order of complex numbers in memory: real 0, imaginary 0, real 1 ...
V Interleaved(V real, V imaginary) {
  std::vector<int> order;
  for (int i = 0; i < real.lanes; ++i) order.insert(order.end(), {i, real.lanes + i});
  return LlvmOf(real).Shuffle(real, imaginary, order);
}

// Every other lane.
V Alternate(V pairs, int begin) {
  std::vector<int> order;
  for (int i = begin; i < pairs.lanes; i += 2) order.push_back(i);
  return LlvmOf(pairs).Shuffle(pairs, pairs, order);
}

// Elements this far apart are loaded together with those in between.
constexpr int64_t kMostSpread = 4;

// Elements 0, stride, 2 * stride ... from `first` on, one for each lane, by `stride` loads of neighbours and
// shuffles. The last load begins earlier than the others would suggest, so that nothing beyond the last element is
// read.
V LoadSpread(LlvmIr& ir, V first, Kind kind, int lanes, int stride, int64_t width, int alignment) {
  const int last_begin = (lanes - 1) * stride + 1 - lanes;
  std::vector<V> parts;
  for (int p = 0; p < stride; ++p) {
    const int begin = p + 1 < stride ? p * lanes : last_begin;
    parts.push_back(ir.Load(ir.Offset(first, ir.Int(Kind::kI64, begin), width), kind, lanes, alignment));
  }
  // Element number e is in part e / lanes, but that the last part begins earlier.
  const auto place = [&](int e) { return e / lanes + 1 < stride ? e % lanes : e - last_begin; };
  V result = parts[0];
  for (int p = 1; p < stride; ++p) {
    std::vector<int> order;
    for (int lane = 0; lane < lanes; ++lane) {
      const int part = lane * stride / lanes;
      const int before = p == 1 ? place(lane * stride) : lane;
      order.push_back(part == p ? lanes + place(lane * stride) : before % lanes);
    }
    result = ir.Shuffle(result, parts[p], order);
  }
  return result;
}

V Zeros(LlvmIr& ir, Kind kind, int lanes) {
  return IsFloatKind(kind) ? ir.Float(kind, 0, lanes) : ir.Int(kind, 0, lanes);
}

}  // namespace

V KernelEmitter::MaskAnd(const Element* predicate) {
  if (predicate == nullptr) return mask_;
  const V lanes = InLanes(*predicate).value;
  return mask_.exists() ? mask_ & lanes : lanes;
}

Element KernelEmitter::LoadScalar(int buffer, V element) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const V address = ir_.Offset(buffers_[buffer], element, ByteWidth(type));
  const Kind kind = StoredKind(type);
  const int alignment = Alignment(type);
  if (!IsComplex(type)) return FromStored(type, ir_.Load(address, kind, 1, alignment));
  const V imaginary = ir_.Offset(address, IndexConstant(1), ByteWidth(type) / 2);
  return MakeComplex(type, ir_.Load(address, kind, 1, alignment), ir_.Load(imaginary, kind, 1, alignment));
}

// Chooses by the index, cheapest first: each element for several lanes, a few loads and shuffles for small strides, a
// gather, or one load of a run, forwards or backwards. Complex elements are pairs in memory, so their runs are twice
// as long and their masks doubled.
Element KernelEmitter::LoadLanes(int buffer, const Element& index, V mask, const Element* otherwise) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const Kind kind = StoredKind(type);
  const int alignment = Alignment(type);
  const int64_t width = ByteWidth(type);
  const auto other = [&](bool imaginary) {
    if (otherwise == nullptr) return Zeros(ir_, kind, lanes_);
    const Element element = InLanes(*otherwise);
    return imaginary ? element.imaginary : ToStored(element);
  };
  const bool is_run = index.IsRun();
  const bool is_spread =
      index.value.lanes == 1 && index.lane_repeats == 1 && index.lane_stride > 1 && index.lane_stride <= kMostSpread;
  if (index.lane_repeats > 1 && index.lane_stride == 1 && !mask.exists() && !IsComplex(type)) {
    // Each element once, and then to all of its lanes.
    const int elements = lanes_ / index.lane_repeats;
    const V loaded = ir_.Load(ir_.Offset(buffers_[buffer], index.value, width), kind, elements, alignment);
    if (elements == 1) return FromStored(type, ir_.Splat(loaded, lanes_));
    std::vector<int> order;
    for (int lane = 0; lane < lanes_; ++lane) order.push_back(lane / index.lane_repeats);
    return FromStored(type, ir_.Shuffle(loaded, loaded, order));
  }
  if (is_spread && !mask.exists() && !IsComplex(type) && lanes_ > kMostSpread) {
    const V first = ir_.Offset(buffers_[buffer], index.value, width);
    return FromStored(type,
                      LoadSpread(ir_, first, kind, lanes_, static_cast<int>(index.lane_stride), width, alignment));
  }
  if (!is_run) {
    const V addresses = ir_.Offset(buffers_[buffer], InLanes(index).value, width);
    const V real = ir_.Gather(addresses, mask, other(false), alignment);
    if (!IsComplex(type)) return FromStored(type, real);
    const V next = ir_.Offset(addresses, ir_.Int(Kind::kI64, 1, lanes_), width / 2);
    return MakeComplex(type, real, ir_.Gather(next, mask, other(true), alignment));
  }
  const bool is_reversed = index.lane_stride < 0;
  const V first = is_reversed ? index.value - (lanes_ - 1) : index.value;
  const V address = ir_.Offset(buffers_[buffer], first, width);
  const auto turned = [&](V x) { return is_reversed ? ReverseLanes(x) : x; };
  const auto load = [&](V passed_through, V run_mask) {
    if (!run_mask.exists()) return ir_.Load(address, kind, passed_through.lanes, alignment);
    return ir_.MaskedLoad(address, run_mask, passed_through, alignment);
  };
  const V run_mask = mask.exists() ? turned(mask) : mask;
  if (!IsComplex(type)) return FromStored(type, turned(load(turned(other(false)), run_mask)));
  const V pairs =
      load(Interleaved(turned(other(false)), turned(other(true))), run_mask.exists() ? Doubled(run_mask) : run_mask);
  return MakeComplex(type, turned(Alternate(pairs, 0)), turned(Alternate(pairs, 1)));
}

// A predicate that is the same in all lanes becomes a branch, one that differs a mask.
Element KernelEmitter::EmitLoad(const KernelInstruction& instruction) {
  if (lanes_ > 1) {
    const auto repetition = repetitions_.find(&instruction);
    if (repetition != repetitions_.end()) return LoadRepeating(instruction, repetition->second);
  }
  if (lanes_ > 1 && !mask_.exists()) {
    if (const Element* const column = LoadInterleaved(instruction); column != nullptr) return *column;
  }
  const Element& index = Value(instruction.operands[0]);
  const bool has_predicate = instruction.operands.size() > 1;
  const Element* const predicate = has_predicate ? &Value(instruction.operands[1]) : nullptr;
  const Element* const otherwise = has_predicate ? &Value(instruction.operands[2]) : nullptr;
  const int buffer = instruction.buffer;
  const bool all_or_none = predicate == nullptr || (predicate->IsUniform() && (index.IsUniform() || !mask_.exists()));
  if (!all_or_none) return LoadLanes(buffer, index, MaskAnd(predicate), otherwise);
  const auto load_all = [&] {
    if (index.IsUniform()) return LoadScalar(buffer, index.value);
    FetchAhead(instruction, index);
    return LoadLanes(buffer, index, mask_, nullptr);
  };
  if (predicate == nullptr) return load_all();

  // A branch, because what is not to be loaded may be no memory at all, and masked loads of that are slow.
  const Block load = ir_.NewBlock("load");
  const Block done = ir_.NewBlock("loaded");
  const bool is_one = index.IsUniform() && otherwise->IsUniform();
  const Element spread = is_one ? *otherwise : InLanes(*otherwise);
  const Block before = ir_.CurrentBlock();
  ir_.Branch(predicate->value, load, done);
  ir_.SetBlock(load);
  const Element loaded = Spread(load_all(), spread.value.lanes);
  const Block loaded_in = ir_.CurrentBlock();
  ir_.Branch(done);
  ir_.SetBlock(done);
  std::vector<V> phis;
  const Elements merged = PhisLike({loaded}, phis);
  AddIncoming(phis, {loaded}, loaded_in);
  AddIncoming(phis, {spread}, before);
  return merged[0];
}

void KernelEmitter::StoreScalar(int buffer, V element, const Element& value) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const V address = ir_.Offset(buffers_[buffer], element, ByteWidth(type));
  ir_.Store(address, ToStored(value), Alignment(type));
  if (!IsComplex(type)) return;
  ir_.Store(ir_.Offset(address, IndexConstant(1), ByteWidth(type) / 2), value.imaginary, Alignment(type));
}

// Stores lanes to consecutive elements, backwards if the stride is -1, or to arbitrary ones by a scatter. Complex
// numbers are interleaved on the way. Streaming stores bypass the cache and need aligned addresses.
void KernelEmitter::StoreLanes(int buffer, const Element& index, V mask, const Element& element, bool streaming) {
  const PrimitiveType type = kernel_.buffers[buffer].type;
  const int alignment = Alignment(type);
  const int64_t width = ByteWidth(type);
  const Element value = InLanes(element);
  if (!index.IsRun()) {
    const V addresses = ir_.Offset(buffers_[buffer], InLanes(index).value, width);
    ir_.Scatter(addresses, ToStored(value), mask, alignment);
    if (!IsComplex(type)) return;
    ir_.Scatter(ir_.Offset(addresses, ir_.Int(Kind::kI64, 1, lanes_), width / 2), value.imaginary, mask, alignment);
    return;
  }
  const bool is_reversed = index.lane_stride < 0;
  const V first = is_reversed ? index.value - (lanes_ - 1) : index.value;
  const V address = ir_.Offset(buffers_[buffer], first, width);
  const auto turned = [&](V x) { return is_reversed ? ReverseLanes(x) : x; };
  const V stored =
      IsComplex(type) ? Interleaved(turned(value.value), turned(value.imaginary)) : turned(ToStored(value));
  if (streaming) return ir_.StoreStreaming(address, stored, std::min<int>(64, lanes_ * static_cast<int>(width)));
  if (!mask.exists()) return ir_.Store(address, stored, alignment);
  ir_.MaskedStore(address, stored, IsComplex(type) ? Doubled(turned(mask)) : turned(mask), alignment);
}

// Emits a store. With a predicate, lanes are masked, and a scalar is stored in a branch of its own.
void KernelEmitter::EmitStore(const KernelInstruction& instruction) {
  const Element index = Value(instruction.operands[0]);
  const Element& value = Value(instruction.operands[1]);
  const Element* const predicate = instruction.operands.size() > 2 ? &Value(instruction.operands[2]) : nullptr;
  if (lanes_ > 1) {
    const V mask = MaskAnd(predicate);
    if (!mask.exists() && StoreInterleaved(instruction)) return;
    return StoreLanes(instruction.buffer, index, mask, value, !mask.exists() && CanStream(instruction, index));
  }
  if (predicate == nullptr) return StoreScalar(instruction.buffer, index.value, value);
  const Block store = ir_.NewBlock("store");
  const Block done = ir_.NewBlock("stored");
  ir_.Branch(predicate->value, store, done);
  ir_.SetBlock(store);
  StoreScalar(instruction.buffer, index.value, value);
  ir_.Branch(done);
  ir_.SetBlock(done);
}

}  // namespace codegen
}  // namespace xla
