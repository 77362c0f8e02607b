#include "passes/partitioning/partition_select_and_scatter.h"

#include <cstdint>
#include <memory>

#include "absl/strings/str_cat.h"
#include "xla_core/ir/attributes.h"

namespace xla {
namespace {

// One form of each dimension that is cut.
using FormsOfCuts = std::vector<const ScatterForm*>;

FormsOfCuts FormsNumbered(const std::vector<CutScatter>& cuts, int64_t number) {
  FormsOfCuts forms(cuts.size());
  for (size_t i = cuts.size(); i-- > 0;) {
    const std::vector<ScatterForm>& all = cuts[i].tiles.forms();
    forms[i] = &all[number % static_cast<int64_t>(all.size())];
    number /= static_cast<int64_t>(all.size());
  }
  return forms;
}

HloInstruction* Narrowed(HloInstruction* x, int dimension, int64_t begin, int64_t count, InstructionBuilder& build) {
  if (x->shape().dimension(dimension) == count) return x;
  return build.SliceInDim(x, dimension, begin, begin + count);
}

// What one combination of forms gives, in the shape of the shards.
HloInstruction* ScatterOfForms(const HloInstruction& instruction, HloInstruction* x, HloInstruction* source,
                               HloInstruction* init, const std::vector<CutScatter>& cuts, const FormsOfCuts& forms,
                               InstructionBuilder& build) {
  const Shape& shape = instruction.shape();
  for (const ScatterForm* form : forms) {
    if (form->sources == 0) return build.BroadcastScalar(init, shape.WithoutLayout());
  }
  auto attributes = std::make_unique<WindowAttributes>(instruction.attributes<WindowAttributes>());
  for (size_t i = 0; i < cuts.size(); ++i) {
    x = Narrowed(x, cuts[i].dimension, forms[i]->first_row, forms[i]->rows, build);
    source = Narrowed(source, cuts[i].dimension, forms[i]->first_source, forms[i]->sources, build);
    attributes->window.dimensions[cuts[i].dimension] = forms[i]->window;
  }
  HloInstruction* result = build.MakeOfShape(instruction.opcode(), x->shape().WithoutLayout(), {x, source, init},
                                             std::move(attributes), instruction.called_computations());
  PaddingConfig padding(shape.rank());
  for (size_t i = 0; i < cuts.size(); ++i) {
    const int k = cuts[i].dimension;
    result = Narrowed(result, k, forms[i]->first_own, forms[i]->own_rows, build);
    padding[k].high = shape.dimension(k) - forms[i]->own_rows;
  }
  // The last tiles have rows that do not exist.
  return result->shape().Compatible(shape) ? result : build.Pad(result, init, std::move(padding));
}

// Which combination of forms the device needs.
HloInstruction* NumberOfForms(const std::vector<CutScatter>& cuts, ShardEmitter& emitter, InstructionBuilder& build) {
  HloInstruction* number = nullptr;
  int64_t scale = 1;
  for (size_t i = cuts.size(); i-- > 0;) {
    if (cuts[i].tiles.forms().size() == 1) continue;
    std::vector<int64_t> of_tile;
    for (const int form : cuts[i].tiles.form_of_tile()) of_tile.push_back(form * scale);
    HloInstruction* const part = emitter.OfTile(cuts[i].tiling, of_tile);
    number = number == nullptr ? part : build.Add(number, part);
    scale *= static_cast<int64_t>(cuts[i].tiles.forms().size());
  }
  return number;
}

HloInstruction* RowsOfNeighbours(HloInstruction* x, ArrayTiling tiling, bool is_source,
                                 const std::vector<CutScatter>& cuts, ShardEmitter& emitter) {
  for (const CutScatter& cut : cuts) {
    const WindowTiles& tiles = is_source ? cut.tiles.sources() : cut.tiles.rows();
    x = emitter.TakeRows(x, tiling, cut.dimension, cut.tiling, tiles);
    tiling[cut.dimension] = cut.tiling;
  }
  return x;
}

}  // namespace

HloInstruction* SelectAndScatterShards(const HloInstruction& instruction, const std::vector<ArrayTiling>& operands,
                                       const std::vector<CutScatter>& cuts, ShardEmitter& emitter) {
  InstructionBuilder& build = emitter.At(&instruction);
  HloInstruction* const x = RowsOfNeighbours(instruction.operand(0), operands[0], /*is_source=*/false, cuts, emitter);
  HloInstruction* const source =
      RowsOfNeighbours(instruction.operand(1), operands[1], /*is_source=*/true, cuts, emitter);
  HloInstruction* const init = instruction.operand(2);
  int64_t count = 1;
  for (const CutScatter& cut : cuts) count *= static_cast<int64_t>(cut.tiles.forms().size());
  if (count == 1) return ScatterOfForms(instruction, x, source, init, cuts, FormsNumbered(cuts, 0), build);

  HloInstruction* const arguments = build.Tuple({x, source, init});
  std::vector<HloComputation*> branches;
  std::vector<HloInstruction*> branch_operands = {NumberOfForms(cuts, emitter, build)};
  for (int64_t number = 0; number < count; ++number) {
    HloComputation* const branch = NewComputation(build.module(), absl::StrCat(instruction.name(), "_tile"));
    InstructionBuilder inside(branch, &instruction);
    HloInstruction* const parameter = inside.Parameter(0, arguments->shape());
    branch->set_root(ScatterOfForms(instruction, inside.GetTupleElement(parameter, 0),
                                    inside.GetTupleElement(parameter, 1), inside.GetTupleElement(parameter, 2), cuts,
                                    FormsNumbered(cuts, number), inside));
    build.UpdateStatus(inside.status());
    branches.push_back(branch);
    branch_operands.push_back(arguments);
  }
  return build.MakeOfShape(HloOpcode::kConditional, branches[0]->root()->shape(), branch_operands, nullptr, branches);
}

}  // namespace xla
