// Rows of a few elements, one in each lane of a vector loop that does all of a row at once:
//
//   for %i independent vector { %r = load f32 x[3*%i]  %g = load f32 x[3*%i + 1]  %b = load f32 x[3*%i + 2] ... }
//
// The elements of all lanes together are a piece of memory without gaps. It is loaded in whole vectors, and shuffles
// bring each column of the rows into a vector of its own; stores go the other way. This takes the place of as many
// gathers or scatters as a row has elements.
//
// Rows of any length are as if padded to a power of two, since then they are transposed by interleaving halves, or by
// taking apart even and odd lanes, a few times; of rows of three or five, each column is picked from all vectors.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

// More columns than that would leave no registers to compute with.
constexpr int64_t kMostColumns = 16;
// Bytes and pairs of them are interleaved within this on every processor, but not beyond.
constexpr int kSmallVector = 16;
// In a shuffle's order: what nothing reads.
constexpr int kAnyLane = -1;

int Log2(int x) {
  int log = 0;
  while (1 << log < x) ++log;
  return log;
}

// Vectors of `lanes` elements that are rows of `columns`, or the other way round.
struct RowBlock {
  int lanes = 0;  // and rows
  int columns = 0;
  int padded = 0;  // columns, to a power of two

  RowBlock(int rows, int row_columns) : lanes(rows), columns(row_columns), padded(1 << Log2(row_columns)) {}

  bool IsPicked() const { return columns == 3 || columns == 5; }
  int size() const { return lanes * columns; }
  // Padded vector v holds whole rows or a part of one: `valid` elements from number `begin` on.
  int RowsInVector() const { return std::max(1, lanes / padded); }
  int Begin(int v) const {
    const int vectors_in_row = std::max(1, padded / lanes);
    return v / vectors_in_row * RowsInVector() * columns + v % vectors_in_row * lanes;
  }
  int Valid(int v) const {
    if (padded <= lanes) return RowsInVector() * columns;
    return std::min(lanes, std::max(0, columns - v % (padded / lanes) * lanes));
  }
  // Where in a padded vector an element is that lies so far after its begin.
  int PaddedLane(int ahead) const { return padded <= lanes ? ahead / columns * padded + ahead % columns : ahead; }
};

V Zeros(LlvmIr& ir, Kind kind, int lanes) {
  return IsFloatKind(kind) ? ir.Float(kind, 0, lanes) : ir.Int(kind, 0, lanes);
}

// As one array, each element number's bits rotated to the left by one: its halves interleaved.
std::vector<V> HalvesInterleaved(LlvmIr& ir, const std::vector<V>& vectors) {
  const int lanes = vectors[0].lanes;
  std::vector<int> low, high;
  for (int i = 0; i < lanes / 2; ++i) {
    low.insert(low.end(), {i, lanes + i});
    high.insert(high.end(), {lanes / 2 + i, lanes + lanes / 2 + i});
  }
  std::vector<V> result;
  const size_t half = vectors.size() / 2;
  for (size_t v = 0; v < half; ++v) {
    result.push_back(ir.Shuffle(vectors[v], vectors[v + half], low));
    result.push_back(ir.Shuffle(vectors[v], vectors[v + half], high));
  }
  return result;
}

// The reverse: elements of even numbers, then the others.
std::vector<V> EvenThenOdd(LlvmIr& ir, const std::vector<V>& vectors) {
  const int lanes = vectors[0].lanes;
  std::vector<V> result;
  for (int odd = 0; odd < 2; ++odd) {
    std::vector<int> order;
    for (int i = 0; i < lanes; ++i) order.push_back(2 * i + odd);
    for (size_t v = 0; v < vectors.size(); v += 2) result.push_back(ir.Shuffle(vectors[v], vectors[v + 1], order));
  }
  return result;
}

// Rotates the bits of element numbers to the left by this many, whichever way is shorter.
std::vector<V> Rotated(LlvmIr& ir, std::vector<V> vectors, int by) {
  const int bits = Log2(static_cast<int>(vectors.size()) * vectors[0].lanes);
  if (by <= bits - by) {
    for (int i = 0; i < by; ++i) vectors = HalvesInterleaved(ir, vectors);
  } else {
    for (int i = by; i < bits; ++i) vectors = EvenThenOdd(ir, vectors);
  }
  return vectors;
}

// A vector of which lane l is lane lane_of(l) of vector number vector_of(l).
template <typename VectorOf, typename LaneOf>
V Picked(LlvmIr& ir, const std::vector<V>& vectors, VectorOf vector_of, LaneOf lane_of) {
  const int lanes = vectors[0].lanes;
  V result = vectors[0];
  for (size_t v = 1; v < vectors.size(); ++v) {
    std::vector<int> order;
    for (int lane = 0; lane < lanes; ++lane) {
      const auto from = static_cast<size_t>(vector_of(lane));
      if (from > v) {
        order.push_back(kAnyLane);
      } else {
        order.push_back(from == v ? lanes + lane_of(lane) : v == 1 ? lane_of(lane) : lane);
      }
    }
    result = ir.Shuffle(result, vectors[v], order);
  }
  return result;
}

class RowMemory {
 public:
  RowMemory(LlvmIr& ir, V first, const RowBlock& block, Kind kind, int64_t width)
      : ir_(ir), first_(first), block_(block), kind_(kind), width_(width) {}

  // Loads rows that lie in sequence and gives the vectors of their columns: the inverse of Store.
  std::vector<V> Load() const {
    std::vector<V> vectors;
    if (block_.IsPicked()) {
      for (int v = 0; v < block_.columns; ++v) vectors.push_back(LoadAt(v * block_.lanes));
      std::vector<V> columns;
      for (int c = 0; c < block_.columns; ++c) {
        const auto element = [&](int row) { return row * block_.columns + c; };
        columns.push_back(Picked(
            ir_, vectors, [&](int row) { return element(row) / block_.lanes; },
            [&](int row) { return element(row) % block_.lanes; }));
      }
      return columns;
    }
    for (int v = 0; v < block_.padded; ++v) vectors.push_back(LoadPadded(v));
    return Rotated(ir_, std::move(vectors), Log2(block_.lanes));
  }

  // Stores columns, of which each vector has one element of every row, as rows that lie in sequence: a transposition
  // in registers, by picking lanes or by rotations.
  void Store(std::vector<V> columns, bool streaming) const {
    if (block_.IsPicked()) {
      for (int v = 0; v < block_.columns; ++v) {
        const auto element = [&](int lane) { return v * block_.lanes + lane; };
        const V vector = Picked(
            ir_, columns, [&](int lane) { return element(lane) % block_.columns; },
            [&](int lane) { return element(lane) / block_.columns; });
        StoreWhole(v * block_.lanes, vector, streaming);
      }
      return;
    }
    columns.resize(block_.padded, Zeros(ir_, kind_, block_.lanes));
    const std::vector<V> vectors = Rotated(ir_, std::move(columns), Log2(block_.padded));
    for (int v = 0; v < block_.padded; ++v) {
      if (block_.padded == block_.columns) {
        StoreWhole(v * block_.lanes, vectors[v], streaming);
      } else {
        StorePadded(v, vectors[v]);
      }
    }
  }

 private:
  V At(int element) const { return ir_.Offset(first_, ir_.Int(Kind::kI64, element), width_); }
  V LoadAt(int element) const { return ir_.Load(At(element), kind_, block_.lanes, static_cast<int>(width_)); }
  void StoreWhole(int element, V x, bool streaming) const {
    if (!streaming) return StoreAt(element, x);
    ir_.StoreStreaming(At(element), x, static_cast<int>(std::min(kCacheLine, block_.lanes * width_)));
  }
  void StoreAt(int element, V x) const { ir_.Store(At(element), x, static_cast<int>(width_)); }

  // Nothing is read but what belongs to the rows.
  V LoadPadded(int v) const {
    const int valid = block_.Valid(v);
    if (valid == 0) return Zeros(ir_, kind_, block_.lanes);
    const int begin = block_.Begin(v);
    const int from = std::min(begin, block_.size() - block_.lanes);
    std::vector<int> order(block_.lanes, kAnyLane);
    for (int ahead = 0; ahead < valid; ++ahead) order[block_.PaddedLane(ahead)] = begin + ahead - from;
    const V loaded = LoadAt(from);
    return ir_.Shuffle(loaded, loaded, order);
  }

  // What is stored after the valid elements is overwritten by the vectors that follow.
  void StorePadded(int v, V x) const {
    const int valid = block_.Valid(v);
    if (valid == 0) return;
    std::vector<int> order(block_.lanes);
    for (int lane = 0; lane < block_.lanes; ++lane) order[lane] = lane < valid ? block_.PaddedLane(lane) : kAnyLane;
    const V packed = ir_.Shuffle(x, x, order);
    const int begin = block_.Begin(v);
    if (begin + block_.lanes <= block_.size()) return StoreAt(begin, packed);
    const V mask = ir_.LaneNumbers(Kind::kI64, block_.lanes) < valid;
    ir_.MaskedStore(At(begin), packed, mask, static_cast<int>(width_));
  }

  LlvmIr& ir_;
  const V first_;
  const RowBlock block_;
  const Kind kind_;
  const int64_t width_;
};

int MemoryOf(const Kernel& kernel, int buffer) {
  while (kernel.buffers[buffer].same_memory_as >= 0) buffer = kernel.buffers[buffer].same_memory_as;
  return buffer;
}

// An access to element stride * index + constant of what the terms say, index being the loop's.
struct RowAccess {
  bool is_store = false;
  int buffer = -1;
  std::vector<std::pair<KernelValue, int64_t>> terms;  // the loop's index among them
  int64_t constant = 0;
  int64_t stride = 0;
  size_t position = 0;  // in the region
  const KernelInstruction* instruction = nullptr;

  bool IsBeside(const RowAccess& other) const {
    return is_store == other.is_store && buffer == other.buffer && terms == other.terms;
  }
};

// Loads and stores of the loop body whose index is a sum with the loop's index times a stride of 2 or more, and with
// nothing else that changes in the loop: elements of rows of `stride` columns.
std::vector<RowAccess> AccessesOf(const Kernel& kernel, const KernelRegion& region) {
  absl::flat_hash_map<KernelValue, const KernelInstruction*> within;
  std::vector<RowAccess> accesses;
  for (size_t i = 0; i < region.instructions.size(); ++i) {
    const KernelInstruction& instruction = region.instructions[i];
    for (const KernelValue result : instruction.results) within[result] = &instruction;
    const bool is_store = instruction.op == KernelOp::kStore;
    if (instruction.op != KernelOp::kLoad && !is_store) continue;
    if (instruction.operands.size() != (is_store ? 2 : 1) || IsComplex(kernel.buffers[instruction.buffer].type)) {
      continue;
    }
    const auto sum = within.find(instruction.operands[0]);
    if (sum == within.end() || sum->second->op != KernelOp::kAffine) continue;
    RowAccess access;
    bool is_even = true;
    for (size_t t = 0; t < sum->second->operands.size(); ++t) {
      const KernelValue term = sum->second->operands[t];
      access.terms.push_back({term, sum->second->coefficients[t]});
      if (term == region.arguments[0]) {
        access.stride += sum->second->coefficients[t];
      } else {
        is_even = is_even && !within.contains(term);
      }
    }
    if (!is_even || access.stride < 2 || access.stride > kMostColumns) continue;
    std::sort(access.terms.begin(), access.terms.end());
    access.is_store = is_store;
    access.buffer = instruction.buffer;
    access.constant = sum->second->constant;
    access.position = i;
    access.instruction = &instruction;
    accesses.push_back(std::move(access));
  }
  return accesses;
}

// Whether the accesses may be done at once: loads when the first of them is due, stores with the last.
bool MayBeDoneAtOnce(const Kernel& kernel, const KernelRegion& region, absl::Span<const RowAccess> group) {
  size_t begin = region.instructions.size();
  size_t end = 0;
  for (const RowAccess& access : group) {
    begin = std::min(begin, access.position);
    end = std::max(end, access.position);
  }
  const bool stores = group[0].is_store;
  for (size_t i = begin; i <= end; ++i) {
    const KernelInstruction& other = region.instructions[i];
    if (other.op != KernelOp::kStore && !(stores && other.op == KernelOp::kLoad)) continue;
    const bool is_own = std::any_of(group.begin(), group.end(), [&](const RowAccess& x) { return x.position == i; });
    if (!is_own && MemoryOf(kernel, other.buffer) == MemoryOf(kernel, group[0].buffer)) return false;
  }
  return true;
}

}  // namespace

// Finds groups of accesses that together cover whole rows of a buffer, such as x[3 i], x[3 i + 1] and x[3 i + 2].
// These are loaded or stored as contiguous vectors and rearranged in registers instead of gathered. For stores, every
// column must be among them.
void KernelEmitter::FindInterleavedRows(const KernelRegion& region) {
  interleaved_.clear();
  interleaved_rows_.clear();
  const auto has_regions = [](const KernelInstruction& instruction) { return !instruction.regions.empty(); };
  if (std::any_of(region.instructions.begin(), region.instructions.end(), has_regions)) return;
  const auto note = [&](absl::Span<const RowAccess> group) {
    const int64_t columns = group[0].stride;
    const int64_t first = group[0].constant;
    if (group.back().constant != first + columns - 1 || !MayBeDoneAtOnce(kernel_, region, group)) return;
    InterleavedRows rows;
    rows.columns.resize(columns);
    rows.first = group[0].instruction;
    rows.last = group[0].instruction;
    size_t last = 0;
    for (const RowAccess& access : group) {
      if (access.position < last) continue;
      last = access.position;
      rows.last = access.instruction;
    }
    if (group[0].is_store) {
      rows.stored.resize(columns, kNoValue);
      for (const RowAccess& access : group) {
        rows.stored[access.constant - first] = access.instruction->operands[1];
      }
      const bool is_whole = std::find(rows.stored.begin(), rows.stored.end(), kNoValue) == rows.stored.end();
      if (!is_whole || static_cast<int64_t>(group.size()) != columns) return;
    }
    for (const RowAccess& access : group) {
      interleaved_[access.instruction] = {static_cast<int>(interleaved_rows_.size()),
                                          static_cast<int>(access.constant - first)};
    }
    interleaved_rows_.push_back(std::move(rows));
  };
  std::vector<RowAccess> accesses = AccessesOf(kernel_, region);
  while (!accesses.empty()) {
    const RowAccess first = accesses[0];
    std::vector<RowAccess> group;
    for (const RowAccess& access : accesses) {
      if (access.IsBeside(first)) group.push_back(access);
    }
    accesses.erase(std::remove_if(accesses.begin(), accesses.end(),
                                  [&](const RowAccess& access) { return access.IsBeside(first); }),
                   accesses.end());
    std::stable_sort(group.begin(), group.end(),
                     [](const RowAccess& a, const RowAccess& b) { return a.constant < b.constant; });
    for (size_t begin = 0, end = 0; begin < group.size(); begin = end) {
      while (end < group.size() && group[end].constant < group[begin].constant + first.stride) ++end;
      note(absl::MakeConstSpan(group).subspan(begin, end - begin));
    }
  }
}

int KernelEmitter::InterleavedLanes(PrimitiveType type) const {
  const int64_t width = ByteWidth(type);
  const bool is_narrow = width == 1 || (width == 2 && !target_.has_masks);
  return std::min<int>(lanes_, (is_narrow ? kSmallVector : target_.vector_bytes) / static_cast<int>(width));
}

// All columns, when the first of them is asked for.
const Element* KernelEmitter::LoadInterleaved(const KernelInstruction& load) {
  const auto found = interleaved_.find(&load);
  if (found == interleaved_.end()) return nullptr;
  const int column = found->second.column;
  InterleavedRows& rows = interleaved_rows_[found->second.rows];
  if (!rows.is_loaded) {
    const PrimitiveType type = kernel_.buffers[load.buffer].type;
    const int columns = static_cast<int>(rows.columns.size());
    const RowBlock block(InterleavedLanes(type), columns);
    std::vector<std::vector<V>> parts(columns);
    for (int begin = 0; begin < lanes_; begin += block.lanes) {
      const V first = Value(load.operands[0]).value + (begin * columns - column);
      const RowMemory memory(ir_, ir_.Offset(buffers_[load.buffer], first, ByteWidth(type)), block, StoredKind(type),
                             ByteWidth(type));
      const std::vector<V> loaded = memory.Load();
      for (int c = 0; c < columns; ++c) parts[c].push_back(loaded[c]);
    }
    for (int c = 0; c < columns; ++c) rows.columns[c] = FromStored(type, ir_.Joined(parts[c]));
  }
  // The loop's next vector begins again.
  rows.is_loaded = &load != rows.last;
  return &rows.columns[column];
}

// All columns, when the last of them is there.
bool KernelEmitter::StoreInterleaved(const KernelInstruction& store) {
  const auto found = interleaved_.find(&store);
  if (found == interleaved_.end()) return false;
  const InterleavedRows& rows = interleaved_rows_[found->second.rows];
  if (&store != rows.last) return true;
  const PrimitiveType type = kernel_.buffers[store.buffer].type;
  const int columns = static_cast<int>(rows.columns.size());
  const RowBlock block(InterleavedLanes(type), columns);
  const bool streaming = CanStreamVectors(*rows.first, block.lanes);
  std::vector<V> values;
  for (const KernelValue value : rows.stored) values.push_back(ToStored(InLanes(Value(value))));
  for (int begin = 0; begin < lanes_; begin += block.lanes) {
    const V first = Value(store.operands[0]).value + (begin * columns - found->second.column);
    const RowMemory memory(ir_, ir_.Offset(buffers_[store.buffer], first, ByteWidth(type)), block, StoredKind(type),
                           ByteWidth(type));
    std::vector<V> part;
    for (const V& value : values) part.push_back(ir_.Slice(value, begin, block.lanes));
    memory.Store(std::move(part), streaming);
  }
  return true;
}

}  // namespace codegen
}  // namespace xla
