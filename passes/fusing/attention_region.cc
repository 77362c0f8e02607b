#include "passes/fusing/attention_region.h"

#include <algorithm>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "passes/analyses/strided_attention.h"
#include "passes/fusing/fusion_traits.h"
#include "xla_core/ir/attributes.h"
#include "xla_core/ir/hlo_computation.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

bool HasDimensions(const Shape& shape, absl::Span<const int64_t> dimensions) {
  if (!shape.IsArray() || shape.IsDynamic() || shape.rank() != static_cast<int>(dimensions.size())) return false;
  for (int i = 0; i < shape.rank(); ++i) {
    if (shape.dimension(i) != dimensions[i]) return false;
  }
  return true;
}

// Grows from the weights to the scores.
class Region {
 public:
  Region(HloInstruction* dot, int side, const AttentionLimits& limits) : dot_(dot), side_(side), limits_(limits) {}

  absl::optional<PlannedFusion> Find() {
    const HloInstruction& weights = *dot_->operand(side_);
    if (!MayBeWeights(weights.shape())) return absl::nullopt;
    full_.assign(weights.shape().dimensions().begin(), weights.shape().dimensions().end());
    Add(dot_);
    if (!Grow() || scores_ == nullptr || !reduces_ || !has_exponential_) return absl::nullopt;
    HloInstruction* const transpose = OnlyTranspose();
    if (transpose != nullptr && IsWithinLimits(*transpose)) {
      order_.insert(order_.begin(), transpose);
    } else if (!IsWithinLimits(*dot_)) {
      return absl::nullopt;
    }
    PlannedFusion plan;
    plan.outputs = {order_.front()};
    plan.has_product = true;
    plan.members.assign(order_.rbegin(), order_.rend());
    return plan;
  }

 private:
  // The sum goes over the last dimension of the weights alone.
  bool MayBeWeights(const Shape& shape) const {
    const auto& attributes = dot_->attributes<DotAttributes>();
    const auto& contracting = side_ == 0 ? attributes.lhs_contracting_dims : attributes.rhs_contracting_dims;
    return shape.IsArray() && !shape.IsDynamic() && shape.rank() >= 2 && shape.ElementCount() > 0 &&
           IsFloat(shape.element_type()) && contracting.size() == 1 && contracting[0] == shape.rank() - 1 &&
           !dot_->HasControlEdges();
  }

  // An operand becomes a member when all of its users are, and so comes after them in `order_`.
  bool Grow() {
    std::vector<HloInstruction*> pending = {dot_->operands()[side_]};
    while (!pending.empty()) {
      HloInstruction* const next = pending.back();
      pending.pop_back();
      if (members_.contains(next) || copies_.contains(next)) continue;
      const bool is_copied = IsFree(*next);
      if (is_copied) {
        copies_.insert(next);
        copied_.push_back(next);
      } else if (IsOnlyForMembers(*next) && IsRowOperation(*next)) {
        Add(next);
      } else {
        continue;
      }
      if (static_cast<int64_t>(order_.size() + copied_.size()) > limits_.max_members) return false;
      if (next == scores_) continue;
      reduces_ = reduces_ || next->opcode() == HloOpcode::kReduce;
      has_exponential_ = has_exponential_ || next->opcode() == HloOpcode::kExp;
      for (HloInstruction* operand : next->operands()) {
        const bool is_broadcast = is_copied && !IsScalarConstant(*operand);
        if (!is_broadcast) pending.push_back(operand);
      }
    }
    // They depend on no member but each other: a broadcast on its constant.
    for (const bool constants : {false, true}) {
      for (HloInstruction* copy : copied_) {
        if (IsScalarConstant(*copy) == constants) order_.push_back(copy);
      }
    }
    return true;
  }

  void Add(HloInstruction* member) {
    members_.insert(member);
    order_.push_back(member);
  }

  bool IsOnlyForMembers(const HloInstruction& instruction) const {
    const auto users = instruction.users();
    return &instruction != instruction.parent()->root() && !instruction.HasControlEdges() &&
           std::all_of(users.begin(), users.end(), [&](const HloInstruction* user) { return members_.contains(user); });
  }

  bool IsFull(const Shape& shape) const { return HasDimensions(shape, full_); }
  bool IsRow(const Shape& shape) const {
    return HasDimensions(shape, absl::MakeConstSpan(full_).subspan(0, full_.size() - 1));
  }

  // Members that each user may have its own copy of.
  bool IsFree(const HloInstruction& instruction) const {
    if (instruction.HasControlEdges()) return false;
    if (IsScalarConstant(instruction)) return true;
    if (!IsFull(instruction.shape()) && !IsRow(instruction.shape())) return false;
    if (instruction.opcode() == HloOpcode::kIota) return true;
    return instruction.opcode() == HloOpcode::kBroadcast && !IsOverRows(instruction);
  }

  // One number for each row.
  bool IsOverRows(const HloInstruction& broadcast) const {
    const auto& dimensions = broadcast.attributes<BroadcastAttributes>().dimensions;
    if (!IsFull(broadcast.shape()) || !IsRow(broadcast.operand(0)->shape())) return false;
    for (size_t i = 0; i < dimensions.size(); ++i) {
      if (dimensions[i] != static_cast<int64_t>(i)) return false;
    }
    return true;
  }

  bool IsRowOperation(HloInstruction& instruction) {
    const Shape& shape = instruction.shape();
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kDot) {
      if (scores_ != nullptr || !IsFull(shape)) return false;
      scores_ = &instruction;
      return true;
    }
    if (opcode == HloOpcode::kBroadcast) return IsOverRows(instruction);
    if (opcode == HloOpcode::kReduce) {
      const auto& dimensions = instruction.attributes<DimensionsAttributes>().dimensions;
      return IsRow(shape) && instruction.operand_count() == 2 && IsFull(instruction.operand(0)->shape()) &&
             dimensions.size() == 1 && dimensions[0] == static_cast<int64_t>(full_.size()) - 1;
    }
    return IsElementwise(opcode) && (IsFull(shape) || IsRow(shape)) && HasOperandsLike(instruction);
  }

  // Not the scalars that select and clamp allow.
  static bool HasOperandsLike(const HloInstruction& instruction) {
    const auto operands = instruction.operands();
    return std::all_of(operands.begin(), operands.end(), [&](const HloInstruction* operand) {
      return HasDimensions(operand->shape(), instruction.shape().dimensions()) || IsScalarConstant(*operand);
    });
  }

  HloInstruction* OnlyTranspose() const {
    if (dot_->users().size() != 1 || dot_->parent()->root() == dot_) return nullptr;
    HloInstruction* const user = dot_->users()[0];
    return user->opcode() == HloOpcode::kTranspose && !user->HasControlEdges() ? user : nullptr;
  }

  bool IsWithinLimits(const HloInstruction& result) const {
    const absl::optional<StridedAttention> attention = StridedAttentionOf(*scores_, result, side_);
    if (!attention.has_value()) return false;
    const int64_t bytes = ByteWidth(scores_->shape().element_type());
    return attention->rows >= limits_.min_score_bytes / (attention->keys * bytes) &&
           attention->matrix_rows >= limits_.min_rows && attention->keys <= limits_.max_keys &&
           attention->scores.k <= limits_.max_features && attention->values.n <= limits_.max_features;
  }

  HloInstruction* const dot_;
  const int side_;
  const AttentionLimits& limits_;
  absl::InlinedVector<int64_t, 6> full_;  // dimensions of the scores
  absl::flat_hash_set<const HloInstruction*> members_;
  std::vector<HloInstruction*> order_;  // the same, users before operands
  // Those that may have other users, too.
  absl::flat_hash_set<const HloInstruction*> copies_;
  std::vector<HloInstruction*> copied_;
  HloInstruction* scores_ = nullptr;
  bool reduces_ = false;
  bool has_exponential_ = false;
};

}  // namespace

absl::optional<PlannedFusion> FindAttention(HloInstruction* dot, const AttentionLimits& limits) {
  if (dot->opcode() != HloOpcode::kDot) return absl::nullopt;
  for (const int side : {0, 1}) {
    absl::optional<PlannedFusion> found = Region(dot, side, limits).Find();
    if (found.has_value()) return found;
  }
  return absl::nullopt;
}

}  // namespace xla
