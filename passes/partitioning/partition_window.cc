#include "passes/partitioning/partition_window.h"

#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// One form of each window.
using Forms = std::vector<const WindowForm*>;

// Numbers all combinations of forms.
Forms FormsOfNumber(const std::vector<CutWindow>& windows, int64_t number) {
  Forms forms(windows.size());
  for (size_t i = windows.size(); i-- > 0;) {
    const std::vector<WindowForm>& all = windows[i].tiles->forms();
    forms[i] = &all[number % static_cast<int64_t>(all.size())];
    number /= static_cast<int64_t>(all.size());
  }
  return forms;
}

// The rows and taps of a form, of what the device has.
std::vector<HloInstruction*> NarrowOperands(const HloInstruction& instruction, std::vector<HloInstruction*> operands,
                                            const std::vector<CutWindow>& windows, const Forms& forms,
                                            InstructionBuilder& build) {
  const auto narrow = [&](HloInstruction*& x, int dimension, int64_t begin, int64_t count) {
    if (x->shape().dimension(dimension) != count) x = build.SliceInDim(x, dimension, begin, begin + count);
  };
  for (size_t i = 0; i < windows.size(); ++i) {
    for (int array = 0; array < WindowedOperandCount(instruction); ++array) {
      narrow(operands[array], windows[i].dimension, forms[i]->begin, forms[i]->rows);
    }
    if (windows[i].kernel_dimension >= 0) narrow(operands[1], windows[i].kernel_dimension, 0, forms[i]->window.size);
  }
  return operands;
}

void SetWindow(const CutWindow& cut, const WindowForm& form, HloOpcode opcode, Attributes& attributes) {
  const WindowDimension& window = form.window;
  if (opcode == HloOpcode::kSlice) {
    static_cast<SliceAttributes&>(attributes).ranges[cut.number] = {0, form.rows, window.stride};
  } else if (opcode == HloOpcode::kPad) {
    PaddingDimension& padding = static_cast<PadAttributes&>(attributes).padding[cut.number];
    padding.low = window.padding_low;
    padding.high = window.padding_high;
  } else if (opcode == HloOpcode::kConvolution) {
    static_cast<ConvolutionAttributes&>(attributes).window.dimensions[cut.number] = window;
  } else {
    static_cast<WindowAttributes&>(attributes).window.dimensions[cut.number] = window;
  }
}

std::unique_ptr<Attributes> AttributesOfForms(const HloInstruction& instruction, const std::vector<CutWindow>& windows,
                                              const Forms& forms) {
  std::unique_ptr<Attributes> attributes = instruction.raw_attributes()->Clone();
  for (size_t i = 0; i < windows.size(); ++i) SetWindow(windows[i], *forms[i], instruction.opcode(), *attributes);
  return attributes;
}

// What the instruction gives where its windows see nothing of the operands.
HloInstruction* OfPaddingOnly(const HloInstruction& instruction, const std::vector<HloInstruction*>& operands,
                              InstructionBuilder& build) {
  const Shape& shape = instruction.shape();
  if (instruction.opcode() == HloOpcode::kConvolution) return build.Splat(shape.WithoutLayout(), 0);
  const int arrays = WindowedOperandCount(instruction);
  if (!shape.IsTuple()) return build.BroadcastScalar(operands[arrays], shape.WithoutLayout());
  std::vector<HloInstruction*> results;
  for (int i = 0; i < arrays; ++i) {
    results.push_back(build.BroadcastScalar(operands[arrays + i], shape.tuple_shape(i).WithoutLayout()));
  }
  return build.Tuple(results);
}

HloInstruction* OfForms(const HloInstruction& instruction, const std::vector<HloInstruction*>& operands,
                        const std::vector<CutWindow>& windows, const Forms& forms, InstructionBuilder& build) {
  for (const WindowForm* form : forms) {
    if (form->rows == 0) return OfPaddingOnly(instruction, operands, build);
  }
  return build.MakeOfShape(instruction.opcode(), instruction.shape().WithoutLayout(),
                           NarrowOperands(instruction, operands, windows, forms, build),
                           AttributesOfForms(instruction, windows, forms), instruction.called_computations());
}

// Which combination of forms the device needs.
HloInstruction* FormNumber(const std::vector<CutWindow>& windows, ShardEmitter& emitter, InstructionBuilder& build) {
  HloInstruction* number = nullptr;
  int64_t scale = 1;
  for (size_t i = windows.size(); i-- > 0;) {
    const WindowTiles& tiles = *windows[i].tiles;
    if (tiles.forms().size() == 1) continue;
    std::vector<int64_t> of_tile;
    for (const int form : tiles.form_of_tile()) of_tile.push_back(form * scale);
    HloInstruction* const part = emitter.OfTile(windows[i].tiling, of_tile);
    number = number == nullptr ? part : build.Add(number, part);
    scale *= static_cast<int64_t>(tiles.forms().size());
  }
  return number;
}

HloInstruction* ChooseForm(const HloInstruction& instruction, const std::vector<CutWindow>& windows, int64_t count,
                           ShardEmitter& emitter, InstructionBuilder& build) {
  HloInstruction* const arguments = build.Tuple(instruction.operands());
  std::vector<HloComputation*> branches;
  std::vector<HloInstruction*> branch_operands = {FormNumber(windows, emitter, build)};
  for (int64_t number = 0; number < count; ++number) {
    HloComputation* const branch = NewComputation(build.module(), absl::StrCat(instruction.name(), "_tile"));
    InstructionBuilder inside(branch, &instruction);
    HloInstruction* const parameter = inside.Parameter(0, arguments->shape());
    std::vector<HloInstruction*> elements;
    for (int i = 0; i < instruction.operand_count(); ++i) elements.push_back(inside.GetTupleElement(parameter, i));
    branch->set_root(OfForms(instruction, elements, windows, FormsOfNumber(windows, number), inside));
    build.UpdateStatus(inside.status());
    branches.push_back(branch);
    branch_operands.push_back(arguments);
  }
  return build.MakeOfShape(HloOpcode::kConditional, branches[0]->root()->shape(), branch_operands, nullptr, branches);
}

void TakeRowsOfOperand(int number, ArrayTiling tiling, const std::vector<CutWindow>& windows, const Literal& neutral,
                       HloInstruction& instruction, ShardEmitter& emitter, InstructionBuilder& build) {
  HloInstruction* x = instruction.operand(number);
  for (const CutWindow& window : windows) {
    x = emitter.TakeRows(x, tiling, window.dimension, window.tiling, *window.tiles);
    // Even if it was whole: neighbours along other dimensions are those with the same rows.
    tiling[window.dimension] = window.tiling;
    // A slice reads rows that do not exist for outputs that do not.
    if (!window.tiles->is_filled() || instruction.opcode() == HloOpcode::kSlice) continue;
    HloInstruction* const fill =
        instruction.opcode() == HloOpcode::kPad ? instruction.operand(1) : build.Constant(neutral);
    x = emitter.FillRows(x, window.dimension, window.tiling, *window.tiles, fill);
  }
  instruction.ReplaceOperand(number, x);
}

}  // namespace

int WindowedOperandCount(const HloInstruction& instruction) {
  return instruction.opcode() == HloOpcode::kReduceWindow ? instruction.operand_count() / 2 : 1;
}

HloInstruction* PartitionWindows(HloInstruction& instruction, const std::vector<ArrayTiling>& operands,
                                 const std::vector<CutWindow>& windows, const Literal& neutral, ShardEmitter& emitter) {
  InstructionBuilder& build = emitter.At(&instruction);
  for (int i = 0; i < WindowedOperandCount(instruction); ++i) {
    TakeRowsOfOperand(i, operands[i], windows, neutral, instruction, emitter, build);
  }
  int64_t count = 1;
  for (const CutWindow& window : windows) count *= static_cast<int64_t>(window.tiles->forms().size());
  const Forms first = FormsOfNumber(windows, 0);
  bool sees_padding_only = false;
  for (const WindowForm* form : first) sees_padding_only |= form->rows == 0;
  if (count > 1) return ChooseForm(instruction, windows, count, emitter, build);
  const std::vector<HloInstruction*> now(instruction.operands().begin(), instruction.operands().end());
  if (sees_padding_only) return OfPaddingOnly(instruction, now, build);
  instruction.SetOperands(NarrowOperands(instruction, now, windows, first, build));
  instruction.set_attributes(AttributesOfForms(instruction, windows, first));
  return &instruction;
}

}  // namespace xla
