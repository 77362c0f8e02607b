#include "backends/cpu/library/sort/topk_thunk.h"

#include <algorithm>
#include <limits>
#include <type_traits>
#include <utility>

#include "absl/types/optional.h"
#include "backends/cpu/library/sort/topk_kernels.h"
#include "backends/cpu/library/sort/vector_sort.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/order_key.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::Status LoadHighway();  // before numbers are sorted: @syslibs//:highway

namespace {

// ---- Ranks (topk_kernels.h)

template <typename Word>
RankRule<Word> RuleOf(PrimitiveType type, bool largest) {
  constexpr int kBits = 8 * sizeof(Word);
  constexpr auto kSign = static_cast<Word>(uint64_t{1} << (kBits - 1));
  const uint64_t sign_bit = OrderKeys::SignBit(type);
  RankRule<Word> rule = {};
  rule.is_float = IsFloat(type) && sign_bit != 0;
  for (uint64_t bit = sign_bit; rule.is_float && bit >> (kBits - 1) == 0; bit <<= 1) ++rule.shift;
  rule.turn = static_cast<Word>((sign_bit == 0 ? kSign : Word{0}) ^ (largest ? Word{0} : Word{-1}));
  return rule;
}

template <typename Word>
Word RankOfElement(Word element, const RankRule<Word>& rule) {
  if (rule.is_float) {
    element = static_cast<Word>(static_cast<std::make_unsigned_t<Word>>(element) << rule.shift);
    // The magnitude of negative numbers counts down.
    element = static_cast<Word>(element ^ (element < 0 ? std::numeric_limits<Word>::max() : 0));
  }
  return static_cast<Word>(element ^ rule.turn);
}

const TopKKernels<int8_t>& KernelsOf(int8_t /*tag*/) { return HostTopKKernels().of_bytes; }
const TopKKernels<int16_t>& KernelsOf(int16_t /*tag*/) { return HostTopKKernels().of_halves; }
const TopKKernels<int32_t>& KernelsOf(int32_t /*tag*/) { return HostTopKKernels().of_words; }
const TopKKernels<int64_t>& KernelsOf(int64_t /*tag*/) { return HostTopKKernels().of_long_words; }

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

// Elements are looked at this many at a time.
constexpr int64_t kBlock = 256;

// Keeps the best k of all that it is shown, in memory for Capacity(k) of them.
template <typename Rank, typename Candidate>
class BestOf {
 public:
  BestOf(int64_t k, Candidate* memory) : k_(k), kept_(memory) {}
  // After Narrow so many more may be added by AddOne.
  static int64_t Room(int64_t k) { return 3 * k + 2 * kSearchSpare; }
  static int64_t Capacity(int64_t k) { return NarrowAt(k) + kBlock; }

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
  void AddOne(Rank rank, int64_t position) { MakeCandidate(rank, static_cast<uint32_t>(position), kept_[count_++]); }

  // Leaves k at most.
  void Narrow() {
    if (count_ < k_) return;
    SortNumbers(kept_, count_);
    std::copy(kept_ + (count_ - k_), kept_ + count_, kept_);
    count_ = k_;
    worst_ = RankOf(kept_[0]);
    is_full_ = true;
  }

  // Whether k were found when they were last narrowed, and the rank of the worst of them then: later ones of this rank
  // are worse.
  bool is_full() const { return is_full_; }
  Rank worst() const { return worst_; }

  // The best ones, best first.
  int64_t Finish() {
    SortNumbers(kept_, count_);
    std::reverse(kept_, kept_ + count_);
    return std::min(count_, k_);
  }

 private:
  static int64_t NarrowAt(int64_t k) { return k + Room(k); }

  bool AnyAbove(const Rank* ranks, int64_t count) const {
    Rank above = 0;
    for (int64_t i = 0; i < count; ++i) above |= static_cast<Rank>(ranks[i] > worst_);
    return above != 0;
  }

  const int64_t k_;
  Candidate* const kept_;
  int64_t count_ = 0;
  bool is_full_ = false;
  Rank worst_ = 0;
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

// What is searched at once, much more than k elements.
int64_t SearchLength(const TopKSizes& sizes) {
  return std::min(sizes.PieceLength(), std::max<int64_t>(int64_t{1} << 15, 16 * sizes.k));
}
// Sorting all is as good with more of fewer elements.
bool IsSearched(int64_t k, int64_t count) { return 2 * k <= count; }

template <typename Word>
class TopKThunk : public Thunk {
 public:
  TopKThunk(ThunkInfo info, const TopKSizes& sizes, BufferSlice workspace)
      : Thunk(WithScratch(std::move(info), ScratchBytes(sizes))),
        sizes_(sizes),
        workspace_(workspace),
        rule_(RuleOf<Word>(sizes.type, sizes.largest)),
        kernels_(KernelsOf(Word{0})) {}

  static int64_t WorkspaceBytes(const TopKSizes& sizes) {
    return sizes.pieces == 1 ? 0 : sizes.lines * sizes.pieces * CandidateBytes(sizes);
  }

  absl::Status Execute(ExecuteContext& context) const override {
    if (sizes_.k == 0) return absl::OkStatus();
    if (sizes_.pieces > 1) return RunPieces(context);
    const int64_t grain = std::max<int64_t>(1, kElementsPerBlock / sizes_.length);
    if (sizes_.length <= kShortLine && sizes_.k <= kShortBest) {
      context.ParallelFor(sizes_.lines, grain, [&](int64_t begin, int64_t end) {
        kernels_.best_of_short(Line(context, begin), end - begin, sizes_.length, sizes_.k, rule_,
                               Values(context, begin), Positions(context, begin));
      });
      return absl::OkStatus();
    }
    return ParallelForWithScratch(context, sizes_.lines, grain, [&](int64_t begin, int64_t end, void* scratch) {
      const Memory memory = MemoryIn(scratch);
      for (int64_t line = begin; line < end; ++line) {
        const int64_t found = FindBest(Line(context, line), 0, sizes_.length, memory.candidates, memory);
        Write(context, line, memory.candidates, found);
      }
    });
  }

 private:
  using Rank = std::conditional_t<sizeof(Word) <= 4, int32_t, int64_t>;
  using Candidate = std::conditional_t<sizeof(Word) <= 4, uint64_t, WideNumber>;
  using Best = BestOf<Rank, Candidate>;
  struct Memory {
    Candidate* candidates;
    Word* maxima;
    int32_t* found;
  };

  static constexpr int64_t kElementsPerBlock = 1 << 14;

  static int64_t CandidateBytes(const TopKSizes& sizes) {
    return Best::Capacity(sizes.k) * static_cast<int64_t>(sizeof(Candidate));
  }
  static int64_t MaximaBytes(const TopKSizes& sizes) {
    const auto bytes = MaximaWords(SearchLength(sizes)) * static_cast<int64_t>(sizeof(Word));
    return CeilDiv(bytes, sizeof(int32_t)) * sizeof(int32_t);
  }
  static int64_t ScratchBytes(const TopKSizes& sizes) {
    if (sizes.k == 0) return 0;
    return CandidateBytes(sizes) + MaximaBytes(sizes) + Best::Room(sizes.k) * static_cast<int64_t>(sizeof(int32_t));
  }

  Memory MemoryIn(void* scratch) const {
    char* const bytes = static_cast<char*>(scratch);
    char* const maxima = bytes + CandidateBytes(sizes_);
    return {reinterpret_cast<Candidate*>(bytes), reinterpret_cast<Word*>(maxima),
            reinterpret_cast<int32_t*>(maxima + MaximaBytes(sizes_))};
  }

  const Word* Line(const ExecuteContext& context, int64_t line) const {
    return static_cast<const Word*>(context.Address(info().reads[0])) + line * sizes_.length;
  }
  Word* Values(const ExecuteContext& context, int64_t line) const {
    return static_cast<Word*>(context.Address(info().writes[0])) + line * sizes_.k;
  }
  int32_t* Positions(const ExecuteContext& context, int64_t line) const {
    return static_cast<int32_t*>(context.Address(info().writes[1])) + line * sizes_.k;
  }

  absl::Status RunPieces(const ExecuteContext& context) const {
    const int64_t capacity = Best::Capacity(sizes_.k);
    auto* const candidates = static_cast<Candidate*>(context.Address(workspace_));
    const auto found_in = [&](int64_t piece) {
      const int64_t begin = piece * sizes_.PieceLength();
      return std::max<int64_t>(0, std::min({sizes_.k, sizes_.PieceLength(), sizes_.length - begin}));
    };
    RETURN_IF_ERROR(ParallelForWithScratch(
        context, sizes_.lines * sizes_.pieces, 1, [&](int64_t begin, int64_t end, void* scratch) {
          for (int64_t i = begin; i < end; ++i) {
            const int64_t first = i % sizes_.pieces * sizes_.PieceLength();
            const int64_t last = std::min(sizes_.length, first + sizes_.PieceLength());
            FindBest(Line(context, i / sizes_.pieces), first, last, candidates + i * capacity, MemoryIn(scratch));
          }
        }));
    for (int64_t line = 0; line < sizes_.lines; ++line) {
      Candidate* const all = candidates + line * sizes_.pieces * capacity;
      int64_t count = 0;
      for (int64_t piece = 0; piece < sizes_.pieces; ++piece) {
        std::copy_n(all + piece * capacity, found_in(piece), all + count);
        count += found_in(piece);
      }
      SortNumbers(all, count);
      std::reverse(all, all + count);
      Write(context, line, all, std::min(count, sizes_.k));
    }
    return absl::OkStatus();
  }

  // Of elements [begin, end) of the line, best first.
  int64_t FindBest(const Word* line, int64_t begin, int64_t end, Candidate* candidates, const Memory& memory) const {
    Best best(sizes_.k, candidates);
    const int64_t step = SearchLength(sizes_);
    for (int64_t first = begin; first < end; first += step) {
      const int64_t count = std::min(step, end - first);
      if (first > begin) best.Narrow();
      int64_t found = -1;
      if (best.is_full() || IsSearched(sizes_.k, count)) {
        if (best.is_full() && best.worst() == std::numeric_limits<Word>::max()) break;
        const Word floor =
            best.is_full() ? static_cast<Word>(best.worst() + 1) : std::numeric_limits<Word>::min();
        found = kernels_.search({line + first, count, sizes_.k, rule_, floor, memory.maxima}, memory.found,
                                Best::Room(sizes_.k));
      }
      if (found < 0) AddAll(line, first, first + count, best);
      for (int64_t i = 0; i < found; ++i) {
        const int64_t position = first + memory.found[i];
        best.AddOne(RankOfElement(line[position], rule_), position);
      }
    }
    return best.Finish();
  }

  void AddAll(const Word* line, int64_t begin, int64_t end, Best& best) const {
    Rank ranks[kBlock];
    for (int64_t first = begin; first < end; first += kBlock) {
      const int64_t count = std::min(kBlock, end - first);
      for (int64_t i = 0; i < count; ++i) ranks[i] = RankOfElement(line[first + i], rule_);
      best.Add(ranks, first, count);
    }
  }

  void Write(const ExecuteContext& context, int64_t line, const Candidate* best, int64_t count) const {
    const Word* const elements = Line(context, line);
    Word* const values = Values(context, line);
    int32_t* const positions = Positions(context, line);
    for (int64_t i = 0; i < count; ++i) {
      const uint32_t position = PositionOf(best[i]);
      positions[i] = static_cast<int32_t>(position);
      values[i] = elements[position];
    }
  }

  const TopKSizes sizes_;
  const BufferSlice workspace_;
  const RankRule<Word> rule_;
  const TopKKernels<Word>& kernels_;
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

// nullopt: it is not topk.
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

template <typename Word>
std::unique_ptr<Thunk> Make(ThunkInfo info, const TopKSizes& sizes, PlanContext& context) {
  BufferSlice workspace;
  const int64_t bytes = TopKThunk<Word>::WorkspaceBytes(sizes);
  if (bytes > 0) {
    workspace = context.TakeWorkspace(bytes);
    info.writes.push_back(workspace);
  }
  return std::make_unique<TopKThunk<Word>>(std::move(info), sizes, workspace);
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeTopKThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kTopK && instruction.opcode() != HloOpcode::kCustomCall) return nullptr;
  const absl::optional<TopKSizes> sizes = SizesOf(instruction);
  if (!sizes.has_value()) return nullptr;
  if (!instruction.operand(0)->shape().IsRowMajor() || !instruction.shape().tuple_shape(0).IsRowMajor() ||
      !instruction.shape().tuple_shape(1).IsRowMajor()) {
    context.Refuse("arrays are not row-major");
    return nullptr;
  }
  ThunkInfo info;
  info.kind = "topk";
  info.instruction = &instruction;
  info.reads = {context.SliceOf(*instruction.operand(0))};
  info.writes = {context.SliceOf(instruction, {0}), context.SliceOf(instruction, {1})};
  if (info.reads[0].Overlaps(info.writes[0]) || info.reads[0].Overlaps(info.writes[1])) {
    context.Refuse("a result lies in place of the operand");
    return nullptr;
  }
  RETURN_IF_ERROR(LoadHighway());
  switch (ByteWidth(sizes->type)) {
    case 1:
      return Make<int8_t>(std::move(info), *sizes, context);
    case 2:
      return Make<int16_t>(std::move(info), *sizes, context);
    case 4:
      return Make<int32_t>(std::move(info), *sizes, context);
    default:
      return Make<int64_t>(std::move(info), *sizes, context);
  }
}

}  // namespace xla
