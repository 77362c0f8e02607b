// Device meshes, and the replica groups and shardings that are written over them.
#ifndef XLA_CORE_IR_MESH_H_
#define XLA_CORE_IR_MESH_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/optional.h"

namespace xla {

// iota(product of dims) reshaped to `reshape_dims` and transposed by `transpose_perm` (empty: not transposed).
struct IotaTransform {
  std::vector<int64_t> reshape_dims;
  std::vector<int> transpose_perm;
  bool operator==(const IotaTransform& o) const {
    return reshape_dims == o.reshape_dims && transpose_perm == o.transpose_perm;
  }
  // How many device ids there are: 0 to N - 1, each once. InvalidArgument if the product exceeds `max_devices`, a
  // dimension is not positive or transpose_perm is no permutation.
  absl::StatusOr<int64_t> Count(int64_t max_devices) const;
  // The device ids in order. Errors: those of Count.
  absl::StatusOr<std::vector<int64_t>> Expand(int64_t max_devices) const;
};

// A named dimension of the array of devices, and how many devices it counts.
struct MeshAxis {
  std::string name;
  int64_t size = 1;
  bool operator==(const MeshAxis& o) const { return name == o.name && size == o.size; }
};

// mesh['x'=2,'y'=4], device_ids=(...). With `maximal_device` set: maximal_mesh[device_id=N].
struct Mesh {
  std::vector<MeshAxis> axes;
  std::vector<int64_t> device_ids;     // explicit order; empty if iota or default
  absl::optional<IotaTransform> iota;  // device_ids=([2,2]T(1,0))
  absl::optional<int64_t> maximal_device;
  bool operator==(const Mesh& o) const {
    return axes == o.axes && device_ids == o.device_ids && iota == o.iota && maximal_device == o.maximal_device;
  }
};

// A whole axis or, with `pre_size` and `size`, a part of it: 'y':(2)2.
struct AxisRef {
  struct SubAxis {
    int64_t pre_size = 1;
    int64_t size = 1;
    bool operator==(const SubAxis& o) const { return pre_size == o.pre_size && size == o.size; }
  };
  int64_t axis = 0;  // index into Mesh::axes
  absl::optional<SubAxis> sub_axis;
  bool operator==(const AxisRef& o) const { return axis == o.axis && sub_axis == o.sub_axis; }
};

// replica_groups in any of its spellings. A few characters of iota or mesh can stand for a million ids, so what looks
// at each instruction asks Count and expands lists only.
struct ReplicaGroups {
  enum class Form { kList, kIota, kMesh };
  struct Counts {
    int64_t groups = 0;
    int64_t group_size = 0;
  };
  Form form = Form::kList;
  std::vector<std::vector<int64_t>> groups;  // kList; empty: one group of all devices
  int64_t iota_groups = 0;                   // kIota: [iota_groups, iota_group_size]<=...
  int64_t iota_group_size = 0;
  IotaTransform iota;
  Mesh mesh;  // kMesh
  std::vector<AxisRef> axes;

  bool operator==(const ReplicaGroups& o) const {
    return form == o.form && groups == o.groups && iota_groups == o.iota_groups &&
           iota_group_size == o.iota_group_size && iota == o.iota && mesh == o.mesh && axes == o.axes;
  }
  bool empty() const { return form == Form::kList && groups.empty(); }
  // Whether the ids are 0 to N - 1, each once, by construction: of an iota, or of a mesh that neither lists them nor is
  // one device.
  bool NamesEachIdOnce() const {
    if (form != Form::kMesh) return form == Form::kIota;
    return !mesh.maximal_device.has_value() && (mesh.iota.has_value() || mesh.device_ids.empty());
  }
  // How many groups an iota or a mesh makes, and the size that all of them have. InvalidArgument if the form is
  // inconsistent (iota counts, axes of the mesh) or would have more than a million ids. Not for lists.
  absl::StatusOr<Counts> Count() const;
  // The groups as lists, whatever the form. Errors: those of Count.
  absl::StatusOr<std::vector<std::vector<int64_t>>> Expand() const;
};

}  // namespace xla

#endif  // XLA_CORE_IR_MESH_H_
