// Which instructions of a computation are computed together.
//
// Clusters grow from consumers to producers, in one sweep from the last instruction to the first: when an instruction
// is reached, all of its users have their clusters. It joins the cluster of its users if there is one for all of them,
// so its value need not be written, and no cycle can arise; a value that is free to repeat is cloned into several. Then
// clusters that read the same values, or of which one reads what the other writes, are merged if no path through others
// forbids it: they write several results. Merged are siblings, which go over the same array in order; a producer that
// is also read elsewhere and the consumer that goes on with it. Not merged are loops that share no array, be they of
// one shape and share a scalar, as the updates of several parameters by one learning rate do: that would save no
// reading, and keep more arrays in the cache at once.
//
// A cluster stands for loops over one row-major order of elements. `full` is the number of elements of the innermost
// level; a value of fewer elements in the same order (an element for each row) stands at an outer level:
//
//   softmax of f32[8,128]:  max = f32[8] reduce(x)             level 8, read by the broadcast as a prefix
//                           e = exp(x - broadcast(max))        level 1024 = full
//                           e / broadcast(reduce(e))           the rows of 128 stay in the cache from loop to loop
//
// Each member notes through which index maps its elements are asked for: kLinear, in order, once; kStrided, once, for a
// reduction of leading dimensions; others are moved by a user (transpose, slice). More than one means computing an
// element more than once, which nothing expensive may suffer.
#ifndef PASSES_FUSING_FUSION_CLUSTERS_H_
#define PASSES_FUSING_FUSION_CLUSTERS_H_

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/inlined_vector.h"
#include "absl/functional/function_ref.h"
#include "absl/types/optional.h"
#include "passes/base/pass_context.h"
#include "passes/fusing/contraction_order.h"
#include "xla_core/ir/hlo_computation.h"

namespace xla {

// How the elements of a member are asked for.
struct MemberReads {
  static constexpr uint64_t kLinear = 0;
  static constexpr uint64_t kStrided = 1;

  absl::InlinedVector<uint64_t, 2> maps;
  // Elements may be asked for again through the same map: under a broadcast of leading dimensions, a gather, a window.
  bool repeated = false;
};

struct FusionCluster {
  // In the order in which they joined: users before operands.
  std::vector<HloInstruction*> members;
  absl::flat_hash_map<const HloInstruction*, MemberReads> reads;
  int64_t full = 1;                   // elements of the innermost level
  bool strided = false;               // holds a reduction that is not of trailing dimensions
  HloInstruction* product = nullptr;  // dot, convolution or reduce-window
  HloInstruction* update = nullptr;   // dynamic-update-slice or scatter
  int reductions = 0;
  // Numbers of elements of the levels: each divides the next, so that loops nest.
  absl::InlinedVector<int64_t, 4> levels;

  bool Holds(const HloInstruction* instruction) const { return reads.contains(instruction); }
};

// What becomes of a cluster, both in order of the computation.
struct PlannedFusion {
  std::vector<HloInstruction*> members;
  std::vector<HloInstruction*> outputs;
  bool reduces = false;
  bool has_product = false;
};

struct FusionOptions {
  bool products = true;  // epilogues and dequantizing prologues of dot and convolution
  bool rows = true;      // reductions inside of fusions
  bool several_results = true;
  int64_t max_row_bytes = 0;  // a row that is read again by a later loop of its fusion
  int64_t max_members = 0;
};

class FusionClusters {
 public:
  FusionClusters(HloComputation* computation, const FusionOptions& options, PassContext& context);

  // The clusters with at least two members that do something.
  std::vector<PlannedFusion> Find();

 private:
  // Computed outside of every cluster, or written by the one that owns it, so that others can read it.
  bool IsWritten(const HloInstruction* instruction) const { return owner_.contains(instruction); }
  bool IsUsedOutsideClusters(const HloInstruction& instruction) const;
  bool IsWorthwhile(int index) const;
  PlannedFusion Plan(int index) const;

  void Place(HloInstruction* instruction);
  // Of each cluster that holds users of an instruction those users, in their order.
  using UsersInClusters = std::map<int, absl::InlinedVector<const HloInstruction*, 2>>;
  UsersInClusters ClustersOfUsers(const HloInstruction& instruction) const;
  bool JoinAll(HloInstruction* instruction, const UsersInClusters& clusters);
  void StartCluster(HloInstruction* instruction);
  void Join(HloInstruction* instruction, int cluster, MemberReads reads);
  // nullopt, and an explanation, if it must not.
  absl::optional<MemberReads> ReadsIfJoined(HloInstruction* instruction, int cluster,
                                            absl::Span<const HloInstruction* const> users);
  absl::optional<MemberReads> Refuse(const HloInstruction& instruction, const char* why);
  const char* WhyNotUser(const HloInstruction& instruction, const HloInstruction& user, int operand,
                         const FusionCluster& cluster) const;
  void AddReads(const HloInstruction& instruction, const HloInstruction& user, int operand,
                const MemberReads& user_reads, MemberReads& reads) const;
  const char* WhyNotReads(const HloInstruction& instruction, const MemberReads& reads,
                          const FusionCluster& cluster) const;
  const char* WhyNotReduction(const HloInstruction& reduce, const MemberReads& reads,
                              const FusionCluster& cluster) const;
  bool WorthRepeating(const HloInstruction& instruction, int consumers) const;

  void MergeSiblings();
  bool ReadsAll(int index, const HloInstruction& value) const;
  bool CanMerge(int a, int b) const;
  bool ReadsInOrder(int from, int into) const;
  void Merge(int into, int from);
  int NodeOf(const HloInstruction* value) const;
  void VisitSuccessors(int node, absl::FunctionRef<void(int)> visit) const;
  void VisitPredecessors(int node, absl::FunctionRef<void(int)> visit) const;
  std::unique_ptr<ContractionOrder> MakeOrder() const;
  std::vector<const HloInstruction*> Inputs(int cluster) const;

  HloComputation* const computation_;
  const std::vector<HloInstruction*> order_;
  const FusionOptions options_;
  PassContext& context_;
  std::vector<FusionCluster> clusters_;
  absl::flat_hash_map<const HloInstruction*, int> position_;
  // The cluster that writes a value; kAlone for what stays outside.
  static constexpr int kAlone = -1;
  absl::flat_hash_map<const HloInstruction*, int> owner_;
  // All clusters that compute a value, clones included, in order.
  absl::flat_hash_map<const HloInstruction*, absl::InlinedVector<int, 1>> holders_;
};

}  // namespace xla

#endif  // PASSES_FUSING_FUSION_CLUSTERS_H_
