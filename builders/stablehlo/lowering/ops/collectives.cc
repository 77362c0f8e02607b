// Operations in which several devices take part.
#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/operation_table.h"
#include "builders/stablehlo/lowering/ops/element_checks.h"
#include "builders/stablehlo/lowering/ops/region_types.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/lowering/replica_groups.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// Labels of the constraints that most collectives have; they are numbered differently. Without a label for `count`,
// some devices may be in no group.
struct CollectiveLabels {
  const char* unique;
  const char* count;
  const char* range;
  const char* global_ids;
};

// Whether ids are those of partitions as soon as there is a channel, or of replicas, and of devices on request.
enum class ChannelIds { kPartitions, kReplicasOrDevices };

absl::StatusOr<CollectiveOptions> CollectiveOptionsOf(const OperationCall& call, const CollectiveLabels& labels,
                                                      ChannelIds channel_ids, bool pads_groups = false) {
  CollectiveOptions options;
  ASSIGN_OR_RETURN(options.replica_groups,
                   ReplicaGroupsOf(call, call.Constraint(labels.unique), call.Constraint(labels.range), pads_groups));
  ASSIGN_OR_RETURN(const AttributeReader channel, call.attributes().StructOrEmpty("channel_handle"));
  ASSIGN_OR_RETURN(const int64_t handle, channel.IntOr("handle", 0));
  if (handle > 0) options.channel_id = handle;
  ASSIGN_OR_RETURN(options.use_global_device_ids, call.attributes().Flag("use_global_device_ids"));
  if (options.use_global_device_ids && handle <= 0) {
    return Broken(call.Constraint(labels.global_ids),
                  absl::StrCat("channel_id must be positive with use_global_device_ids, got ", handle));
  }
  const GroupIds ids = handle <= 0                              ? GroupIds::kReplicas
                       : channel_ids == ChannelIds::kPartitions ? GroupIds::kPartitions
                       : options.use_global_device_ids          ? GroupIds::kDevices
                                                                : GroupIds::kReplicas;
  RETURN_IF_ERROR(CheckGroupIds(call.scope().program(), options.replica_groups, ids, call.Constraint(labels.range),
                                call.Constraint(labels.count)));
  return options;
}

absl::Status CheckCollectiveOperands(const OperationCall& call) {
  if (call.operand_count() == 0) return absl::InvalidArgumentError("expected at least one operand");
  for (int i = 0; i < call.operand_count(); ++i) RETURN_IF_ERROR(CheckElementType(call, i, kAnyClass));
  return absl::OkStatus();
}

// How many times a dimension becomes larger, or smaller. The types tell: groups of replicas may have all partitions of
// each, so that the rows of replica_groups do not.
absl::StatusOr<int64_t> ShardCount(const OperationCall& call, int64_t dimension, bool gathers,
                                   absl::string_view constraint) {
  const Shape& whole = gathers ? call.result_shape() : call.shape(0);
  const Shape& part = gathers ? call.shape(0) : call.result_shape();
  const int d = static_cast<int>(dimension);
  if (whole.rank() == part.rank() && d < whole.rank()) {
    const int64_t large = whole.dimension(d), small = part.dimension(d);
    if (large == 0 && small == 0) return 1;
    if (small > 0 && large >= small && large % small == 0) return large / small;
  }
  return Broken(constraint, absl::StrCat("dimension ", dimension, " of ", whole.ToString(),
                                         " must be a multiple of that of ", part.ToString()));
}

// `count` is that of the devices of each group, where the groups are listed.
absl::Status CheckShardCount(const OperationCall& call, const CollectiveOptions& options, int64_t count,
                             absl::string_view constraint) {
  const bool has_all_partitions = options.channel_id.has_value() && !options.use_global_device_ids;
  const int64_t partitions = has_all_partitions ? call.scope().program().partition_count() : 1;
  for (const std::vector<int64_t>& group : options.replica_groups.groups) {
    const int64_t devices = static_cast<int64_t>(group.size()) * partitions;
    if (devices == count) continue;
    return Broken(constraint, absl::StrCat("the types of operand and result are those of ", count,
                                           " shards, but a group has ", devices, " devices"));
  }
  return absl::OkStatus();
}

absl::Status CheckCollectiveDimension(const OperationCall& call, absl::string_view what, int64_t dimension,
                                      absl::string_view constraint) {
  for (int i = 0; i < call.operand_count(); ++i) {
    if (dimension >= 0 && dimension < call.shape(i).rank()) continue;
    return Broken(constraint, absl::StrCat(what, " must be at least 0 and less than the rank of ",
                                           call.shape(i).ToString(), ", got ", dimension));
  }
  return absl::OkStatus();
}

absl::Status LowerAllGather(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("all_gather_dim"));
  RETURN_IF_ERROR(CheckCollectiveDimension(call, "all_gather_dim", dimension, "all_gather_c1"));
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"c2", "c3", "c4", "c5"}, ChannelIds::kReplicasOrDevices));
  ASSIGN_OR_RETURN(const int64_t count, ShardCount(call, dimension, true, "all_gather_c6"));
  RETURN_IF_ERROR(CheckShardCount(call, options, count, "all_gather_c6"));
  return call.ReturnBundle(call.builder().AllGather(call.operands(), dimension, count, options), "all_gather_c6");
}

// The operands in the type that the computation works in, which then is the results'.
absl::StatusOr<std::vector<XlaOp>> ReducedOperands(OperationCall& call, absl::string_view constraint,
                                                   XlaComputation* computation) {
  ASSIGN_OR_RETURN(const std::vector<PrimitiveType> types, RegionTypes(call, 0, 1, constraint));
  const Shape scalar = Shape::Scalar(types[0]);
  ASSIGN_OR_RETURN(*computation, call.FunctionOf(0, {scalar, scalar}, {scalar}, constraint));
  std::vector<XlaOp> operands;
  for (int i = 0; i < call.operand_count(); ++i) {
    RETURN_IF_ERROR(CheckPromotable(call, i, types[0], constraint));
    operands.push_back(ConvertTo(call.builder(), call.operand(i), types[0]));
  }
  return operands;
}

absl::Status LowerAllReduce(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"c1", "c2", "c3", "c4"}, ChannelIds::kReplicasOrDevices, true));
  XlaComputation computation;
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, ReducedOperands(call, "all_reduce_c5", &computation));
  return call.ReturnBundle(call.builder().AllReduce(operands, computation, options),
                           {"all_reduce_c6", "all_reduce_c7", "all_reduce_c6"});
}

absl::Status LowerReduceScatter(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const int64_t dimension, call.attributes().Int("scatter_dimension"));
  RETURN_IF_ERROR(CheckCollectiveDimension(call, "scatter_dimension", dimension, "reduce_scatter_c2"));
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"c3", "c4", "c5", "c6"}, ChannelIds::kReplicasOrDevices));
  ASSIGN_OR_RETURN(const int64_t count, ShardCount(call, dimension, false, "reduce_scatter_c1"));
  RETURN_IF_ERROR(CheckShardCount(call, options, count, "reduce_scatter_c8"));
  XlaComputation computation;
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, ReducedOperands(call, "reduce_scatter_c7", &computation));
  return call.Return(call.builder().ReduceScatter(operands[0], computation, dimension, count, options),
                     {"reduce_scatter_c8", "reduce_scatter_c9"});
}

// As many parts as each group has devices.
absl::Status CheckSplitCount(const ReplicaGroups& groups, int64_t split_count) {
  for (const std::vector<int64_t>& group : groups.groups) {
    if (static_cast<int64_t>(group.size()) == split_count) continue;
    return Broken("all_to_all_c8",
                  absl::StrCat("groups must have split_count = ", split_count, " devices, got ", group.size()));
  }
  return absl::OkStatus();
}

// Each operand is exchanged by itself.
absl::Status LowerAllToAll(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const int64_t split_dimension, call.attributes().Int("split_dimension"));
  ASSIGN_OR_RETURN(const int64_t concat_dimension, call.attributes().Int("concat_dimension"));
  ASSIGN_OR_RETURN(const int64_t split_count, call.attributes().Int("split_count"));
  RETURN_IF_ERROR(CheckCollectiveDimension(call, "split_dimension", split_dimension, "all_to_all_c1"));
  RETURN_IF_ERROR(CheckCollectiveDimension(call, "concat_dimension", concat_dimension, "all_to_all_c3"));
  if (split_count < 1) {
    return Broken("all_to_all_c4", absl::StrCat("split_count must be at least 1, got ", split_count));
  }
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"c5", "c6", "c7", "c7"}, ChannelIds::kPartitions));
  std::vector<XlaOp> results;
  for (int i = 0; i < call.operand_count(); ++i) {
    const int64_t size = call.shape(i).dimension(static_cast<int>(split_dimension));
    if (size % split_count != 0) {
      return Broken("all_to_all_c2", absl::StrCat("dimension ", split_dimension, " of ", call.shape(i).ToString(),
                                                  " must be a multiple of split_count ", split_count));
    }
    RETURN_IF_ERROR(CheckSplitCount(options.replica_groups, split_count));
    results.push_back(
        call.builder().AllToAll(call.operand(i), split_dimension, concat_dimension, split_count, options));
  }
  return call.ReturnAll(results, "all_to_all_c9");
}

// A program that does not say how many there are is told so when it is run.
absl::Status CheckPairIds(const OperationCall& call, const IntPairs& pairs, bool are_partitions) {
  const ProgramLowering& program = call.scope().program();
  const int64_t limit = are_partitions ? program.partition_count() : program.replica_count();
  for (const auto& [source, target] : pairs) {
    const int64_t id = std::max(source, target);
    if (limit <= 1 || id < limit) continue;
    const char* const word = are_partitions ? "partition" : "replica";
    return Broken("collective_permute_c4", absl::StrCat("source_target_pairs has the ", word, " ", id,
                                                        ", but the program has ", limit, " ", word, "s"));
  }
  return absl::OkStatus();
}

absl::Status LowerCollectivePermute(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  const absl::StatusOr<IntPairs> pairs = call.attributes().Pairs("source_target_pairs");
  if (!pairs.ok()) return Broken("collective_permute_c1", pairs.status().message());
  std::set<int64_t> sources, targets;
  for (const auto& [source, target] : *pairs) {
    if (source < 0 || target < 0) {
      return Broken("collective_permute_c4", "source_target_pairs must have ids of devices, which are at least 0");
    }
    if (!sources.insert(source).second) {
      return Broken("collective_permute_c2", absl::StrCat("duplicate sources not allowed, got ", source, " twice"));
    }
    if (!targets.insert(target).second) {
      return Broken("collective_permute_c3", absl::StrCat("duplicate targets not allowed, got ", target, " twice"));
    }
  }
  ASSIGN_OR_RETURN(const AttributeReader channel, call.attributes().StructOrEmpty("channel_handle"));
  ASSIGN_OR_RETURN(const int64_t handle, channel.IntOr("handle", 0));
  const absl::optional<int64_t> channel_id = handle > 0 ? absl::optional<int64_t>(handle) : absl::nullopt;
  RETURN_IF_ERROR(CheckPairIds(call, *pairs, channel_id.has_value()));
  return call.ReturnBundle(call.builder().CollectivePermute(call.operands(), *pairs, channel_id),
                           "collective_permute_c5");
}

absl::Status LowerCollectiveBroadcast(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"c1", "", "c2", "c2"}, ChannelIds::kPartitions));
  ASSIGN_OR_RETURN(const bool has_dynamic_root, call.attributes().Flag("has_dynamic_root"));
  if (!has_dynamic_root) {
    return call.ReturnBundle(call.builder().CollectiveBroadcast(call.operands(), options), "collective_broadcast_c3");
  }
  const int count = call.operand_count() - 1;
  return call.ReturnBundle(
      call.builder().CollectiveBroadcastFrom(call.operands().subspan(0, count), call.operand(count), options),
      "collective_broadcast_c3");
}

// Whether this replica is the first of its group.
absl::StatusOr<XlaOp> IsFirstOfGroup(ComputationBuilder& b, const ReplicaGroups& replica_groups) {
  ASSIGN_OR_RETURN(std::vector<std::vector<int64_t>> groups, replica_groups.Expand());
  if (groups.empty()) groups = {{0}};
  const XlaOp id = b.ReplicaId();
  XlaOp is_first = b.ConstantR0<bool>(false);
  for (const std::vector<int64_t>& group : groups) {
    if (group.empty()) continue;
    is_first = b.Or(is_first, b.Eq(id, b.ConstantR0<uint32_t>(static_cast<uint32_t>(group[0]))));
  }
  return is_first;
}

// An all_reduce of which only the first device of each group keeps the result; the others have zeros.
absl::Status LowerCollectiveReduce(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const bool has_dynamic_root, call.attributes().Flag("has_dynamic_root"));
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"", "", "", ""}, ChannelIds::kReplicasOrDevices));
  if (has_dynamic_root || options.channel_id.has_value()) {
    return absl::UnimplementedError(
        "the result can be that of the first replica of each group only, without has_dynamic_root and channel_handle; "
        "use all_reduce, which gives it to all");
  }
  XlaComputation computation;
  ASSIGN_OR_RETURN(const std::vector<XlaOp> operands, ReducedOperands(call, "", &computation));
  ComputationBuilder& b = call.builder();
  ASSIGN_OR_RETURN(const XlaOp is_first, IsFirstOfGroup(b, options.replica_groups));
  std::vector<XlaOp> results = Unbundle(b, b.AllReduce(operands, computation, options), call.operand_count());
  for (size_t i = 0; i < results.size(); ++i) {
    const XlaOp keeps = b.Broadcast(is_first, call.shape(static_cast<int>(i)).dimensions());
    results[i] = b.Select(keeps, results[i], ZerosLike(results[i]));
  }
  return call.ReturnAll(results, "");
}

absl::Status LowerCrossReplicaSum(OperationCall& call) {
  RETURN_IF_ERROR(CheckCollectiveOperands(call));
  ASSIGN_OR_RETURN(const CollectiveOptions options,
                   CollectiveOptionsOf(call, {"", "", "", ""}, ChannelIds::kReplicasOrDevices));
  return call.Return(call.builder().CrossReplicaSum(call.operand(0), options), "");
}

// ---- Asynchronous collectives: the region has one of the others.

absl::Status LowerAsyncStart(OperationCall& call) {
  ASSIGN_OR_RETURN(const XlaComputation computation, call.FunctionOf(0, call.shapes(), ""));
  return call.Return(call.builder().AsyncStart(computation, call.operands()), "");
}

absl::Status LowerAsyncDone(OperationCall& call) {
  const OperationId start = call.module().value(call.operation().operands[0]).operation;
  if (!start.ok() || call.module().operation(start).name != "stablehlo.async_start") {
    return Broken("", "the operand must be the future of an async_start in the same block");
  }
  return call.ReturnBundle(call.builder().AsyncDone(call.operand(0)), "");
}

}  // namespace

std::vector<OperationRow> CollectiveOperations() {
  constexpr int kAny = OperationRow::kAny;
  return {
      Row("stablehlo.all_gather", kAny, LowerAllGather).WithResults(kAny).OnStorage(),
      Row("stablehlo.all_reduce", kAny, LowerAllReduce).WithResults(kAny).WithRegions(1).OnStorage(),
      Row("stablehlo.reduce_scatter", 1, LowerReduceScatter).WithRegions(1).OnStorage(),
      Row("stablehlo.all_to_all", kAny, LowerAllToAll).WithResults(kAny).OnStorage(),
      Row("stablehlo.collective_permute", kAny, LowerCollectivePermute).WithResults(kAny).OnStorage(),
      Row("stablehlo.collective_broadcast", kAny, LowerCollectiveBroadcast).WithResults(kAny).OnStorage(),
      Row("stablehlo.collective_reduce", kAny, LowerCollectiveReduce).WithResults(kAny).WithRegions(1).OnStorage(),
      Row("stablehlo.cross-replica-sum", 1, LowerCrossReplicaSum),
      Row("stablehlo.async_start", kAny, LowerAsyncStart).WithRegions(1).OnStorage(),
      Row("stablehlo.async_done", 1, LowerAsyncDone).WithResults(kAny).OnStorage(),
  };
}

}  // namespace stablehlo
}  // namespace xla
