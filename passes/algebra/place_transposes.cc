#include "passes/algebra/place_transposes.h"

#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "passes/algebra/minimum_cut.h"
#include "passes/algebra/movement.h"
#include "passes/algebra/reordered_operation.h"
#include "passes/base/rewrite_rule.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// What is better for one order may be better still once another has had its turn; more than a few rounds are not worth
// their time.
constexpr int kMaxPlacements = 8;
// A cut takes time in proportion to the graph and to the transposes in it.
constexpr int64_t kMostInstructions = 50000;
// Those of a program are two for each kind of convolution, forth and back.
constexpr size_t kMostOrders = 16;

int64_t Bytes(const HloInstruction& x) { return x.shape().ByteSize(); }

bool IsStatic(const HloInstruction& x) {
  const auto operands = x.operands();
  return !x.shape().IsDynamic() && std::none_of(operands.begin(), operands.end(), [](const HloInstruction* operand) {
    return operand->shape().IsDynamic();
  });
}

bool IsMovable(const HloInstruction& x) { return !x.HasControlEdges() && IsStatic(x); }

// Before the program runs.
bool IsKnown(const HloInstruction& x) { return HasTrait(x.opcode(), opcode_trait::kFromAttributes); }

bool IsTranspose(const HloInstruction& x) { return x.opcode() == HloOpcode::kTranspose && IsMovable(x); }

// The choice for the instructions of one computation and one other order of dimensions.
class Placement {
 public:
  Placement(HloComputation* computation, DimensionVector place)
      : computation_(computation),
        place_(std::move(place)),
        back_(InversePermutation(place_)),
        instructions_(computation->LiveInstructions()) {
    for (HloInstruction* x : instructions_) {
      const Role role = RoleOf(*x);
      if (role != Role::kOther) roles_.emplace(x, role);
    }
  }

  // Whether fewer bytes have to move than do now.
  bool Improves() {
    int64_t now = 0;
    for (const HloInstruction* x : instructions_) {
      if (Is(*x, Role::kFrom)) now += CostToSame(*x);
      if (FindTo(*x) != nullptr) now += CostToOther(*x);
    }
    if (now == 0) return false;
    for (const HloInstruction* x : instructions_) AddNeeds(*x);
    return cut_.Solve() < now;
  }

  // Carries out the placement: makes the instructions that are better off in the other order, moves their readers
  // over, and puts a transpose where someone still reads the old order.
  absl::Status Apply() {
    for (HloInstruction* x : instructions_) {
      if (IsReordered(*x)) MakeReordered(x);
    }
    // Before anything is replaced: what is asked of the instructions are their users as they were.
    std::vector<HloInstruction*> read_as_it_was;
    for (HloInstruction* x : instructions_) {
      if (IsReordered(*x) && IsReadAsItIs(*x)) read_as_it_was.push_back(x);
    }
    for (HloInstruction* x : instructions_) {
      if (Is(*x, Role::kTo) && IsInOtherOrder(*x->operand(0))) Replace(x, Other(x->operand(0), x));
    }
    for (HloInstruction* x : instructions_) {
      if (IsInOtherOrder(*x)) MoveReaders(x);
    }
    for (HloInstruction* x : read_as_it_was) {
      InstructionBuilder build(computation_, x);
      Replace(x, build.Transpose(other_.at(x), place_));
      Note(build);
    }
    for (size_t i = instructions_.size(); i-- > 0;) RemoveIfDead(instructions_[i]);
    return status_;
  }

 private:
  enum class Role {
    kFrom,     // a transpose whose operand is its result in the other order
    kTo,       // a transpose whose result is its operand in the other order
    kNeutral,  // can be done in either order, of operands in the same
    kProduct,  // can be made in either order, whatever that of its operands
    kOther
  };

  Role RoleOf(const HloInstruction& x) const {
    if (IsTranspose(x)) {
      // One that is its own inverse is the second of two transposes if it can be.
      const bool is_to = DimensionsOf(x) == back_;
      if (is_to && (place_ != back_ || HasChoice(*x.operand(0)))) return Role::kTo;
      if (DimensionsOf(x) == place_) return Role::kFrom;
    }
    if (!IsMovable(x)) return Role::kOther;
    if (CanReorder(x, place_)) return Role::kNeutral;
    return IsReorderedByExchange(x, place_) ? Role::kProduct : Role::kOther;
  }
  // Not what is there in the order as it stands only.
  bool HasChoice(const HloInstruction& x) const {
    return Is(x, Role::kFrom) || Is(x, Role::kNeutral) || Is(x, Role::kProduct);
  }
  bool Is(const HloInstruction& x, Role role) const {
    const auto known = roles_.find(&x);
    return (known == roles_.end() ? Role::kOther : known->second) == role;
  }
  bool IsRoot(const HloInstruction& x) const { return computation_->root() == &x; }
  // Reads it in whatever order it is.
  bool IsReader(const HloInstruction& user, const HloInstruction& x) const {
    if (!IsMovable(user)) return false;
    for (int i = 0; i < user.operand_count(); ++i) {
      if (user.operand(i) == &x && !CanReadReordered(user, i, place_)) return false;
    }
    return true;
  }
  // A transpose of x to the other order, if there is one already.
  HloInstruction* FindTo(const HloInstruction& x) const {
    for (HloInstruction* user : x.users()) {
      if (Is(*user, Role::kTo)) return user;
    }
    return nullptr;
  }

  // ---- The graph

  // The vertex of an instruction. Those that are transposes back are tied to the sink and those without a choice to
  // the source, by edges that no cut crosses.
  int Vertex(const HloInstruction& x) {
    const auto [known, is_new] = vertices_.try_emplace(&x, 0);
    if (is_new) {
      known->second = cut_.AddVertex();
      if (Is(x, Role::kFrom)) {
        cut_.AddEdge(known->second, MinimumCut::kSink, MinimumCut::kNever);
      } else if (!HasChoice(x)) {
        cut_.AddEdge(MinimumCut::kSource, known->second, MinimumCut::kNever);
      }
    }
    return known->second;
  }

  // Bytes that a transpose moves which brings x from the other order, in which it was made.
  int64_t CostToSame(const HloInstruction& x) const {
    return Is(x, Role::kFrom) && IsKnown(*x.operand(0)) ? 0 : Bytes(x);
  }
  // The same for one that brings it to the other order.
  int64_t CostToOther(const HloInstruction& x) const {
    if (IsKnown(x)) return 0;
    if (x.opcode() != HloOpcode::kBroadcast) return Bytes(x);
    // What is repeated changes its order at most.
    return IsAscending(Permuted(place_, DimensionsOf(x))) ? 0 : Bytes(*x.operand(0));
  }

  // Each array is brought to the one order or the other once, however many ask for that.
  void AddNeeds(const HloInstruction& x) {
    const bool is_array = x.shape().IsArray() && x.shape().rank() == static_cast<int64_t>(place_.size());
    if (!is_array) return;
    int other = -1, same = -1;
    const auto needs_other = [&](int user) {
      if (other == -1) {
        other = cut_.AddVertex();
        cut_.AddEdge(Vertex(x), other, CostToOther(x));
      }
      cut_.AddEdge(other, user, MinimumCut::kNever);
    };
    const auto needs_same = [&](int user) {
      if (same == -1) {
        same = cut_.AddVertex();
        cut_.AddEdge(same, Vertex(x), CostToSame(x));
      }
      cut_.AddEdge(user, same, MinimumCut::kNever);
    };
    const bool has_choice = HasChoice(x);
    for (const HloInstruction* user : x.users()) {
      if (Is(*user, Role::kTo)) {
        needs_other(MinimumCut::kSink);
      } else if (Is(*user, Role::kNeutral)) {
        const int vertex = Vertex(*user);
        needs_other(vertex);
        if (has_choice) needs_same(vertex);
      } else if (has_choice && !IsReader(*user, x)) {
        needs_same(MinimumCut::kSource);
      }
    }
    if (has_choice && IsRoot(x)) needs_same(MinimumCut::kSource);
  }

  // ---- The rewrite

  // Done in the other order from now on.
  bool IsReordered(const HloInstruction& x) const {
    const auto vertex = vertices_.find(&x);
    return !Is(x, Role::kFrom) && vertex != vertices_.end() && cut_.IsOnSinkSide(vertex->second);
  }
  // There without a transpose.
  bool IsInOtherOrder(const HloInstruction& x) const { return Is(x, Role::kFrom) || IsReordered(x); }
  bool IsReadAsItIs(const HloInstruction& x) const {
    const auto users = x.users();
    return IsRoot(x) || std::any_of(users.begin(), users.end(), [&](const HloInstruction* user) {
             if (Is(*user, Role::kTo)) return false;
             return Is(*user, Role::kNeutral) ? !IsReordered(*user) : !IsReader(*user, x);
           });
  }

  void MakeReordered(HloInstruction* x) {
    if (Is(*x, Role::kProduct)) return Exchange(x);
    std::vector<HloInstruction*> operands;
    for (HloInstruction* operand : x->operands()) {
      operands.push_back(operand->shape().rank() == 0 ? operand : Other(operand, x));
    }
    InstructionBuilder build(computation_, x);
    other_[x] = Reordered(*x, place_, operands, build);
    Note(build);
  }

  void Exchange(HloInstruction* x) {
    HloInstruction* const old = x->opcode() == HloOpcode::kDot ? x : x->operand(0);
    HloInstruction* const dot =
        Moved(old, [&](const HloInstruction& v) { return IsInOtherOrder(v) && IsReader(*old, v); });
    InstructionBuilder build(computation_, x);
    other_[x] = WithExchangedOperands(*dot, x->shape(), place_, build);
    Note(build);
    if (dot != old) computation_->RemoveInstruction(dot);
    replaced_.insert(old);
  }
  // `reader`, reading some of its operands in the other order.
  template <typename Predicate>
  HloInstruction* Moved(HloInstruction* reader, const Predicate& is_moved) {
    HloInstruction* moved = reader;
    for (int i = 0; i < reader->operand_count(); ++i) {
      if (!is_moved(*reader->operand(i))) continue;
      InstructionBuilder build(computation_, reader);
      HloInstruction* const last = moved;
      moved = ReadingReordered(*last, i, place_, Other(reader->operand(i), reader), build);
      Note(build);
      if (last != reader) computation_->RemoveInstruction(last);
    }
    return moved;
  }

  // x in the other order, for `user`.
  HloInstruction* Other(HloInstruction* x, const HloInstruction* user) {
    if (Is(*x, Role::kFrom)) return x->operand(0);
    HloInstruction*& other = other_[x];
    if (other != nullptr) return other;
    other = FindTo(*x);
    if (other != nullptr) return other;
    InstructionBuilder build(computation_, user);
    other = x->opcode() == HloOpcode::kBroadcast ? OtherBroadcast(*x, build) : build.Transpose(x, back_);
    Note(build);
    return other;
  }
  HloInstruction* OtherBroadcast(const HloInstruction& broadcast, InstructionBuilder& build) const {
    const DimensionVector places = Permuted(place_, DimensionsOf(broadcast));
    DimensionVector order = Counting(static_cast<int64_t>(places.size()));
    std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) { return places[a] < places[b]; });
    HloInstruction* x = broadcast.operand(0);
    if (!IsCounting(order)) x = build.Transpose(x, order);
    return build.Broadcast(x, Permuted(broadcast.shape().dimensions(), back_), Permuted(places, order));
  }

  void MoveReaders(HloInstruction* x) {
    const std::vector<HloInstruction*> users(x->users().begin(), x->users().end());
    for (HloInstruction* user : users) {
      if (replaced_.contains(user) || !IsReader(*user, *x)) continue;
      Replace(user, Moved(user, [x](const HloInstruction& v) { return &v == x; }));
    }
  }

  void Replace(HloInstruction* old, HloInstruction* replacement) {
    replaced_.insert(old);
    ReplaceInstruction(old, replacement);
  }
  void RemoveIfDead(HloInstruction* x) {
    const bool may_go = roles_.contains(x) || replaced_.contains(x) || x->opcode() == HloOpcode::kBroadcast;
    if (may_go && x->users().empty() && !IsRoot(*x) && IsMovable(*x)) computation_->RemoveInstruction(x);
  }
  void Note(const InstructionBuilder& build) {
    if (status_.ok()) status_ = build.status();
  }

  HloComputation* const computation_;
  const DimensionVector place_, back_;
  const std::vector<HloInstruction*> instructions_;
  absl::flat_hash_map<const HloInstruction*, Role> roles_;
  MinimumCut cut_;
  absl::flat_hash_map<const HloInstruction*, int> vertices_;
  absl::flat_hash_map<const HloInstruction*, HloInstruction*> other_;  // what was made so far
  absl::flat_hash_set<const HloInstruction*> replaced_;
  absl::Status status_;
};

// The orders that transposes of the computation come from, in the order in which it has them.
std::vector<DimensionVector> OtherOrders(const HloComputation& computation) {
  std::vector<DimensionVector> orders;
  for (const HloInstruction* x : computation.LiveInstructions()) {
    if (!IsTranspose(*x) || IsCounting(DimensionsOf(*x))) continue;
    for (const DimensionVector& order : {DimensionsOf(*x), InversePermutation(DimensionsOf(*x))}) {
      if (std::find(orders.begin(), orders.end(), order) == orders.end()) orders.push_back(order);
    }
    if (orders.size() >= kMostOrders) break;
  }
  return orders;
}

// Tries each order that transposes of the computation ask for, as long as that lowers the bytes that transposes move.
// Large computations are left alone.
absl::StatusOr<bool> PlaceTransposesIn(HloComputation* computation, PassContext& context) {
  if (computation->instruction_count() > kMostInstructions) return false;
  bool changed = false;
  for (int round = 0; round < kMaxPlacements; ++round) {
    bool changed_now = false;
    for (const DimensionVector& order : OtherOrders(*computation)) {
      RETURN_IF_ERROR(context.CheckDeadline());
      Placement placement(computation, order);
      if (!context.MayRewrite() || !placement.Improves()) continue;
      context.CountRewriteOf("fewer-transposed-bytes", *computation->root());
      RETURN_IF_ERROR(placement.Apply());
      computation->Tidy();
      changed_now = true;
    }
    if (!changed_now) break;
    changed = true;
  }
  return changed;
}

// Whether its form means something to those that call it.
bool HasFixedForm(const HloComputation& computation) {
  const auto callers = computation.callers();
  return std::any_of(callers.begin(), callers.end(), [](const HloInstruction* caller) {
    return caller->opcode() == HloOpcode::kFusion || caller->opcode() == HloOpcode::kCustomCall;
  });
}

}  // namespace

absl::StatusOr<bool> PlaceTransposes(HloModule& module, PassContext& context) {
  bool changed = false;
  for (const auto& computation : module.computations()) {
    if (HasFixedForm(*computation)) continue;
    ASSIGN_OR_RETURN(const bool changed_now, PlaceTransposesIn(computation.get(), context));
    changed = changed || changed_now;
  }
  return changed;
}

}  // namespace xla
