#include "passes/analyses/index_maps.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "passes/analyses/cost.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/resource_poll.h"

namespace xla {
namespace {

__extension__ using Wide = __int128;

// Sets of maps beyond this say nothing of use.
constexpr size_t kMaxMaps = 64;

// ---- Single instructions

class MapBuilder {
 public:
  explicit MapBuilder(const HloInstruction& instruction)
      : instruction_(instruction),
        rank_(instruction.shape().rank()),
        algebra_(
            std::vector<int64_t>(instruction.shape().dimensions().begin(), instruction.shape().dimensions().end())) {}

  absl::optional<std::vector<IndexMap>> Build() {
    if (!Describe()) return absl::nullopt;
    if (algebra_.failed()) return absl::nullopt;
    for (IndexMap& map : maps_) map.result_rank = rank_;
    return std::move(maps_);
  }

 private:
  const Shape& Operand(int i) const { return instruction_.operand(i)->shape(); }

  std::vector<IndexExpression> ResultIndex() const {
    std::vector<IndexExpression> index;
    for (int d = 0; d < rank_; ++d) index.push_back(algebra_.Variable(d));
    return index;
  }
  IndexMap& AddMap(int operand, std::vector<IndexExpression> index) {
    maps_.emplace_back();
    maps_.back().operand = operand;
    maps_.back().variable_sizes = algebra_.sizes();
    maps_.back().index = std::move(index);
    return maps_.back();
  }
  // Left out where it always holds.
  void AddCondition(IndexMap* map, const IndexExpression& expression, int64_t low, int64_t high) {
    if (!algebra_.IsAlwaysWithin(expression, low, high)) map->conditions.push_back({expression, low, high});
  }

  // False if it cannot be told.
  bool Describe() {
    using Rule = bool (MapBuilder::*)();
    static constexpr OpcodeMap<Rule> kRules(/*otherwise=*/nullptr, {{HloOpcode::kBroadcast, &MapBuilder::Broadcast},
                                                                    {HloOpcode::kTranspose, &MapBuilder::Transpose},
                                                                    {HloOpcode::kSlice, &MapBuilder::Slice},
                                                                    {HloOpcode::kReverse, &MapBuilder::Reverse},
                                                                    {HloOpcode::kReshape, &MapBuilder::Reshape},
                                                                    {HloOpcode::kBitcast, &MapBuilder::Bitcast},
                                                                    {HloOpcode::kPad, &MapBuilder::Pad},
                                                                    {HloOpcode::kConcatenate, &MapBuilder::Concatenate},
                                                                    {HloOpcode::kReduce, &MapBuilder::Reduce},
                                                                    {HloOpcode::kDot, &MapBuilder::Dot}});
    const HloOpcode opcode = instruction_.opcode();
    if (HasTrait(opcode, opcode_trait::kFromAttributes)) return true;  // it reads nothing
    if (IsElementwise(opcode)) return Elementwise();
    const Rule rule = kRules[opcode];
    return rule != nullptr && (this->*rule)();
  }

  bool Broadcast() {
    std::vector<IndexExpression> index;
    for (const int64_t d : instruction_.attributes<BroadcastAttributes>().dimensions) {
      index.push_back(algebra_.Variable(d));
    }
    AddMap(0, std::move(index));
    return true;
  }

  bool Transpose() {
    std::vector<IndexExpression> index(rank_);
    const auto& permutation = instruction_.attributes<DimensionsAttributes>().dimensions;
    for (int d = 0; d < rank_; ++d) index[permutation[d]] = algebra_.Variable(d);
    AddMap(0, std::move(index));
    return true;
  }

  bool Slice() {
    std::vector<IndexExpression> index = ResultIndex();
    const auto& ranges = instruction_.attributes<SliceAttributes>().ranges;
    for (int d = 0; d < rank_; ++d) {
      index[d] = algebra_.Add(algebra_.Multiply(index[d], ranges[d].stride), ranges[d].start);
    }
    AddMap(0, std::move(index));
    return true;
  }

  bool Reverse() {
    std::vector<IndexExpression> index = ResultIndex();
    for (const int64_t d : instruction_.attributes<DimensionsAttributes>().dimensions) {
      const int64_t size = instruction_.shape().dimension(static_cast<int>(d));
      if (size > 1) index[d] = algebra_.Add(algebra_.Multiply(index[d], -1), size - 1);
    }
    AddMap(0, std::move(index));
    return true;
  }

  bool Bitcast() { return IsRowMajorBitcast() && Reshape(); }

  bool Elementwise() {
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      AddMap(i, Operand(i).rank() == 0 ? std::vector<IndexExpression>() : ResultIndex());
    }
    return true;
  }

  bool IsRowMajorBitcast() const {
    const auto row_major = [](const Shape& shape) {
      return !shape.has_layout() || shape.layout()->minor_to_major == RowMajorLayout(shape.rank())->minor_to_major;
    };
    return instruction_.shape().element_type() == Operand(0).element_type() && row_major(instruction_.shape()) &&
           row_major(Operand(0));
  }

  // Runs of dimensions of both shapes with the same number of elements belong together; within them an element's
  // number says where it is.
  bool Reshape() {
    const Shape& from = Operand(0);
    const Shape& to = instruction_.shape();
    std::vector<IndexExpression> index(from.rank());
    int a = 0, b = 0;
    while (a < from.rank() || b < to.rank()) {
      const int first_a = a, first_b = b;
      Wide size_a = a < from.rank() ? from.dimension(a++) : 1;
      Wide size_b = b < to.rank() ? to.dimension(b++) : 1;
      while (size_a != size_b) {
        if (size_a < size_b) {
          if (a == from.rank()) return false;  // no elements: any index will do, and none is read
          size_a *= from.dimension(a++);
        } else {
          if (b == to.rank()) return false;
          size_b *= to.dimension(b++);
        }
      }
      IndexExpression number = algebra_.Constant(0);
      for (int d = first_b; d < b; ++d) {
        number = algebra_.Add(algebra_.Multiply(number, to.dimension(d)), algebra_.Variable(d));
      }
      int64_t stride = 1;
      for (int d = a - 1; d >= first_a; --d) {
        const IndexExpression quotient = algebra_.Divide(number, stride);
        index[d] = d == first_a ? quotient : algebra_.Remainder(quotient, from.dimension(d));
        stride *= from.dimension(d);
      }
    }
    AddMap(0, std::move(index));
    return true;
  }

  // Pad gives two maps: inside, result index d reads (d - low) / (interior + 1) of the operand where that divides
  // evenly and lies in bounds; elsewhere, it reads the scalar padding value, for which no condition is stated.
  bool Pad() {
    IndexMap map;
    const auto& padding = instruction_.attributes<PadAttributes>().padding;
    for (int d = 0; d < rank_; ++d) {
      const int64_t step = padding[d].interior + 1;
      const IndexExpression shifted = algebra_.Add(algebra_.Variable(d), -padding[d].low);
      const IndexExpression index = algebra_.Divide(shifted, step);
      AddCondition(&map, index, 0, Operand(0).dimension(d) - 1);
      if (step > 1) AddCondition(&map, algebra_.Remainder(shifted, step), 0, 0);
      map.index.push_back(index);
    }
    map.variable_sizes = algebra_.sizes();
    maps_.push_back(std::move(map));
    AddMap(1, {});  // elsewhere
    return true;
  }

  bool Concatenate() {
    const int64_t along = instruction_.attributes<DimensionAttributes>().dimension;
    int64_t start = 0;
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      std::vector<IndexExpression> index = ResultIndex();
      index[along] = algebra_.Add(index[along], -start);
      const int64_t size = Operand(i).dimension(static_cast<int>(along));
      IndexMap& map = AddMap(i, index);
      AddCondition(&map, index[along], 0, size - 1);
      start += size;
    }
    return true;
  }

  bool Reduce() {
    if (instruction_.shape().IsTuple()) return false;
    const auto& reduced = instruction_.attributes<DimensionsAttributes>().dimensions;
    std::vector<IndexExpression> index;
    int64_t kept = 0;
    for (int d = 0; d < Operand(0).rank(); ++d) {
      const bool is_reduced = std::find(reduced.begin(), reduced.end(), d) != reduced.end();
      const int64_t variable = is_reduced ? algebra_.AddVariable(Operand(0).dimension(d)) : kept++;
      index.push_back(algebra_.Variable(variable));
    }
    AddMap(0, std::move(index));
    // The initial value counts once, even where there is nothing to combine it with.
    AddMap(1, {}).variable_sizes.resize(rank_);
    return true;
  }

  // Result dimensions are in the order of HLO: batch, then those of the lhs, then those of the rhs that are not
  // contracted. Each contracted pair adds one variable that runs over all of its indices.
  bool Dot() {
    const auto& attributes = instruction_.attributes<DotAttributes>();
    std::vector<IndexExpression> lhs(Operand(0).rank()), rhs(Operand(1).rank());
    std::vector<bool> lhs_set(lhs.size()), rhs_set(rhs.size());
    int64_t next = 0;
    for (size_t i = 0; i < attributes.lhs_batch_dims.size(); ++i, ++next) {
      lhs[attributes.lhs_batch_dims[i]] = rhs[attributes.rhs_batch_dims[i]] = algebra_.Variable(next);
      lhs_set[attributes.lhs_batch_dims[i]] = rhs_set[attributes.rhs_batch_dims[i]] = true;
    }
    for (size_t i = 0; i < attributes.lhs_contracting_dims.size(); ++i) {
      const int64_t d = attributes.lhs_contracting_dims[i];
      const int64_t variable = algebra_.AddVariable(Operand(0).dimension(static_cast<int>(d)));
      lhs[d] = rhs[attributes.rhs_contracting_dims[i]] = algebra_.Variable(variable);
      lhs_set[d] = rhs_set[attributes.rhs_contracting_dims[i]] = true;
    }
    for (size_t d = 0; d < lhs.size(); ++d) {
      if (!lhs_set[d]) lhs[d] = algebra_.Variable(next++);
    }
    for (size_t d = 0; d < rhs.size(); ++d) {
      if (!rhs_set[d]) rhs[d] = algebra_.Variable(next++);
    }
    AddMap(0, std::move(lhs));
    AddMap(1, std::move(rhs));
    return true;
  }

  const HloInstruction& instruction_;
  const int rank_;
  IndexAlgebra algebra_;
  std::vector<IndexMap> maps_;
};

// ---- Fusions

// `inner` says what an operand is made of that `outer` reads.
absl::optional<IndexMap> Compose(const IndexMap& outer, const IndexMap& inner) {
  IndexAlgebra algebra(outer.variable_sizes);
  std::vector<IndexExpression> values = outer.index;
  for (size_t i = inner.result_rank; i < inner.variable_sizes.size(); ++i) {
    values.push_back(algebra.Variable(algebra.AddVariable(inner.variable_sizes[i])));
  }
  IndexMap map;
  map.operand = inner.operand;
  map.result_rank = outer.result_rank;
  map.conditions = outer.conditions;
  for (const IndexExpression& index : inner.index) map.index.push_back(algebra.Substitute(index, values));
  for (const IndexCondition& condition : inner.conditions) {
    const IndexExpression expression = algebra.Substitute(condition.expression, values);
    if (!algebra.IsAlwaysWithin(expression, condition.low, condition.high)) {
      map.conditions.push_back({expression, condition.low, condition.high});
    }
  }
  map.variable_sizes = algebra.sizes();
  if (algebra.failed() || map.conditions.size() > kMaxMaps) return absl::nullopt;
  return map;
}

bool IsStaticArray(const Shape& shape) { return shape.IsArray() && !shape.IsDynamic(); }

// Users before operands, each instruction with all the ways in which the root reads it.
absl::optional<std::vector<IndexMap>> MapsOfFusion(const HloInstruction& fusion) {
  const HloComputation& body = *fusion.called_computation(0);
  const HloInstruction& root = *body.root();
  if (!IsStaticArray(root.shape())) return absl::nullopt;
  absl::flat_hash_map<const HloInstruction*, std::vector<IndexMap>> reads;
  IndexMap identity;
  identity.result_rank = root.shape().rank();
  identity.variable_sizes.assign(root.shape().dimensions().begin(), root.shape().dimensions().end());
  const IndexAlgebra algebra(identity.variable_sizes);
  for (int d = 0; d < root.shape().rank(); ++d) identity.index.push_back(algebra.Variable(d));
  reads[&root] = {identity};
  std::vector<IndexMap> result;
  const auto instructions = body.instructions();
  for (size_t i = instructions.size(); i > 0; --i) {
    const HloInstruction& instruction = *instructions[i - 1];
    const auto found = reads.find(&instruction);
    if (found == reads.end()) continue;
    const std::vector<IndexMap> ways = std::move(found->second);
    if (instruction.opcode() == HloOpcode::kParameter) {
      for (IndexMap way : ways) {
        way.operand = static_cast<int>(instruction.attributes<ParameterAttributes>().number);
        result.push_back(std::move(way));
      }
      continue;
    }
    if (instruction.opcode() == HloOpcode::kFusion) return absl::nullopt;  // fusions nest to any depth
    const auto maps = IndexMapsOf(instruction);
    if (!maps.has_value()) return absl::nullopt;
    for (const IndexMap& map : *maps) {
      std::vector<IndexMap>& known = reads[instruction.operand(map.operand)];
      for (const IndexMap& way : ways) {
        absl::optional<IndexMap> composed = Compose(way, map);
        if (!composed.has_value()) return absl::nullopt;
        composed->operand = 0;
        if (std::find(known.begin(), known.end(), *composed) == known.end()) known.push_back(*std::move(composed));
        if (known.size() > kMaxMaps) return absl::nullopt;
      }
    }
  }
  std::stable_sort(result.begin(), result.end(),
                   [](const IndexMap& a, const IndexMap& b) { return a.operand < b.operand; });
  return result;
}

}  // namespace

bool IndexMap::IsIdentity() const {
  if (!conditions.empty() || static_cast<int64_t>(index.size()) != result_rank) return false;
  for (int64_t d = 0; d < result_rank; ++d) {
    const bool is_only_element = variable_sizes[d] <= 1 && index[d] == IndexExpression();
    if (!is_only_element && !index[d].IsVariable(d)) return false;
  }
  return true;
}

// Text such as `(d0, d1) -> operand 0 at (d1, d0 + 2) if 0 <= d0 <= 3`; `for all r0 < n` names the variables that a
// result element sums over.
std::string IndexMap::ToString() const {
  std::vector<std::string> variables, indices, bounds;
  for (int64_t d = 0; d < result_rank; ++d) variables.push_back(absl::StrCat("d", d));
  for (const IndexExpression& expression : index) indices.push_back(expression.ToString(result_rank));
  for (size_t i = result_rank; i < variable_sizes.size(); ++i) {
    bounds.push_back(absl::StrCat("r", i - result_rank, " < ", variable_sizes[i]));
  }
  std::vector<std::string> parts;
  for (const IndexCondition& condition : conditions) {
    parts.push_back(
        absl::StrCat(condition.low, " <= ", condition.expression.ToString(result_rank), " <= ", condition.high));
  }
  return absl::StrCat("(", absl::StrJoin(variables, ", "), ") -> operand ", operand, " at (",
                      absl::StrJoin(indices, ", "), ")", bounds.empty() ? "" : " for all ", absl::StrJoin(bounds, ", "),
                      parts.empty() ? "" : " if ", absl::StrJoin(parts, " and "));
}

absl::optional<std::vector<IndexMap>> IndexMapsOf(const HloInstruction& instruction) {
  const auto operands = instruction.operands();
  const bool is_static = IsStaticArray(instruction.shape()) &&
                         std::all_of(operands.begin(), operands.end(),
                                     [](const HloInstruction* operand) { return IsStaticArray(operand->shape()); });
  if (!is_static) return absl::nullopt;
  if (instruction.opcode() == HloOpcode::kFusion) return MapsOfFusion(instruction);
  return MapBuilder(instruction).Build();
}

std::string PrintIndexMaps(const HloModule& module, const ResourceContext* resources) {
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    if (computation->is_fusion_computation()) continue;
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed() || IsElementwise(instruction->opcode())) continue;
      if (poll.IsOver(1 + instruction->operand_count())) return text;
      const auto maps = IndexMapsOf(*instruction);
      if (!maps.has_value()) continue;
      for (const IndexMap& map : *maps) {
        absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": ", map.ToString(), "\n");
      }
    }
  }
  return text;
}

}  // namespace xla
