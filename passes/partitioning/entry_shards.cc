#include "passes/partitioning/entry_shards.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "xla_core/support/status_macros.h"
#include "xla_core/types/primitive_type.h"

namespace xla {
namespace {

// The place of a shard in its array: `copied` elements of each dimension from `start` on are in both.
struct ShardPlace {
  ShardPlace(const Shape& whole, const ArrayTiling& tiling, int64_t device) {
    for (int k = 0; k < whole.rank(); ++k) {
      const int64_t shard_size = ShardSize(whole.dimension(k), tiling[k]);
      start.push_back(std::min(whole.dimension(k), tiling[k].CoordinateOf(device) * shard_size));
      copied.push_back(std::min(shard_size, whole.dimension(k) - start.back()));
    }
  }
  DimensionVector start;
  DimensionVector copied;
};

// Copies the rows that an array and its shard have in common; from one to the other, as `copy_row` wants.
template <typename CopyRow>
void ForEachRow(const Shape& whole, const Shape& shard, const ShardPlace& place, CopyRow copy_row) {
  const int rank = whole.rank();
  if (std::find(place.copied.begin(), place.copied.end(), 0) != place.copied.end()) return;
  const int64_t row = rank == 0 ? 1 : place.copied[rank - 1];
  DimensionVector index(rank, 0);
  while (true) {
    int64_t in_whole = 0;
    int64_t in_shard = 0;
    for (int k = 0; k < rank; ++k) {
      in_whole = in_whole * whole.dimension(k) + place.start[k] + index[k];
      in_shard = in_shard * shard.dimension(k) + index[k];
    }
    copy_row(in_whole, in_shard, row);
    int k = rank - 2;
    while (k >= 0 && ++index[k] == place.copied[k]) index[k--] = 0;
    if (k < 0) return;
  }
}

absl::StatusOr<Literal> CutArray(const Literal& array, const ArrayTiling& tiling, int64_t device,
                                 ShardPadding padding) {
  if (!array.shape().IsArray() || IsWhole(tiling)) return array;
  const Shape shape = ShardShape(array.shape(), tiling);
  ASSIGN_OR_RETURN(Literal shard, Literal::Zeros(shape));
  const PrimitiveType type = shape.element_type();
  const int64_t width = ByteWidth(type);
  if (padding == ShardPadding::kAllBits && type != PrimitiveType::PRED && BitWidth(type) >= 8) {
    std::memset(shard.untyped_mutable_data(), 0xFF, static_cast<size_t>(shard.size_bytes()));
  }
  const char* const from = static_cast<const char*>(array.untyped_data());
  char* const to = static_cast<char*>(shard.untyped_mutable_data());
  ForEachRow(array.shape(), shape, ShardPlace(array.shape(), tiling, device),
             [&](int64_t in_whole, int64_t in_shard, int64_t count) {
               std::memcpy(to + in_shard * width, from + in_whole * width, static_cast<size_t>(count * width));
             });
  return shard;
}

absl::StatusOr<Literal> Cut(const Literal& value, const LeafTilings& leaves, int64_t device, ShardPadding padding,
                            size_t* leaf) {
  if (!value.IsTuple()) return CutArray(value, leaves[(*leaf)++], device, padding);
  std::vector<Literal> elements;
  for (int i = 0; i < value.tuple_size(); ++i) {
    ASSIGN_OR_RETURN(elements.emplace_back(), Cut(value.element(i), leaves, device, padding, leaf));
  }
  return Literal::Tuple(std::move(elements));
}

absl::StatusOr<Literal> JoinArray(const std::vector<const Literal*>& shards, const Shape& whole,
                                  const ArrayTiling& tiling) {
  if (!whole.IsArray() || IsWhole(tiling)) return *shards[0];
  ASSIGN_OR_RETURN(Literal array, Literal::Zeros(whole));
  const int64_t width = ByteWidth(whole.element_type());
  char* const to = static_cast<char*>(array.untyped_mutable_data());
  // The first of the devices that have a tile comes last, so that its elements stay.
  for (int64_t device = static_cast<int64_t>(shards.size()) - 1; device >= 0; --device) {
    const char* const from = static_cast<const char*>(shards[device]->untyped_data());
    ForEachRow(whole, shards[device]->shape(), ShardPlace(whole, tiling, device),
               [&](int64_t in_whole, int64_t in_shard, int64_t count) {
                 std::memcpy(to + in_whole * width, from + in_shard * width, static_cast<size_t>(count * width));
               });
  }
  return array;
}

absl::StatusOr<Literal> Join(const std::vector<const Literal*>& values, const Shape& whole, const LeafTilings& leaves,
                             size_t* leaf) {
  if (!whole.IsTuple()) return JoinArray(values, whole, leaves[(*leaf)++]);
  std::vector<Literal> elements;
  for (int i = 0; i < whole.tuple_size(); ++i) {
    std::vector<const Literal*> of_devices;
    for (const Literal* value : values) of_devices.push_back(&value->element(i));
    ASSIGN_OR_RETURN(elements.emplace_back(), Join(of_devices, whole.tuple_shape(i), leaves, leaf));
  }
  return Literal::Tuple(std::move(elements));
}

}  // namespace

absl::StatusOr<EntryShards> EntryShards::Of(const HloModule& module, int64_t devices) {
  ASSIGN_OR_RETURN(const AnnotatedShardings shardings, AnnotatedShardings::Of(module, devices));
  ASSIGN_OR_RETURN(const ComputationRoles roles, ComputationRoles::Of(module, shardings));
  return EntryShards(*roles.SignatureOf(*module.entry()), module.entry()->root()->shape(), devices);
}

absl::StatusOr<std::vector<Literal>> EntryShards::ArgumentsOf(int64_t device, absl::Span<const Literal> arguments,
                                                              ShardPadding padding) const {
  std::vector<Literal> shards;
  for (size_t i = 0; i < arguments.size(); ++i) {
    size_t leaf = 0;
    ASSIGN_OR_RETURN(shards.emplace_back(), Cut(arguments[i], signature_.parameters[i], device, padding, &leaf));
  }
  return shards;
}

absl::StatusOr<Literal> EntryShards::JoinResults(absl::Span<const Literal> results) const {
  std::vector<const Literal*> of_devices;
  for (const Literal& result : results) of_devices.push_back(&result);
  size_t leaf = 0;
  return Join(of_devices, result_, signature_.result, &leaf);
}

}  // namespace xla
