#include "backends/kernel_ir/testing/random_kernel.h"

#include <algorithm>
#include <cstring>
#include <limits>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/kernel_builder.h"
#include "backends/kernel_ir/testing/random_numbers.h"
#include "backends/kernel_ir/workgroups.h"
#include "xla_core/literal_io/compare_literals.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

using Use = KernelBuffer::Use;
using Values = KernelBuilder::Values;
using Arguments = absl::Span<const KernelValue>;
using Extents = std::vector<int64_t>;

// An operation on operands of one type.
struct Operation {
  HloOpcode opcode;
  int arity;
  PrimitiveType type;
  PrimitiveType result;
  int max_ulp;
};

struct Available {
  KernelValue value;
  // Not computed: a NaN among them has the bits that it always had.
  bool is_raw;
};

// Around the lengths of vectors.
constexpr int64_t kExtents[] = {1, 2, 3, 4, 7, 8, 9, 15, 16, 17, 31, 33, 64, 65};
constexpr int64_t kLargestNest = 300;
// How often an instruction may run in a tile.
constexpr int64_t kLargestRepetition = 3000;
constexpr int kDeepestControl = 2;

class Generator {
 public:
  explicit Generator(const RandomKernelOptions& options)
      : options_(options), random_(options.seed), b_(absl::StrCat("random_", options.seed)) {
    PickTypes();
    FindOperations();
    for (const PrimitiveType type : types_) AddInput(type);
    AddInput(random_.Pick(types_));
    AddInput(S64);
  }

  RandomKernel Make() {
    const int64_t phases = random_.Between(1, 3);
    for (int64_t i = 0; i < phases; ++i) MakePhase();
    RandomKernel result;
    result.kernel = std::move(b_).Finish();
    for (const Buffer& buffer : buffers_) {
      if (!buffer.is_scratch) result.max_ulp.push_back(buffer.max_ulp);
    }
    return result;
  }

 private:
  // ---- What there is to choose from.

  bool Admits(PrimitiveType type) const {
    return IsArrayType(type) && (!options_.admits_type || options_.admits_type(type));
  }
  bool Admits(HloOpcode opcode, PrimitiveType type) const {
    return !options_.admits_operation || options_.admits_operation(opcode, type);
  }
  bool Has(PrimitiveType type) const { return std::find(types_.begin(), types_.end(), type) != types_.end(); }

  void PickTypes() {
    std::vector<PrimitiveType> all;
    for (int i = 0; i < kNumPrimitiveTypes; ++i) {
      if (Admits(static_cast<PrimitiveType>(i))) all.push_back(static_cast<PrimitiveType>(i));
    }
    types_ = {PRED, S64};
    const int64_t count = random_.Between(1, 4);
    for (int64_t i = 0; i < count && !all.empty(); ++i) {
      const PrimitiveType type = random_.Chance(30) && Admits(F32) ? F32 : random_.Pick(all);
      if (!Has(type)) types_.push_back(type);
    }
  }

  void FindOperations() {
    for (const HloOpcode opcode : AllOpcodes()) {
      const ElementwiseRow* const row = FindElementwiseRow(opcode);
      if (row == nullptr) continue;
      for (const PrimitiveType type : types_) {
        if ((row->classes & ElementClassOf(type)) == 0 || !Admits(opcode, type)) continue;
        const PrimitiveType result = ElementwiseResultType(*row, type);
        if (!Has(result)) continue;
        const int max_ulp = IsInt(type) || type == PRED ? 0 : row->max_ulp;
        (max_ulp == 0 ? exact_ : inexact_).push_back({opcode, row->arity, type, result, max_ulp});
      }
    }
  }

  struct Buffer {
    PrimitiveType type;
    int64_t size;
    bool is_scratch;
    bool is_raw;  // only the caller writes to it
    int max_ulp;
  };

  int AddBuffer(PrimitiveType type, int64_t size, Use use, int same_memory_as = -1) {
    const int buffer =
        b_.AddBuffer(absl::StrCat(use == Use::kRead ? "in" : "out", buffers_.size()), type, size, use, same_memory_as);
    buffers_.push_back({type, size, false, use == Use::kRead, 0});
    return buffer;
  }
  int AddScratch(PrimitiveType type, int64_t size) {
    const int buffer = b_.AddScratch(absl::StrCat("scratch", buffers_.size()), type, size);
    buffers_.push_back({type, size, true, false, 0});
    return buffer;
  }
  void AddInput(PrimitiveType type) {
    const int64_t sizes[] = {1, 5, 64, 100, 257};
    readable_.push_back(AddBuffer(type, random_.Pick(sizes), Use::kRead));
  }

  // ---- What can be seen.

  struct Mark {
    size_t values;
    size_t indices;
    int64_t repetition;
  };
  Mark Enter(int64_t times = 1) {
    const Mark mark = {values_.size(), indices_.size(), repetition_};
    repetition_ *= times;
    return mark;
  }
  void Leave(const Mark& mark) {
    values_.resize(mark.values);
    indices_.resize(mark.indices);
    repetition_ = mark.repetition;
  }
  KernelValue Note(KernelValue value, bool is_raw) {
    values_.push_back({value, is_raw});
    return value;
  }

  // ---- Phases and nests.

  void MakePhase() {
    const int64_t tile_counts[] = {1, 2, 3, 5};
    tiles_ = random_.Pick(tile_counts);
    std::vector<int> filled;
    b_.Phase(tiles_, [&](KernelValue tile) {
      tile_ = tile;
      const Mark mark = Enter();
      indices_.push_back(tile);
      const int64_t nests = random_.Between(1, 3);
      for (int64_t i = 0; i < nests; ++i) MakeNest(filled);
      Leave(mark);
    });
    readable_.insert(readable_.end(), filled.begin(), filled.end());
  }

  // Appends to `filled` what later phases may read.
  void MakeNest(std::vector<int>& filled) {
    switch (random_.Below(10)) {
      case 0:
      case 1:
        return FillScratch();
      case 2:
        return FillInexactly();
      case 3:
        return FillInPlace();
      case 4:
      case 5:
        filled.push_back(Accumulate());
        return;
      case 6:
        filled.push_back(Scatter());
        return;
      default:
        if (const int buffer = Fill(); buffer >= 0) filled.push_back(buffer);
    }
  }

  Extents PickExtents() {
    Extents extents;
    int64_t size = 1;
    const int64_t count = random_.Between(0, 3);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t extent = random_.Pick(kExtents);
      if (size * extent > kLargestNest) break;
      size *= extent;
      extents.push_back(extent);
    }
    return extents;
  }

  // Where each iteration of a nest stores: an element that is its own.
  struct Placement {
    Extents strides;
    int64_t tile_stride;
    int64_t offset;
    int64_t size;  // of the buffer
  };

  // In row-major order or another, forwards or backwards, with gaps or without.
  Placement Place(const Extents& extents, bool in_scratch) {
    std::vector<size_t> order(extents.size());
    for (size_t i = 0; i < order.size(); ++i) order[i] = i;
    if (random_.Chance(30)) std::reverse(order.begin(), order.end());
    Placement place = {Extents(extents.size()), 0, 0, random_.Chance(20) ? random_.Between(2, 3) : 1};
    for (size_t i = order.size(); i-- > 0;) {
      place.strides[order[i]] = place.size;
      place.size *= extents[order[i]];
    }
    for (size_t i = 0; i < extents.size(); ++i) {
      if (!random_.Chance(15)) continue;
      place.offset += place.strides[i] * (extents[i] - 1);
      place.strides[i] = -place.strides[i];
    }
    if (!in_scratch) {
      place.tile_stride = place.size;
      place.size *= tiles_;
    }
    if (random_.Chance(20)) {
      place.offset += 1;
      place.size += 1;
    }
    return place;
  }

  KernelValue ElementOf(const Placement& place, Arguments loops) {
    std::vector<std::pair<int64_t, KernelValue>> terms = {{place.tile_stride, tile_}};
    for (size_t i = 0; i < loops.size(); ++i) terms.emplace_back(place.strides[i], loops[i]);
    return b_.Affine(terms, place.offset);
  }

  // Loops over `extents`, one in the other, around `body`, which gets their indices.
  void Nest(const Extents& extents, const std::function<void(Arguments)>& body) {
    Values loops;
    Nest(extents, body, loops);
  }
  void Nest(const Extents& extents, const std::function<void(Arguments)>& body, Values& loops) {
    if (loops.size() == extents.size()) return body(loops);
    const bool is_innermost = loops.size() + 1 == extents.size();
    const int64_t extent = extents[loops.size()];
    const bool is_independent = random_.Chance(85);
    LoopSchedule schedule = random_.Chance(20) ? LoopSchedule::kUnroll : LoopSchedule::kPlain;
    if (is_independent && random_.Chance(is_innermost ? 80 : 20)) schedule = LoopSchedule::kVector;
    b_.For(b_.Index(extent), schedule, is_independent, [&](KernelValue i) {
      const Mark mark = Enter(extent);
      loops.push_back(i);
      indices_.push_back(i);
      Nest(extents, body, loops);
      loops.pop_back();
      Leave(mark);
    });
  }

  // A new output; whether later phases may read it, because all of it holds something: then the buffer, else -1.
  int Fill() {
    const Extents extents = PickExtents();
    const Placement place = Place(extents, false);
    const PrimitiveType type = random_.Pick(types_);
    const bool held_something = random_.Chance(40);
    const int buffer = AddBuffer(type, place.size, held_something ? Use::kReadWrite : Use::kWrite);
    Nest(extents, [&](Arguments loops) {
      const KernelValue element = ElementOf(place, loops);
      if (held_something && random_.Chance(50)) Note(b_.Load(buffer, element), false);
      const KernelValue value = RandomValue(type, 4);
      if (random_.Chance(20)) return StoreInBranches(buffer, element, value);
      const KernelValue predicate = random_.Chance(25) ? RandomValue(PRED, 2) : kNoValue;
      b_.Store(buffer, element, value, predicate);
    });
    return held_something ? buffer : -1;
  }

  void StoreInBranches(int buffer, KernelValue element, KernelValue value) {
    b_.If(
        RandomValue(PRED, 2),
        [&] {
          b_.Store(buffer, element, value);
          return Values();
        },
        [&] {
          const Mark mark = Enter();
          if (random_.Chance(60)) b_.Store(buffer, element, RandomValue(b_.TypeOf(value), 2));
          Leave(mark);
          return Values();
        });
  }

  void FillInexactly() {
    if (inexact_.empty()) return;
    const Extents extents = PickExtents();
    const Placement place = Place(extents, false);
    const Operation last = random_.Pick(inexact_);
    const int buffer = AddBuffer(last.result, place.size, Use::kWrite);
    buffers_[buffer].max_ulp = last.max_ulp;
    Nest(extents, [&](Arguments loops) {
      const KernelValue element = ElementOf(place, loops);
      b_.Store(buffer, element, ApplyRow(last, 2));
    });
  }

  // The result takes the place of an input.
  void FillInPlace() {
    const Extents extents = PickExtents();
    const Placement place = Place(extents, false);
    const PrimitiveType type = random_.Pick(types_);
    const int input = AddBuffer(type, place.size, Use::kRead);
    const int buffer = AddBuffer(type, place.size, Use::kWrite, input);
    Nest(extents, [&](Arguments loops) {
      const KernelValue element = ElementOf(place, loops);
      Note(b_.Load(input, element), true);
      b_.Store(buffer, element, RandomValue(type, 3));
    });
  }

  // Scratch, and an output made of it, read in another order.
  void FillScratch() {
    const Extents extents = PickExtents();
    const Placement written = Place(extents, true);
    const PrimitiveType type = random_.Pick(types_);
    const int scratch = AddScratch(type, written.size);
    Nest(extents, [&](Arguments loops) {
      const KernelValue element = ElementOf(written, loops);
      b_.Store(scratch, element, RandomValue(type, 3));
    });
    const Placement place = Place(extents, false);
    const int buffer = AddBuffer(type, place.size, Use::kWrite);
    Nest(extents, [&](Arguments loops) {
      Values read(loops.begin(), loops.end());
      for (size_t i = 0; i < read.size(); ++i) {
        if (random_.Chance(30)) read[i] = b_.Affine({{-1, read[i]}}, extents[i] - 1);
      }
      Note(b_.Load(scratch, ElementOf(written, read)), false);
      const KernelValue element = ElementOf(place, loops);
      b_.Store(buffer, element, RandomValue(type, 2));
    });
  }

  // Combines values in order into an output that held something.
  int Accumulate() {
    const Extents extents = PickExtents();
    const Placement place = Place(extents, false);
    const PrimitiveType type = random_.Pick(types_);
    const int buffer = AddBuffer(type, place.size, Use::kReadWrite);
    const int64_t times = random_.Between(2, 6);
    Nest(extents, [&](Arguments loops) {
      const KernelValue element = ElementOf(place, loops);
      b_.For(b_.Index(times), LoopSchedule::kPlain, false, [&](KernelValue i) {
        const Mark mark = Enter(times);
        indices_.push_back(i);
        const KernelValue before = b_.Load(buffer, element);
        b_.Store(buffer, element, Combined(before, RandomValue(type, 2)));
        Leave(mark);
      });
    });
    return buffer;
  }

  // The same at elements of the tile's own that numbers in memory choose.
  int Scatter() {
    const PrimitiveType type = random_.Pick(types_);
    const int64_t own = random_.Between(1, 12);
    const int buffer = AddBuffer(type, own * tiles_, Use::kReadWrite);
    const int64_t times = random_.Pick(kExtents);
    b_.For(b_.Index(times), LoopSchedule::kPlain, false, [&](KernelValue i) {
      const Mark mark = Enter(times);
      indices_.push_back(i);
      const KernelValue element = b_.Affine({{own, tile_}, {1, NumberWithin(0, own - 1)}});
      const KernelValue update = RandomValue(type, 2);
      if (random_.Chance(50)) {
        b_.Store(buffer, element, Combined(b_.Load(buffer, element), update));
      } else {
        b_.Store(buffer, element, update, random_.Chance(50) ? RandomValue(PRED, 2) : kNoValue);
      }
      Leave(mark);
    });
    return buffer;
  }

  // ---- Values.

  KernelValue RandomConstant(PrimitiveType type) { return Note(b_.Constant(RandomScalar(type, random_)), true); }

  // One that can be seen already; kNoValue if there is none.
  KernelValue Seen(PrimitiveType type, bool raw) {
    std::vector<KernelValue> candidates;
    for (const Available& available : values_) {
      if (b_.TypeOf(available.value) == type && (available.is_raw || !raw)) candidates.push_back(available.value);
    }
    return candidates.empty() ? kNoValue : random_.Pick(candidates);
  }

  // A value whose bits, if it is NaN, are known.
  KernelValue RawValue(PrimitiveType type) {
    if (!IsFloat(type) && !IsComplex(type)) return RandomValue(type, 1);
    const KernelValue seen = Seen(type, true);
    if (seen != kNoValue && random_.Chance(60)) return seen;
    const KernelValue loaded = RandomLoad(type, true);
    return loaded != kNoValue ? loaded : RandomConstant(type);
  }

  KernelValue Leaf(PrimitiveType type) {
    if (random_.Chance(50)) {
      if (const KernelValue seen = Seen(type, false); seen != kNoValue) return seen;
    }
    if (type == S64 && random_.Chance(30)) return RandomIndex();
    if (random_.Chance(75)) {
      if (const KernelValue loaded = RandomLoad(type, false); loaded != kNoValue) return loaded;
    }
    return RandomConstant(type);
  }

  // Of any type; what `types_` lacks is converted.
  KernelValue RandomValue(PrimitiveType type, int depth) {
    if (!Has(type)) return Note(b_.Convert(RandomValue(S64, depth), type), false);
    if (depth == 0 || random_.Chance(15)) return Leaf(type);
    for (int attempt = 0; attempt < 4; ++attempt) {
      const KernelValue value = Composite(type, depth - 1);
      if (value != kNoValue) return value;
    }
    return Leaf(type);
  }

  // kNoValue if there is no such value after all.
  KernelValue Composite(PrimitiveType type, int depth) {
    switch (random_.Below(12)) {
      case 0:
        return RandomConvert(type, depth);
      case 1: {
        const KernelValue predicate = RandomValue(PRED, depth);
        const KernelValue on_true = RandomValue(type, depth);
        return Note(b_.Select(predicate, on_true, RandomValue(type, depth)), false);
      }
      case 2:
        return type == PRED ? RandomComparison(depth) : RandomClamp(type, depth);
      case 3:
        return RandomBitcast(type);
      case 4:
        return RandomReducePrecision(type, depth);
      case 5:
        return RandomStochasticConvert(type, depth);
      case 6:
        return RandomControl(type);
      case 7:
        return RandomMultiplyAdd(type, depth);
      default:
        return RandomRow(type, depth);
    }
  }

  KernelValue RandomMultiplyAdd(PrimitiveType type, int depth) {
    if (type != F32 && type != F64) return RandomRow(type, depth);
    const KernelValue x = RandomValue(type, depth);
    const KernelValue y = RandomValue(type, depth);
    return Note(b_.MultiplyAdd(x, y, RandomValue(type, depth)), false);
  }

  // An operation of the table; the result must not be computed with if it is inexact.
  KernelValue ApplyRow(const Operation& operation, int depth) {
    const KernelValue x = RandomValue(operation.type, depth);
    if (operation.arity == 1) return b_.Unary(operation.opcode, x);
    return b_.Binary(operation.opcode, x, RandomValue(operation.type, depth));
  }

  KernelValue RandomRow(PrimitiveType type, int depth) {
    std::vector<Operation> candidates;
    for (const Operation& operation : exact_) {
      if (operation.result == type) candidates.push_back(operation);
    }
    return candidates.empty() ? kNoValue : Note(ApplyRow(random_.Pick(candidates), depth), false);
  }

  // An exact operation on both, or the second.
  KernelValue Combined(KernelValue x, KernelValue y) {
    const PrimitiveType type = b_.TypeOf(x);
    std::vector<HloOpcode> candidates;
    for (const Operation& operation : exact_) {
      if (operation.arity == 2 && operation.type == type && operation.result == type) {
        candidates.push_back(operation.opcode);
      }
    }
    return candidates.empty() ? y : b_.Binary(random_.Pick(candidates), x, y);
  }

  // The scalar operation that `opcode` and `attributes` say.
  KernelValue Apply(HloOpcode opcode, PrimitiveType result, Arguments operands,
                    std::unique_ptr<Attributes> attributes = nullptr) {
    std::vector<std::unique_ptr<HloInstruction>> parameters;
    HloInstruction instruction(opcode, "scalar", Shape::Scalar(result));
    for (const KernelValue operand : operands) {
      parameters.push_back(
          std::make_unique<HloInstruction>(HloOpcode::kParameter, "operand", Shape::Scalar(b_.TypeOf(operand))));
      instruction.AddOperand(parameters.back().get());
    }
    instruction.set_attributes(std::move(attributes));
    return Note(b_.Elementwise(instruction, operands), false);
  }

  KernelValue RandomConvert(PrimitiveType type, int depth) {
    const PrimitiveType from = random_.Pick(types_);
    if (!CanConvert(from, type) || !Admits(HloOpcode::kConvert, from)) return kNoValue;
    return Note(b_.Convert(RandomValue(from, depth), type), false);
  }

  KernelValue RandomComparison(int depth) {
    const PrimitiveType type = random_.Pick(types_);
    if (!Admits(HloOpcode::kCompare, type)) return kNoValue;
    if (random_.Chance(20)) {
      const KernelValue in_range = b_.InRange(RandomIndex(), random_.Between(-3, 5), random_.Between(5, 40));
      return in_range == kNoValue ? RandomConstant(PRED) : Note(in_range, false);
    }
    const auto direction = static_cast<ComparisonDirection>(random_.Below(IsComplex(type) ? 2 : 6));
    const bool total_order = IsFloat(type) && random_.Chance(30);
    const KernelValue x = total_order ? RawValue(type) : RandomValue(type, depth);
    const KernelValue y = total_order ? RawValue(type) : RandomValue(type, depth);
    return Note(b_.Compare(direction, x, y, total_order), false);
  }

  KernelValue RandomClamp(PrimitiveType type, int depth) {
    if (IsComplex(type) || !Admits(HloOpcode::kClamp, type)) return kNoValue;
    const KernelValue low = RandomValue(type, depth);
    const KernelValue x = RandomValue(type, depth);
    return Apply(HloOpcode::kClamp, type, {low, x, RandomValue(type, depth)});
  }

  KernelValue RandomBitcast(PrimitiveType type) {
    const PrimitiveType from = random_.Pick(types_);
    // A pred is a byte here.
    const auto width = [](PrimitiveType t) { return t == PRED ? 8 : BitWidth(t); };
    if (width(from) != width(type) || IsComplex(from) != IsComplex(type)) return kNoValue;
    if (!Admits(HloOpcode::kBitcastConvert, from)) return kNoValue;
    return Apply(HloOpcode::kBitcastConvert, type, {RawValue(from)});
  }

  KernelValue RandomReducePrecision(PrimitiveType type, int depth) {
    if (!IsFloat(type) || !Admits(HloOpcode::kReducePrecision, type)) return kNoValue;
    auto attributes = std::make_unique<ReducePrecisionAttributes>();
    attributes->exponent_bits = random_.Between(1, 11);
    attributes->mantissa_bits = random_.Between(1, 30);
    return Apply(HloOpcode::kReducePrecision, type, {RandomValue(type, depth)}, std::move(attributes));
  }

  KernelValue RandomStochasticConvert(PrimitiveType type, int depth) {
    const PrimitiveType from = random_.Pick(types_);
    if (!IsFloat(from) || !(IsFloat(type) || IsInt(type)) || !Admits(HloOpcode::kStochasticConvert, from)) {
      return kNoValue;
    }
    for (const PrimitiveType bits : {U4, U8, U16, U32, U64}) {
      if (BitWidth(bits) != BitWidth(from) || !Admits(bits)) continue;
      const KernelValue x = RandomValue(from, depth);
      return Apply(HloOpcode::kStochasticConvert, type, {x, RandomValue(bits, depth)});
    }
    return kNoValue;
  }

  // ---- Indices and loads.

  // A sum of a few indices, or a quotient or remainder of it.
  KernelValue RandomIndex() {
    const int64_t coefficients[] = {1, 1, 1, 1, 2, 3, -1, 8, 33};
    std::vector<std::pair<int64_t, KernelValue>> terms;
    const int64_t count = random_.Between(0, 3);
    for (int64_t i = 0; i < count; ++i) {
      // Mostly that of the innermost loop.
      const KernelValue index = random_.Chance(50) ? indices_.back() : random_.Pick(indices_);
      terms.emplace_back(random_.Pick(coefficients), index);
    }
    const KernelValue sum = b_.Affine(terms, random_.Chance(60) ? 0 : random_.Between(-4, 9));
    const int64_t divisors[] = {2, 3, 4, 8, 16, 100};
    if (random_.Chance(10)) return b_.Quotient(sum, random_.Pick(divisors));
    if (random_.Chance(10)) return b_.Remainder(sum, random_.Pick(divisors));
    return sum;
  }

  // An index that is computed or comes from memory.
  KernelValue NumberWithin(int64_t low, int64_t high) {
    const KernelValue number = RandomValue(S64, 1);
    const KernelValue at_least = b_.Binary(HloOpcode::kMaximum, number, b_.Index(low));
    return b_.AsIndex(b_.Binary(HloOpcode::kMinimum, at_least, b_.Index(high)), low, high);
  }

  // kNoValue if nothing of the type can be read.
  KernelValue RandomLoad(PrimitiveType type, bool raw) {
    std::vector<int> candidates;
    for (const int buffer : readable_) {
      if (buffers_[buffer].type == type && (buffers_[buffer].is_raw || !raw)) candidates.push_back(buffer);
    }
    if (candidates.empty()) return kNoValue;
    const int buffer = random_.Pick(candidates);
    const int64_t last = buffers_[buffer].size - 1;
    const bool is_raw = buffers_[buffer].is_raw;
    // Numbers that choose elements are made of values, and those of loads.
    if (random_.Chance(10) && ++gathers_ % 4 != 0) return Note(b_.Load(buffer, NumberWithin(0, last)), is_raw);
    const KernelValue index = RandomIndex();
    const auto [low, high] = b_.RangeOf(index);
    if (low >= 0 && high <= last) return Note(b_.Load(buffer, index), is_raw);
    if (random_.Chance(50)) return Note(b_.Load(buffer, b_.Remainder(index, last + 1)), is_raw);
    const KernelValue otherwise = random_.Chance(50) ? kNoValue : RandomConstant(type);
    return Note(b_.Load(buffer, index, b_.InRange(index, 0, last), otherwise), is_raw);
  }

  // ---- Control.

  KernelValue RandomControl(PrimitiveType type) {
    if (control_depth_ == kDeepestControl) return kNoValue;
    ++control_depth_;
    KernelValue value = kNoValue;
    switch (random_.Below(5)) {
      case 0:
        value = RandomLoop(type);
        break;
      case 1:
        value = RandomBranch(type);
        break;
      case 2:
        value = RandomWhile(type);
        break;
      default:
        value = RandomReduction(type);
        break;
    }
    --control_depth_;
    return value == kNoValue ? value : Note(value, false);
  }

  // `type` first, and perhaps others.
  std::vector<PrimitiveType> StateTypes(PrimitiveType type) {
    std::vector<PrimitiveType> types = {type};
    while (types.size() < 3 && random_.Chance(30)) types.push_back(random_.Pick(types_));
    return types;
  }
  Values RandomValues(const std::vector<PrimitiveType>& types, int depth) {
    Values values;
    for (const PrimitiveType type : types) values.push_back(RandomValue(type, depth));
    return values;
  }

  KernelValue RandomReduction(PrimitiveType type) {
    const int64_t lanes = int64_t{1} << (random_.Chance(40) ? 0 : random_.Between(1, 6));
    Extents extents;
    int64_t volume = 1;
    const int64_t count = random_.Between(1, 3);
    for (int64_t i = 0; i < count; ++i) {
      const int64_t extent = random_.Pick(kExtents);
      if (volume * extent * repetition_ > kLargestRepetition) continue;
      volume *= extent;
      extents.push_back(extent);
    }
    if (extents.empty()) return kNoValue;
    const std::vector<PrimitiveType> types = StateTypes(type);
    const Values initial = RandomValues(types, 1);
    const Values neutral = lanes == 1 ? Values() : RandomValues(types, 0);
    const int64_t kind = random_.Below(10);
    return b_.Reduce(
        extents, lanes, initial, neutral,
        [&](Arguments indices) {
          const Mark mark = Enter(volume);
          indices_.insert(indices_.end(), indices.begin(), indices.end());
          const Values element = RandomValues(types, 2);
          Leave(mark);
          return element;
        },
        [&](Arguments left, Arguments right) {
          const Mark mark = Enter(volume);
          const Values combined = kind < 7 ? CombineEach(left, right) : CombineAnyhow(types, left, right);
          Leave(mark);
          return combined;
        })[0];
  }

  Values CombineEach(Arguments left, Arguments right) {
    Values combined;
    for (size_t i = 0; i < left.size(); ++i) combined.push_back(Combined(left[i], right[i]));
    return combined;
  }
  Values CombineAnyhow(const std::vector<PrimitiveType>& types, Arguments left, Arguments right) {
    for (const KernelValue value : left) Note(value, false);
    for (const KernelValue value : right) Note(value, false);
    return RandomValues(types, 2);
  }

  KernelValue RandomLoop(PrimitiveType type) {
    const int64_t most = random_.Between(1, 9);
    if (most * repetition_ > kLargestRepetition) return kNoValue;
    const KernelValue extent = random_.Chance(60) ? b_.Index(most) : NumberWithin(-1, most);
    const std::vector<PrimitiveType> types = StateTypes(type);
    return b_.ForWithState(extent, RandomValues(types, 1), [&](KernelValue i, Arguments state) {
      const Mark mark = Enter(most);
      indices_.push_back(i);
      for (const KernelValue value : state) Note(value, false);
      const Values next = RandomValues(types, 2);
      Leave(mark);
      return next;
    })[0];
  }

  KernelValue RandomBranch(PrimitiveType type) {
    const std::vector<PrimitiveType> types = StateTypes(type);
    const auto branch = [&] {
      const Mark mark = Enter();
      const Values values = RandomValues(types, 2);
      Leave(mark);
      return values;
    };
    return b_.If(RandomValue(PRED, 2), branch, branch)[0];
  }

  // Counts up to a number from memory, unless something ends it before.
  KernelValue RandomWhile(PrimitiveType type) {
    const int64_t most = random_.Between(1, 7);
    if (most * repetition_ > kLargestRepetition) return kNoValue;
    const KernelValue limit = NumberWithin(0, most);
    std::vector<PrimitiveType> types = StateTypes(type);
    Values initial = RandomValues(types, 1);
    initial.push_back(b_.Index(0));
    const bool ends_early = random_.Chance(40);
    return b_.While(
        initial,
        [&](Arguments state) {
          const KernelValue goes_on = b_.Compare(ComparisonDirection::kLt, state.back(), limit);
          const Mark mark = Enter(most + 1);
          for (const KernelValue value : state) Note(value, false);
          const KernelValue condition = ends_early ? b_.And(goes_on, RandomValue(PRED, 2)) : goes_on;
          Leave(mark);
          return condition;
        },
        [&](Arguments state) {
          const Mark mark = Enter(most);
          for (const KernelValue value : state) Note(value, false);
          Values next = RandomValues(types, 2);
          next.push_back(b_.Binary(HloOpcode::kAdd, state.back(), b_.Index(1)));
          Leave(mark);
          return next;
        })[0];
  }

  const RandomKernelOptions& options_;
  RandomSource random_;
  KernelBuilder b_;
  std::vector<PrimitiveType> types_;
  std::vector<Operation> exact_, inexact_;
  std::vector<Buffer> buffers_;  // by number
  std::vector<int> readable_;    // that no tile of the phase writes

  int64_t tiles_ = 0;
  KernelValue tile_ = kNoValue;
  std::vector<Available> values_;
  Values indices_;
  int64_t repetition_ = 1;
  int control_depth_ = 0;
  int gathers_ = 0;
};

Literal RandomArray(PrimitiveType type, int64_t count, RandomSource& random) {
  absl::StatusOr<Literal> array = Literal::Zeros(Shape::Array(type, {count}));
  CHECK(array.ok());
  char* const data = array->mutable_data<char>();
  const int width = ByteWidth(type);
  for (int64_t i = 0; i < count; ++i) {
    std::memcpy(data + i * width, RandomScalar(type, random).untyped_data(), width);
  }
  return *std::move(array);
}

}  // namespace

RandomKernel MakeRandomKernel(const RandomKernelOptions& options) {
  RandomKernel random = Generator(options).Make();
  if (options.seed % 4 == 3) MakeWorkgroups(random.kernel, /*max_invocations=*/32);
  return random;
}

std::vector<Literal> MakeRandomBuffers(const Kernel& kernel, uint64_t seed) {
  RandomSource random(seed);
  std::vector<Literal> arrays;
  for (const KernelBuffer& buffer : kernel.buffers) {
    if (buffer.use == Use::kScratch) break;
    arrays.push_back(RandomArray(buffer.type, buffer.element_count, random));
  }
  return arrays;
}

std::string DescribeDifferences(const RandomKernel& kernel, absl::Span<const Literal> got,
                                absl::Span<const Literal> want) {
  std::string text;
  for (size_t i = 0; i < want.size(); ++i) {
    const KernelBuffer& buffer = kernel.kernel.buffers[i];
    Tolerance tolerance;
    tolerance.ulp = kernel.max_ulp[i];
    tolerance.zero_sign = kernel.max_ulp[i] == 0;
    // Units in the last place of a complex number are those of its modulus.
    if (buffer.type == C64) tolerance.rtol = tolerance.ulp * std::numeric_limits<float>::epsilon();
    if (buffer.type == C128) tolerance.rtol = tolerance.ulp * std::numeric_limits<double>::epsilon();
    const Comparison comparison = CompareArrays(got[i], want[i], tolerance);
    if (!comparison.matches()) text += DescribeComparison(buffer.name, comparison, got[i], want[i]);
  }
  return text;
}

}  // namespace xla
