// Operations across devices, and those that ask which device this is. Also on one device, where they do nothing.
#include <algorithm>
#include <utility>
#include <vector>

#include "tests/random_modules/moves.h"
#include "tests/random_modules/usual_instructions.h"
#include "xla_core/ops/elementwise_table.h"

namespace xla {
namespace {

// Which devices take part: replicas of each partition, partitions of each replica, replicas with all of their
// partitions, or devices by their flattened ids.
enum class Members { kReplicas, kPartitions, kReplicasAndPartitions, kDevices };

struct Group {
  Members members = Members::kReplicas;
  int64_t size = 1;  // devices
  std::vector<std::vector<int64_t>> ids;
};

// `has_device_ids`: the operation can say that ids are those of devices.
Group ChooseGroup(Scope& scope, bool has_device_ids) {
  Group group;
  const ModuleState& state = scope.state();
  if (scope.random().Chance(45)) {
    static constexpr Members kOfDevices[] = {Members::kDevices, Members::kDevices, Members::kReplicasAndPartitions};
    group.members = has_device_ids ? scope.random().Pick(kOfDevices) : Members::kPartitions;
  }
  const int64_t id_count = group.members == Members::kDevices      ? state.replicas * state.partitions
                           : group.members == Members::kPartitions ? state.partitions
                                                                   : state.replicas;
  std::vector<int64_t> ids = scope.Permutation(id_count);
  if (scope.random().Chance(60)) ids = Identity(id_count);
  // Two halves now and then.
  if (id_count == 4 && scope.random().Chance(40)) {
    group.size = 2;
    group.ids = {{ids[0], ids[1]}, {ids[2], ids[3]}};
  } else {
    group.size = id_count;
    group.ids = {ids};
  }
  if (group.members == Members::kReplicasAndPartitions) group.size *= state.partitions;
  return group;
}

template <typename T>
std::unique_ptr<T> GroupAttributes(Scope& scope, const Group& group) {
  auto attributes = std::make_unique<T>();
  attributes->replica_groups.groups = group.ids;
  if (group.members != Members::kReplicas) attributes->channel_id = scope.state().next_channel++;
  return attributes;
}

Value ExactNumbers(Scope& scope) {
  const absl::optional<Value> x = scope.Find([](const Value& value) {
    return IsStaticArray(value) && value.facts.exact && (IsInt(value.type()) || IsFloat(value.type())) &&
           value.type() != F8E8M0FNU;
  });
  if (x.has_value() && scope.random().Chance(80)) return *x;
  return scope.Fresh(ArrayShape(F32, scope.Dimensions(1, 3)), DataClass::kSmall);
}

// Sums are added up before the devices meet as well as after: so many terms of each device are exact, too.
constexpr double kMostTerms = 32;

bool MaySumUp(const Value& x, int64_t size) {
  const double terms = kMostTerms * static_cast<double>(size);
  return IsInt(x.type()) || (MaySum(x.type(), terms, x.facts) && SumFacts(x.type(), terms, x.facts).exact);
}

std::pair<HloComputation*, Facts> ChooseReducer(Scope& scope, const Value& x, int64_t size) {
  const bool sum = MaySumUp(x, size);
  const bool add = sum && scope.random().Chance(60);
  return {ScalarComputation(scope.state(), add ? HloOpcode::kAdd : HloOpcode::kMaximum, x.type()),
          add ? SumFacts(x.type(), static_cast<double>(size), x.facts) : Facts::Exact()};
}

void AllReduceMove(Scope& scope) {
  const Value x = ExactNumbers(scope);
  const Group group = ChooseGroup(scope, true);
  const auto [reducer, facts] = ChooseReducer(scope, x, group.size);
  auto attributes = GroupAttributes<AllReduceAttributes>(scope, group);
  attributes->use_global_device_ids = group.members == Members::kDevices;
  if (scope.random().Chance(70)) {
    scope.Add(HloOpcode::kAllReduce, {x}, facts, {std::move(attributes), absl::nullopt, {reducer}});
    return;
  }
  const Value start = scope.Add(HloOpcode::kAllReduceStart, {x}, facts, {std::move(attributes), x.shape(), {reducer}});
  scope.Forget(start);
  scope.Add(HloOpcode::kAllReduceDone, {start}, facts);
}

void AllGatherMove(Scope& scope) {
  const Value x = scope.Array();
  if (x.rank() == 0) return;
  const Group group = ChooseGroup(scope, true);
  auto attributes = GroupAttributes<ShardingCollectiveAttributes>(scope, group);
  attributes->use_global_device_ids = group.members == Members::kDevices;
  attributes->dimension = scope.random().Below(x.rank());
  Shape shape = x.shape();
  const int d = static_cast<int>(attributes->dimension);
  shape.set_dimension(d, shape.dimension(d) * group.size);
  if (scope.random().Chance(70)) {
    scope.Add(HloOpcode::kAllGather, {x}, x.facts, {std::move(attributes), shape});
    return;
  }
  const Value start =
      scope.Add(HloOpcode::kAllGatherStart, {x}, x.facts, {std::move(attributes), Shape::Tuple({x.shape(), shape})});
  scope.Add(HloOpcode::kAllGatherDone, {start}, x.facts);
}

void ReduceScatterMove(Scope& scope) {
  const Value x = ExactNumbers(scope);
  const Group group = ChooseGroup(scope, true);
  for (int d = 0; d < x.rank(); ++d) {
    if (x.dimension(d) == 0 || x.dimension(d) % group.size != 0) continue;
    const auto [reducer, facts] = ChooseReducer(scope, x, group.size);
    auto attributes = GroupAttributes<ShardingCollectiveAttributes>(scope, group);
    attributes->use_global_device_ids = group.members == Members::kDevices;
    attributes->dimension = d;
    Shape shape = x.shape();
    shape.set_dimension(d, shape.dimension(d) / group.size);
    scope.Add(HloOpcode::kReduceScatter, {x}, facts, {std::move(attributes), shape, {reducer}});
    return;
  }
}

// One array for each member, or an array that has a part for each.
void AllToAllMove(Scope& scope) {
  const Value x = scope.Array();
  const Group group = ChooseGroup(scope, false);
  auto attributes = GroupAttributes<AllToAllAttributes>(scope, group);
  if (scope.random().Chance(30)) {
    std::vector<Value> parts;
    for (int64_t i = 0; i < group.size; ++i) parts.push_back(i == 0 ? x : scope.Like(x.shape()));
    Facts facts = x.facts;
    for (const Value& part : parts) facts = Either(facts, part.facts);
    const std::vector<Shape> shapes(parts.size(), ArrayShape(x.type(), x.dimensions()));
    const Value all = scope.Add(HloOpcode::kAllToAll, parts, facts, {std::move(attributes), Shape::Tuple(shapes)});
    for (int64_t i = 0; i < group.size; ++i) scope.GetTupleElement(all, i, facts);
    return;
  }
  for (int d = 0; d < x.rank(); ++d) {
    if (x.dimension(d) == 0 || x.dimension(d) % group.size != 0) continue;
    attributes->split_dimension = d;
    scope.Add(HloOpcode::kAllToAll, {x}, x.facts, {std::move(attributes), x.shape()});
    return;
  }
}

// Each member sends `rows` rows to each other one, which has them behind those of the members before.
void RaggedAllToAllMove(Scope& scope) {
  const Group group = ChooseGroup(scope, false);
  const int64_t rows = scope.random().Between(0, 2), columns = scope.random().Between(1, 3);
  // By the positions of members in their group, which replica-id and partition-id give if ids are in order.
  const bool in_order = group.ids.size() == 1 && group.ids[0] == Identity(group.size);
  if (!in_order) return;
  const HloOpcode id = group.members == Members::kPartitions ? HloOpcode::kPartitionId : HloOpcode::kReplicaId;
  const PrimitiveType type = scope.random().Chance(50) ? F32 : S8;
  const Value input = scope.Fresh(ArrayShape(type, {group.size * rows + 1, columns}), DataClass::kSmall);
  const Value output = scope.Like(ArrayShape(type, {group.size * rows + 2, columns}));
  const auto sizes = [&](int64_t step) {
    const Value iota = scope.Iota(S32, {group.size}, 0);
    return scope.Binary(HloOpcode::kMultiply, iota, scope.Splat(iota.shape(), static_cast<double>(step)));
  };
  const Value from = sizes(rows);
  const Value count = scope.Splat(from.shape(), static_cast<double>(rows));
  const Value me = scope.Convert(scope.Add(id, {}, Facts::Whole(0, 3)), S32);
  const Value place = scope.Binary(HloOpcode::kMultiply, scope.Broadcast(me, {group.size}, {}), count);
  scope.Add(HloOpcode::kRaggedAllToAll, {input, output, from, count, place, count}, Either(input.facts, output.facts),
            {GroupAttributes<RaggedAllToAllAttributes>(scope, group), output.shape()});
}

Facts OrZero(const Facts& facts) { return Either(facts, Facts::Whole(0, 0)); }

void PermuteMove(Scope& scope) {
  const Value x = scope.Array();
  auto attributes = std::make_unique<CollectivePermuteAttributes>();
  const int64_t replicas = scope.state().replicas;
  const std::vector<int64_t> targets = scope.Permutation(replicas);
  for (int64_t source = 0; source < replicas; ++source) {
    if (scope.random().Chance(80)) attributes->source_target_pairs.push_back({source, targets[source]});
  }
  Facts facts = OrZero(x.facts);
  facts.nan_bits = x.facts.nan_bits;
  if (scope.random().Chance(70)) {
    scope.Add(HloOpcode::kCollectivePermute, {x}, facts, {std::move(attributes)});
    return;
  }
  const Value start = scope.Add(HloOpcode::kCollectivePermuteStart, {x}, facts,
                                {std::move(attributes), Shape::Tuple({x.shape(), x.shape()})});
  scope.Add(HloOpcode::kCollectivePermuteDone, {start}, facts);
}

void CollectiveBroadcastMove(Scope& scope) {
  const Value x = scope.Array();
  scope.Add(HloOpcode::kCollectiveBroadcast, {x}, x.facts,
            {GroupAttributes<CollectiveBroadcastAttributes>(scope, ChooseGroup(scope, false))});
}

// ---- What passes over collectives look for

Value AllReduceIn(Scope& scope, const Value& x, const Group& group, HloComputation* reducer, const Facts& facts) {
  auto attributes = GroupAttributes<AllReduceAttributes>(scope, group);
  attributes->use_global_device_ids = group.members == Members::kDevices;
  return scope.Add(HloOpcode::kAllReduce, {x}, facts, {std::move(attributes), absl::nullopt, {reducer}});
}

// Small whole numbers, of which sums of sums are exact, too.
Value SmallNumbers(Scope& scope, absl::Span<const int64_t> dimensions) {
  static constexpr PrimitiveType kTypes[] = {F32, F32, S32, F64, S8};
  return scope.Fresh(ArrayShape(scope.random().Pick(kTypes), dimensions), DataClass::kSmall);
}

// Several all-reduces or all-gathers among the same devices, with other instructions in between.
void NeighborsMove(Scope& scope) {
  const Group group = ChooseGroup(scope, true);
  const bool gathers = scope.random().Chance(40);
  absl::optional<PrimitiveType> type;
  for (int64_t i = scope.random().Between(2, 4); i > 0; --i) {
    Value x = SmallNumbers(scope, scope.Dimensions(1, 2));
    if (type.has_value() && scope.random().Chance(80)) {
      x = scope.Fresh(ArrayShape(*type, scope.Dimensions(1, 2)), DataClass::kSmall);
    }
    type = x.type();
    if (!gathers) {
      const bool sum = MaySumUp(x, group.size);
      const Facts facts = sum ? SumFacts(x.type(), static_cast<double>(group.size), x.facts) : Facts::Exact();
      AllReduceIn(scope, x, group,
                  ScalarComputation(scope.state(), sum ? HloOpcode::kAdd : HloOpcode::kMaximum, x.type()), facts);
    } else {
      auto attributes = GroupAttributes<ShardingCollectiveAttributes>(scope, group);
      attributes->use_global_device_ids = group.members == Members::kDevices;
      Shape shape = x.shape();
      shape.set_dimension(0, shape.dimension(0) * group.size);
      scope.Add(HloOpcode::kAllGather, {x}, x.facts, {std::move(attributes), shape});
    }
    if (scope.random().Chance(40)) {
      scope.Unary(HloOpcode::kNegate, scope.ExactArray(element_class::kSigned | element_class::kFloat));
    }
  }
}

// The position of each device in its group.
std::vector<int64_t> Positions(Scope& scope, const Group& group) {
  const int64_t replicas = scope.state().replicas, partitions = scope.state().partitions;
  std::vector<int64_t> positions(replicas * partitions);
  for (int64_t device = 0; device < replicas * partitions; ++device) {
    const int64_t replica = device / partitions, partition = device % partitions;
    const int64_t id = group.members == Members::kDevices ? device : replica;
    for (const std::vector<int64_t>& ids : group.ids) {
      const int64_t place = std::find(ids.begin(), ids.end(), id) - ids.begin();
      if (place == static_cast<int64_t>(ids.size())) continue;
      positions[device] = group.members == Members::kReplicasAndPartitions ? place * partitions + partition : place;
    }
  }
  return positions;
}

// An all-reduce, and the part of it that is this device's own, or that of another one now and then.
void OwnPartMove(Scope& scope) {
  const Group group = ChooseGroup(scope, true);
  if (group.size == 1) return;
  const int64_t part = scope.random().Between(1, 3);
  DimensionVector dimensions = scope.Dimensions(1, 2);
  const int64_t d = scope.random().Below(static_cast<int64_t>(dimensions.size()));
  dimensions[d] = part * group.size;
  const Value x = SmallNumbers(scope, dimensions);
  const auto [reducer, facts] = ChooseReducer(scope, x, group.size);
  const Value whole = AllReduceIn(scope, x, group, reducer, facts);
  std::vector<int64_t> positions = Positions(scope, group);
  const int64_t turn = scope.random().Chance(20) ? scope.random().Below(group.size) : 0;
  for (int64_t& position : positions) position = (position + turn) % group.size;
  absl::StatusOr<Literal> table = Literal::Zeros(ArrayShape(S32, {static_cast<int64_t>(positions.size())}));
  if (!table.ok()) return;
  std::copy(positions.begin(), positions.end(), table->mutable_data<int32_t>());
  const Facts small = Facts::Whole(0, 64);
  const Value replica = scope.Add(HloOpcode::kReplicaId, {}, small);
  const Value partition = scope.Add(HloOpcode::kPartitionId, {}, small);
  const Value first = scope.Binary(HloOpcode::kMultiply, replica,
                                   scope.Scalar(U32, static_cast<double>(scope.state().partitions)));
  const Value device = scope.Binary(HloOpcode::kAdd, first, partition);
  const Value entry = scope.Add(HloOpcode::kDynamicSlice, {scope.Constant(*std::move(table), small), device}, small,
                                {MakeAttributes<DynamicSliceAttributes>([](auto& a) { a.slice_sizes = {1}; })});
  const Value offset = scope.Binary(HloOpcode::kMultiply, scope.Reshape(entry, {}),
                                    scope.Scalar(S32, static_cast<double>(part)));
  std::vector<Value> operands = {whole};
  for (size_t i = 0; i < dimensions.size(); ++i) {
    operands.push_back(static_cast<int64_t>(i) == d ? offset : scope.Scalar(S32, 0));
  }
  dimensions[d] = part;
  for (int64_t i = scope.random().Between(1, 2); i > 0; --i) {
    scope.Add(HloOpcode::kDynamicSlice, operands, facts, {MakeAttributes<DynamicSliceAttributes>([&](auto& a) {
                a.slice_sizes.assign(dimensions.begin(), dimensions.end());
              })});
  }
  // Mostly nothing else reads all of it.
  if (scope.random().Chance(80)) scope.Forget(whole);
}

// A sum of all-reduces; of integers also scaled ones, by a number that is the same everywhere or one that is not.
void SumOfSumsMove(Scope& scope) {
  const Group group = ChooseGroup(scope, true);
  const Value x = SmallNumbers(scope, scope.Dimensions(1, 2));
  if (!MaySumUp(x, group.size)) return;
  HloComputation* const add = ScalarComputation(scope.state(), HloOpcode::kAdd, x.type());
  const Facts facts = SumFacts(x.type(), static_cast<double>(group.size), x.facts);
  absl::optional<Value> sum;
  if (scope.random().Chance(30)) sum = scope.Like(x.shape(), DataClass::kSmall);
  for (int64_t i = scope.random().Between(2, 3); i > 0; --i) {
    const Value term = scope.Fresh(x.shape(), DataClass::kSmall);
    Value all = AllReduceIn(scope, term, group, add, facts);
    scope.Forget(all);
    if (IsInt(x.type()) && scope.random().Chance(40)) {
      const Value factor = scope.random().Chance(70) ? scope.Splat(x.shape(), 3) : scope.Like(x.shape());
      all = scope.Binary(HloOpcode::kMultiply, all, factor);
      scope.Forget(all);
    }
    const Value before = sum.value_or(all);
    if (sum.has_value()) sum = scope.Binary(HloOpcode::kAdd, before, all);
    if (!sum.has_value()) sum = all;
    if (i > 1) scope.Forget(*sum);
  }
}

// A loop that adds up what all devices have.
void AccumulationMove(Scope& scope) {
  const Group group = ChooseGroup(scope, true);
  const Value x = SmallNumbers(scope, scope.Dimensions(1, 2));
  if (!MaySumUp(x, group.size)) return;
  constexpr int64_t kIterations = 3;
  HloComputation* const add = ScalarComputation(scope.state(), HloOpcode::kAdd, x.type());
  const Facts term = SumFacts(x.type(), static_cast<double>(group.size), x.facts);
  const Value start = scope.random().Chance(60) ? scope.Splat(x.shape(), 0) : scope.Fresh(x.shape(), DataClass::kSmall);
  const Facts total = SumFacts(x.type(), static_cast<double>(kIterations * group.size + 1), x.facts);
  const Value init = scope.Tuple(std::vector<Value>{scope.Scalar(S32, 0), start, x});
  const Value done = While(
      scope, init,
      [](Scope& condition, const Value& state) {
        const Value count = condition.GetTupleElement(state, 0, Facts::Whole(0, kIterations));
        return condition.Compare(ComparisonDirection::kLt, count, condition.Scalar(S32, kIterations));
      },
      [&](Scope& body, const Value& state) {
        const Value count = body.GetTupleElement(state, 0, Facts::Whole(0, kIterations));
        const Value sum = body.GetTupleElement(state, 1, total);
        const Value own = body.GetTupleElement(state, 2, x.facts);
        const Value all = AllReduceIn(body, own, group, add, term);
        const Value next = body.random().Chance(50) ? body.Binary(HloOpcode::kAdd, sum, all)
                                                    : body.Binary(HloOpcode::kAdd, all, sum);
        const Value more = body.Binary(HloOpcode::kAdd, count, body.Scalar(S32, 1));
        return body.Tuple(std::vector<Value>{more, next, body.Unary(HloOpcode::kNegate, own)});
      });
  scope.GetTupleElement(done, 1, total);
  if (scope.random().Chance(50)) scope.GetTupleElement(done, 2, x.facts);
  scope.Forget(done);
}

void IdMove(Scope& scope) {
  scope.Add(scope.random().Chance(60) ? HloOpcode::kReplicaId : HloOpcode::kPartitionId, {}, Facts::Whole(0, 3));
}

}  // namespace

absl::Span<const Move> CollectiveMoves() {
  static constexpr Move kMoves[] = {
      {"all-reduce", 3, 0, &AllReduceMove},
      {"all-gather", 2, 0, &AllGatherMove},
      {"reduce-scatter", 2, 0, &ReduceScatterMove},
      {"all-to-all", 2, 0, &AllToAllMove},
      {"ragged-all-to-all", 1, 0, &RaggedAllToAllMove},
      {"collective-permute", 2, 0, &PermuteMove},
      {"collective-broadcast", 1, 0, &CollectiveBroadcastMove},
      {"replica-id", 2, 0, &IdMove},
      {"collectives of one group", 2, 0, &NeighborsMove},
      {"own part of an all-reduce", 6, 0, &OwnPartMove},
      {"sum of all-reduces", 2, 0, &SumOfSumsMove},
      {"loop of all-reduces", 1, 0, &AccumulationMove},
  };
  return kMoves;
}

}  // namespace xla
