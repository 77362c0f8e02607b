// kReduce. Its lanes are the kernel's, not those of vectors; where a reduction stands outside of vector loops they
// become one vector of that many lanes, unless they are very many, which the code generator cuts into registers. Inside
// a vector loop each iteration of that loop has its own reduction: with one lane in registers, with several in an array
// on the stack.
#include "backends/cpu/codegen/kernel_emitter.h"

namespace xla {
namespace codegen {
namespace {

// More lanes would not stay in registers, and code for them takes long to compile.
constexpr int64_t kMostLanesInRegisters = 256;

// Lanes of a reduction inside a vector loop: arrays of `lanes` vectors, one for each part of each value.
class AccumulatorArrays {
 public:
  // Arrays on the stack with `lanes` places each, one for each accumulator, of the types of `like`.
  AccumulatorArrays(absl::Span<const Element> like, int64_t lanes) {
    for (const Element& element : like) {
      LlvmIr& ir = LlvmOf(element.value);
      Row row;
      row.type = element.type;
      row.lanes = element.value.lanes;
      row.bytes = int64_t{BitsOf(StoredKind(element.type))} / 8 * row.lanes;
      row.real = ir.Stack(row.bytes * lanes);
      if (element.imaginary.exists()) row.imaginary = ir.Stack(row.bytes * lanes);
      rows_.push_back(row);
    }
  }

  void Set(V lane, absl::Span<const Element> elements) {
    for (size_t i = 0; i < rows_.size(); ++i) {
      const Row& row = rows_[i];
      LlvmIr& ir = LlvmOf(lane);
      ir.Store(ir.Offset(row.real, lane, row.bytes), ToStored(elements[i]), 1);
      if (row.imaginary.exists()) ir.Store(ir.Offset(row.imaginary, lane, row.bytes), elements[i].imaginary, 1);
    }
  }

  std::vector<Element> Get(V lane) const {
    std::vector<Element> elements;
    for (const Row& row : rows_) {
      LlvmIr& ir = LlvmOf(lane);
      const Kind kind = StoredKind(row.type);
      const V real = ir.Load(ir.Offset(row.real, lane, row.bytes), kind, row.lanes, 1);
      if (!row.imaginary.exists()) {
        elements.push_back(FromStored(row.type, real));
        continue;
      }
      const V imaginary = ir.Load(ir.Offset(row.imaginary, lane, row.bytes), kind, row.lanes, 1);
      elements.push_back(MakeComplex(row.type, real, imaginary));
    }
    return elements;
  }

 private:
  struct Row {
    PrimitiveType type;
    int lanes;
    int64_t bytes;
    V real;
    V imaginary;
  };
  std::vector<Row> rows_;
};

Element SliceLanes(const Element& element, int begin, int lanes) {
  Element result = element;
  LlvmIr& ir = LlvmOf(element.value);
  result.value = ir.Slice(element.value, begin, lanes);
  if (element.imaginary.exists()) result.imaginary = ir.Slice(element.imaginary, begin, lanes);
  if (element.bits.exists()) result.bits = ir.Slice(element.bits, begin, lanes);
  return result;
}

bool IsEmpty(absl::Span<const int64_t> extents) {
  for (const int64_t extent : extents) {
    if (extent <= 0) return true;
  }
  return false;
}

}  // namespace

KernelEmitter::Elements KernelEmitter::Combine(const KernelInstruction& instruction, absl::Span<const Element> left,
                                               absl::Span<const Element> right) {
  Elements arguments(left.begin(), left.end());
  arguments.insert(arguments.end(), right.begin(), right.end());
  return InLanes(EmitRegion(instruction.regions[1], arguments));
}

KernelEmitter::Elements KernelEmitter::ReduceInOrder(const KernelInstruction& instruction) {
  Elements indices;
  return EmitNest(instruction, instruction.extents, indices, InLanes(ValuesOf(instruction.operands)),
                  [&](absl::Span<const Element> at, Elements state) {
                    const Elements element = EmitRegion(instruction.regions[0], at);
                    return Combine(instruction, state, InLanes(element));
                  });
}

// lanes_ is the number of the reduction's lanes.
KernelEmitter::Elements KernelEmitter::ReduceInRegisters(const KernelInstruction& instruction, Elements accumulators) {
  const int64_t lanes = lanes_;
  const int64_t row = instruction.extents.back();
  const int64_t full = row / lanes * lanes;
  row_extent_ = row;
  const auto step = [&](absl::Span<const Element> outer, V index, absl::Span<const Element> state) {
    Elements at(outer.begin(), outer.end());
    at.push_back(Index(index, 1));
    const Elements element = InLanes(EmitRegion(instruction.regions[0], at));
    return Combine(instruction, state, element);
  };
  const auto body = [&](absl::Span<const Element> outer, Elements state) {
    if (full > 0) {
      const double work = loop_work_.OfIteration(instruction, instruction.extents.size());
      state = EmitLoop({IndexConstant(0), IndexConstant(full), lanes, work}, std::move(state),
                       [&](V index, absl::Span<const Element> current) { return step(outer, index, current); });
    }
    if (full == row) return state;
    mask_ = ir_.LaneNumbers(Kind::kI64, lanes_) < row - full;
    Elements combined = step(outer, IndexConstant(full), state);
    for (size_t i = 0; i < state.size(); ++i) combined[i] = SelectElement(mask_, combined[i], state[i]);
    mask_ = V();
    return combined;
  };
  Elements indices;
  const auto outer_extents = absl::MakeConstSpan(instruction.extents).subspan(0, instruction.extents.size() - 1);
  accumulators = EmitNest(instruction, outer_extents, indices, std::move(accumulators), body);
  while (lanes_ > 1) {
    const int half = lanes_ / 2;
    Elements low;
    Elements high;
    for (const Element& accumulator : accumulators) {
      low.push_back(SliceLanes(accumulator, 0, half));
      high.push_back(SliceLanes(accumulator, half, half));
    }
    lanes_ = half;
    accumulators = Combine(instruction, low, high);
  }
  return accumulators;
}

// A reduction with accumulators in an array on the stack, one for each lane: for more lanes than registers hold, and
// where the loop around already uses the lanes. Lanes are combined by halves, as in ReduceInRegisters, so that
// results agree bit for bit.
KernelEmitter::Elements KernelEmitter::ReduceInMemory(const KernelInstruction& instruction, const Elements& neutral) {
  const int64_t lanes = instruction.lanes;
  AccumulatorArrays accumulators(neutral, lanes);
  EmitShortLoop({IndexConstant(0), IndexConstant(lanes)}, {}, [&](V lane, absl::Span<const Element>) {
    accumulators.Set(lane, neutral);
    return Elements();
  });
  Elements indices;
  EmitNest(instruction, instruction.extents, indices, {}, [&](absl::Span<const Element> at, Elements) {
    const V lane = at.back().value & (lanes - 1);
    const Elements element = InLanes(EmitRegion(instruction.regions[0], at));
    accumulators.Set(lane, Combine(instruction, accumulators.Get(lane), element));
    return Elements();
  });
  for (int64_t half = lanes / 2; half > 0; half /= 2) {
    EmitShortLoop({IndexConstant(0), IndexConstant(half)}, {}, [&](V lane, absl::Span<const Element>) {
      accumulators.Set(lane, Combine(instruction, accumulators.Get(lane), accumulators.Get(lane + half)));
      return Elements();
    });
  }
  return accumulators.Get(IndexConstant(0));
}

// Emits a reduction. With one lane it goes in order; with several, the elements are dealt to as many accumulators,
// which start at the neutral value. The number of lanes is part of the kernel, not of the processor, for it decides
// how floats are rounded.
void KernelEmitter::EmitReduce(const KernelInstruction& instruction) {
  const size_t count = instruction.results.size();
  const auto operands = absl::MakeConstSpan(instruction.operands);
  const Elements initial = ValuesOf(operands.subspan(0, count));
  Elements results;
  if (instruction.lanes == 1) {
    results = ReduceInOrder(instruction);
  } else {
    const Elements neutral = ValuesOf(operands.subspan(count));
    Elements reduced;
    const bool is_empty = IsEmpty(instruction.extents);
    if (lanes_ == 1 && !is_empty && instruction.lanes <= kMostLanesInRegisters) {
      lanes_ = static_cast<int>(instruction.lanes);
      reduced = ReduceInRegisters(instruction, InLanes(neutral));
      lanes_ = 1;
    } else {
      reduced = ReduceInMemory(instruction, InLanes(neutral));
    }
    results = Combine(instruction, InLanes(initial), reduced);
  }
  for (size_t i = 0; i < count; ++i) values_[instruction.results[i]] = results[i];
}

}  // namespace codegen
}  // namespace xla
