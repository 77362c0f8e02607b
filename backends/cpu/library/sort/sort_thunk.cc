#include "backends/cpu/library/sort/sort_thunk.h"

#include <algorithm>
#include <atomic>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "backends/cpu/library/sort/line_key.h"
#include "backends/cpu/library/sort/sort_loops.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/support/status_macros.h"

namespace xla {

absl::Status LoadHighway();  // before numbers are sorted: @syslibs//:highway

namespace {

// The lines of all arrays along the dimension.
struct SortedLines {
  int64_t length = 0;
  int64_t stride = 1;
  int64_t count = 0;
  int64_t Start(int64_t number) const { return number / stride * stride * length + number % stride; }
};

struct SortedArray {
  BufferSlice from;
  BufferSlice to;  // the same, or somewhere else
  int64_t width = 0;
};

template <typename Body>
void DispatchWidth(int64_t width, Body body) {
  struct Sixteen {
    uint64_t words[2];
  };
  switch (width) {
    case 1:
      return body(uint8_t{});
    case 2:
      return body(uint16_t{});
    case 4:
      return body(uint32_t{});
    case 8:
      return body(uint64_t{});
    default:
      return body(Sixteen{});
  }
}

// Memory for a line of n elements.
class LineMemory {
 public:
  static int64_t Bytes(int64_t n) { return n * (2 * 16 + 2 * 4); }
  LineMemory(void* data, int64_t n) : data_(static_cast<char*>(data)), n_(n) {}

  // Up to 16 bytes for each element.
  template <typename Word>
  Word* words() const {
    return reinterpret_cast<Word*>(data_);
  }
  template <typename Word>
  Word* other_words() const {
    return reinterpret_cast<Word*>(data_ + 16 * n_);
  }
  // Up to 8 bytes, which share their place with those that follow.
  template <typename Word>
  Word* merged_words() const {
    return reinterpret_cast<Word*>(data_ + 32 * n_);
  }
  uint32_t* order() const { return reinterpret_cast<uint32_t*>(data_ + 32 * n_); }
  uint32_t* old_order() const { return order() + n_; }

 private:
  char* const data_;
  const int64_t n_;
};

// Sorts one line. How many threads do it together, which `loop` says, makes no difference to the result: no two numbers
// that are sorted are different and equal. Stops between its loops once the run is to end; the sort of the numbers
// themselves, some ten million in a tenth of a second on one thread, cannot be stopped.
class LineSorter {
 public:
  LineSorter(const SortedLines& lines, const std::vector<LineKey>& keys, const std::vector<SortedArray>& arrays,
             const ExecuteContext& context, const LineMemory& memory, const SortLoop& loop)
      : lines_(lines), keys_(keys), arrays_(arrays), context_(context), memory_(memory), loop_(loop) {}

  void Sort(int64_t start) const {
    if (arrays_.size() == 1 && keys_.size() == 1 && !keys_[0].is_magnitude) {
      return DispatchWidth(arrays_[0].width, [&](auto tag) {
        using Word = decltype(tag);
        if constexpr (sizeof(Word) <= sizeof(uint64_t)) SortAlone<Word>(start);
      });
    }
    // Sorting by the least important key first, and keeping ties in order, leaves the line sorted by all of them.
    loop_.Run(lines_.length, [&](int64_t begin, int64_t end) {
      std::iota(memory_.order() + begin, memory_.order() + end, static_cast<uint32_t>(begin));
    });
    for (size_t k = keys_.size(); k-- > 0;) {
      keys_[k].width <= 4 ? SortByKey<uint64_t>(keys_[k], start) : SortByKey<WideNumber>(keys_[k], start);
    }
    for (const SortedArray& array : arrays_) Permute(array, start);
  }

 private:
  // ---- One array by its own elements: the keys say what they are, except for those that share one.

  template <typename Word>
  void SortAlone(int64_t start) const {
    const KeyMaker<Word> maker(keys_[0]);
    const int64_t n = lines_.length;
    const Word* const from = static_cast<const Word*>(context_.Address(arrays_[0].from)) + start;
    Word* const to = static_cast<Word*>(context_.Address(arrays_[0].to)) + start;
    std::atomic<bool> is_merged{false};
    loop_.Run(n, [&](int64_t begin, int64_t end) {
      const bool found =
          MakeKeys(maker, from + begin * lines_.stride, lines_.stride, end - begin, memory_.words<Word>() + begin);
      if (found) is_merged.store(true, std::memory_order_relaxed);
    });
    Word* const merged = memory_.merged_words<Word>();
    const MergedElements found = is_merged.load() ? CollectMerged(maker, from, merged) : MergedElements();
    // A run that is to end leaves out parts of loops: what should be sorted may then be anything.
    if (context_.ShouldStop()) return;
    const Word* const sorted = SortWords(memory_.words<Word>(), memory_.other_words<Word>(), n, loop_);
    loop_.Run(n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) to[i * lines_.stride] = maker.ElementOf(sorted[i]);
    });
    if (context_.ShouldStop()) return;
    const auto put_back = [&](Word key, int64_t count, int64_t first, int64_t step) {
      const int64_t at = std::lower_bound(sorted, sorted + n, key) - sorted;
      for (int64_t i = 0; i < count; ++i) to[(at + i) * lines_.stride] = merged[first + i * step];
    };
    put_back(maker.zero_key(), found.zeros, 0, 1);
    put_back(maker.nan_key(), found.nans, n - 1, -1);
  }

  struct MergedElements {
    int64_t zeros = 0;
    int64_t nans = 0;
  };

  // Zeros go to the beginning of `merged`, and NaN to its end, the first last.
  template <typename Word>
  MergedElements CollectMerged(const KeyMaker<Word>& maker, const Word* from, Word* merged) const {
    MergedElements found;
    for (int64_t i = 0; i < lines_.length; ++i) {
      const Word element = from[i * lines_.stride];
      if (maker.IsMergedZero(element)) merged[found.zeros++] = element;
      if (maker.IsMergedNan(element)) merged[lines_.length - ++found.nans] = element;
    }
    return found;
  }

  // ---- Several arrays: numbers of keys and positions.

  static void Set(uint64_t key, int64_t position, uint64_t& number) {
    number = key << 32 | static_cast<uint64_t>(position);
  }
  static void Set(uint64_t key, int64_t position, WideNumber& number) {
    number = {static_cast<uint64_t>(position), key};
  }
  static uint32_t PositionOf(uint64_t number) { return static_cast<uint32_t>(number); }
  static uint32_t PositionOf(const WideNumber& number) { return static_cast<uint32_t>(number.low); }

  template <typename Number>
  void SortByKey(const LineKey& key, int64_t start) const {
    const int64_t n = lines_.length;
    auto* const numbers = memory_.words<Number>();
    uint32_t* const order = memory_.order();
    DispatchWidth(key.width, [&](auto tag) {
      using Word = decltype(tag);
      if constexpr (sizeof(Word) <= sizeof(uint64_t)) {
        const KeyMaker<Word> maker(key);
        const Word* const elements = static_cast<const Word*>(context_.Address(arrays_[key.operand].from)) + start;
        loop_.Run(n, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) Set(maker.Of(elements[order[i] * lines_.stride]), i, numbers[i]);
        });
      }
    });
    if (context_.ShouldStop()) return;
    const Number* const sorted = SortWords(numbers, memory_.other_words<Number>(), n, loop_);
    uint32_t* const old_order = memory_.old_order();
    loop_.Run(n, [&](int64_t begin, int64_t end) { std::copy(order + begin, order + end, old_order + begin); });
    loop_.Run(n, [&](int64_t begin, int64_t end) {
      for (int64_t i = begin; i < end; ++i) order[i] = old_order[PositionOf(sorted[i])];
    });
  }

  void Permute(const SortedArray& array, int64_t start) const {
    const int64_t n = lines_.length;
    const uint32_t* const order = memory_.order();
    DispatchWidth(array.width, [&](auto tag) {
      using Word = decltype(tag);
      const Word* from = static_cast<const Word*>(context_.Address(array.from)) + start;
      Word* const to = static_cast<Word*>(context_.Address(array.to)) + start;
      int64_t stride = lines_.stride;
      if (from == to) {
        Word* const line = memory_.words<Word>();
        loop_.Run(n, [&](int64_t begin, int64_t end) {
          for (int64_t i = begin; i < end; ++i) line[i] = from[i * stride];
        });
        from = line;
        stride = 1;
      }
      loop_.Run(n, [&](int64_t begin, int64_t end) {
        for (int64_t i = begin; i < end; ++i) to[i * lines_.stride] = from[order[i] * stride];
      });
    });
  }

  const SortedLines& lines_;
  const std::vector<LineKey>& keys_;
  const std::vector<SortedArray>& arrays_;
  const ExecuteContext& context_;
  const LineMemory memory_;
  const SortLoop& loop_;
};

// Few long lines are sorted by all threads together, in memory that they share.
bool AreSharedLines(const SortedLines& lines) { return lines.length >= kMinSharedLength && lines.count < 8; }

class SortThunk : public Thunk {
 public:
  SortThunk(ThunkInfo info, SortedLines lines, std::vector<LineKey> keys, std::vector<SortedArray> arrays,
            BufferSlice shared_memory)
      : Thunk(WithScratch(std::move(info), ScratchBytes(lines))),
        lines_(lines),
        keys_(std::move(keys)),
        arrays_(std::move(arrays)),
        shared_memory_(shared_memory) {}

  absl::Status Execute(ExecuteContext& context) const override {
    if (lines_.length == 0) return absl::OkStatus();
    if (AreSharedLines(lines_)) {
      const LineMemory memory(context.Address(shared_memory_), lines_.length);
      const SortLoop loop(&context);
      const LineSorter sorter(lines_, keys_, arrays_, context, memory, loop);
      for (int64_t i = 0; i < lines_.count; ++i) sorter.Sort(lines_.Start(i));
      return absl::OkStatus();
    }
    return ParallelForWithScratch(context, lines_.count, std::max<int64_t>(1, kElementsPerBlock / lines_.length),
                                  [&](int64_t begin, int64_t end, void* scratch) {
                                    const SortLoop loop(nullptr);
                                    const LineSorter sorter(lines_, keys_, arrays_, context,
                                                            LineMemory(scratch, lines_.length), loop);
                                    for (int64_t i = begin; i < end; ++i) sorter.Sort(lines_.Start(i));
                                  });
  }

 private:
  static constexpr int64_t kElementsPerBlock = 1 << 12;

  static int64_t ScratchBytes(const SortedLines& lines) {
    return lines.length == 0 || AreSharedLines(lines) ? 0 : LineMemory::Bytes(lines.length);
  }

  const SortedLines lines_;
  const std::vector<LineKey> keys_;
  const std::vector<SortedArray> arrays_;
  const BufferSlice shared_memory_;
};

// Why a sort of these arrays has to be evaluated; "" if it has not.
std::string WhyNotArrays(const HloInstruction& sort) {
  const int64_t length =
      sort.operand(0)->shape().dimension(static_cast<int>(sort.attributes<SortAttributes>().dimension));
  if (length > std::numeric_limits<int32_t>::max()) return "lines are too long";
  for (int i = 0; i < sort.operand_count(); ++i) {
    const Shape& result = sort.shape().IsTuple() ? sort.shape().tuple_shape(i) : sort.shape();
    if (!sort.operand(i)->shape().IsRowMajor() || !result.IsRowMajor()) return "arrays are not row-major";
  }
  return "";
}

SortedLines LinesOf(const HloInstruction& sort) {
  const Shape& shape = sort.operand(0)->shape();
  const auto dimension = static_cast<int>(sort.attributes<SortAttributes>().dimension);
  SortedLines lines;
  lines.length = shape.dimension(dimension);
  for (int i = dimension + 1; i < shape.rank(); ++i) lines.stride *= shape.dimension(i);
  lines.count = lines.length == 0 ? 0 : shape.ElementCount() / lines.length;
  return lines;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeSortThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kSort) return nullptr;
  const std::string why_not = WhyNotArrays(instruction);
  if (!why_not.empty()) {
    context.Refuse(why_not);
    return nullptr;
  }
  RETURN_IF_ERROR(LoadHighway());
  std::vector<LineKey> keys = LineKeysOf(instruction);
  if (keys.empty()) {
    context.Refuse("the comparator does more than compare elements");
    return nullptr;
  }
  ThunkInfo info;
  info.kind = "sort";
  info.instruction = &instruction;
  std::vector<SortedArray> arrays;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    SortedArray array;
    array.from = context.SliceOf(*instruction.operand(i));
    array.to = context.SliceOf(instruction, instruction.shape().IsTuple() ? ShapeIndex{i} : ShapeIndex{});
    array.width = ByteWidth(instruction.operand(i)->shape().element_type());
    info.reads.push_back(array.from);
    info.writes.push_back(array.to);
    arrays.push_back(array);
  }
  // Lines are written while others are still read: that is fine in the line's own place only.
  for (size_t i = 0; i < arrays.size(); ++i) {
    for (size_t j = 0; j < arrays.size(); ++j) {
      if (!arrays[i].to.Overlaps(arrays[j].from) || (i == j && arrays[i].to == arrays[j].from)) continue;
      context.Refuse("a result lies in place of another operand");
      return nullptr;
    }
  }
  const SortedLines lines = LinesOf(instruction);
  BufferSlice shared_memory;
  if (AreSharedLines(lines)) {
    shared_memory = context.TakeWorkspace(LineMemory::Bytes(lines.length));
    info.writes.push_back(shared_memory);
  }
  return std::make_unique<SortThunk>(std::move(info), lines, std::move(keys), std::move(arrays), shared_memory);
}

}  // namespace xla
