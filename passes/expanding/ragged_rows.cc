#include "passes/expanding/ragged_rows.h"

#include <cstdint>
#include <memory>
#include <vector>

#include "xla_core/ops/collective_groups.h"

namespace xla {
namespace {

// Instructions that TakeRaggedRows makes: for each member of the group, and besides, rounded up.
constexpr int64_t kPartsOfMember = 3;
constexpr int64_t kOtherParts = 64;

// Element j of the result is `x` of member j of the group, as a tuple all-to-all moves it.
std::vector<HloInstruction*> Exchanged(const RaggedAllToAllAttributes& ragged,
                                       const std::vector<HloInstruction*>& for_member, InstructionBuilder& build) {
  AllToAllAttributes attributes;
  attributes.channel_id = ragged.channel_id;
  attributes.replica_groups = ragged.replica_groups;
  const std::vector<Shape> shapes(for_member.size(), for_member[0]->shape().WithoutLayout());
  HloInstruction* const exchanged = build.MakeOfShape(HloOpcode::kAllToAll, Shape::Tuple(shapes), for_member,
                                                      std::make_unique<AllToAllAttributes>(attributes));
  std::vector<HloInstruction*> received;
  for (size_t m = 0; m < for_member.size(); ++m) {
    received.push_back(build.GetTupleElement(exchanged, static_cast<int64_t>(m)));
  }
  return received;
}

// Rows `rows` of x, an array of rank 1 of positions that are clamped.
HloInstruction* TakeRows(HloInstruction* x, HloInstruction* rows, InstructionBuilder& build) {
  GatherAttributes attributes;
  attributes.collapsed_slice_dims = {0};
  attributes.start_index_map = {0};
  attributes.index_vector_dim = 1;
  attributes.slice_sizes.assign(x->shape().dimensions().begin(), x->shape().dimensions().end());
  attributes.slice_sizes[0] = 1;
  for (int64_t d = 1; d < x->shape().rank(); ++d) attributes.offset_dims.push_back(d);
  return build.Gather(x, rows, attributes);
}

}  // namespace

// A ragged all-to-all, by exchanging offsets and sizes, and all rows. For each row of the result, the entry that
// covers it is found by comparing with all of them, and the row is taken by a gather.
HloInstruction* TakeRaggedRows(HloInstruction* root, InstructionBuilder& build, CopyBudget& budget) {
  const RaggedAllToAllAttributes& a = root->attributes<RaggedAllToAllAttributes>();
  HloInstruction* const input = root->operand(0);
  HloInstruction* const output = root->operand(1);
  const int64_t members = StaticGroupSize(*root);
  const int64_t entries = root->operand(2)->shape().ElementCount();
  if (members == 0 || entries % members != 0 || input->shape().IsDynamic()) return nullptr;
  if (entries == 0 || input->shape().ElementCount() == 0 || output->shape().ElementCount() == 0) return output;
  if (!budget.TakeParts(*root, kPartsOfMember * members + kOtherParts)) return nullptr;
  const int64_t per_member = entries / members;
  const int64_t have = input->shape().dimension(0);
  const int64_t room = output->shape().dimension(0);

  std::vector<HloInstruction*> columns;
  for (const int operand : {2, 3, 4}) {
    columns.push_back(build.Convert(build.Reshape(root->operand(operand), {members, per_member, 1}), S64));
  }
  HloInstruction* const sent = build.Concatenate(columns, 2);
  std::vector<HloInstruction*> for_member;
  for (int64_t m = 0; m < members; ++m) for_member.push_back(build.SliceInDim(sent, 0, m, m + 1));
  HloInstruction* const told = build.Concatenate(Exchanged(a, for_member, build), 0);
  const std::vector<HloInstruction*> inputs(members, input);
  HloInstruction* const all_rows = build.Concatenate(Exchanged(a, inputs, build), 0);

  const Shape entry_shape = Shape::Array(S64, {entries});
  const auto column = [&](int64_t c) {
    return build.Reshape(build.SliceInDim(told, 2, c, c + 1), entry_shape.dimensions());
  };
  HloInstruction* const sender = build.Reshape(build.Iota(Shape::Array(S64, {members, per_member}), 0), {entries});
  HloInstruction* const from = build.Add(column(0), build.Mul(sender, build.Splat(entry_shape, have)));
  HloInstruction* const to = column(2);

  // Which entry each row of the result is from, the last one of several; -1: none.
  const Shape table = Shape::Array(S64, {room, entries});
  const auto per_row = [&](HloInstruction* x) { return build.Broadcast(x, table.dimensions(), {1}); };
  HloInstruction* const row = build.Iota(table, 0);
  HloInstruction* const is_after = build.Compare(ComparisonDirection::kGe, row, per_row(to));
  HloInstruction* const is_before =
      build.Compare(ComparisonDirection::kLt, build.Sub(row, per_row(to)), per_row(column(1)));
  HloInstruction* const candidate =
      build.Select(build.And(is_after, is_before), build.Iota(table, 1), build.Splat(table, -1));
  HloInstruction* const entry = build.Reduce(candidate, build.Scalar(S64, -1), {1}, HloOpcode::kMaximum);

  const Shape rows = Shape::Array(S64, {room});
  HloInstruction* const source =
      build.Add(build.Iota(rows, 0), build.Sub(TakeRows(from, entry, build), TakeRows(to, entry, build)));
  HloInstruction* const is_received = build.Compare(ComparisonDirection::kGe, entry, build.Splat(rows, 0));
  return build.Select(build.Broadcast(is_received, output->shape().dimensions(), {0}),
                      TakeRows(all_rows, source, build), output);
}

}  // namespace xla
