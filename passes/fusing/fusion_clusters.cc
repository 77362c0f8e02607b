#include "passes/fusing/fusion_clusters.h"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "passes/fusing/fusion_traits.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ir/structure_hash.h"

namespace xla {
namespace {

// Index maps through which one cheap value may be asked for, and clusters into which one may be cloned.
constexpr size_t kMaxMaps = 4;
// The same for values that come from nothing but the place of an element.
constexpr size_t kMaxMapsOfCounted = 32;
constexpr int kMaxClones = 3;
constexpr int kMaxReductions = 8;
// Users of one value among which siblings are looked for.
constexpr size_t kMaxSiblings = 64;

// The reduction of leading dimensions that a cluster has; both go through equal loops if these are alike.
bool SameReduction(const FusionCluster& a, const FusionCluster& b) {
  const auto reduction = [](const FusionCluster& cluster) -> const HloInstruction& {
    return **std::find_if(cluster.members.begin(), cluster.members.end(),
                          [](const HloInstruction* member) { return FusionRoleOf(*member) == FusionRole::kReduce; });
  };
  const HloInstruction& left = reduction(a);
  const HloInstruction& right = reduction(b);
  return left.operand(0)->shape().SameDimensions(right.operand(0)->shape()) &&
         left.attributes<DimensionsAttributes>().dimensions == right.attributes<DimensionsAttributes>().dimensions;
}

int64_t Elements(const HloInstruction& instruction) {
  const Shape& shape = instruction.shape();
  return shape.IsTuple() ? shape.tuple_shape(0).ElementCount() : shape.ElementCount();
}

// The operand that a dynamic-update-slice or scatter goes through element by element.
int UpdateOperand(const HloInstruction& update) {
  return update.opcode() == HloOpcode::kScatter ? update.operand_count() / 2 + 1 : 1;
}

// A number for a map that two others make; not one of the named maps.
uint64_t Composed(uint64_t a, uint64_t b) { return MixHash(a, b) | 0x8000000000000000; }

// Neither a constant nor a view.
bool Works(const HloInstruction* member) {
  return member->opcode() != HloOpcode::kConstant && member->opcode() != HloOpcode::kReshape &&
         member->opcode() != HloOpcode::kBitcast;
}

}  // namespace

FusionClusters::FusionClusters(HloComputation* computation, const FusionOptions& options, PassContext& context)
    : computation_(computation), order_(computation->LiveInstructions()), options_(options), context_(context) {}

std::vector<PlannedFusion> FusionClusters::Find() {
  for (size_t i = 0; i < order_.size(); ++i) position_[order_[i]] = static_cast<int>(i);
  for (auto it = order_.rbegin(); it != order_.rend(); ++it) {
    // The pass then ends with that error.
    if (!context_.CheckDeadline().ok()) return {};
    Place(*it);
  }
  if (options_.several_results) MergeSiblings();
  std::vector<PlannedFusion> plans;
  for (size_t i = 0; i < clusters_.size(); ++i) {
    if (IsWorthwhile(static_cast<int>(i))) plans.push_back(Plan(static_cast<int>(i)));
  }
  return plans;
}

// Two members that do something; or a copy of what another cluster writes, which must not be read from there, because
// that cluster may need what this one computes.
bool FusionClusters::IsWorthwhile(int index) const {
  const auto& members = clusters_[index].members;
  const auto is_copy = [&](const HloInstruction* member) {
    const auto owner = owner_.find(member);
    return owner != owner_.end() && owner->second != index && owner->second != kAlone;
  };
  return std::count_if(members.begin(), members.end(), Works) >= 2 ||
         std::any_of(members.begin(), members.end(), is_copy);
}

PlannedFusion FusionClusters::Plan(int index) const {
  const FusionCluster& cluster = clusters_[index];
  PlannedFusion plan;
  plan.members = cluster.members;
  plan.reduces =
      cluster.reductions > 0 || (cluster.update != nullptr && cluster.update->opcode() == HloOpcode::kReduce);
  plan.has_product = cluster.product != nullptr;
  std::sort(plan.members.begin(), plan.members.end(),
            [this](const HloInstruction* a, const HloInstruction* b) { return position_.at(a) < position_.at(b); });
  for (HloInstruction* member : plan.members) {
    const auto owner = owner_.find(member);
    if (owner != owner_.end() && owner->second == index) plan.outputs.push_back(member);
  }
  return plan;
}

// ---- One sweep from users to operands

bool FusionClusters::IsUsedOutsideClusters(const HloInstruction& instruction) const {
  const auto users = instruction.users();
  return &instruction == computation_->root() ||
         std::any_of(users.begin(), users.end(),
                     [this](const HloInstruction* user) { return !holders_.contains(user); });
}

FusionClusters::UsersInClusters FusionClusters::ClustersOfUsers(const HloInstruction& instruction) const {
  UsersInClusters clusters;
  for (const HloInstruction* user : instruction.users()) {
    const auto holders = holders_.find(user);
    if (holders == holders_.end()) continue;
    for (const int index : holders->second) clusters[index].push_back(user);
  }
  return clusters;
}

void FusionClusters::Place(HloInstruction* instruction) {
  if (FusionRoleOf(*instruction) == FusionRole::kNone) {
    owner_[instruction] = kAlone;
    return;
  }
  if (JoinAll(instruction, ClustersOfUsers(*instruction)) && !IsUsedOutsideClusters(*instruction)) return;
  if (instruction->opcode() == HloOpcode::kConstant) {
    owner_[instruction] = kAlone;
    return;
  }
  StartCluster(instruction);
}

// Joins each of the clusters that can take the instruction; true if there are any and all could.
bool FusionClusters::JoinAll(HloInstruction* instruction, const UsersInClusters& clusters) {
  std::vector<std::pair<int, MemberReads>> joins;
  for (const auto& [cluster, users] : clusters) {
    // As in Find.
    if (!context_.CheckDeadline().ok()) return false;
    absl::optional<MemberReads> reads = ReadsIfJoined(instruction, cluster, users);
    if (reads.has_value()) joins.emplace_back(cluster, *std::move(reads));
  }
  if (joins.empty()) return false;
  const bool all = joins.size() == clusters.size();
  const bool written = !all || IsUsedOutsideClusters(*instruction);
  const int consumers = static_cast<int>(joins.size());
  if ((consumers > 1 || written) && !WorthRepeating(*instruction, written ? -1 : consumers)) {
    Refuse(*instruction, "several consumers need it, and computing it for each costs more");
    return false;
  }
  for (auto& [cluster, reads] : joins) Join(instruction, cluster, std::move(reads));
  return all;
}

// Whether it moves fewer bytes if consumers compute the value from its operands, each for itself: `consumers` of them
// if it then need not be written; -1 if it is written for others anyway, so that a consumer saves reading it and no
// more.
bool FusionClusters::WorthRepeating(const HloInstruction& instruction, int consumers) const {
  if (IsExpensive(instruction)) return false;
  const double result = static_cast<double>(instruction.shape().ByteSize());
  double operands = 0;
  for (const HloInstruction* operand : instruction.operands()) {
    operands += static_cast<double>(operand->shape().ByteSize());
  }
  if (operands < result || (IsFreeToRepeat(instruction) && operands == result)) return true;
  return consumers >= 0 && consumers <= kMaxClones && consumers * operands < operands + (1 + consumers) * result;
}

void FusionClusters::StartCluster(HloInstruction* instruction) {
  const FusionRole role = FusionRoleOf(*instruction);
  if (role == FusionRole::kProduct && !options_.products) {
    owner_[instruction] = kAlone;
    return;
  }
  FusionCluster cluster;
  cluster.full = Elements(*instruction);
  if (instruction->opcode() == HloOpcode::kReduce) {
    cluster.reductions = 1;
    cluster.strided = ReadOrderOf(*instruction, 0) == ReadOrder::kStrided;
    if (!cluster.strided) cluster.full = Elements(*instruction->operand(0));
  } else if (role == FusionRole::kProduct) {
    cluster.product = instruction;
  } else if (role == FusionRole::kRoot) {
    cluster.update = instruction;
    cluster.full = Elements(*instruction->operand(UpdateOperand(*instruction)));
  }
  clusters_.push_back(std::move(cluster));
  const int index = static_cast<int>(clusters_.size()) - 1;
  Join(instruction, index, {{MemberReads::kLinear}, false});
  owner_[instruction] = index;
}

void FusionClusters::Join(HloInstruction* instruction, int index, MemberReads reads) {
  FusionCluster& cluster = clusters_[index];
  const bool starts = cluster.members.empty();
  cluster.members.push_back(instruction);
  if (reads.maps[0] == MemberReads::kLinear) {
    const int64_t level = Elements(*instruction);
    if (std::find(cluster.levels.begin(), cluster.levels.end(), level) == cluster.levels.end()) {
      cluster.levels.push_back(level);
    }
  }
  cluster.reads[instruction] = std::move(reads);
  holders_[instruction].push_back(index);
  if (starts) return;
  const FusionRole role = FusionRoleOf(*instruction);
  if (role == FusionRole::kReduce) {
    ++cluster.reductions;
    if (ReadOrderOf(*instruction, 0) == ReadOrder::kStrided) {
      cluster.strided = true;
    } else {
      cluster.full = Elements(*instruction->operand(0));
    }
  } else if (role == FusionRole::kProduct) {
    cluster.product = instruction;
  }
  if (context_.WantsExplanation("fusion")) {
    context_.Explain(*instruction, absl::StrCat("joins the fusion of ", cluster.members.front()->name()));
  }
}

absl::optional<MemberReads> FusionClusters::Refuse(const HloInstruction& instruction, const char* why) {
  if (context_.WantsExplanation("fusion")) context_.Explain(instruction, absl::StrCat("stays apart: ", why));
  return absl::nullopt;
}

// Whether the instruction reads an array that the cluster updates in place: then it has to be done before.
bool ReadsUpdatedArray(const HloInstruction& instruction, const FusionCluster& cluster) {
  if (cluster.update == nullptr) return false;
  const int updated = cluster.update->opcode() == HloOpcode::kScatter ? cluster.update->operand_count() / 2 : 1;
  const auto operands = instruction.operands();
  return std::any_of(operands.begin(), operands.end(), [&](const HloInstruction* operand) {
    for (int i = 0; i < updated; ++i) {
      if (cluster.update->operand(i) == operand) return true;
    }
    return false;
  });
}

absl::optional<MemberReads> FusionClusters::ReadsIfJoined(HloInstruction* instruction, int index,
                                                          absl::Span<const HloInstruction* const> users) {
  const FusionCluster& cluster = clusters_[index];
  if (FusionRoleOf(*instruction) == FusionRole::kRoot) return Refuse(*instruction, "an update in place ends a fusion");
  if (static_cast<int64_t>(cluster.members.size()) >= options_.max_members) {
    return Refuse(*instruction, "the fusion is large enough");
  }
  if (ReadsUpdatedArray(*instruction, cluster)) {
    return Refuse(*instruction, "it reads the array that is updated in place");
  }
  MemberReads reads;
  for (const HloInstruction* user : users) {
    const MemberReads& user_reads = cluster.reads.at(user);
    for (int i = 0; i < user->operand_count(); ++i) {
      if (user->operand(i) != instruction) continue;
      const char* const why = WhyNotUser(*instruction, *user, i, cluster);
      if (why != nullptr) return Refuse(*instruction, why);
      AddReads(*instruction, *user, i, user_reads, reads);
    }
  }
  const char* const why = WhyNotReads(*instruction, reads, cluster);
  if (why != nullptr) return Refuse(*instruction, why);
  return reads;
}

// What speaks against computing an operand of a member inside of the cluster; nullptr if nothing does.
const char* FusionClusters::WhyNotUser(const HloInstruction& instruction, const HloInstruction& user, int operand,
                                       const FusionCluster& cluster) const {
  if (&user == cluster.update && operand < UpdateOperand(user) &&
      (user.opcode() == HloOpcode::kDynamicUpdateSlice || operand < user.operand_count() / 2)) {
    return "it is updated in place, so it has to be in memory";
  }
  if (&user == cluster.product && user.opcode() != HloOpcode::kReduceWindow && !IsDequantization(instruction)) {
    return "a product reads its operands from memory";
  }
  return nullptr;
}

// Adds the maps through which operand number `operand` of a member is read.
void FusionClusters::AddReads(const HloInstruction& instruction, const HloInstruction& user, int operand,
                              const MemberReads& user_reads, MemberReads& reads) const {
  const auto add = [&reads](uint64_t map) {
    if (std::find(reads.maps.begin(), reads.maps.end(), map) == reads.maps.end()) reads.maps.push_back(map);
  };
  reads.repeated = reads.repeated || user_reads.repeated;
  if (instruction.shape().IsScalar()) {
    add(MemberReads::kLinear);
    return;
  }
  const ReadOrder order = ReadOrderOf(user, operand);
  // What dequantizes an operand of a product is done once, when the operand is packed.
  const bool packed = HasTrait(user.opcode(), opcode_trait::kProduct);
  reads.repeated = reads.repeated || (order == ReadOrder::kRepeated && !packed);
  for (const uint64_t map : user_reads.maps) {
    const bool linear = map == MemberReads::kLinear;
    if (order == ReadOrder::kSame || (linear && (order == ReadOrder::kPrefix || order == ReadOrder::kReduced))) {
      add(map);
    } else if (linear && order == ReadOrder::kStrided) {
      add(MemberReads::kStrided);
    } else {
      reads.repeated = reads.repeated || order == ReadOrder::kPrefix;
      add(Composed(map, static_cast<uint64_t>(position_.at(&user)) * 64 + static_cast<uint64_t>(operand)));
    }
  }
}

// What speaks against computing elements when they are asked for in this way; nullptr if nothing does.
const char* FusionClusters::WhyNotReads(const HloInstruction& instruction, const MemberReads& reads,
                                        const FusionCluster& cluster) const {
  const bool is_counted = IsCounted(instruction);
  if (reads.maps.size() > (is_counted ? kMaxMapsOfCounted : kMaxMaps)) {
    return "its elements would be computed too often";
  }
  if (reads.repeated && !IsFreeToRepeat(instruction) && !instruction.shape().IsScalar() && !is_counted &&
      !IsDequantization(instruction)) {
    return "its consumer reads elements more than once";
  }
  if (IsExpensive(instruction) && (reads.maps.size() > 1 || reads.repeated)) {
    return "it is too expensive to compute more than once";
  }
  const bool linear = reads.maps[0] == MemberReads::kLinear;
  const int64_t elements = Elements(instruction);
  if (linear && std::any_of(cluster.levels.begin(), cluster.levels.end(),
                            [elements](int64_t level) { return level % elements != 0 && elements % level != 0; })) {
    return "its rows are not those of the fusion";
  }
  const FusionRole role = FusionRoleOf(instruction);
  if (role == FusionRole::kReduce) return WhyNotReduction(instruction, reads, cluster);
  if (role == FusionRole::kProduct) {
    const bool fits = options_.products && cluster.product == nullptr && cluster.reductions == 0 &&
                      cluster.update == nullptr && linear && elements == cluster.full;
    if (!fits) return "a product takes only an elementwise epilogue";
  }
  return nullptr;
}

// What speaks against a reduction that is read by members of the cluster; nullptr if nothing does.
const char* FusionClusters::WhyNotReduction(const HloInstruction& reduce, const MemberReads& reads,
                                            const FusionCluster& cluster) const {
  if (!options_.rows) return "reductions inside of fusions are off";
  if (cluster.product != nullptr || cluster.update != nullptr) return "the fusion ends in a product or an update";
  if (cluster.reductions >= kMaxReductions) return "the fusion has enough reductions";
  if (reads.maps.size() != 1 || reads.maps[0] != MemberReads::kLinear) return "its consumer reads it in another order";
  if (cluster.strided) return "the fusion has a reduction of leading dimensions";
  const int64_t results = Elements(reduce);
  const int64_t inputs = Elements(*reduce.operand(0));
  const bool has_rows = cluster.full > results;
  if (ReadOrderOf(reduce, 0) == ReadOrder::kStrided) {
    return has_rows || cluster.reductions > 0 ? "a reduction of leading dimensions is not done row by row" : nullptr;
  }
  if (!has_rows) return nullptr;
  if (inputs != cluster.full) return "its rows have another length than those of the fusion";
  const int64_t row = inputs / results;
  const int64_t width = std::max<int64_t>(ByteWidth(reduce.operand(0)->shape().element_type()), 4);
  if (row > options_.max_row_bytes / width)
    return "its rows are too long to stay in the cache until they are read again";
  return nullptr;
}

// ---- Clusters that write several results

std::vector<const HloInstruction*> FusionClusters::Inputs(int index) const {
  std::vector<const HloInstruction*> inputs;
  absl::flat_hash_set<const HloInstruction*> seen;
  for (const HloInstruction* member : clusters_[index].members) {
    for (const HloInstruction* operand : member->operands()) {
      if (!clusters_[index].Holds(operand) && seen.insert(operand).second) inputs.push_back(operand);
    }
  }
  return inputs;
}

// ---- Clusters and the instructions outside of them as nodes of a graph

int FusionClusters::NodeOf(const HloInstruction* value) const {
  const auto owner = owner_.find(value);
  if (owner != owner_.end() && owner->second != kAlone) return owner->second;
  return static_cast<int>(clusters_.size()) + position_.at(value);
}

void FusionClusters::VisitSuccessors(int node, absl::FunctionRef<void(int)> visit) const {
  const int cluster_count = static_cast<int>(clusters_.size());
  const auto visit_users = [&](const HloInstruction* value) {
    for (const HloInstruction* user : value->users()) {
      const auto holders = holders_.find(user);
      if (holders == holders_.end()) {
        visit(NodeOf(user));
        continue;
      }
      for (const int holder : holders->second) {
        if (!clusters_[holder].Holds(value)) visit(holder);
      }
    }
    for (const HloInstruction* after : value->control_successors()) visit(NodeOf(after));
  };
  if (node >= cluster_count) {
    visit_users(order_[node - cluster_count]);
    return;
  }
  for (const HloInstruction* member : clusters_[node].members) {
    const auto owner = owner_.find(member);
    if (owner != owner_.end() && owner->second == node) visit_users(member);
  }
}

void FusionClusters::VisitPredecessors(int node, absl::FunctionRef<void(int)> visit) const {
  const int cluster_count = static_cast<int>(clusters_.size());
  if (node < cluster_count) {
    for (const HloInstruction* input : Inputs(node)) visit(NodeOf(input));
    return;
  }
  const HloInstruction* const instruction = order_[node - cluster_count];
  for (const HloInstruction* operand : instruction->operands()) visit(NodeOf(operand));
  for (const HloInstruction* before : instruction->control_predecessors()) visit(NodeOf(before));
}

// A cluster that was just grown stands where its first member, which all others are for, stands.
std::unique_ptr<ContractionOrder> FusionClusters::MakeOrder() const {
  std::vector<int> labels;
  for (const FusionCluster& cluster : clusters_) labels.push_back(2 * position_.at(cluster.members[0]) + 1);
  for (size_t position = 0; position < order_.size(); ++position) labels.push_back(2 * static_cast<int>(position));
  return std::make_unique<ContractionOrder>(
      std::move(labels), [this](int node, absl::FunctionRef<void(int)> visit) { VisitSuccessors(node, visit); },
      [this](int node, absl::FunctionRef<void(int)> visit) { VisitPredecessors(node, visit); });
}

// Whether `into` could compute what it reads of `from` itself, in order, and go over its rows again if it has to.
bool FusionClusters::ReadsInOrder(int from, int into) const {
  const FusionCluster& cluster = clusters_[into];
  for (const HloInstruction* member : cluster.members) {
    for (int i = 0; i < member->operand_count(); ++i) {
      const HloInstruction* const operand = member->operand(i);
      const auto owner = owner_.find(operand);
      if (cluster.Holds(operand) || owner == owner_.end() || owner->second != from) continue;
      MemberReads reads;
      AddReads(*operand, *member, i, cluster.reads.at(member), reads);
      if (reads.maps.size() != 1 || reads.maps[0] != MemberReads::kLinear || reads.repeated) return false;
      const int64_t row = cluster.full / Elements(*operand);
      if (row > options_.max_row_bytes / std::max<int64_t>(ByteWidth(operand->shape().element_type()), 4)) return false;
    }
  }
  return true;
}

bool FusionClusters::CanMerge(int a, int b) const {
  const FusionCluster& left = clusters_[a];
  const FusionCluster& right = clusters_[b];
  // A reduction of several operands gives a tuple, which cannot be one of several results. Views cost nothing alone,
  // and a copy as one of several results.
  const auto ends = [](const FusionCluster& cluster) {
    return cluster.members.empty() || cluster.product != nullptr || cluster.update != nullptr ||
           cluster.members[0]->shape().IsTuple() ||
           std::none_of(cluster.members.begin(), cluster.members.end(), Works);
  };
  if (ends(left) || ends(right)) return false;
  if (left.full != right.full || left.strided != right.strided) return false;
  if (static_cast<int64_t>(left.members.size() + right.members.size()) > options_.max_members) return false;
  if (left.reductions + right.reductions > kMaxReductions) return false;
  for (const int64_t x : left.levels) {
    for (const int64_t y : right.levels) {
      if (x % y != 0 && y % x != 0) return false;
    }
  }
  if (left.strided && !SameReduction(left, right)) return false;
  return ReadsInOrder(a, b) && ReadsInOrder(b, a);
}

void FusionClusters::Merge(int into, int from) {
  FusionCluster& target = clusters_[into];
  FusionCluster& source = clusters_[from];
  for (HloInstruction* member : source.members) {
    auto& holders = holders_.at(member);
    holders.erase(std::find(holders.begin(), holders.end(), from));
    if (!target.Holds(member)) {
      target.members.push_back(member);
      target.reads[member] = source.reads.at(member);
      holders.push_back(into);
      std::sort(holders.begin(), holders.end());
    }
    const auto owner = owner_.find(member);
    if (owner != owner_.end() && owner->second == from) owner->second = into;
  }
  target.reductions += source.reductions;
  target.levels.insert(target.levels.end(), source.levels.begin(), source.levels.end());
  source = FusionCluster();
}

// Whether members of the cluster go over the whole value in order, so that another one that does can share the reading.
bool FusionClusters::ReadsAll(int index, const HloInstruction& value) const {
  const FusionCluster& cluster = clusters_[index];
  const auto reads_all = [&](const HloInstruction& user, const MemberReads& user_reads) {
    for (int i = 0; i < user.operand_count(); ++i) {
      if (user.operand(i) != &value) continue;
      MemberReads reads;
      AddReads(value, user, i, user_reads, reads);
      if (std::any_of(reads.maps.begin(), reads.maps.end(),
                      [](uint64_t map) { return map == MemberReads::kLinear || map == MemberReads::kStrided; })) {
        return true;
      }
    }
    return false;
  };
  // Of a value that thousands of clusters read, each is asked about.
  if (cluster.reads.size() < value.users().size()) {
    return std::any_of(cluster.reads.begin(), cluster.reads.end(),
                       [&](const auto& member) { return reads_all(*member.first, member.second); });
  }
  return std::any_of(value.users().begin(), value.users().end(), [&](const HloInstruction* user) {
    const auto user_reads = cluster.reads.find(user);
    return user_reads != cluster.reads.end() && reads_all(*user, user_reads->second);
  });
}

void FusionClusters::MergeSiblings() {
  const std::unique_ptr<ContractionOrder> order = MakeOrder();
  for (HloInstruction* shared : order_) {
    // As in Find.
    if (!context_.CheckDeadline().ok()) return;
    if (!IsWritten(shared) || shared->shape().IsScalar() || !shared->shape().IsArray()) continue;
    absl::InlinedVector<int, 8> clusters;
    const auto add = [&](int index) {
      if (index != kAlone && clusters.size() < kMaxSiblings &&
          std::find(clusters.begin(), clusters.end(), index) == clusters.end() &&
          (index == owner_.at(shared) || ReadsAll(index, *shared))) {
        clusters.push_back(index);
      }
    };
    add(owner_.at(shared));
    for (const HloInstruction* user : shared->users()) {
      const auto holders = holders_.find(user);
      if (holders == holders_.end()) continue;
      for (const int index : holders->second) add(index);
    }
    std::sort(clusters.begin(), clusters.end());
    for (size_t i = 0; i < clusters.size(); ++i) {
      for (size_t j = i + 1; j < clusters.size(); ++j) {
        if (clusters[i] < 0 || clusters[j] < 0) continue;
        if (!CanMerge(clusters[i], clusters[j]) || !order->Contract(clusters[i], clusters[j])) continue;
        if (context_.WantsExplanation("fusion")) {
          context_.Explain(*shared,
                           absl::StrCat("is read once: the fusion of ", clusters_[clusters[j]].members[0]->name(),
                                        " is merged into that of ", clusters_[clusters[i]].members[0]->name()));
        }
        Merge(clusters[i], clusters[j]);
        clusters[j] = kAlone;
      }
    }
  }
}

}  // namespace xla
