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

// Reads a dense row-major array of `dims` along the axes in `order` (slowest first).
std::vector<int64_t> TransposeIds(const std::vector<int64_t>& ids, const std::vector<int64_t>& dims,
                                  const std::vector<int>& order) {
  const int rank = static_cast<int>(dims.size());
  std::vector<int64_t> strides(rank, 1);
  for (int i = rank - 2; i >= 0; --i) strides[i] = strides[i + 1] * dims[i + 1];
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

// The ids of a mesh in order of its axes.
absl::StatusOr<std::vector<int64_t>> MeshIds(const Mesh& mesh, int64_t devices) {
  if (mesh.iota.has_value()) {
    ASSIGN_OR_RETURN(std::vector<int64_t> ids, mesh.iota->Expand(kMaxIds));
    if (static_cast<int64_t>(ids.size()) != devices) {
      return absl::InvalidArgumentError(
          absl::StrCat("device_ids of the mesh name ", ids.size(), " devices, its axes ", devices));
    }
    return ids;
  }
  if (!mesh.device_ids.empty()) {
    if (static_cast<int64_t>(mesh.device_ids.size()) != devices) {
      return absl::InvalidArgumentError(
          absl::StrCat("device_ids of the mesh name ", mesh.device_ids.size(), " devices, its axes ", devices));
    }
    return mesh.device_ids;
  }
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

// The devices that differ only in the named axes form a group, ordered by those axes as they are listed.
absl::StatusOr<std::vector<std::vector<int64_t>>> ExpandMesh(const Mesh& mesh, const std::vector<AxisRef>& axes) {
  if (mesh.maximal_device.has_value()) return std::vector<std::vector<int64_t>>{{*mesh.maximal_device}};
  std::vector<int64_t> sizes;
  for (const MeshAxis& axis : mesh.axes) sizes.push_back(axis.size);
  ASSIGN_OR_RETURN(const int64_t devices, ProductAtMost(sizes, kMaxIds));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, MeshIds(mesh, devices));

  // Every axis is cut into the pieces (before, named part, after) that its references ask for.
  struct Piece {
    int64_t axis, pre, size;
  };
  std::vector<Piece> pieces;
  for (size_t a = 0; a < sizes.size(); ++a) {
    std::vector<int64_t> cuts = {1, sizes[a]};
    for (const AxisRef& ref : axes) {
      if (ref.axis != static_cast<int64_t>(a) || !ref.sub_axis.has_value()) continue;
      int64_t end;
      if (ref.sub_axis->pre_size < 1 || ref.sub_axis->size < 1 ||
          !CheckedMul(ref.sub_axis->pre_size, ref.sub_axis->size, &end)) {
        return absl::InvalidArgumentError("sizes of a sub-axis must be positive");
      }
      cuts.push_back(ref.sub_axis->pre_size);
      cuts.push_back(end);
    }
    std::sort(cuts.begin(), cuts.end());
    cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
    for (size_t c = 0; c + 1 < cuts.size(); ++c) {
      if (cuts[c + 1] % cuts[c] != 0) {
        return absl::InvalidArgumentError(absl::StrCat("sub-axes of mesh axis '", mesh.axes[a].name, "' of size ",
                                                       sizes[a], " overlap or do not divide it"));
      }
      pieces.push_back({static_cast<int64_t>(a), cuts[c], cuts[c + 1] / cuts[c]});
    }
  }
  std::vector<int64_t> dims;
  for (const Piece& piece : pieces) dims.push_back(piece.size);

  std::vector<int> inner;
  std::vector<bool> used(pieces.size(), false);
  int64_t group_size = 1;
  for (const AxisRef& ref : axes) {
    if (ref.axis < 0 || ref.axis >= static_cast<int64_t>(sizes.size())) {
      return absl::InvalidArgumentError(absl::StrCat("the mesh has no axis number ", ref.axis));
    }
    const int64_t begin = ref.sub_axis.has_value() ? ref.sub_axis->pre_size : 1;
    const int64_t end = ref.sub_axis.has_value() ? begin * ref.sub_axis->size : sizes[ref.axis];
    for (size_t p = 0; p < pieces.size(); ++p) {
      if (pieces[p].axis != ref.axis || pieces[p].pre < begin || pieces[p].pre * pieces[p].size > end) continue;
      if (used[p])
        return absl::InvalidArgumentError(absl::StrCat("mesh axis '", mesh.axes[ref.axis].name, "' is named twice"));
      used[p] = true;
      inner.push_back(static_cast<int>(p));
      group_size *= dims[p];
    }
  }
  std::vector<int> order;
  for (size_t p = 0; p < pieces.size(); ++p) {
    if (!used[p]) order.push_back(static_cast<int>(p));
  }
  order.insert(order.end(), inner.begin(), inner.end());
  return CutIntoGroups(TransposeIds(ids, dims, order), group_size);
}

}  // namespace

absl::StatusOr<std::vector<int64_t>> IotaTransform::Expand(int64_t max_devices) const {
  ASSIGN_OR_RETURN(const int64_t count, ProductAtMost(reshape_dims, max_devices));
  std::vector<int64_t> ids(count);
  std::iota(ids.begin(), ids.end(), 0);
  if (transpose_perm.empty()) return ids;
  if (!IsPermutation(transpose_perm, reshape_dims.size())) {
    return absl::InvalidArgumentError("T(...) of an iota device list must be a permutation of its dimensions");
  }
  return TransposeIds(ids, reshape_dims, transpose_perm);
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
  ASSIGN_OR_RETURN(const int64_t count, ProductAtMost({iota_groups, iota_group_size}, kMaxIds));
  ASSIGN_OR_RETURN(const std::vector<int64_t> ids, iota.Expand(kMaxIds));
  if (static_cast<int64_t>(ids.size()) != count) {
    return absl::InvalidArgumentError(absl::StrCat("iota replica groups [", iota_groups, ",", iota_group_size,
                                                   "] hold ", count, " ids, but the iota has ", ids.size()));
  }
  return CutIntoGroups(ids, iota_group_size);
}

}  // namespace xla
