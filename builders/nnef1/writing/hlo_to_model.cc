// ModelFromHlo: which function converts which instruction (convert_instructions.h), and what goes in and comes out.
//
// Instructions are converted in program order, each to tensors that later ones look up in the Conversion. Only what
// the result depends on is converted, but every parameter is, because inputs of a graph are its interface. NNEF needs
// outputs to be distinct and not inputs: copies make them so.
#include <algorithm>
#include <cstdint>
#include <set>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/writing/conversion.h"
#include "builders/nnef1/writing/convert_instructions.h"
#include "builders/nnef1/writing/write_model.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef1 {
namespace {

struct Row {
  HloOpcode opcode;
  absl::Status (*convert)(const HloInstruction& instruction, Conversion& to);
};
// Beside those that IsElementwiseOperation knows.
constexpr Row kRows[] = {
    {HloOpcode::kParameter, &ConvertParameter},
    {HloOpcode::kConstant, &ConvertConstant},
    {HloOpcode::kIota, &ConvertIota},
    {HloOpcode::kTuple, &ConvertTuple},
    {HloOpcode::kGetTupleElement, &ConvertGetTupleElement},
    {HloOpcode::kCompare, &ConvertCompare},
    {HloOpcode::kClamp, &ConvertClamp},
    {HloOpcode::kSelect, &ConvertSelect},
    {HloOpcode::kConvert, &ConvertConvert},
    {HloOpcode::kCopy, &ConvertCopy},
    {HloOpcode::kBroadcast, &ConvertBroadcast},
    {HloOpcode::kReshape, &ConvertReshape},
    {HloOpcode::kTranspose, &ConvertTranspose},
    {HloOpcode::kSlice, &ConvertSlice},
    {HloOpcode::kReverse, &ConvertReverse},
    {HloOpcode::kConcatenate, &ConvertConcatenate},
    {HloOpcode::kPad, &ConvertPad},
    {HloOpcode::kGather, &ConvertGather},
    {HloOpcode::kReduce, &ConvertReduce},
    {HloOpcode::kReduceWindow, &ConvertReduceWindow},
    {HloOpcode::kDot, &ConvertDot},
    {HloOpcode::kConvolution, &ConvertConvolution},
};

// Those that the result depends on, operands first.
std::vector<const HloInstruction*> NeededInstructions(const HloComputation& computation) {
  absl::flat_hash_set<const HloInstruction*> needed = {computation.root()};
  std::vector<const HloInstruction*> order;
  for (auto it = computation.instructions().rbegin(); it != computation.instructions().rend(); ++it) {
    if (needed.count(it->get()) == 0) continue;
    needed.insert((*it)->operands().begin(), (*it)->operands().end());
    order.push_back(it->get());
  }
  std::reverse(order.begin(), order.end());
  return order;
}

absl::Status CheckType(const HloInstruction& instruction, Conversion& to) {
  const Shape& shape = instruction.shape();
  if (shape.IsTuple()) return absl::OkStatus();
  if (!shape.IsArray() || shape.IsDynamic()) return CannotSay(instruction, "only arrays of fixed extents are tensors");
  for (const int64_t extent : shape.dimensions()) {
    if (extent == 0) return CannotSay(instruction, "extents are positive");
  }
  const PrimitiveType type = shape.element_type();
  if (type == S64 || type == PRED) return absl::OkStatus();
  if (type != F32 && type != F64 && type != F16 && type != BF16) {
    return CannotSay(instruction, "element types are f32 (or f64, f16, bf16), s64 and pred");
  }
  return to.SetScalarType(instruction);
}

absl::Status ConvertOne(const HloInstruction& instruction, Conversion& to) {
  RETURN_IF_ERROR(CheckType(instruction, to));
  if (IsElementwiseOperation(instruction.opcode())) return ConvertElementwise(instruction, to);
  for (const Row& row : kRows) {
    if (row.opcode == instruction.opcode()) return row.convert(instruction, to);
  }
  return CannotSay(instruction, "there is no such operation");
}

absl::Status AddOutputs(const HloInstruction& root, int input_count, Conversion& to) {
  std::vector<int> outputs;
  if (root.shape().IsTuple()) {
    outputs = to.ElementsOf(&root);
  } else {
    outputs.push_back(to.Of(&root));
  }
  if (outputs.empty()) return CannotSay(root, "a graph has at least one result");
  std::set<int> taken;
  for (const int output : outputs) {
    const Tensor tensor = to.writer().tensor(output);
    const bool is_input = tensor.producer < input_count;
    const int result = taken.insert(output).second && !is_input
                           ? output
                           : to.writer().Add("copy", {{"x", Value::Tensor(output)}}, tensor.primitive, *tensor.extents,
                                             absl::StrCat(tensor.name, "_copy"));
    taken.insert(result);
    to.writer().AddOutput(result);
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Model> ModelFromHlo(const HloModule& module) {
  const HloComputation& entry = *module.entry();
  const HloInstruction& root = *entry.root();
  const int input_count = static_cast<int>(entry.parameters().size());
  if (input_count == 0) {
    return CannotSay(root, "a graph has at least one input, and this program has no parameter");
  }
  Conversion conversion(module.name());
  // In their order, which need not be that of the list.
  for (const HloInstruction* parameter : entry.parameters()) RETURN_IF_ERROR(ConvertOne(*parameter, conversion));
  for (const HloInstruction* instruction : NeededInstructions(entry)) {
    if (instruction->opcode() != HloOpcode::kParameter) RETURN_IF_ERROR(ConvertOne(*instruction, conversion));
  }
  RETURN_IF_ERROR(AddOutputs(root, input_count, conversion));
  return conversion.TakeModel();
}

}  // namespace nnef1
}  // namespace xla
