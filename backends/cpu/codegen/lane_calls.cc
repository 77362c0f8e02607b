#include "backends/cpu/codegen/lane_calls.h"

#include "backends/cpu/codegen/lane_evaluator.h"
#include "backends/cpu/codegen/llvm_ir.h"
#include "xla_core/support/check.h"

namespace xla {
namespace codegen {
namespace {

// Where the lanes of one operand or result of a call lie on the stack: as in an array.
void StoreLanes(V slot, const Element& element) {
  if (!IsComplex(element.type)) return LlvmOf(slot).Store(slot, ToStored(element), 1);
  const int lanes = element.value.lanes;
  for (int i = 0; i < lanes; ++i) {
    const int64_t width = BitsOf(element.value.kind) / 8;
    const V at = LlvmOf(slot).Int(Kind::kI64, 2 * i);
    LlvmOf(slot).Store(LlvmOf(slot).Offset(slot, at, width), LlvmOf(slot).Extract(element.value, i), 1);
    LlvmOf(slot).Store(LlvmOf(slot).Offset(slot, at + 1, width), LlvmOf(slot).Extract(element.imaginary, i), 1);
  }
}

// Loads what the lane call stored; complex numbers are pairs of parts in memory.
Element LoadLanes(V slot, PrimitiveType type, int lanes) {
  LlvmIr& ir = LlvmOf(slot);
  const Kind kind = StoredKind(type);
  if (!IsComplex(type)) return FromStored(type, ir.Load(slot, kind, lanes, 1));
  const V pairs = ir.Load(slot, kind, 2 * lanes, 1);
  std::vector<int> real;
  std::vector<int> imaginary;
  for (int i = 0; i < lanes; ++i) {
    real.push_back(2 * i);
    imaginary.push_back(2 * i + 1);
  }
  if (lanes == 1) return MakeComplex(type, ir.Extract(pairs, 0), ir.Extract(pairs, 1));
  return MakeComplex(type, ir.Shuffle(pairs, pairs, real), ir.Shuffle(pairs, pairs, imaginary));
}

class LaneCalls : public RareOperations {
 public:
  Element Evaluate(HloOpcode opcode, PrimitiveType from, PrimitiveType result_type,
                   absl::Span<const Element> operands) override;
  Element EvaluateWhere(V where, HloOpcode opcode, absl::Span<const Element> operands, const Element& result) override;
};

// Stores operands to the stack, calls the interpreter's own function for all lanes at once, and loads the results.
// Slow, but equal to the interpreter by construction.
Element LaneCalls::Evaluate(HloOpcode opcode, PrimitiveType from, PrimitiveType result_type,
                            absl::Span<const Element> operands) {
  CHECK(CanEvaluateLanes(opcode, from));
  LlvmIr& ir = LlvmOf(operands[0].value);
  const int lanes = operands[0].value.lanes;
  const auto number = [&](int64_t x) { return ir.Int(Kind::kI64, x); };
  std::vector<V> arguments = {number(static_cast<int64_t>(opcode)), number(from), number(result_type), number(lanes)};
  int slots = 0;
  for (const Element& operand : operands) {
    const V slot = ir.TemporaryStack(slots++, int64_t{ByteWidth(operand.type)} * lanes);
    StoreLanes(slot, operand);
    arguments.push_back(slot);
  }
  if (operands.size() == 1) arguments.push_back(arguments.back());
  const V result = ir.TemporaryStack(slots, int64_t{ByteWidth(result_type)} * lanes);
  arguments.push_back(result);
  ir.CallOutside(kEvaluateLanesSymbol, arguments);
  return LoadLanes(result, result_type, lanes);
}

// Replaces the lanes in `where` by what the lane call gives. The call stands in a block of its own, which runs only
// if a lane needs it: `where` should be rare.
Element LaneCalls::EvaluateWhere(V where, HloOpcode opcode, absl::Span<const Element> operands, const Element& result) {
  LlvmIr& ir = LlvmOf(where);
  const Block before = ir.CurrentBlock();
  const Block rare = ir.NewBlock("evaluated");
  const Block done = ir.NewBlock("merged");
  ir.Branch(ir.AnyLane(where), rare, done);
  ir.SetBlock(rare);
  const Element evaluated = SelectElement(where, Evaluate(opcode, operands[0].type, result.type, operands), result);
  ir.Branch(done);
  ir.SetBlock(done);
  const auto merge = [&](V usual, V other) {
    const V phi = ir.Phi(usual.kind, usual.lanes);
    ir.AddIncoming(phi, usual, before);
    ir.AddIncoming(phi, other, rare);
    return phi;
  };
  Element merged = MakeElement(result.type, merge(result.value, evaluated.value));
  if (result.imaginary.exists()) merged.imaginary = merge(result.imaginary, evaluated.imaginary);
  return merged;
}

}  // namespace

std::unique_ptr<RareOperations> MakeLaneCalls() { return std::make_unique<LaneCalls>(); }

}  // namespace codegen
}  // namespace xla
