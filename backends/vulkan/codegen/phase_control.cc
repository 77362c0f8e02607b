// Loops, branches and reductions.
#include <algorithm>

#include "absl/container/flat_hash_map.h"
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

// An invocation takes every so manyth iteration, from its own number on: neighbors access neighbors.
void PhaseEmitter::EmitDividedFor(const KernelInstruction& instruction) {
  const KernelRegion& region = instruction.regions[0];
  const KernelValue count = instruction.operands[0];
  if (has_loaded_ || has_stored_) Barrier();
  ranges_[region.arguments[0]] = {0, ranges_[count].high - 1};
  const V limit = Word(count);
  is_divided_ = true;
  ir_.While(
      {invocation_}, [&](const State& index) { return index[0] < limit; },
      [&](const State& index) {
        EmitRegion(region, {IndexOf(index[0])});
        return State{index[0] + invocations_};
      });
  is_divided_ = false;
  has_loaded_ = true;
  has_stored_ = true;
}

namespace {

// The index must not overflow when an invocation has taken its last iteration.
bool CanDivide(const KernelInstruction& instruction, const IndexRange& count) {
  constexpr int64_t kMost = INT32_MAX / 2;
  return instruction.independent && count.low >= INT32_MIN && count.high <= kMost && count.high > 1;
}

int64_t IterationsIn(const Kernel& kernel, const KernelRegion& region,
                     const absl::flat_hash_map<KernelValue, int64_t>& constants) {
  int64_t most = 1;
  absl::flat_hash_map<KernelValue, int64_t> known = constants;
  for (const KernelInstruction& instruction : region.instructions) {
    if (instruction.op == KernelOp::kConstant && kernel.TypeOf(instruction.results[0]) == S64) {
      known[instruction.results[0]] = *instruction.literal.data<int64_t>();
    }
    if (instruction.op == KernelOp::kFor && instruction.independent) {
      const auto count = known.find(instruction.operands[0]);
      if (count != known.end()) most = std::max(most, count->second);
      continue;
    }
    for (const KernelRegion& nested : instruction.regions) most = std::max(most, IterationsIn(kernel, nested, known));
  }
  return most;
}

}  // namespace

int64_t PhaseEmitter::IterationsToDivide(const Kernel& kernel, const KernelPhase& phase) {
  return IterationsIn(kernel, phase.body, {});
}

void PhaseEmitter::EmitFor(const KernelInstruction& instruction) {
  if (IsShared() && CanDivide(instruction, ranges_[instruction.operands[0]])) return EmitDividedFor(instruction);
  BeforeRegions(instruction);
  const KernelRegion& region = instruction.regions[0];
  const KernelValue count = instruction.operands[0];
  const bool in_words = ranges_[count].low >= INT32_MIN && ranges_[count].high <= INT32_MAX;
  const IndexRange range = {0, ranges_[count].has_high() ? ranges_[count].high - 1 : IndexRange::kUnknownHigh};
  ranges_[region.arguments[0]] = range;
  const Elements state = ValuesOf(absl::MakeConstSpan(instruction.operands).subspan(1));
  const V limit = in_words ? Word(count) : Value(count).value;
  SetResults(instruction, EmitLoop(limit, state, [&](V index, const Elements& current) {
               Elements arguments = {in_words ? IndexOf(index) : MakeElement(S64, index)};
               arguments.insert(arguments.end(), current.begin(), current.end());
               return EmitRegion(region, arguments);
             }));
  BeforeRegions(instruction);
}

void PhaseEmitter::EmitIf(const KernelInstruction& instruction) {
  BeforeRegions(instruction);
  Elements like;
  const auto branch = [&](int number) {
    like = EmitRegion(instruction.regions[number], {});
    BeforeRegions(instruction);
    return ToState(like);
  };
  const State merged = ir_.IfElse(
      Value(instruction.operands[0]).value, [&] { return branch(0); }, [&] { return branch(1); });
  SetResults(instruction, FromState(like, merged));
}

void PhaseEmitter::EmitWhile(const KernelInstruction& instruction) {
  BeforeRegions(instruction);
  const Elements initial = ValuesOf(instruction.operands);
  const State result = ir_.While(
      ToState(initial),
      [&](const State& state) { return EmitRegion(instruction.regions[0], FromState(initial, state))[0].value; },
      [&](const State& state) { return ToState(EmitRegion(instruction.regions[1], FromState(initial, state))); });
  SetResults(instruction, FromState(initial, result));
  BeforeRegions(instruction);
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

PhaseEmitter::Elements PhaseEmitter::ReduceInOrder(const KernelInstruction& instruction) {
  Elements indices;
  return EmitNest(instruction.extents, &indices, ValuesOf(instruction.operands),
                  [&](const Elements& at, const Elements& state) {
                    return Combine(instruction, state, EmitRegion(instruction.regions[0], at));
                  });
}

namespace {

// Elements of some types, one for each lane, in words of a variable of the function.
class LaneArray {
 public:
  LaneArray(SpirvIr& ir, int64_t lanes) : ir_(ir), lanes_(lanes) {}

  void Reserve(const SpirvIr::State& like) {
    for (const V& part : like) words_ += WordsOf(part.kind);
    SpirvBuilder& b = ir_.builder();
    variable_ = b.FunctionVariable(b.ArrayType(b.IntType(32), static_cast<uint32_t>(words_ * lanes_)));
  }
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
  static int64_t WordsOf(Kind kind) { return codegen::BitsOf(kind) == 64 ? 2 : 1; }
  Id At(V lane, int64_t word) {
    const V place = lane + word * lanes_;
    return ir_.builder().AccessChain(spv::StorageClass::Function, ir_.builder().IntType(32), variable_,
                                     {ir_.ToWord(place)});
  }

  SpirvIr& ir_;
  const int64_t lanes_;
  int64_t words_ = 0;
  Id variable_ = 0;
};

}  // namespace

PhaseEmitter::Elements PhaseEmitter::ReduceInLanes(const KernelInstruction& instruction) {
  const Elements all = ValuesOf(instruction.operands);
  const Elements initial(all.begin(), all.begin() + static_cast<int64_t>(instruction.results.size()));
  const Elements neutral(all.begin() + static_cast<int64_t>(instruction.results.size()), all.end());
  const State like = ToState(neutral);
  LaneArray lanes(ir_, instruction.lanes);
  lanes.Reserve(like);
  const auto get = [&](V lane) { return FromState(neutral, lanes.Get(lane, like)); };
  EmitLoop(ir_.Int(Kind::kI32, instruction.lanes), {}, [&](V lane, const Elements&) {
    lanes.Set(lane, like);
    return Elements();
  });
  Elements indices;
  EmitNest(instruction.extents, &indices, {}, [&](const Elements& at, const Elements&) {
    const Elements element = EmitRegion(instruction.regions[0], at);
    const V lane = ir_.ZeroExtend(at.back().value, Kind::kI32) & (instruction.lanes - 1);
    lanes.Set(lane, ToState(Combine(instruction, get(lane), element)));
    return Elements();
  });
  // Lane j takes in lane j + half, then half as many.
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

void PhaseEmitter::EmitReduce(const KernelInstruction& instruction) {
  BeforeRegions(instruction);
  for (size_t i = 0; i < instruction.extents.size(); ++i) {
    ranges_[instruction.regions[0].arguments[i]] = {0, instruction.extents[i] - 1};
  }
  SetResults(instruction, instruction.lanes == 1 ? ReduceInOrder(instruction) : ReduceInLanes(instruction));
}

}  // namespace vulkan
}  // namespace xla
