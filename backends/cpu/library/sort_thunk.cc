#include "backends/cpu/library/sort_thunk.h"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <limits>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/types/optional.h"
#include "backends/cpu/runtime/memory_order.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/comparator_keys.h"

namespace xla {
namespace {

// ---- Keys: elements mapped to unsigned numbers in the same order.

// By what a sort goes, of the elements of one operand.
struct LineKey {
  int operand = 0;
  int width = 0;  // bytes of an element, and of its key
  bool is_float = false;
  bool merges_nan = false;   // all NaN are equal, and the greatest
  bool merges_zero = false;  // -0 equals +0
  bool descending = false;
  uint64_t sign_bit = 0;  // 0 of unsigned types
  uint64_t infinity = 0;
  uint64_t mask = 0;  // all bits of an element

  uint64_t KeyOf(uint64_t bits) const {
    const uint64_t key = is_float ? KeyOfFloat(bits) : bits ^ sign_bit;
    return descending ? key ^ mask : key;
  }

 private:
  uint64_t KeyOfFloat(uint64_t bits) const {
    const uint64_t magnitude = bits & ~sign_bit;
    if (merges_zero && magnitude == 0) return sign_bit;
    if (merges_nan && magnitude > infinity) return mask;
    return (bits & sign_bit) != 0 ? sign_bit - 1 - magnitude : sign_bit + magnitude;
  }
};

// The bits of infinity; 0 of formats that have none, or are not known here.
uint64_t InfinityBits(PrimitiveType type) {
  switch (type) {
    case F64:
      return uint64_t{0x7FF} << 52;
    case F32:
      return uint64_t{0xFF} << 23;
    case BF16:
      return 0x7F80;
    case F16:
      return 0x7C00;
    default:
      return 0;
  }
}

bool IsParameter(const HloInstruction& instruction) { return instruction.opcode() == HloOpcode::kParameter; }

// The bits of a scalar constant of at most 8 bytes.
absl::optional<uint64_t> ConstantBits(const HloInstruction& instruction) {
  if (instruction.opcode() != HloOpcode::kConstant || !instruction.shape().IsScalar()) return absl::nullopt;
  const auto& literal = instruction.attributes<ConstantAttributes>().literal;
  const int64_t width = ByteWidth(instruction.shape().element_type());
  if (literal == nullptr || width > 8) return absl::nullopt;
  uint64_t bits = 0;
  std::memcpy(&bits, literal->untyped_data(), width);
  return bits;
}

// Takes the selection that an expression of one element begins with into `key`, if it is x != x ? NaN : ... or
// x == 0 ? 0 : ...
bool AddMerge(const HloInstruction& select, LineKey& key) {
  const HloInstruction& condition = *select.operand(0);
  const absl::optional<uint64_t> replacement = ConstantBits(*select.operand(1));
  if (condition.opcode() != HloOpcode::kCompare || !replacement.has_value()) return false;
  const auto& compare = condition.attributes<CompareAttributes>();
  if (compare.type == ComparisonType::kTotalOrder) return false;
  const HloInstruction& left = *condition.operand(0);
  const HloInstruction& right = *condition.operand(1);
  if (compare.direction == ComparisonDirection::kNe) {
    // A positive NaN, so that total order puts it last.
    key.merges_nan = true;
    return IsParameter(left) && IsParameter(right) && *replacement > key.infinity && *replacement < key.sign_bit;
  }
  const HloInstruction& other = IsParameter(left) ? right : left;
  const absl::optional<uint64_t> zero = ConstantBits(other);
  key.merges_zero = true;
  return compare.direction == ComparisonDirection::kEq && (IsParameter(left) || IsParameter(right)) &&
         zero.has_value() && (*zero & ~key.sign_bit) == 0 && (*replacement & ~key.sign_bit) == 0;
}

// The float whose bits the expression makes a signed number in total order: bits ^ (bits >> (width - 1) & largest).
// nullptr if it is another expression.
const HloInstruction* OrderedFloat(const HloInstruction& expression) {
  if (expression.opcode() != HloOpcode::kXor || !IsSignedInt(expression.shape().element_type())) return nullptr;
  const HloInstruction& bits = *expression.operand(0);
  const HloInstruction& flipped = *expression.operand(1);
  if (bits.opcode() != HloOpcode::kBitcastConvert || flipped.opcode() != HloOpcode::kAnd) return nullptr;
  const HloInstruction& shift = *flipped.operand(0);
  if (shift.opcode() != HloOpcode::kShiftRightArithmetic || shift.operand(0) != &bits) return nullptr;
  const uint64_t highest = 8 * ByteWidth(expression.shape().element_type()) - 1;
  const bool is_order = ConstantBits(*shift.operand(1)) == highest &&
                        ConstantBits(*flipped.operand(1)) == (uint64_t{1} << highest) - 1 &&
                        IsFloat(bits.operand(0)->shape().element_type());
  return is_order ? bits.operand(0) : nullptr;
}

// nullopt if the key is an expression, or of a type, that is not known here.
absl::optional<LineKey> LineKeyOf(const SortKey& key, PrimitiveType element_type) {
  const HloInstruction* expression = key.expression == nullptr ? nullptr : key.expression->root();
  bool is_total_order = key.order == KeyOrder::kTotalOrder;
  PrimitiveType type = key.type;
  if (expression != nullptr && !IsFloat(type)) {
    expression = OrderedFloat(*expression);
    if (expression == nullptr) return absl::nullopt;
    is_total_order = true;
    type = expression->shape().element_type();
  }
  LineKey line_key;
  if (type != element_type || ByteWidth(type) > 8) return absl::nullopt;
  line_key.operand = key.operand;
  line_key.width = static_cast<int>(ByteWidth(type));
  line_key.is_float = IsFloat(type);
  line_key.descending = key.descending;
  line_key.mask = line_key.width == 8 ? ~uint64_t{0} : (uint64_t{1} << (8 * line_key.width)) - 1;
  if (line_key.is_float || IsSignedInt(type)) line_key.sign_bit = uint64_t{1} << (8 * line_key.width - 1);
  if (!line_key.is_float) return line_key;
  line_key.infinity = InfinityBits(type);
  if (line_key.infinity == 0) return absl::nullopt;
  line_key.merges_nan = line_key.merges_zero = !is_total_order;
  while (expression != nullptr && expression->opcode() == HloOpcode::kSelect) {
    if (!AddMerge(*expression, line_key)) return absl::nullopt;
    expression = expression->operand(2);
  }
  if (expression != nullptr && !IsParameter(*expression)) return absl::nullopt;
  return line_key;
}

// ---- Sorting numbers with their positions.

struct WideItem {
  uint64_t key;
  uint64_t position;
};
inline uint64_t NumberOf(const WideItem& item) { return item.key; }
inline uint64_t PositionOf(const WideItem& item) { return item.position; }
inline bool operator<(const WideItem& a, const WideItem& b) {
  return a.key != b.key ? a.key < b.key : a.position < b.position;
}

// A key of 4 bytes above the position.
struct NarrowItem {
  uint64_t word;
};
inline uint64_t NumberOf(const NarrowItem& item) { return item.word >> 32; }
inline uint64_t PositionOf(const NarrowItem& item) { return item.word & 0xFFFFFFFF; }
inline bool operator<(const NarrowItem& a, const NarrowItem& b) { return a.word < b.word; }

constexpr int kDigits = 256;
// Shorter lines are sorted by comparing.
constexpr int64_t kMinRadixLength = 400;

// Sorts by the lowest `width` bytes of the numbers; ties stay in order of position, in which they come. Uses `other`,
// of the same length, and returns whichever of the two holds the result.
template <typename Item>
Item* SortItems(Item* items, Item* other, int64_t n, int width) {
  if (n < kMinRadixLength) {
    std::sort(items, items + n);
    return items;
  }
  std::vector<uint32_t> counts(static_cast<size_t>(width) * kDigits);
  for (int64_t i = 0; i < n; ++i) {
    const uint64_t number = NumberOf(items[i]);
    for (int b = 0; b < width; ++b) ++counts[b * kDigits + (number >> (8 * b) & 0xFF)];
  }
  for (int b = 0; b < width; ++b) {
    uint32_t* const next = &counts[b * kDigits];
    const auto digit = [b](const Item& item) { return NumberOf(item) >> (8 * b) & 0xFF; };
    if (next[digit(items[0])] == n) continue;
    uint32_t sum = 0;
    for (int d = 0; d < kDigits; ++d) sum += std::exchange(next[d], sum);
    for (int64_t i = 0; i < n; ++i) other[next[digit(items[i])]++] = items[i];
    std::swap(items, other);
  }
  return items;
}

// ---- The thunk.

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

// Memory of one thread for lines of n elements.
class LineScratch {
 public:
  static int64_t Bytes(int64_t n) { return n * (2 * 16 + 2 * 4); }
  LineScratch(void* data, int64_t n) : data_(static_cast<char*>(data)), n_(n) {}

  char* items() const { return data_; }
  char* other_items() const { return data_ + 16 * n_; }
  uint32_t* order() const { return reinterpret_cast<uint32_t*>(data_ + 32 * n_); }
  uint32_t* old_order() const { return order() + n_; }

 private:
  char* const data_;
  const int64_t n_;
};

class SortThunk : public Thunk {
 public:
  SortThunk(ThunkInfo info, SortedLines lines, std::vector<LineKey> keys, std::vector<SortedArray> arrays)
      : Thunk(std::move(info)), lines_(lines), keys_(std::move(keys)), arrays_(std::move(arrays)) {}

  absl::Status Execute(ExecuteContext& context) const override {
    if (lines_.length == 0) return absl::OkStatus();
    const int64_t bytes = LineScratch::Bytes(lines_.length);
    std::atomic<bool> has_memory{true};
    context.ParallelFor(lines_.count, std::max<int64_t>(1, kElementsPerBlock / lines_.length),
                        [&](int64_t begin, int64_t end) {
                          const absl::StatusOr<void*> data = ExecuteContext::Scratch(bytes);
                          if (!data.ok()) return has_memory.store(false, std::memory_order_relaxed);
                          const LineScratch scratch(*data, lines_.length);
                          for (int64_t i = begin; i < end; ++i) SortLine(lines_.Start(i), scratch, context);
                        });
    if (has_memory.load()) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat(info().instruction->name(), ": the machine has no memory for ",
                                                     bytes, " bytes of scratch on each thread"));
  }

 private:
  static constexpr int64_t kElementsPerBlock = 1 << 12;

  // Sorting by the least important key first, and keeping ties in order, leaves the line sorted by all of them.
  void SortLine(int64_t start, const LineScratch& scratch, const ExecuteContext& context) const {
    std::iota(scratch.order(), scratch.order() + lines_.length, 0);
    for (size_t k = keys_.size(); k-- > 0;) {
      const void* const data = context.Address(arrays_[keys_[k].operand].from);
      keys_[k].width <= 4 ? SortByKey<NarrowItem>(keys_[k], data, start, scratch)
                          : SortByKey<WideItem>(keys_[k], data, start, scratch);
    }
    for (const SortedArray& array : arrays_) Permute(array, start, scratch, context);
  }

  static NarrowItem MakeItem(uint64_t key, int64_t position, NarrowItem /*tag*/) {
    return {key << 32 | static_cast<uint64_t>(position)};
  }
  static WideItem MakeItem(uint64_t key, int64_t position, WideItem /*tag*/) {
    return {key, static_cast<uint64_t>(position)};
  }

  template <typename Item>
  void SortByKey(const LineKey& key, const void* data, int64_t start, const LineScratch& scratch) const {
    const int64_t n = lines_.length;
    auto* const items = reinterpret_cast<Item*>(scratch.items());
    uint32_t* const order = scratch.order();
    DispatchWidth(key.width, [&](auto tag) {
      using T = decltype(tag);
      if constexpr (sizeof(T) <= sizeof(uint64_t)) {
        const T* const elements = static_cast<const T*>(data) + start;
        for (int64_t i = 0; i < n; ++i) {
          items[i] = MakeItem(key.KeyOf(elements[order[i] * lines_.stride]), i, Item());
        }
      }
    });
    const Item* const sorted = SortItems(items, reinterpret_cast<Item*>(scratch.other_items()), n, key.width);
    std::copy(order, order + n, scratch.old_order());
    for (int64_t i = 0; i < n; ++i) order[i] = scratch.old_order()[PositionOf(sorted[i])];
  }

  void Permute(const SortedArray& array, int64_t start, const LineScratch& scratch,
               const ExecuteContext& context) const {
    const int64_t n = lines_.length;
    const uint32_t* const order = scratch.order();
    DispatchWidth(array.width, [&](auto tag) {
      using T = decltype(tag);
      const T* from = static_cast<const T*>(context.Address(array.from)) + start;
      T* const to = static_cast<T*>(context.Address(array.to)) + start;
      int64_t stride = lines_.stride;
      if (from == to) {
        auto* const line = reinterpret_cast<T*>(scratch.items());
        for (int64_t i = 0; i < n; ++i) line[i] = from[i * stride];
        from = line;
        stride = 1;
      }
      for (int64_t i = 0; i < n; ++i) to[i * lines_.stride] = from[order[i] * stride];
    });
  }

  const SortedLines lines_;
  const std::vector<LineKey> keys_;
  const std::vector<SortedArray> arrays_;
};

// Why a sort of these arrays has to be evaluated; "" if it has not.
std::string WhyNotArrays(const HloInstruction& sort) {
  const int64_t length =
      sort.operand(0)->shape().dimension(static_cast<int>(sort.attributes<SortAttributes>().dimension));
  if (length > std::numeric_limits<int32_t>::max()) return "lines are too long";
  for (int i = 0; i < sort.operand_count(); ++i) {
    const Shape& result = sort.shape().IsTuple() ? sort.shape().tuple_shape(i) : sort.shape();
    if (!LiesAsInLiteral(sort.operand(i)->shape()) || !LiesAsInLiteral(result)) return "arrays are not row-major";
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

// Empty if it does not go by keys that are known here.
std::vector<LineKey> LineKeysOf(const HloInstruction& sort) {
  std::vector<LineKey> line_keys;
  for (const SortKey& key : KeysOfComparator(*sort.called_computation(0))) {
    const absl::optional<LineKey> line_key = LineKeyOf(key, sort.operand(key.operand)->shape().element_type());
    if (!line_key.has_value()) return {};
    line_keys.push_back(*line_key);
  }
  return line_keys;
}

}  // namespace

absl::StatusOr<std::unique_ptr<Thunk>> MakeSortThunk(const HloInstruction& instruction, PlanContext& context) {
  if (instruction.opcode() != HloOpcode::kSort) return nullptr;
  const std::string why_not = WhyNotArrays(instruction);
  if (!why_not.empty()) {
    context.Refuse(why_not);
    return nullptr;
  }
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
      context.Refuse("a result lies in the place of another operand");
      return nullptr;
    }
  }
  return std::make_unique<SortThunk>(std::move(info), LinesOf(instruction), std::move(keys), std::move(arrays));
}

}  // namespace xla
