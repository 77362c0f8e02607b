// Copies of blocks whose rows become columns:
//
//   for i independent { for k independent vector { y[.. + i + n*k] = x[.. + m*i + k] } }
//
// Such a loop would scatter each vector that it loads. Instead, as many rows as a vector has lanes are loaded,
// transposed in registers, and stored as rows of the result.
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

constexpr int kSmallVector = 16;

// An element number as a sum: what it takes from the loops over i and k, beside what is the same in all iterations.
struct Strides {
  int64_t i = 0;
  int64_t k = 0;
};
using StridesByValue = absl::flat_hash_map<KernelValue, Strides>;

// Follows the sums of a region; false if there is anything else than sums, constants, and what `other` is for.
template <typename Other>
bool FollowSums(const KernelRegion& region, StridesByValue& strides, Other other) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kConstant) continue;
    if (instruction.op != KernelOp::kAffine) {
      if (!other(instruction)) return false;
      continue;
    }
    Strides sum;
    for (size_t t = 0; t < instruction.operands.size(); ++t) {
      const auto term = strides.find(instruction.operands[t]);
      if (term == strides.end()) continue;
      sum.i += instruction.coefficients[t] * term->second.i;
      sum.k += instruction.coefficients[t] * term->second.k;
    }
    strides[instruction.results[0]] = sum;
  }
  return true;
}

// The rows of a square of 2^n, after n steps that interleave each row of the first half with one of the second.
std::vector<V> Transposed(LlvmIr& ir, std::vector<V> rows) {
  const int size = static_cast<int>(rows.size());
  std::vector<int> low, high;
  for (int i = 0; i < size / 2; ++i) {
    low.insert(low.end(), {i, size + i});
    high.insert(high.end(), {size / 2 + i, size + size / 2 + i});
  }
  for (int step = 1; step < size; step *= 2) {
    std::vector<V> next;
    for (int r = 0; r < size / 2; ++r) {
      next.push_back(ir.Shuffle(rows[r], rows[r + size / 2], low));
      next.push_back(ir.Shuffle(rows[r], rows[r + size / 2], high));
    }
    rows = std::move(next);
  }
  return rows;
}

}  // namespace

struct KernelEmitter::BlockCopy {
  const KernelInstruction* inner = nullptr;
  const KernelInstruction* load = nullptr;
  const KernelInstruction* store = nullptr;
  int64_t from_stride = 0;  // of x for each i, in elements
  int64_t to_stride = 0;    // of y for each k
  int width = 0;            // bytes of an element
};

// Matches two nested loops over i and k that only copy: to[i + k * to_stride] = from[k + i * from_stride], where k is
// the inner loop. The load is contiguous along it and the store along the outer one. nullopt for anything else in
// them.
absl::optional<KernelEmitter::BlockCopy> KernelEmitter::MatchTransposedCopy(
    const KernelInstruction& instruction) const {
  BlockCopy copy;
  if (lanes_ != 1 || !instruction.independent || instruction.operands.size() != 1) return absl::nullopt;
  const KernelRegion& outer = instruction.regions[0];
  StridesByValue strides;
  strides[outer.arguments[0]] = {1, 0};
  const auto in_outer = [&](const KernelInstruction& other) {
    const bool is_first_loop = other.op == KernelOp::kFor && copy.inner == nullptr;
    if (is_first_loop) copy.inner = &other;
    return is_first_loop;
  };
  if (!FollowSums(outer, strides, in_outer) || copy.inner == nullptr) return absl::nullopt;
  const KernelInstruction& inner = *copy.inner;
  const auto extent = strides.find(inner.operands[0]);
  const bool is_rectangle = extent == strides.end() || (extent->second.i == 0 && extent->second.k == 0);
  if (inner.schedule != LoopSchedule::kVector || !inner.independent || !is_rectangle) return absl::nullopt;
  strides[inner.regions[0].arguments[0]] = {0, 1};
  const auto in_inner = [&](const KernelInstruction& other) {
    if (other.op == KernelOp::kLoad && other.operands.size() == 1 && copy.load == nullptr) {
      copy.load = &other;
      return true;
    }
    const bool is_copy = other.op == KernelOp::kStore && other.operands.size() == 2 && copy.load != nullptr &&
                         copy.store == nullptr && other.operands[1] == copy.load->results[0];
    if (is_copy) copy.store = &other;
    return is_copy;
  };
  if (!FollowSums(inner.regions[0], strides, in_inner) || copy.store == nullptr) return absl::nullopt;
  const Strides from = strides[copy.load->operands[0]];
  const Strides to = strides[copy.store->operands[0]];
  if (from.k != 1 || to.i != 1) return absl::nullopt;
  copy.from_stride = from.i;
  copy.to_stride = to.k;
  copy.width = ByteWidth(kernel_.buffers[copy.load->buffer].type);
  if (copy.width > 8) return absl::nullopt;
  return copy;
}

// Loads a square, transposes it in registers, and stores it.
void KernelEmitter::EmitTransposedSquare(const BlockCopy& copy, V from, V to, int size) {
  const Kind kind = IntKind(8 * copy.width);
  const V source = ir_.Offset(buffers_[copy.load->buffer], from, copy.width);
  const V target = ir_.Offset(buffers_[copy.store->buffer], to, copy.width);
  std::vector<V> rows;
  for (int i = 0; i < size; ++i) {
    rows.push_back(ir_.Load(ir_.Offset(source, IndexConstant(i * copy.from_stride), copy.width), kind, size, 1));
  }
  rows = Transposed(ir_, std::move(rows));
  for (int k = 0; k < size; ++k) {
    ir_.Store(ir_.Offset(target, IndexConstant(k * copy.to_stride), copy.width), rows[k], 1);
  }
}

// Emits a matched copy in squares: as many rows as a vector has elements are loaded, transposed in registers and
// stored, so that both sides are contiguous. Margins are copied element by element.
bool KernelEmitter::EmitTransposedCopy(const KernelInstruction& instruction) {
  const absl::optional<BlockCopy> copy = MatchTransposedCopy(instruction);
  if (!copy.has_value()) return false;
  const KernelRegion& outer = instruction.regions[0];
  const KernelRegion& inner = copy->inner->regions[0];
  // Emits the sums at one place of the block.
  const auto set_indices = [&](V i, V k) {
    values_[outer.arguments[0]] = Index(i);
    for (const KernelInstruction& index : outer.instructions) {
      if (index.op != KernelOp::kFor) EmitInstruction(index);
    }
    values_[inner.arguments[0]] = Index(k);
    for (const KernelInstruction& index : inner.instructions) {
      if (index.op == KernelOp::kAffine || index.op == KernelOp::kConstant) EmitInstruction(index);
    }
  };
  const auto one = [&](V i, V k) {
    set_indices(i, k);
    EmitInstruction(*copy->load);
    EmitInstruction(*copy->store);
  };
  const V zero = IndexConstant(0);
  set_indices(zero, zero);
  const V rows = Value(instruction.operands[0]).value;
  const V columns = Value(copy->inner->operands[0]).value;
  // Bytes and pairs of them are interleaved within 16 bytes on every processor, but not beyond.
  const int vector_bytes = copy->width <= 2 ? kSmallVector : target_.vector_bytes;
  const int size = vector_bytes / copy->width;
  const auto whole = [&](V extent) { return extent & -static_cast<int64_t>(size); };
  const V whole_rows = whole(rows);
  const V whole_columns = whole(columns);
  constexpr double kWork = 2;
  const double most_rows = loop_work_.MostIterations(instruction.operands[0]);
  const double most_columns = loop_work_.MostIterations(copy->inner->operands[0]);
  const double work_of_row = LoopWork::IsLong(most_columns, kWork) ? 1 : most_columns * kWork;
  const auto loop = [&](V begin, V end, int64_t step, bool over_rows, absl::FunctionRef<void(V)> body) {
    const Loop bounds = {begin, end, step, over_rows ? work_of_row : kWork, over_rows ? most_rows : most_columns};
    EmitLoop(bounds, {}, [&](V index, absl::Span<const Element>) {
      body(index);
      return Elements();
    });
  };
  loop(zero, whole_rows, size, /*over_rows=*/true, [&](V i) {
    loop(zero, whole_columns, size, /*over_rows=*/false, [&](V k) {
      set_indices(i, k);
      EmitTransposedSquare(*copy, Value(copy->load->operands[0]).value, Value(copy->store->operands[0]).value, size);
    });
    // What is left of these rows, and then the rows that are left.
    const V end = ir_.AddIndex(i, IndexConstant(size));
    EmitShortLoop({i, end}, {}, [&](V row, absl::Span<const Element>) {
      EmitShortLoop({whole_columns, columns}, {}, [&](V k, absl::Span<const Element>) {
        one(row, k);
        return Elements();
      });
      return Elements();
    });
  });
  loop(whole_rows, rows, 1, /*over_rows=*/true,
       [&](V i) { loop(zero, columns, 1, /*over_rows=*/false, [&](V k) { one(i, k); }); });
  return true;
}

}  // namespace codegen
}  // namespace xla
