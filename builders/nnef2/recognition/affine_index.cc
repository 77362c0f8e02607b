#include "builders/nnef2/recognition/affine_index.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "absl/container/flat_hash_map.h"

namespace xla {
namespace nnef2 {
namespace {

// Indices and extents stay far below; products of three of them fit 64 bits.
constexpr int64_t kLargestNumber = int64_t{1} << 40;

bool IsSmall(int64_t value) { return value <= kLargestNumber && value >= -kLargestNumber; }

absl::optional<AffineIndex> Constant(int64_t value, size_t num_loops) {
  if (!IsSmall(value)) return absl::nullopt;
  AffineIndex index;
  index.coefficients.assign(num_loops, 0);
  index.offset = value;
  return index;
}

// a + scale * b.
absl::optional<AffineIndex> AddScaled(AffineIndex a, const AffineIndex& b, int64_t scale) {
  const auto add = [scale](int64_t x, int64_t y, int64_t* sum) {
    return !__builtin_mul_overflow(y, scale, &y) && !__builtin_add_overflow(x, y, sum) && IsSmall(*sum);
  };
  if (!add(a.offset, b.offset, &a.offset)) return absl::nullopt;
  for (size_t i = 0; i < a.coefficients.size(); ++i) {
    if (!add(a.coefficients[i], b.coefficients[i], &a.coefficients[i])) return absl::nullopt;
  }
  return a;
}

// Finds each node once, also if it is an operand of many.
class AffineFinder {
 public:
  explicit AffineFinder(size_t num_loops) : num_loops_(num_loops) {}

  absl::optional<AffineIndex> Find(const NestNode& node) {
    const auto known = found_.find(&node);
    if (known != found_.end()) return known->second;
    absl::optional<AffineIndex> index = FindAnew(node);
    found_.emplace(&node, index);
    return index;
  }

 private:
  absl::optional<AffineIndex> FindAnew(const NestNode& node) {
    if (node.kind == NestNode::Kind::kScalar) {
      if (node.scalar.kind != Scalar::Kind::kInt) return absl::nullopt;
      return Constant(node.scalar.integer, num_loops_);
    }
    if (node.kind == NestNode::Kind::kLoop) {
      absl::optional<AffineIndex> index = Constant(0, num_loops_);
      index->coefficients[node.loop] = 1;
      return index;
    }
    const AffineIndex zero = *Constant(0, num_loops_);
    if (node.kind == NestNode::Kind::kUnary && node.op == Operator::kSubtract) {
      const absl::optional<AffineIndex> x = Find(*node.operands[0]);
      return x.has_value() ? AddScaled(zero, *x, -1) : absl::nullopt;
    }
    const bool is_sum = node.op == Operator::kAdd || node.op == Operator::kSubtract;
    if (node.kind != NestNode::Kind::kBinary || !(is_sum || node.op == Operator::kMultiply)) return absl::nullopt;
    const absl::optional<AffineIndex> x = Find(*node.operands[0]);
    if (!x.has_value()) return absl::nullopt;
    const absl::optional<AffineIndex> y = Find(*node.operands[1]);
    if (!y.has_value()) return absl::nullopt;
    if (is_sum) return AddScaled(*x, *y, node.op == Operator::kAdd ? 1 : -1);
    if (x->IsConstant()) return AddScaled(zero, *y, x->offset);
    return y->IsConstant() ? AddScaled(zero, *x, y->offset) : absl::nullopt;
  }

  const size_t num_loops_;
  absl::flat_hash_map<const NestNode*, absl::optional<AffineIndex>> found_;
};

// Sums are taken apart that deep to find what moves an index.
constexpr int kMaxMovedDepth = 6;

absl::optional<MovedIndex> FindMoved(const NestNode& node, size_t num_loops, int depth) {
  if (node.kind == NestNode::Kind::kScalar && node.type == BaseType::kInt &&
      node.scalar.kind == Scalar::Kind::kSymbolic) {
    if (!IsSmall(node.lower) || !IsSmall(node.upper)) return absl::nullopt;
    return MovedIndex{*Constant(0, num_loops), &node, false};
  }
  if (absl::optional<AffineIndex> affine = AffineOf(node, num_loops)) return MovedIndex{*std::move(affine)};
  const bool is_sum =
      node.kind == NestNode::Kind::kBinary && (node.op == Operator::kAdd || node.op == Operator::kSubtract);
  if (!is_sum || depth == 0) return absl::nullopt;
  absl::optional<MovedIndex> x = FindMoved(*node.operands[0], num_loops, depth - 1);
  const absl::optional<MovedIndex> y = FindMoved(*node.operands[1], num_loops, depth - 1);
  if (!x.has_value() || !y.has_value() || (x->by != nullptr && y->by != nullptr)) return absl::nullopt;
  const bool subtracts = node.op == Operator::kSubtract;
  const absl::optional<AffineIndex> sum = AddScaled(x->affine, y->affine, subtracts ? -1 : 1);
  if (!sum.has_value()) return absl::nullopt;
  if (y->by != nullptr) return MovedIndex{*sum, y->by, y->is_subtracted != subtracts};
  return MovedIndex{*sum, x->by, x->is_subtracted};
}

}  // namespace

absl::optional<MovedIndex> MovedIndexOf(const NestNode& node, size_t num_loops) {
  return FindMoved(node, num_loops, kMaxMovedDepth);
}

std::vector<int> AffineIndex::loops() const {
  std::vector<int> loops;
  for (size_t i = 0; i < coefficients.size(); ++i) {
    if (coefficients[i] != 0) loops.push_back(static_cast<int>(i));
  }
  return loops;
}

bool AffineIndex::IsPlain(int loop) const {
  return offset == 0 && coefficients[loop] == 1 && loops() == std::vector<int>({loop});
}

absl::optional<AffineIndex> AffineOf(const NestNode& node, size_t num_loops) {
  return AffineFinder(num_loops).Find(node);
}

absl::optional<CountingIndex> CountingOf(const AffineIndex& index, const std::vector<NestLoop>& loops) {
  CountingIndex counting;
  counting.first = index.offset;
  for (const int loop : index.loops()) {
    if (!RunsOnce(loops[loop])) counting.loops.push_back(loop);
  }
  if (counting.loops.empty()) return counting;
  std::stable_sort(counting.loops.begin(), counting.loops.end(),
                   [&](int a, int b) { return std::abs(index.coefficients[a]) > std::abs(index.coefficients[b]); });
  counting.stride = index.coefficients[counting.loops.back()];
  for (size_t i = counting.loops.size(); i > 0; --i) {
    const int loop = counting.loops[i - 1];
    if (counting.loops.size() > 1 && index.coefficients[loop] != counting.stride * counting.count) return absl::nullopt;
    if (i > 1 && !IsStatic(loops[loop])) return absl::nullopt;
    if (__builtin_mul_overflow(counting.count, loops[loop].bound, &counting.count) || !IsSmall(counting.count)) {
      return absl::nullopt;
    }
  }
  // Several loops that count downwards are not needed by any operator of the library.
  if (counting.stride < 0 && counting.loops.size() > 1) return absl::nullopt;
  const __int128 last = counting.first + static_cast<__int128>(counting.stride) * (counting.count - 1);
  if (last > kLargestNumber || last < -kLargestNumber) return absl::nullopt;
  return counting;
}

}  // namespace nnef2
}  // namespace xla
