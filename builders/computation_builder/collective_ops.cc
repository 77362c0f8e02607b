// Collectives: operations in which all devices of a group take part. CollectiveOptions gives the groups and the
// channel, if there is one.
#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/computation_builder/scalar_computations.h"
#include "xla_core/ops/op_definition.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

Shape ArrayOrTuple(std::vector<Shape> shapes) {
  return shapes.size() == 1 ? shapes[0] : Shape::Tuple(std::move(shapes));
}

// The structs of the collectives have most fields in common, by name but not by type.
void SetDimension(AllReduceAttributes&, absl::optional<int64_t>) {}
void SetDimension(ShardingCollectiveAttributes& attributes, absl::optional<int64_t> dimension) {
  attributes.dimension = dimension.value_or(0);
}
void SetDimension(AllToAllAttributes& attributes, absl::optional<int64_t> dimension) {
  attributes.split_dimension = dimension;
}

template <typename T>
bool FillIfIs(Attributes& attributes, const CollectiveOptions& options, absl::optional<int64_t> dimension) {
  T* const fields = dynamic_cast<T*>(&attributes);
  if (fields == nullptr) return false;
  fields->constrain_layout = options.constrain_layout;
  if constexpr (!std::is_same_v<T, AllToAllAttributes>) fields->use_global_device_ids = options.use_global_device_ids;
  SetDimension(*fields, dimension);
  return true;
}

// The options as far as the opcode has them. InvalidArgument if it lacks one that is set.
absl::Status SetOptions(const CollectiveOptions& options, absl::optional<int64_t> dimension, Attributes& attributes) {
  auto& common = static_cast<CollectiveAttributes&>(attributes);
  common.channel_id = options.channel_id;
  common.replica_groups = options.replica_groups;
  const bool has_layout = FillIfIs<AllReduceAttributes>(attributes, options, dimension) ||
                          FillIfIs<ShardingCollectiveAttributes>(attributes, options, dimension) ||
                          FillIfIs<AllToAllAttributes>(attributes, options, dimension);
  const bool has_global_ids = has_layout && dynamic_cast<AllToAllAttributes*>(&attributes) == nullptr;
  if (options.use_global_device_ids && !has_global_ids) {
    return absl::InvalidArgumentError("use_global_device_ids is for AllReduce, AllGather and ReduceScatter only");
  }
  if (options.constrain_layout && !has_layout) {
    return absl::InvalidArgumentError("constrain_layout is for AllReduce, AllGather, ReduceScatter and AllToAll only");
  }
  return absl::OkStatus();
}

// Without groups, `of_all`. Lists are not made of forms that do without them.
absl::StatusOr<int64_t> SizeOfFirstGroup(const ReplicaGroups& groups, int64_t of_all) {
  if (groups.empty()) return of_all;
  if (groups.form == ReplicaGroups::Form::kList) return static_cast<int64_t>(groups.groups.front().size());
  ASSIGN_OR_RETURN(const ReplicaGroups::Counts counts, groups.Count());
  return counts.group_size;
}

}  // namespace

XlaOp ComputationBuilder::AppendCollective(HloOpcode opcode, ArraySlice<XlaOp> operands,
                                           ArraySlice<XlaComputation> called, const CollectiveOptions& options,
                                           absl::optional<int64_t> dimension, const Shape& shape) {
  std::unique_ptr<Attributes> attributes = GetOp(opcode).make_attributes();
  const absl::Status valid = SetOptions(options, dimension, *attributes);
  if (!valid.ok()) return Fail(valid);
  return Append(opcode, operands, std::move(attributes), called, shape);
}

// ---- All-reduce

XlaOp ComputationBuilder::CrossReplicaSum(XlaOp operand, const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "CrossReplicaSum", loc, {operand});
  if (!call || !CheckArray("the operand", ShapeOf(operand))) return Invalid();
  return AppendCollective(HloOpcode::kAllReduce, {operand},
                          {CreateScalarAddComputation(ShapeOf(operand).element_type())}, options);
}

XlaOp ComputationBuilder::AllReduce(XlaOp operand, const XlaComputation& computation, const CollectiveOptions& options,
                                    SourceLocation loc) {
  return AllReduce(absl::MakeConstSpan(&operand, 1), computation, options, loc);
}

XlaOp ComputationBuilder::AllReduce(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                    const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "AllReduce", loc, operands);
  if (!call) return Invalid();
  return AppendCollective(HloOpcode::kAllReduce, operands, {computation}, options);
}

XlaOp ComputationBuilder::AllReduceStart(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                         const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "AllReduceStart", loc, operands);
  if (!call) return Invalid();
  return AppendCollective(HloOpcode::kAllReduceStart, operands, {computation}, options);
}

XlaOp ComputationBuilder::AllReduceDone(XlaOp start, SourceLocation loc) {
  ActiveCall call(this, "AllReduceDone", loc, {start});
  return call ? Append(HloOpcode::kAllReduceDone, {start}) : Invalid();
}

// ---- All-gather and reduce-scatter

absl::optional<Shape> ComputationBuilder::ShardedShape(ArraySlice<XlaOp> operands, int64_t dimension,
                                                       int64_t shard_count, bool gather) {
  if (shard_count < 1) {
    FailInvalid(absl::StrCat("shard_count must be at least 1, got ", shard_count));
    return absl::nullopt;
  }
  if (operands.empty()) {
    FailInvalid("expected at least one operand");
    return absl::nullopt;
  }
  std::vector<Shape> shapes;
  for (const XlaOp operand : operands) {
    Shape shape = ShapeOf(operand).WithoutLayout();
    if (!CheckArray("each operand", shape) || !CheckDimension("the dimension of shards", dimension, shape)) {
      return absl::nullopt;
    }
    const int d = static_cast<int>(dimension);
    int64_t size = shape.dimension(d);
    if (gather && !CheckedMul(size, shard_count, &size)) {
      FailInvalid(
          absl::StrCat("dimension ", d, " of ", shape.ToString(), " times ", shard_count, " does not fit in 63 bits"));
      return absl::nullopt;
    }
    if (!gather && size % shard_count != 0) {
      FailInvalid(absl::StrCat("dimension ", d, " of ", shape.ToString(), " must be divisible by shard_count ",
                               shard_count, ", got ", size));
      return absl::nullopt;
    }
    shape.set_dimension(d, gather ? size : size / shard_count);
    shapes.push_back(std::move(shape));
  }
  return ArrayOrTuple(std::move(shapes));
}

XlaOp ComputationBuilder::AllGather(XlaOp operand, int64_t all_gather_dimension, int64_t shard_count,
                                    const CollectiveOptions& options, SourceLocation loc) {
  return AllGather(absl::MakeConstSpan(&operand, 1), all_gather_dimension, shard_count, options, loc);
}

XlaOp ComputationBuilder::AllGather(ArraySlice<XlaOp> operands, int64_t all_gather_dimension, int64_t shard_count,
                                    const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "AllGather", loc, operands);
  if (!call) return Invalid();
  const auto shape = ShardedShape(operands, all_gather_dimension, shard_count, /*gather=*/true);
  if (!shape.has_value()) return Invalid();
  return AppendCollective(HloOpcode::kAllGather, operands, {}, options, all_gather_dimension, *shape);
}

XlaOp ComputationBuilder::AllGatherStart(ArraySlice<XlaOp> operands, int64_t all_gather_dimension, int64_t shard_count,
                                         const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "AllGatherStart", loc, operands);
  if (!call) return Invalid();
  const auto shape = ShardedShape(operands, all_gather_dimension, shard_count, /*gather=*/true);
  if (!shape.has_value()) return Invalid();
  std::vector<Shape> shapes;
  for (const XlaOp operand : operands) shapes.push_back(ShapeOf(operand));
  return AppendCollective(HloOpcode::kAllGatherStart, operands, {}, options, all_gather_dimension,
                          Shape::Tuple({ArrayOrTuple(std::move(shapes)), *shape}));
}

XlaOp ComputationBuilder::AllGatherDone(XlaOp start, SourceLocation loc) {
  ActiveCall call(this, "AllGatherDone", loc, {start});
  return call ? Append(HloOpcode::kAllGatherDone, {start}) : Invalid();
}

XlaOp ComputationBuilder::ReduceScatter(XlaOp operand, const XlaComputation& computation, int64_t scatter_dimension,
                                        int64_t shard_count, const CollectiveOptions& options, SourceLocation loc) {
  return ReduceScatter(absl::MakeConstSpan(&operand, 1), computation, scatter_dimension, shard_count, options, loc);
}

XlaOp ComputationBuilder::ReduceScatter(ArraySlice<XlaOp> operands, const XlaComputation& computation,
                                        int64_t scatter_dimension, int64_t shard_count,
                                        const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "ReduceScatter", loc, operands);
  if (!call) return Invalid();
  const auto shape = ShardedShape(operands, scatter_dimension, shard_count, /*gather=*/false);
  if (!shape.has_value()) return Invalid();
  return AppendCollective(HloOpcode::kReduceScatter, operands, {computation}, options, scatter_dimension, *shape);
}

// ---- All-to-all

// HLO's all-to-all splits and concatenates along one dimension. For two different ones the blocks get a dimension of
// their own, which is what is exchanged, and then goes where they are concatenated.
XlaOp ComputationBuilder::AllToAll(XlaOp operand, int64_t split_dimension, int64_t concat_dimension,
                                   int64_t split_count, const CollectiveOptions& options, SourceLocation loc) {
  ActiveCall call(this, "AllToAll", loc, {operand});
  const Shape shape = ShapeOf(operand);
  if (!call || !CheckArray("the operand", shape) || !CheckDimension("split_dimension", split_dimension, shape) ||
      !CheckDimension("concat_dimension", concat_dimension, shape)) {
    return Invalid();
  }
  const int64_t size = shape.dimension(static_cast<int>(split_dimension));
  if (split_count < 1 || size % split_count != 0) {
    return FailInvalid(absl::StrCat("split_count must be at least 1 and divide dimension ", split_dimension, " of ",
                                    shape.ToString(), ", ", size, ", got ", split_count));
  }
  const absl::StatusOr<int64_t> group_size = SizeOfFirstGroup(options.replica_groups, split_count);
  if (!group_size.ok()) return Fail(group_size.status());
  if (*group_size != split_count) {
    return FailInvalid(
        absl::StrCat("split_count must be the number of devices of a group, ", *group_size, ", got ", split_count));
  }
  if (split_dimension == concat_dimension) {
    return AppendCollective(HloOpcode::kAllToAll, {operand}, {}, options, split_dimension, shape.WithoutLayout());
  }
  DimensionVector sizes(shape.dimensions().begin(), shape.dimensions().end());
  sizes[split_dimension] /= split_count;
  sizes.insert(sizes.begin() + split_dimension, split_count);
  const XlaOp blocks = ReshapeTo(operand, sizes);
  const XlaOp exchanged =
      AppendCollective(HloOpcode::kAllToAll, {blocks}, {}, options, split_dimension, ShapeOf(blocks).WithoutLayout());
  // Dimensions of the operand after split_dimension are one further on here.
  DimensionVector permutation;
  DimensionVector result;
  for (int64_t d = 0; d < shape.rank(); ++d) {
    if (d == concat_dimension) permutation.push_back(split_dimension);
    permutation.push_back(d < split_dimension ? d : d + 1);
    result.push_back(shape.dimension(static_cast<int>(d)));
  }
  result[split_dimension] /= split_count;
  if (!CheckedMul(result[concat_dimension], split_count, &result[concat_dimension])) {
    return FailInvalid("the concatenated size does not fit in 63 bits");
  }
  return Reshape(Transpose(exchanged, permutation), result);
}

XlaOp ComputationBuilder::AllToAllTuple(ArraySlice<XlaOp> operands, const CollectiveOptions& options,
                                        SourceLocation loc) {
  ActiveCall call(this, "AllToAllTuple", loc, operands);
  if (!call) return Invalid();
  std::vector<Shape> shapes;
  for (const XlaOp operand : operands) {
    if (!CheckArray("each operand", ShapeOf(operand))) return Invalid();
    shapes.push_back(ShapeOf(operand).WithoutLayout());
  }
  return AppendCollective(HloOpcode::kAllToAll, operands, {}, options, absl::nullopt, Shape::Tuple(std::move(shapes)));
}

XlaOp ComputationBuilder::RaggedAllToAll(XlaOp input, XlaOp output, XlaOp input_offsets, XlaOp send_sizes,
                                         XlaOp output_offsets, XlaOp recv_sizes, const CollectiveOptions& options,
                                         SourceLocation loc) {
  ActiveCall call(this, "RaggedAllToAll", loc, {input, output, input_offsets, send_sizes, output_offsets, recv_sizes});
  if (!call) return Invalid();
  return AppendCollective(HloOpcode::kRaggedAllToAll,
                          {input, output, input_offsets, send_sizes, output_offsets, recv_sizes}, {}, options,
                          absl::nullopt, ShapeOf(output).WithoutLayout());
}

// ---- Collective-permute

XlaOp ComputationBuilder::AppendPermute(HloOpcode opcode, ArraySlice<XlaOp> operands,
                                        ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                                        absl::optional<int64_t> channel_id, const Shape& shape) {
  for (const XlaOp operand : operands) {
    if (!CheckArray("each operand", ShapeOf(operand))) return Invalid();
  }
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  attributes->channel_id = channel_id;
  attributes->source_target_pairs.assign(source_target_pairs.begin(), source_target_pairs.end());
  return Append(opcode, operands, std::move(attributes), {}, shape);
}

XlaOp ComputationBuilder::CollectivePermute(XlaOp operand, ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                                            absl::optional<int64_t> channel_id, SourceLocation loc) {
  return CollectivePermute(absl::MakeConstSpan(&operand, 1), source_target_pairs, channel_id, loc);
}

XlaOp ComputationBuilder::CollectivePermute(ArraySlice<XlaOp> operands,
                                            ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                                            absl::optional<int64_t> channel_id, SourceLocation loc) {
  ActiveCall call(this, "CollectivePermute", loc, operands);
  if (!call) return Invalid();
  return AppendPermute(HloOpcode::kCollectivePermute, operands, source_target_pairs, channel_id);
}

XlaOp ComputationBuilder::CollectivePermuteStart(XlaOp operand,
                                                 ArraySlice<std::pair<int64_t, int64_t>> source_target_pairs,
                                                 absl::optional<int64_t> channel_id, SourceLocation loc) {
  ActiveCall call(this, "CollectivePermuteStart", loc, {operand});
  if (!call) return Invalid();
  const Shape& shape = ShapeOf(operand);
  return AppendPermute(HloOpcode::kCollectivePermuteStart, {operand}, source_target_pairs, channel_id,
                       Shape::Tuple({shape, shape}));
}

XlaOp ComputationBuilder::CollectivePermuteDone(XlaOp start, SourceLocation loc) {
  ActiveCall call(this, "CollectivePermuteDone", loc, {start});
  return call ? Append(HloOpcode::kCollectivePermuteDone, {start}) : Invalid();
}

// ---- Collective-broadcast

XlaOp ComputationBuilder::CollectiveBroadcast(XlaOp operand, const CollectiveOptions& options, SourceLocation loc) {
  return CollectiveBroadcast(absl::MakeConstSpan(&operand, 1), options, loc);
}

XlaOp ComputationBuilder::CollectiveBroadcast(ArraySlice<XlaOp> operands, const CollectiveOptions& options,
                                              SourceLocation loc) {
  ActiveCall call(this, "CollectiveBroadcast", loc, operands);
  if (!call) return Invalid();
  for (const XlaOp operand : operands) {
    if (!CheckArray("each operand", ShapeOf(operand))) return Invalid();
  }
  return AppendCollective(HloOpcode::kCollectiveBroadcast, operands, {}, options);
}

XlaOp ComputationBuilder::CollectiveBroadcastFrom(ArraySlice<XlaOp> operands, XlaOp root,
                                                  const CollectiveOptions& options, SourceLocation loc) {
  std::vector<XlaOp> all(operands.begin(), operands.end());
  all.push_back(root);
  ActiveCall call(this, "CollectiveBroadcastFrom", loc, all);
  if (!call) return Invalid();
  for (const XlaOp operand : all) {
    if (!CheckArray("each operand", ShapeOf(operand))) return Invalid();
  }
  auto attributes = std::make_unique<CollectiveBroadcastAttributes>();
  attributes->has_dynamic_root = true;
  const absl::Status valid = SetOptions(options, absl::nullopt, *attributes);
  if (!valid.ok()) return Fail(valid);
  return Append(HloOpcode::kCollectiveBroadcast, all, std::move(attributes));
}

// ---- Who am I

XlaOp ComputationBuilder::ReplicaId(SourceLocation loc) {
  ActiveCall call(this, "ReplicaId", loc, {});
  return call ? Append(HloOpcode::kReplicaId, {}) : Invalid();
}

XlaOp ComputationBuilder::PartitionId(SourceLocation loc) {
  ActiveCall call(this, "PartitionId", loc, {});
  return call ? Append(HloOpcode::kPartitionId, {}) : Invalid();
}

}  // namespace xla
