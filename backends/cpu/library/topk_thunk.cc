#include "backends/cpu/library/topk_thunk.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/types/optional.h"
#include "backends/cpu/library/vector_sort.h"
#include "backends/cpu/runtime/memory_order.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/order_key.h"
#include "xla_core/support/checked_math.h"

namespace xla {
namespace {

// ---- Ranks: signed numbers in the order of the elements, the best greatest.

// Elements are looked at so many at a time.
constexpr int64_t kBlock = 256;

template <typename Rank>
void RanksOfIntegers(const void* elements, int64_t count, bool is_signed, Rank turn, Rank* ranks) {
  using Unsigned = std::make_unsigned_t<Rank>;
  const auto* const words = static_cast<const Unsigned*>(elements);
  const Unsigned sign = is_signed ? 0 : Unsigned{1} << (8 * sizeof(Rank) - 1);
  for (int64_t i = 0; i < count; ++i) ranks[i] = static_cast<Rank>(words[i] ^ sign) ^ turn;
}

template <typename Rank>
void RanksOfFloats(const void* elements, int64_t count, Rank turn, Rank* ranks) {
  const auto* const words = static_cast<const Rank*>(elements);
  for (int64_t i = 0; i < count; ++i) {
    // Total order: the magnitude of negative numbers counts down.
    ranks[i] = words[i] ^ ((words[i] >> (8 * sizeof(Rank) - 1)) & std::numeric_limits<Rank>::max()) ^ turn;
  }
}

// How elements of one type rank.
template <typename Rank>
class RankMaker {
 public:
  RankMaker(PrimitiveType type, bool largest)
      : type_(type),
        is_plain_(ByteWidth(type) == sizeof(Rank)),
        turn_(largest ? Rank{0} : Rank{-1}),
        keys_(type, KeyOrder::kTotalOrder) {}

  // `count` is at most kBlock.
  void Make(const char* elements, int64_t count, Rank* ranks) const {
    if (is_plain_ && IsFloat(type_)) return RanksOfFloats(elements, count, turn_, ranks);
    if (is_plain_) return RanksOfIntegers(elements, count, IsSignedInt(type_), turn_, ranks);
    uint64_t keys[kBlock];
    keys_.Make(elements, count, 1, keys);
    for (int64_t i = 0; i < count; ++i) ranks[i] = static_cast<Rank>(keys[i]) ^ turn_;
  }

 private:
  const PrimitiveType type_;
  const bool is_plain_;  // elements are as wide as ranks
  const Rank turn_;      // all bits, if the smallest are best
  const OrderKeys keys_;
};

// ---- Candidates: numbers of rank and position. The greatest is best, and of equal ranks the first.

inline void MakeCandidate(int32_t rank, uint32_t position, uint64_t& candidate) {
  candidate = uint64_t{static_cast<uint32_t>(rank) ^ 0x80000000u} << 32 | static_cast<uint32_t>(~position);
}
inline void MakeCandidate(int64_t rank, uint32_t position, WideNumber& candidate) {
  candidate = {static_cast<uint32_t>(~position), static_cast<uint64_t>(rank) ^ uint64_t{1} << 63};
}
inline int32_t RankOf(uint64_t candidate) {
  return static_cast<int32_t>(static_cast<uint32_t>(candidate >> 32) ^ 0x80000000u);
}
inline int64_t RankOf(const WideNumber& candidate) { return static_cast<int64_t>(candidate.high ^ uint64_t{1} << 63); }
inline uint32_t PositionOf(uint64_t candidate) { return ~static_cast<uint32_t>(candidate); }
inline uint32_t PositionOf(const WideNumber& candidate) { return ~static_cast<uint32_t>(candidate.low); }

// Keeps the best k of all that it is shown, in memory for capacity(k) of them.
template <typename Rank, typename Candidate>
class BestOf {
 public:
  BestOf(int64_t k, Candidate* memory) : k_(k), kept_(memory) {}
  static int64_t Capacity(int64_t k) { return NarrowAt(k) + kBlock; }

  // Begins anew, with those above `worst` only: if they are k at least, they have the best among them.
  void BeginAbove(Rank worst) {
    count_ = 0;
    worst_ = worst;
    is_full_ = true;
  }
  void Begin() {
    count_ = 0;
    is_full_ = false;
  }

  void Add(const Rank* ranks, int64_t first, int64_t count) {
    if (is_full_ && !AnyAbove(ranks, count)) return;
    // Rank by rank without jumps: what is not taken is written over. An equal one that comes later is worse.
    Candidate* next = kept_ + count_;
    const Rank worst = worst_;
    if (is_full_) {
      for (int64_t i = 0; i < count; ++i) {
        MakeCandidate(ranks[i], static_cast<uint32_t>(first + i), *next);
        next += ranks[i] > worst;
      }
    } else {
      for (int64_t i = 0; i < count; ++i) MakeCandidate(ranks[i], static_cast<uint32_t>(first + i), *next++);
    }
    count_ = next - kept_;
    if (count_ >= (is_full_ ? NarrowAt(k_) : k_)) Narrow();
  }

  // How many are at hand, which Finish cuts down to k.
  int64_t count() const { return count_; }
  // The best ones, best first.
  int64_t Finish() {
    SortNumbers(kept_, count_);
    std::reverse(kept_, kept_ + count_);
    return count_ = std::min(count_, k_);
  }

 private:
  static int64_t NarrowAt(int64_t k) { return 4 * k + 64; }

  bool AnyAbove(const Rank* ranks, int64_t count) const {
    Rank above = 0;
    for (int64_t i = 0; i < count; ++i) above |= static_cast<Rank>(ranks[i] > worst_);
    return above != 0;
  }

  void Narrow() {
    SortNumbers(kept_, count_);
    std::copy(kept_ + (count_ - k_), kept_ + count_, kept_);
    count_ = k_;
    worst_ = RankOf(kept_[0]);
    is_full_ = true;
  }

  const int64_t k_;
  Candidate* const kept_;
  int64_t count_ = 0;
  bool is_full_ = false;
  Rank worst_ = 0;  // of the best k when they were last counted
};

// ---- The thunk

struct TopKSizes {
  PrimitiveType type;
  int64_t lines = 0;
  int64_t length = 0;  // of a line
  int64_t k = 0;
  bool largest = true;
  // Few long lines are cut into pieces, each of which finds its own best.
  int64_t pieces = 1;
  int64_t PieceLength() const { return CeilDiv(length, pieces); }
};

constexpr int64_t kMinPiece = int64_t{1} << 16;

TopKSizes WithPieces(TopKSizes sizes) {
  if (sizes.lines < 16 && sizes.k <= kMinPiece / 8) {
    sizes.pieces = std::min<int64_t>(32, std::max<int64_t>(1, sizes.length / kMinPiece));
  }
  return sizes;
}

template <typename Rank, typename Candidate>
class TopKThunk : public Thunk {
 public:
  TopKThunk(ThunkInfo info, const TopKSizes& sizes, BufferSlice workspace)
      : Thunk(WithScratch(std::move(info), ScratchBytes(sizes))),
        sizes_(sizes),
        workspace_(workspace),
        ranks_(sizes.type, sizes.largest) {}

  static int64_t WorkspaceBytes(const TopKSizes& sizes) {
    if (sizes.pieces == 1) return 0;
    return sizes.lines * sizes.pieces * BestOf<Rank, Candidate>::Capacity(sizes.k) *
           static_cast<int64_t>(sizeof(Candidate));
  }

  absl::Status Execute(ExecuteContext& context) const override {
    if (sizes_.k == 0) return absl::OkStatus();
    if (sizes_.pieces > 1) {
      RunPieces(context);
      return absl::OkStatus();
    }
    return ParallelForWithScratch(context, sizes_.lines, std::max<int64_t>(1, kElementsPerBlock / sizes_.length),
                                  [&](int64_t begin, int64_t end, void* scratch) {
                                    auto* const memory = static_cast<Candidate*>(scratch);
                                    for (int64_t line = begin; line < end; ++line) {
                                      const int64_t found = FindBest(context, line, 0, sizes_.length, memory);
                                      Write(context, line, memory, found);
                                    }
                                  });
  }

 private:
  static constexpr int64_t kElementsPerBlock = 1 << 14;

  static int64_t ScratchBytes(const TopKSizes& sizes) {
    if (sizes.k == 0 || sizes.pieces > 1) return 0;
    return BestOf<Rank, Candidate>::Capacity(sizes.k) * static_cast<int64_t>(sizeof(Candidate));
  }

  int64_t Capacity() const { return BestOf<Rank, Candidate>::Capacity(sizes_.k); }

  void RunPieces(const ExecuteContext& context) const {
    auto* const memory = static_cast<Candidate*>(context.Address(workspace_));
    const auto found_in = [&](int64_t piece) {
      const int64_t begin = piece * sizes_.PieceLength();
      return std::max<int64_t>(0, std::min({sizes_.k, sizes_.PieceLength(), sizes_.length - begin}));
    };
    context.ParallelFor(sizes_.lines * sizes_.pieces, 1, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) {
        const int64_t first = i % sizes_.pieces * sizes_.PieceLength();
        const int64_t last = std::min(sizes_.length, first + sizes_.PieceLength());
        FindBest(context, i / sizes_.pieces, first, last, memory + i * Capacity());
      }
    });
    for (int64_t line = 0; line < sizes_.lines; ++line) {
      Candidate* const all = memory + line * sizes_.pieces * Capacity();
      int64_t count = 0;
      for (int64_t piece = 0; piece < sizes_.pieces; ++piece) {
        std::copy_n(all + piece * Capacity(), found_in(piece), all + count);
        count += found_in(piece);
      }
      SortNumbers(all, count);
      std::reverse(all, all + count);
      Write(context, line, all, std::min(count, sizes_.k));
    }
  }

  // Of elements [begin, end) of the line, best first.
  int64_t FindBest(const ExecuteContext& context, int64_t line, int64_t begin, int64_t end, Candidate* memory) const {
    const int64_t width = ByteWidth(sizes_.type);
    const char* const elements =
        static_cast<const char*>(context.Address(info().reads[0])) + line * sizes_.length * width;
    BestOf<Rank, Candidate> best(sizes_.k, memory);
    const auto add_all = [&] {
      Rank ranks[kBlock];
      for (int64_t i = begin; i < end; i += kBlock) {
        const int64_t count = std::min(kBlock, end - i);
        ranks_.Make(elements + i * width, count, ranks);
        best.Add(ranks, i, count);
      }
    };
    const absl::optional<Rank> guess = GuessWorst(elements + begin * width, end - begin);
    if (guess.has_value()) {
      best.BeginAbove(*guess);
      add_all();
      if (best.count() >= sizes_.k) return best.Finish();
      best.Begin();
    }
    add_all();
    return best.Finish();
  }

  // A rank that about twice k elements are above or more, by some of them; nullopt where it is not worth the while.
  absl::optional<Rank> GuessWorst(const char* elements, int64_t count) const {
    const int64_t step = count / kBlock;
    const double expected = static_cast<double>(sizes_.k) / static_cast<double>(std::max<int64_t>(1, step));
    const auto place = static_cast<int64_t>(expected + 3 * std::sqrt(expected) + 2);
    if (step < 8 || place > kBlock / 4) return absl::nullopt;
    alignas(8) char sample[kBlock * sizeof(Rank)];
    TakeSample(elements, step, sample);
    Rank ranks[kBlock];
    ranks_.Make(sample, kBlock, ranks);
    // Their bits in ascending order but for the sign.
    using Unsigned = std::make_unsigned_t<Rank>;
    constexpr Unsigned kSign = Unsigned{1} << (8 * sizeof(Rank) - 1);
    Unsigned sorted[kBlock];
    for (int64_t i = 0; i < kBlock; ++i) sorted[i] = static_cast<Unsigned>(ranks[i]) ^ kSign;
    SortNumbers(sorted, kBlock);
    return static_cast<Rank>(sorted[kBlock - 1 - place] ^ kSign);
  }

  // Every step-th element.
  void TakeSample(const char* elements, int64_t step, char* sample) const {
    const int64_t width = ByteWidth(sizes_.type);
    if (width == static_cast<int64_t>(sizeof(Rank))) {
      for (int64_t i = 0; i < kBlock; ++i) {
        reinterpret_cast<Rank*>(sample)[i] = reinterpret_cast<const Rank*>(elements)[i * step];
      }
    } else {
      for (int64_t i = 0; i < kBlock; ++i) std::memcpy(sample + i * width, elements + i * step * width, width);
    }
  }

  void Write(const ExecuteContext& context, int64_t line, const Candidate* best, int64_t count) const {
    const int64_t width = ByteWidth(sizes_.type);
    const char* const elements =
        static_cast<const char*>(context.Address(info().reads[0])) + line * sizes_.length * width;
    char* const values = static_cast<char*>(context.Address(info().writes[0])) + line * sizes_.k * width;
    int32_t* const positions = static_cast<int32_t*>(context.Address(info().writes[1])) + line * sizes_.k;
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t position = PositionOf(best[i]);
      positions[i] = static_cast<int32_t>(position);
      std::memcpy(values + i * width, elements + position * width, width);
    }
  }

  const TopKSizes sizes_;
  const BufferSlice workspace_;
  const RankMaker<Rank> ranks_;
};

// ---- The custom call

// Whether the result may be values and positions of some best elements of the operand.
bool IsTopKOf(const Shape& operand, const Shape& result) {
  if (!operand.IsArray() || operand.rank() == 0 || IsComplex(operand.element_type())) return false;
  const int last = operand.rank() - 1;
  if (operand.dimension(last) > std::numeric_limits<int32_t>::max()) return false;
  if (!result.IsTuple() || result.tuple_size() != 2) return false;
  if (!result.tuple_shape(0).IsArray() || result.tuple_shape(0).rank() != operand.rank()) return false;
  Shape values = operand.WithoutLayout();
  values.set_dimension(last, result.tuple_shape(0).dimension(last));
  Shape indices = values;
  indices.set_element_type(S32);
  return values.dimension(last) <= operand.dimension(last) && result.Compatible(Shape::Tuple({values, indices}));
}

bool IsParameter(const HloInstruction& instruction, int64_t number) {
  return instruction.opcode() == HloOpcode::kParameter &&
         instruction.attributes<ParameterAttributes>().number == number;
}

// Whether its computation says that greater elements come first, which they do without one; nullopt if it does not say
// so by comparing its first two parameters.
absl::optional<bool> TakesLargest(const HloInstruction& call) {
  if (call.called_computations().empty()) return true;
  const HloInstruction& root = *call.called_computation(0)->root();
  if (root.opcode() != HloOpcode::kCompare) return absl::nullopt;
  const bool is_straight = IsParameter(*root.operand(0), 0) && IsParameter(*root.operand(1), 1);
  const bool is_crossed = IsParameter(*root.operand(0), 1) && IsParameter(*root.operand(1), 0);
  if (!is_straight && !is_crossed) return absl::nullopt;
  switch (root.attributes<CompareAttributes>().direction) {
    case ComparisonDirection::kGt:
    case ComparisonDirection::kGe:
      return is_straight;
    case ComparisonDirection::kLt:
    case ComparisonDirection::kLe:
      return is_crossed;
    default:
      return absl::nullopt;
  }
}

// nullopt: it is no topk.
absl::optional<TopKSizes> SizesOf(const HloInstruction& instruction) {
  TopKSizes sizes;
  if (instruction.opcode() == HloOpcode::kTopK) {
    sizes.largest = instruction.attributes<TopKAttributes>().largest;
  } else {
    const bool is_topk = instruction.attributes<CustomCallAttributes>().custom_call_target == "TopK" &&
                         instruction.operand_count() == 1 &&
                         IsTopKOf(instruction.operand(0)->shape(), instruction.shape());
    const absl::optional<bool> largest = is_topk ? TakesLargest(instruction) : absl::nullopt;
    if (!largest.has_value()) return absl::nullopt;
    sizes.largest = *largest;
  }
  const Shape& operand = instruction.operand(0)->shape();
  sizes.type = operand.element_type();
  sizes.length = operand.dimension(operand.rank() - 1);
  sizes.lines = sizes.length == 0 ? 0 : operand.ElementCount() / sizes.length;
  sizes.k = instruction.shape().tuple_shape(0).dimension(operand.rank() - 1);
  return WithPieces(sizes);
}

template <typename Rank, typename Candidate>
std::unique_ptr<Thunk> Make(ThunkInfo info, const TopKSizes& sizes, PlanContext& context) {
  BufferSlice workspace;
  const int64_t bytes = TopKThunk<Rank, Candidate>::WorkspaceBytes(sizes);
  if (bytes > 0) {
    workspace = context.TakeWorkspace(bytes);
    info.writes.push_back(workspace);
  }
  return std::make_unique<TopKThunk<Rank, Candidate>>(std::move(info), sizes, workspace);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeTopKThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kTopK && instruction.opcode() != HloOpcode::kCustomCall) return nullptr;
  const absl::optional<TopKSizes> sizes = SizesOf(instruction);
  if (!sizes.has_value()) return nullptr;
  if (!LiesAsInLiteral(instruction.operand(0)->shape()) || !LiesAsInLiteral(instruction.shape().tuple_shape(0)) ||
      !LiesAsInLiteral(instruction.shape().tuple_shape(1))) {
    context.Refuse("arrays are not row-major");
    return nullptr;
  }
  ThunkInfo info;
  info.kind = "topk";
  info.instruction = &instruction;
  info.reads = {context.SliceOf(*instruction.operand(0))};
  info.writes = {context.SliceOf(instruction, {0}), context.SliceOf(instruction, {1})};
  if (info.reads[0].Overlaps(info.writes[0]) || info.reads[0].Overlaps(info.writes[1])) {
    context.Refuse("a result lies in the place of the operand");
    return nullptr;
  }
  if (ByteWidth(sizes->type) <= 4) return Make<int32_t, uint64_t>(std::move(info), *sizes, context);
  return Make<int64_t, WideNumber>(std::move(info), *sizes, context);
}

}  // namespace xla
