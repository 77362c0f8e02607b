#include "xla_core/ir/mesh.h"

#include <algorithm>
#include <numeric>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr int64_t kMaxIds = 1'000'000;

// Reads a dense row-major array of `dims` along the axes in `all_axes` (slowest first).
std::vector<int64_t> TransposeIds(const std::vector<int64_t>& ids, const std::vector<int64_t>& dims,
                                  const std::vector<int>& all_axes) {
  std::vector<int64_t> strides(dims.size(), 1);
  for (int i = static_cast<int>(dims.size()) - 2; i >= 0; --i) strides[i] = strides[i + 1] * dims[i + 1];
  // There may be any number of axes of size 1, and they do not matter.
  std::vector<int> order;
  for (int axis : all_axes) {
    if (dims[axis] > 1) order.push_back(axis);
  }
  const int rank = static_cast<int>(order.size());
  std::vector<int64_t> out;
  out.reserve(ids.size());
  std::vector<int64_t> index(rank, 0);
  for (size_t n = 0; n < ids.size(); ++n) {
    int64_t at = 0;
    for (int k = 0; k < rank; ++k) at += index[k] * strides[order[k]];
    out.push_back(ids[at]);
    for (int k = rank - 1; k >= 0; --k) {
      if (++index[k] < dims[order[k]]) break;
      index[k] = 0;
    }
  }
  return out;
}

bool IsPermutation(const std::vector<int>& perm, size_t size) {
  if (perm.size() != size) return false;
  std::vector<bool> seen(size, false);
  for (int p : perm) {
    if (p < 0 || p >= static_cast<int>(size) || seen[p]) return false;
    seen[p] = true;
  }
  return true;
}

absl::StatusOr<int64_t> ProductAtMost(const std::vector<int64_t>& dims, int64_t limit) {
  int64_t product = 1;
  for (int64_t d : dims) {
    if (d <= 0 || !CheckedMul(product, d, &product) || product > limit) {
      return absl::InvalidArgumentError(absl::StrCat("device counts must be positive and their product at most ", limit,
                                                     ", found a dimension of ", d));
    }
  }
  return product;
}

// The number of devices of a mesh, as its axes say; what names its devices, if anything does, names as many.
absl::StatusOr<int64_t> CountDevices(const Mesh& mesh) {
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  ASSIGN_OR_RETURN(const int64_t devices, ProductAtMost(sizes, kMaxIds));
  int64_t named = devices;
  if (mesh.iota.has_value()) {
    ASSIGN_OR_RETURN(named, mesh.iota->Count(kMaxIds));
  } else if (!mesh.device_ids.empty()) {
    named = static_cast<int64_t>(mesh.device_ids.size());
  }
  if (named == devices) return devices;
  return absl::InvalidArgumentError(
      absl::StrCat("device_ids of the mesh name ", named, " devices, its axes ", devices));
}

// The ids of a mesh in order of its axes.
absl::StatusOr<std::vector<int64_t>> MeshIds(const Mesh& mesh, int64_t devices) {
  if (mesh.iota.has_value()) return mesh.iota->Expand(kMaxIds);
  if (!mesh.device_ids.empty()) return mesh.device_ids;
  std::vector<int64_t> ids(devices);
  std::iota(ids.begin(), ids.end(), 0);
  return ids;
}

std::vector<std::vector<int64_t>> CutIntoGroups(const std::vector<int64_t>& ids, int64_t group_size) {
  std::vector<std::vector<int64_t>> groups;
  for (size_t i = 0; i < ids.size(); i += group_size)
    groups.emplace_back(ids.begin() + i, ids.begin() + i + group_size);
  return groups;
}

// A mesh whose axes are cut into pieces, so that each reference to an axis, or to a part of one, names whole pieces.
struct MeshCut {
  int64_t devices = 1;
  std::vector<int64_t> dims;  // of the pieces
  std::vector<int> order;     // of the pieces: last those that the references name, as they are listed
  int64_t group_size = 1;     // product of the sizes of those last ones
};

absl::StatusOr<MeshCut> CutMesh(const Mesh& mesh, const std::vector<AxisRef>& axes) {
  MeshCut cut;
  ASSIGN_OR_RETURN(cut.devices, CountDevices(mesh));
  const int64_t rank = static_cast<int64_t>(mesh.axes.size());
  std::vector<std::vector<int64_t>> cuts;
  for (const MeshAxis& axis : mesh.axes) cuts.push_back({1, axis.size});
  for (const AxisRef& ref : axes) {
    if (ref.axis < 0 || ref.axis >= rank || !ref.sub_axis.has_value()) continue;
    int64_t end;
    if (ref.sub_axis->pre_size < 1 || ref.sub_axis->size < 1 ||
        !CheckedMul(ref.sub_axis->pre_size, ref.sub_axis->size, &end)) {
      return absl::InvalidArgumentError("sizes of a sub-axis must be positive");
    }
    cuts[ref.axis].push_back(ref.sub_axis->pre_size);
    cuts[ref.axis].push_back(end);
  }

  // Each piece begins after the product `pre` of the pieces before it; first_piece[a] is the first one of axis a.
  std::vector<int64_t> pre;
  std::vector<size_t> first_piece;
  for (int64_t a = 0; a < rank; ++a) {
    std::sort(cuts[a].begin(), cuts[a].end());
    cuts[a].erase(std::unique(cuts[a].begin(), cuts[a].end()), cuts[a].end());
    first_piece.push_back(cut.dims.size());
    bool divides = cuts[a].back() == mesh.axes[a].size;
    for (size_t c = 0; divides && c + 1 < cuts[a].size(); ++c) {
      divides = cuts[a][c + 1] % cuts[a][c] == 0;
      pre.push_back(cuts[a][c]);
      cut.dims.push_back(cuts[a][c + 1] / cuts[a][c]);
    }
    if (!divides) {
      return absl::InvalidArgumentError(absl::StrCat("sub-axes of mesh axis '", mesh.axes[a].name, "' of size ",
                                                     mesh.axes[a].size, " overlap or do not divide it"));
    }
  }
  first_piece.push_back(cut.dims.size());

  std::vector<int> inner;
  std::vector<bool> used(cut.dims.size(), false);
  for (const AxisRef& ref : axes) {
    if (ref.axis < 0 || ref.axis >= rank) {
      return absl::InvalidArgumentError(absl::StrCat("the mesh has no axis number ", ref.axis));
    }
    const int64_t begin = ref.sub_axis.has_value() ? ref.sub_axis->pre_size : 1;
    const int64_t end = ref.sub_axis.has_value() ? begin * ref.sub_axis->size : mesh.axes[ref.axis].size;
    for (size_t p = first_piece[ref.axis]; p < first_piece[ref.axis + 1]; ++p) {
      if (pre[p] < begin || pre[p] * cut.dims[p] > end) continue;
      if (used[p])
        return absl::InvalidArgumentError(absl::StrCat("mesh axis '", mesh.axes[ref.axis].name, "' is named twice"));
      used[p] = true;
      inner.push_back(static_cast<int>(p));
      cut.group_size *= cut.dims[p];
    }
  }
  for (size_t p = 0; p < used.size(); ++p) {
    if (!used[p]) cut.order.push_back(static_cast<int>(p));
  }
  cut.order.insert(cut.order.end(), inner.begin(), inner.end());
  return cut;
}

// The devices that differ only in the named axes form a group, ordered by those axes as they are listed.
absl::StatusOr<std::vector<std::vector<int64_t>>> ExpandMesh(const Mesh& mesh, const std::vector<AxisRef>& axes) {
  if (mesh.maximal_device.has_value()) return std::vector<std::vector<int64_t>>{{*mesh.maximal_device}};
  ASSIGN_OR_RETURN(const MeshCut cut, CutMesh(mesh, axes));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, MeshIds(mesh, cut.devices));
  return CutIntoGroups(TransposeIds(ids, cut.dims, cut.order), cut.group_size);
}

}  // namespace

absl::StatusOr<int64_t> IotaTransform::Count(int64_t max_devices) const {
  ASSIGN_OR_RETURN(const int64_t count, ProductAtMost(reshape_dims, max_devices));
  if (!transpose_perm.empty() && !IsPermutation(transpose_perm, reshape_dims.size())) {
    return absl::InvalidArgumentError("T(...) of an iota device list must be a permutation of its dimensions");
  }
  return count;
}

absl::StatusOr<std::vector<int64_t>> IotaTransform::Expand(int64_t max_devices) const {
  ASSIGN_OR_RETURN(const int64_t count, Count(max_devices));
  std::vector<int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  return transpose_perm.empty() ? ids : TransposeIds(ids, reshape_dims, transpose_perm);
}

absl::StatusOr<ReplicaGroups::Counts> ReplicaGroups::Count() const {
  if (form == Form::kMesh) {
    if (mesh.maximal_device.has_value()) return Counts{1, 1};
    ASSIGN_OR_RETURN(const MeshCut cut, CutMesh(mesh, axes));
    return Counts{cut.devices / cut.group_size, cut.group_size};
  }
  ASSIGN_OR_RETURN(const int64_t count, ProductAtMost({iota_groups, iota_group_size}, kMaxIds));
  ASSIGN_OR_RETURN(const int64_t ids, iota.Count(kMaxIds));
  if (ids == count) return Counts{iota_groups, iota_group_size};
  return absl::InvalidArgumentError(absl::StrCat("iota replica groups [", iota_groups, ",", iota_group_size, "] hold ",
                                                 count, " ids, but the iota has ", ids));
}

// Groups as lists of ids. A limit on their number keeps a short text from filling the memory.
absl::StatusOr<std::vector<std::vector<int64_t>>> ReplicaGroups::Expand() const {
  switch (form) {
    case Form::kList:
      return groups;
    case Form::kMesh:
      return ExpandMesh(mesh, axes);
    case Form::kIota:
      break;
  }
  ASSIGN_OR_RETURN(const Counts counts, Count());
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, iota.Expand(kMaxIds));
  return CutIntoGroups(ids, counts.group_size);
}

}  // namespace xla
