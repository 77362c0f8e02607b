#include "builders/stablehlo/lowering/sdy_shardings.h"

#include <algorithm>
#include <set>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/attribute_reader.h"
#include "builders/stablehlo/lowering/replica_groups.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// The axes of a mesh, cut where references to parts of them begin or end, from major to minor.
class Factors {
 public:
  Factors(const Mesh& mesh, const std::vector<AxisRef>& refs) {
    for (size_t axis = 0; axis < mesh.axes.size(); ++axis) {
      const int64_t size = mesh.axes[axis].size;
      std::set<int64_t> cuts = {1, size};
      for (const AxisRef& ref : refs) {
        if (ref.axis != static_cast<int64_t>(axis) || !ref.sub_axis.has_value()) continue;
        cuts.insert(ref.sub_axis->pre_size);
        cuts.insert(ref.sub_axis->pre_size * ref.sub_axis->size);
      }
      first_.push_back(static_cast<int>(sizes_.size()));
      cuts_.emplace_back(cuts.begin(), cuts.end());
      for (size_t i = 0; i + 1 < cuts_.back().size(); ++i) sizes_.push_back(cuts_.back()[i + 1] / cuts_.back()[i]);
    }
  }

  const std::vector<int64_t>& sizes() const { return sizes_; }
  // Numbers of the factors that make up an axis or a part of it.
  std::vector<int> Of(const Mesh& mesh, const AxisRef& ref) const {
    const int64_t begin = ref.sub_axis.has_value() ? ref.sub_axis->pre_size : 1;
    const int64_t end = ref.sub_axis.has_value() ? begin * ref.sub_axis->size : mesh.axes[ref.axis].size;
    std::vector<int> factors;
    const std::vector<int64_t>& cuts = cuts_[ref.axis];
    for (size_t i = 0; i + 1 < cuts.size(); ++i) {
      if (cuts[i] >= begin && cuts[i + 1] <= end) factors.push_back(first_[ref.axis] + static_cast<int>(i));
    }
    return factors;
  }

 private:
  std::vector<int64_t> sizes_;
  std::vector<int> first_;
  std::vector<std::vector<int64_t>> cuts_;
};

absl::Status CheckPart(const Mesh& mesh, const AxisRef& ref) {
  if (!ref.sub_axis.has_value()) return absl::OkStatus();
  const int64_t size = mesh.axes[ref.axis].size;
  const int64_t pre = ref.sub_axis->pre_size, part = ref.sub_axis->size;
  if (pre >= 1 && part >= 1 && pre <= size && part < size && size % pre == 0 && (size / pre) % part == 0) {
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("axis \"", mesh.axes[ref.axis].name, "\" of size ", size, " has no part (", pre, ")", part));
}

// Devices in the order of `order`, which numbers factors: neighbours that stay together become one.
IotaTransform TransformOf(const std::vector<int64_t>& sizes, const std::vector<int>& order) {
  std::vector<int> runs;  // first factor of each run, in the order of the result
  std::vector<int64_t> run_sizes;
  int previous = -2;
  for (const int factor : order) {
    if (sizes[factor] == 1) continue;
    int before = factor - 1;
    while (before >= 0 && sizes[before] == 1) --before;
    if (before >= 0 && before == previous) {
      run_sizes.back() *= sizes[factor];
    } else {
      runs.push_back(factor);
      run_sizes.push_back(sizes[factor]);
    }
    previous = factor;
  }
  std::vector<int> sorted = runs;
  std::sort(sorted.begin(), sorted.end());
  IotaTransform transform;
  for (const int run : sorted) {
    transform.reshape_dims.push_back(run_sizes[std::find(runs.begin(), runs.end(), run) - runs.begin()]);
  }
  for (const int run : runs) {
    transform.transpose_perm.push_back(static_cast<int>(std::find(sorted.begin(), sorted.end(), run) - sorted.begin()));
  }
  if (std::is_sorted(transform.transpose_perm.begin(), transform.transpose_perm.end()))
    transform.transpose_perm.clear();
  if (transform.reshape_dims.empty()) transform.reshape_dims.push_back(1);
  return transform;
}

struct ReadSharding {
  Mesh mesh;
  std::vector<std::vector<AxisRef>> dimensions;
  std::vector<AxisRef> unreduced;
  std::vector<AxisRef> all;
};

absl::StatusOr<std::vector<AxisRef>> AxesOf(const Module& module, const AttributeReader& fields, absl::string_view list,
                                            ReadSharding* read) {
  std::vector<AxisRef> refs;
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> axes, fields.Elements(list));
  for (const AttributeId id : axes) {
    ASSIGN_OR_RETURN(const AxisRef ref, AxisRefOf(module, read->mesh, module.attribute(id)));
    RETURN_IF_ERROR(CheckPart(read->mesh, ref));
    if (std::find(read->all.begin(), read->all.end(), ref) != read->all.end()) {
      return absl::InvalidArgumentError(
          absl::StrCat("a sharding uses axis \"", read->mesh.axes[ref.axis].name, "\" twice"));
    }
    if (read->all.size() >= kMostAxes) {
      return absl::InvalidArgumentError(absl::StrCat("a sharding may name ", kMostAxes, " axes"));
    }
    refs.push_back(ref);
    read->all.push_back(ref);
  }
  return refs;
}

absl::StatusOr<ReadSharding> Read(const ProgramLowering& program, const Attribute& attribute) {
  const Module& module = program.module();
  const AttributeReader fields(module, attribute.fields);
  const Attribute* const mesh = fields.Find("mesh");
  if (mesh == nullptr) return absl::InvalidArgumentError("a sharding of sdy must name a mesh");
  ReadSharding read;
  ASSIGN_OR_RETURN(read.mesh, MeshOf(program, *mesh));
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> dimensions, fields.Elements("dim_shardings"));
  for (const AttributeId id : dimensions) {
    const AttributeReader dimension(module, module.attribute(id).fields);
    ASSIGN_OR_RETURN(std::vector<AxisRef> axes, AxesOf(module, dimension, "axes", &read));
    const Attribute* const is_closed = dimension.Find("is_closed");
    if (axes.empty() && is_closed != nullptr && is_closed->integer != 0 && dimension.Has("priority")) {
      return absl::InvalidArgumentError("a dimension that is closed and has no axes has a priority in a sharding");
    }
    read.dimensions.push_back(std::move(axes));
  }
  RETURN_IF_ERROR(AxesOf(module, fields, "replicated_axes", &read).status());
  ASSIGN_OR_RETURN(read.unreduced, AxesOf(module, fields, "unreduced_axes", &read));
  return read;
}

}  // namespace

absl::Status CheckSdySharding(const ProgramLowering& program, const Attribute& attribute, const Shape& shape) {
  if (attribute.kind != AttributeKind::kStruct || attribute.name != "sdy.sharding") {
    return absl::InvalidArgumentError("expected a sharding, such as #sdy.sharding<@mesh, [{\"a\"}]>");
  }
  ASSIGN_OR_RETURN(const ReadSharding read, Read(program, attribute));
  const bool agrees = read.mesh.maximal_device.has_value() || !shape.IsArray() ||
                      static_cast<int>(read.dimensions.size()) == shape.rank();
  if (agrees) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("a sharding of ", read.dimensions.size(), " dimensions cannot be that of ", shape.ToString()));
}

absl::Status CheckSdyShardings(const ProgramLowering& program, const Attribute& attribute,
                               absl::Span<const Shape> shapes) {
  if (attribute.kind != AttributeKind::kStruct || attribute.name != "sdy.sharding_per_value") {
    return absl::InvalidArgumentError("expected a sharding for each value, such as #sdy.sharding_per_value<[...]>");
  }
  ASSIGN_OR_RETURN(const absl::Span<const AttributeId> shardings,
                   AttributeReader(program.module(), attribute.fields).Elements("shardings"));
  if (shardings.size() != shapes.size()) {
    return absl::InvalidArgumentError(
        absl::StrCat("expected a sharding for each of ", shapes.size(), " values, got ", shardings.size()));
  }
  for (size_t i = 0; i < shapes.size(); ++i) {
    RETURN_IF_ERROR(CheckSdySharding(program, program.module().attribute(shardings[i]), shapes[i]));
  }
  return absl::OkStatus();
}

absl::StatusOr<Shape> LocalShape(const ProgramLowering& program, const Attribute& attribute, const Shape& global,
                                 absl::Span<const std::string> manual_axes) {
  ASSIGN_OR_RETURN(const ReadSharding read, Read(program, attribute));
  Shape local = global;
  for (size_t i = 0; global.IsArray() && i < read.dimensions.size() && static_cast<int>(i) < global.rank(); ++i) {
    int64_t parts = 1;
    for (const AxisRef& ref : read.dimensions[i]) {
      const MeshAxis& axis = read.mesh.axes[ref.axis];
      if (std::find(manual_axes.begin(), manual_axes.end(), axis.name) == manual_axes.end()) continue;
      parts *= ref.sub_axis.has_value() ? ref.sub_axis->size : axis.size;
    }
    const int64_t size = global.dimension(static_cast<int>(i));
    if (size % parts != 0) {
      return absl::InvalidArgumentError(
          absl::StrCat("dimension ", i, " of ", global.ToString(), " cannot be divided among ", parts, " devices"));
    }
    local.set_dimension(static_cast<int>(i), size / parts);
  }
  return local;
}

absl::StatusOr<Sharding> HloShardingOf(const ProgramLowering& program, const Attribute& attribute) {
  ASSIGN_OR_RETURN(const ReadSharding read, Read(program, attribute));
  Sharding sharding;
  if (read.mesh.maximal_device.has_value()) {
    sharding.type = Sharding::Type::kMaximal;
    sharding.devices = {*read.mesh.maximal_device};
    return sharding;
  }
  const Factors factors(read.mesh, read.all);
  std::vector<int> order;
  const auto append = [&](const std::vector<AxisRef>& refs) {
    int64_t count = 1;
    for (const AxisRef& ref : refs) {
      for (const int factor : factors.Of(read.mesh, ref)) {
        order.push_back(factor);
        count *= factors.sizes()[factor];
      }
    }
    return count;
  };
  bool is_tiled = false;
  for (const std::vector<AxisRef>& axes : read.dimensions) {
    sharding.tile_dimensions.push_back(append(axes));
    is_tiled = is_tiled || sharding.tile_dimensions.back() > 1;
  }
  const int64_t unreduced = append(read.unreduced);
  if (!is_tiled && unreduced == 1) return Sharding();  // replicated
  int64_t rest = 1;
  for (size_t factor = 0; factor < factors.sizes().size(); ++factor) {
    if (std::find(order.begin(), order.end(), static_cast<int>(factor)) != order.end()) continue;
    order.push_back(static_cast<int>(factor));
    rest *= factors.sizes()[factor];
  }
  sharding.type = Sharding::Type::kOther;
  if (unreduced > 1) {
    sharding.tile_dimensions.push_back(unreduced);
    sharding.last_tile_dims.push_back(Sharding::Type::kUnreduced);
    if (rest > 1) {
      sharding.tile_dimensions.push_back(rest);
      sharding.last_tile_dims.push_back(Sharding::Type::kReplicated);
    }
  } else if (rest > 1) {
    sharding.tile_dimensions.push_back(rest);
    sharding.replicate_on_last_tile_dim = true;
  }
  const IotaTransform transform = TransformOf(factors.sizes(), order);
  if (read.mesh.device_ids.empty()) {
    sharding.iota = transform;
    return sharding;
  }
  // The mesh names its devices one by one.
  const int64_t count = static_cast<int64_t>(read.mesh.device_ids.size());
  ASSIGN_OR_RETURN(const std::vector<int64_t> places, transform.Expand(count));
  for (const int64_t place : places) {
    if (place >= count) return absl::InvalidArgumentError("a mesh must have a device id for each of its devices");
    sharding.devices.push_back(read.mesh.device_ids[place]);
  }
  return sharding;
}

}  // namespace stablehlo
}  // namespace xla
