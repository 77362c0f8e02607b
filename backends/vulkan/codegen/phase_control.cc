// Loops, branches and reductions.
#include <functional>
#include <utility>

#include "backends/vulkan/codegen/complex_in_integers.h"
#include "backends/vulkan/codegen/phase_emitter.h"

namespace xla {
namespace vulkan {

using codegen::Element;
using codegen::MakeElement;

void PhaseEmitter::SetResults(const KernelInstruction& instruction, const Elements& results) {
  for (size_t i = 0; i < results.size(); ++i) values_[instruction.results[i]] = results[i];
}

PhaseEmitter::Elements PhaseEmitter::EmitLoop(V count, const Elements& state, LoopBody body) {
  State initial = {count.LikeInt(0)};
  const State parts = ToState(state);
  initial.insert(initial.end(), parts.begin(), parts.end());
  const auto elements_of = [&](const State& current) {
    return FromState(state, State(current.begin() + 1, current.end()));
  };
  const State result = ir_.While(
      initial, [&](const State& current) { return current[0] < count; },
      [&](const State& current) {
        const State next_parts = ToState(body(current[0], elements_of(current)));
        State next = {current[0] + 1};
        next.insert(next.end(), next_parts.begin(), next_parts.end());
        return next;
      });
  return elements_of(result);
}

PhaseEmitter::Elements PhaseEmitter::EmitUnrolled(V count, int64_t at_once, const Elements& state, LoopBody body) {
  if (at_once == 1) return EmitLoop(count, state, body);
  const V times = count / at_once;
  const V done = times * at_once;
  const Elements main = EmitLoop(times, state, [&](V index, const Elements& current) {
    Elements next = current;
    for (int64_t i = 0; i < at_once; ++i) next = body(index * at_once + i, next);
    return next;
  });
  return EmitLoop(count - done, main, [&](V index, const Elements& current) { return body(done + index, current); });
}

// ---- Workgroups

void PhaseEmitter::Barrier() {
  ir_.builder().WorkgroupBarrier();
  lanes_are_read_ = false;
}

// An invocation takes every so manyth iteration, from its own number on: neighbors access neighbors.
void PhaseEmitter::EmitShares(V count, int64_t most, absl::FunctionRef<void(V i)> body) {
  is_alone_ = true;
  const absl::optional<int64_t> known = ir_.ConstantInt(count);
  const auto is_below = [&](V i) { return ir_.Compare(codegen::Ir::Relation::kUnsignedLt, i, count); };
  if (known.has_value() && *known == invocations_) {
    body(invocation_);
  } else if (most <= invocations_) {
    ir_.If(is_below(invocation_), [&] { body(invocation_); });
  } else if (known.has_value() && *known % invocations_ == 0) {
    EmitLoop(ir_.Int(Kind::kI32, *known / invocations_), {}, [&](V i, const Elements&) {
      body(i * invocations_ + invocation_);
      return Elements();
    });
  } else {
    ir_.While(
        {invocation_}, [&](const State& i) { return is_below(i[0]); },
        [&](const State& i) {
          body(i[0]);
          return State{i[0] + invocations_};
        });
  }
  is_alone_ = false;
}

void PhaseEmitter::EmitSharedFor(const KernelInstruction& instruction) {
  const KernelRegion& region = instruction.regions[0];
  const KernelValue count = instruction.operands[0];
  EmitShares(Word(count), ranges_.Of(count).high, [&](V i) { EmitRegion(region, {IndexOf(i)}); });
}

// ---- Loops and branches

void PhaseEmitter::EmitFor(const KernelInstruction& instruction) {
  const KernelValue count = instruction.operands[0];
  const bool in_words = ranges_.IsInWords(count);
  ranges_.NoteArguments(instruction);
  if (IsUniform() && instruction.schedule == LoopSchedule::kInvocations && in_words) return EmitSharedFor(instruction);
  const KernelRegion& region = instruction.regions[0];
  const Elements state = ValuesOf(absl::MakeConstSpan(instruction.operands).subspan(1));
  const V limit = in_words ? Word(count) : Value(count).value;
  lanes_are_read_ = true;
  const int64_t at_once = IterationsAtOnce(kernel_, instruction, unroll_);
  SetResults(instruction, EmitUnrolled(limit, at_once, state, [&](V index, const Elements& current) {
               Elements arguments = {in_words ? IndexOf(index) : MakeElement(S64, index)};
               arguments.insert(arguments.end(), current.begin(), current.end());
               return EmitRegion(region, arguments);
             }));
  lanes_are_read_ = true;
}

void PhaseEmitter::EmitIf(const KernelInstruction& instruction) {
  Elements like;
  const auto branch = [&](int number) {
    lanes_are_read_ = true;
    like = EmitRegion(instruction.regions[number], {});
    return ToState(like);
  };
  const State merged = ir_.IfElse(
      Value(instruction.operands[0]).value, [&] { return branch(0); }, [&] { return branch(1); });
  lanes_are_read_ = true;
  SetResults(instruction, FromState(like, merged));
}

void PhaseEmitter::EmitWhile(const KernelInstruction& instruction) {
  const Elements initial = ValuesOf(instruction.operands);
  lanes_are_read_ = true;
  const State result = ir_.While(
      ToState(initial),
      [&](const State& state) { return EmitRegion(instruction.regions[0], FromState(initial, state))[0].value; },
      [&](const State& state) { return ToState(EmitRegion(instruction.regions[1], FromState(initial, state))); });
  lanes_are_read_ = true;
  SetResults(instruction, FromState(initial, result));
}

// ---- Reductions

PhaseEmitter::Elements PhaseEmitter::EmitNest(
    absl::Span<const int64_t> extents, Elements* indices, const Elements& state,
    absl::FunctionRef<Elements(const Elements& indices, const Elements& state)> body) {
  if (extents.empty()) return body(*indices, state);
  const bool in_words = extents[0] <= INT32_MAX;
  return EmitLoop(ir_.Int(in_words ? Kind::kI32 : Kind::kI64, extents[0]), state,
                  [&](V index, const Elements& current) {
                    indices->push_back(in_words ? IndexOf(index) : MakeElement(S64, index));
                    Elements next = EmitNest(extents.subspan(1), indices, current, body);
                    indices->pop_back();
                    return next;
                  });
}

PhaseEmitter::Elements PhaseEmitter::Combine(const KernelInstruction& instruction, const Elements& left,
                                             const Elements& right) {
  Elements arguments = left;
  arguments.insert(arguments.end(), right.begin(), right.end());
  return EmitRegion(instruction.regions[1], arguments);
}

namespace {

// Products of complex numbers are long code, above all in integers.
int64_t InstructionsOf(const Kernel& kernel, const KernelInstruction& instruction) {
  constexpr int64_t kOfComplexProduct = 32;
  const bool is_complex = instruction.op == KernelOp::kElementwise && IsComplex(kernel.TypeOf(instruction.operands[0]));
  return is_complex && IsComputedInIntegers(instruction.opcode) ? kOfComplexProduct : 1;
}

int64_t InstructionsIn(const Kernel& kernel, const KernelRegion& region) {
  int64_t count = 0;
  for (const KernelInstruction& instruction : region.instructions) {
    count += InstructionsOf(kernel, instruction);
    for (const KernelRegion& nested : instruction.regions) count += InstructionsIn(kernel, nested);
  }
  return count;
}

int64_t InstructionsPerElement(const Kernel& kernel, const KernelInstruction& reduce) {
  return InstructionsIn(kernel, reduce.regions[0]) + InstructionsIn(kernel, reduce.regions[1]);
}

bool HasLoops(const KernelRegion& region) {
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kFor || instruction.op == KernelOp::kReduce || instruction.op == KernelOp::kWhile) {
      return true;
    }
    for (const KernelRegion& nested : instruction.regions) {
      if (HasLoops(nested)) return true;
    }
  }
  return false;
}

}  // namespace

int64_t IterationsAtOnce(const Kernel& kernel, const KernelInstruction& loop, int64_t unroll) {
  constexpr int64_t kMostInstructions = 8192;
  const KernelRegion& body = loop.regions[0];
  if (HasLoops(body) || InstructionsIn(kernel, body) > kMostInstructions / unroll) return 1;
  return unroll;
}

int64_t ElementsAtOnce(const Kernel& kernel, const KernelInstruction& reduce, int64_t unroll) {
  const int64_t most_instructions = 256 * unroll;
  if (reduce.extents.back() > INT32_MAX) return 1;
  for (int64_t count = 8 * unroll; count > 1; count /= 2) {
    if (reduce.extents.back() % count == 0 && count * InstructionsPerElement(kernel, reduce) <= most_instructions)
      return count;
  }
  return 1;
}

// Of loops over some elements, several of these are written out at once.
PhaseEmitter::Elements PhaseEmitter::ReduceInOrder(const KernelInstruction& instruction) {
  const int64_t at_once = ElementsAtOnce(kernel_, instruction, unroll_);
  std::vector<int64_t> extents = instruction.extents;
  extents.back() /= at_once;
  Elements indices;
  return EmitNest(extents, &indices, ValuesOf(instruction.operands), [&](const Elements& at, const Elements& state) {
    Elements all = at;
    Elements next = state;
    if (at_once == 1) return Combine(instruction, state, EmitRegion(instruction.regions[0], at));
    const V first = ir_.ZeroExtend(at.back().value, Kind::kI32) * at_once;
    for (int64_t i = 0; i < at_once; ++i) {
      all.back() = IndexOf(first + i);
      next = Combine(instruction, next, EmitRegion(instruction.regions[0], all));
    }
    return next;
  });
}

namespace {

int64_t WordsOf(Kind kind) { return codegen::BitsOf(kind) == 64 ? 2 : 1; }

// Elements of some types, one for each lane, in words of memory: all first words, then all second words ...
class LaneArray {
 public:
  // `pointer_to`: of a word of it, given an i32.
  LaneArray(SpirvIr& ir, int64_t lanes, std::function<Id(V)> pointer_to)
      : ir_(ir), lanes_(lanes), pointer_to_(std::move(pointer_to)) {}

  void Set(V lane, const SpirvIr::State& parts) {
    int64_t word = 0;
    for (const V& part : parts) {
      if (WordsOf(part.kind) == 1) {
        ir_.builder().Store(At(lane, word++), ir_.ToWord(part));
        continue;
      }
      const auto [low, high] = ir_.ToWords(part);
      ir_.builder().Store(At(lane, word++), low);
      ir_.builder().Store(At(lane, word++), high);
    }
  }
  SpirvIr::State Get(V lane, const SpirvIr::State& like) {
    SpirvIr::State parts;
    int64_t word = 0;
    const auto load = [&] { return ir_.builder().Load(ir_.builder().IntType(32), At(lane, word++)); };
    for (const V& part : like) {
      const Id low = load();
      parts.push_back(WordsOf(part.kind) == 1 ? ir_.FromWord(part.kind, low) : ir_.FromWords(part.kind, low, load()));
    }
    return parts;
  }

 private:
  Id At(V lane, int64_t word) { return pointer_to_(word == 0 ? lane : lane + word * lanes_); }

  SpirvIr& ir_;
  const int64_t lanes_;
  const std::function<Id(V)> pointer_to_;
};

// In a variable of the function.
LaneArray LocalLanes(SpirvIr& ir, int64_t lanes, const SpirvIr::State& like) {
  int64_t words = 0;
  for (const V& part : like) words += WordsOf(part.kind);
  SpirvBuilder& b = ir.builder();
  const Id variable = b.FunctionVariable(b.ArrayType(b.IntType(32), static_cast<uint32_t>(words * lanes)));
  return LaneArray(ir, lanes, [&ir, variable](V word) {
    return ir.builder().AccessChain(spv::StorageClass::Function, ir.builder().IntType(32), variable, {ir.ToWord(word)});
  });
}

}  // namespace

int64_t LanesAtOnce(const Kernel& kernel, const KernelInstruction& reduce) {
  constexpr int64_t kMostValues = 64;
  constexpr int64_t kMostInstructions = 512;
  const auto values = static_cast<int64_t>(reduce.results.size());
  const int64_t instructions = InstructionsPerElement(kernel, reduce);
  int64_t lanes = reduce.lanes;
  while (lanes > 1 && (lanes * values > kMostValues || lanes * instructions > kMostInstructions)) lanes /= 2;
  return lanes;
}

// The elements of `count` lanes from `first` on, each lane combined from the neutral values on.
std::vector<PhaseEmitter::Elements> PhaseEmitter::CombineLanes(const KernelInstruction& instruction, V first,
                                                               int64_t count, const Elements& neutral) {
  const int64_t extent = instruction.extents.back();
  const bool in_words = extent <= INT32_MAX;
  if (!in_words) first = ir_.ZeroExtend(first, Kind::kI64);
  Elements indices;
  const auto add = [&](V i, const Elements& state) {
    indices.push_back(in_words ? IndexOf(i) : MakeElement(S64, i));
    Elements next = Combine(instruction, state, EmitRegion(instruction.regions[0], indices));
    indices.pop_back();
    return next;
  };
  const auto size = static_cast<int64_t>(neutral.size());
  const auto lane_of = [&](const Elements& all, int64_t lane) {
    return Elements(all.begin() + lane * size, all.begin() + (lane + 1) * size);
  };
  Elements all;
  for (int64_t lane = 0; lane < count; ++lane) all.insert(all.end(), neutral.begin(), neutral.end());
  const auto outer = absl::MakeConstSpan(instruction.extents).subspan(0, instruction.extents.size() - 1);
  all = EmitNest(outer, &indices, all, [&](const Elements&, const Elements& state) {
    Elements current = EmitLoop(first.LikeInt(extent / instruction.lanes), state, [&](V i, const Elements& before) {
      Elements next;
      for (int64_t lane = 0; lane < count; ++lane) {
        const Elements added = add(i * instruction.lanes + first + lane, lane_of(before, lane));
        next.insert(next.end(), added.begin(), added.end());
      }
      return next;
    });
    // What is left is less than an element for each lane.
    const int64_t done = extent / instruction.lanes * instruction.lanes;
    if (done == extent) return current;
    Elements next;
    for (int64_t lane = 0; lane < count; ++lane) {
      const Elements before = lane_of(current, lane);
      const V i = first + (done + lane);
      const State chosen = ir_.IfElse(
          ir_.Compare(codegen::Ir::Relation::kUnsignedLt, i, i.LikeInt(extent)),
          [&] { return ToState(add(i, before)); }, [&] { return ToState(before); });
      const Elements added = FromState(before, chosen);
      next.insert(next.end(), added.begin(), added.end());
    }
    return next;
  });
  std::vector<Elements> lanes;
  for (int64_t lane = 0; lane < count; ++lane) lanes.push_back(lane_of(all, lane));
  return lanes;
}

// Lane j takes in lane j + half, then half as many: in registers, if they hold all lanes.
PhaseEmitter::Elements PhaseEmitter::ReduceInLanes(const KernelInstruction& instruction) {
  const Elements all = ValuesOf(instruction.operands);
  const Elements initial(all.begin(), all.begin() + static_cast<int64_t>(instruction.results.size()));
  const Elements neutral(all.begin() + static_cast<int64_t>(instruction.results.size()), all.end());
  const int64_t at_once = LanesAtOnce(kernel_, instruction);
  if (at_once == instruction.lanes) {
    std::vector<Elements> lanes = CombineLanes(instruction, ir_.Int(Kind::kI32, 0), at_once, neutral);
    for (int64_t half = at_once / 2; half > 0; half /= 2) {
      for (int64_t lane = 0; lane < half; ++lane) lanes[lane] = Combine(instruction, lanes[lane], lanes[lane + half]);
    }
    return Combine(instruction, initial, lanes[0]);
  }
  const State like = ToState(neutral);
  LaneArray lanes = LocalLanes(ir_, instruction.lanes, like);
  const auto get = [&](V lane) { return FromState(neutral, lanes.Get(lane, like)); };
  EmitLoop(ir_.Int(Kind::kI32, instruction.lanes / at_once), {}, [&](V group, const Elements&) {
    const V first = group * at_once;
    const std::vector<Elements> combined = CombineLanes(instruction, first, at_once, neutral);
    for (int64_t lane = 0; lane < at_once; ++lane) lanes.Set(first + lane, ToState(combined[lane]));
    return Elements();
  });
  ir_.While(
      {ir_.Int(Kind::kI32, instruction.lanes / 2)}, [](const State& half) { return half[0] > 0; },
      [&](const State& half) {
        EmitLoop(half[0], {}, [&](V lane, const Elements&) {
          lanes.Set(lane, ToState(Combine(instruction, get(lane), get(lane + half[0]))));
          return Elements();
        });
        return State{half[0] >> 1};
      });
  return Combine(instruction, initial, get(ir_.Int(Kind::kI32, 0)));
}

// Lanes are shared out; then lane j takes in lane j + half, with a barrier after each half.
PhaseEmitter::Elements PhaseEmitter::ReduceOverInvocations(const KernelInstruction& instruction) {
  const Elements all = ValuesOf(instruction.operands);
  const auto count = static_cast<int64_t>(instruction.results.size());
  const Elements initial(all.begin(), all.begin() + count);
  const Elements neutral(all.begin() + count, all.end());
  const State like = ToState(neutral);
  LaneArray lanes(ir_, instruction.lanes, [this](V word) { return memory_.LanePointer(word); });
  const auto get = [&](V lane) { return FromState(neutral, lanes.Get(lane, like)); };
  if (lanes_are_read_) Barrier();
  EmitShares(ir_.Int(Kind::kI32, instruction.lanes), instruction.lanes,
             [&](V lane) { lanes.Set(lane, ToState(CombineLanes(instruction, lane, 1, neutral)[0])); });
  Barrier();
  ir_.While(
      {ir_.Int(Kind::kI32, instruction.lanes / 2)}, [](const State& half) { return half[0] > 0; },
      [&](const State& half) {
        EmitShares(half[0], instruction.lanes / 2,
                   [&](V lane) { lanes.Set(lane, ToState(Combine(instruction, get(lane), get(lane + half[0])))); });
        Barrier();
        return State{half[0] >> 1};
      });
  const Elements sum = get(ir_.Int(Kind::kI32, 0));
  lanes_are_read_ = true;
  return Combine(instruction, initial, sum);
}

void PhaseEmitter::EmitReduce(const KernelInstruction& instruction) {
  ranges_.NoteArguments(instruction);
  const bool is_shared = IsUniform() && instruction.schedule == LoopSchedule::kInvocations;
  SetResults(instruction, is_shared                ? ReduceOverInvocations(instruction)
                          : instruction.lanes == 1 ? ReduceInOrder(instruction)
                                                   : ReduceInLanes(instruction));
}

}  // namespace vulkan
}  // namespace xla
