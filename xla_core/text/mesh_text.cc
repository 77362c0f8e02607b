#include "xla_core/text/mesh_text.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/text/annotations_text.h"

namespace xla {
namespace {

// Axes are looked up one by one.
constexpr size_t kMaxMeshAxes = 1000;

// T(1,0), a permutation of `rank` dimensions.
bool ParsePermutation(TokenReader& reader, size_t rank, std::vector<int>* permutation) {
  const char* const begin = reader.token().begin;
  reader.Next();
  std::vector<bool> seen(rank, false);
  const auto parse = [&] {
    const char* const at = reader.token().begin;
    int64_t dimension;
    if (!reader.ParseInt(&dimension)) return false;
    if (dimension < 0 || dimension >= static_cast<int64_t>(rank) || seen[dimension]) {
      return reader.ErrorAt(at, absl::StrCat("T(...) must be a permutation of the dimensions 0 to ", rank - 1));
    }
    seen[dimension] = true;
    permutation->push_back(static_cast<int>(dimension));
    return true;
  };
  if (!reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse)) return false;
  return permutation->size() == rank ||
         reader.ErrorAt(begin, absl::StrCat("T(...) must name all ", rank, " dimensions"));
}

// [2,4] of an iota, with T(1,0) after it if it is transposed.
bool ParseIotaDimensions(TokenReader& reader, IotaTransform* iota, int64_t* devices) {
  const char* const begin = reader.token().begin;
  *devices = 1;
  const auto parse = [&] {
    const char* const at = reader.token().begin;
    iota->reshape_dims.emplace_back();
    int64_t& size = iota->reshape_dims.back();
    if (!reader.ParseInt(&size)) return false;
    if (size <= 0) return reader.ErrorAt(at, "the dimensions of a device list must be positive");
    return CheckedMul(*devices, size, devices) || reader.ErrorAt(at, "the number of devices does not fit in 63 bits");
  };
  if (!reader.ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, parse)) return false;
  if (iota->reshape_dims.empty()) return reader.ErrorAt(begin, "a device list must have a dimension");
  if (reader.IsWord("T") && iota->reshape_dims.size() < 2) return reader.Error("one dimension cannot be transposed");
  return !reader.IsWord("T") || ParsePermutation(reader, iota->reshape_dims.size(), &iota->transpose_perm);
}

// Axes such as `["x"=2,"y"=4]`; `devices` becomes the product of their sizes.
bool ParseMeshAxes(TokenReader& reader, Mesh* mesh, int64_t* devices) {
  *devices = 1;
  return reader.ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, [&] {
    const char* const at = reader.token().begin;
    MeshAxis axis;
    if (!reader.ParseString(&axis.name) ||
        !reader.Expect(TokenKind::kEqual, "between the name and the size of an axis") || !reader.ParseInt(&axis.size)) {
      return false;
    }
    if (axis.size <= 0 || !CheckedMul(*devices, axis.size, devices)) {
      return reader.ErrorAt(at, "the sizes of mesh axes must be positive and their product must fit in 63 bits");
    }
    for (const MeshAxis& other : mesh->axes) {
      if (other.name == axis.name)
        return reader.ErrorAt(at, absl::StrCat("mesh axis ", Quoted(axis.name), " occurs twice"));
    }
    if (mesh->axes.size() == kMaxMeshAxes) return reader.ErrorAt(at, "a mesh has at most 1000 axes");
    mesh->axes.push_back(std::move(axis));
    return true;
  });
}

// ([2,2]T(1,0)) or (3,2,1,0)
bool ParseDeviceIds(TokenReader& reader, int64_t devices, Mesh* mesh) {
  const char* const begin = reader.token().begin;
  int64_t named = 0;
  if (reader.Is(TokenKind::kLeftParen) && reader.Peek().kind == TokenKind::kLeftSquare) {
    reader.Next();
    mesh->iota.emplace();
    if (!ParseIotaDimensions(reader, &*mesh->iota, &named) ||
        !reader.Expect(TokenKind::kRightParen, "after the device ids of a mesh")) {
      return false;
    }
  } else {
    const auto parse = [&] {
      mesh->device_ids.emplace_back();
      return reader.ParseNonNegative(&mesh->device_ids.back(), "a device id");
    };
    if (!reader.ParseList(TokenKind::kLeftParen, TokenKind::kRightParen, parse)) return false;
    named = static_cast<int64_t>(mesh->device_ids.size());
  }
  return named == devices ||
         reader.ErrorAt(begin, absl::StrCat("the axes of the mesh hold ", devices, " devices, device_ids ", named));
}

bool ParseMaximalMesh(TokenReader& reader, Mesh* mesh) {
  if (!reader.Expect(TokenKind::kLeftSquare, "after maximal_mesh")) return false;
  if (!reader.IsAttribute("device_id")) return reader.ErrorExpected("device_id=");
  reader.Next();
  mesh->maximal_device.emplace();
  return reader.ParseNonNegative(&*mesh->maximal_device, "a device id") &&
         reader.Expect(TokenKind::kRightSquare, "after the device of a maximal mesh");
}

// An axis by number or by name; errors suggest similar names.
bool FindAxis(TokenReader& reader, const Mesh& mesh, int64_t* index) {
  const char* const at = reader.token().begin;
  if (reader.Is(TokenKind::kInteger)) {
    if (!reader.ParseInt(index)) return false;
    return (*index >= 0 && *index < static_cast<int64_t>(mesh.axes.size())) ||
           reader.ErrorAt(at, absl::StrCat("the mesh has no axis number ", *index));
  }
  std::string name;
  if (!reader.ParseString(&name)) return false;
  std::vector<absl::string_view> known;
  for (const MeshAxis& axis : mesh.axes) {
    if (axis.name == name) {
      *index = static_cast<int64_t>(known.size());
      return true;
    }
    known.push_back(axis.name);
  }
  return reader.ErrorAt(at, absl::StrCat("the mesh has no axis ", Quoted(name), DidYouMean(name, known)));
}

// :(2)2
bool ParseSubAxis(TokenReader& reader, int64_t axis_size, AxisRef::SubAxis* sub) {
  const char* const at = reader.token().begin;
  if (!reader.Expect(TokenKind::kLeftParen, "before the size that precedes a sub-axis") ||
      !reader.ParseInt(&sub->pre_size) ||
      !reader.Expect(TokenKind::kRightParen, "after the size that precedes a sub-axis") ||
      !reader.ParseInt(&sub->size)) {
    return false;
  }
  int64_t end;
  const bool fits = sub->pre_size >= 1 && sub->size >= 1 && CheckedMul(sub->pre_size, sub->size, &end) &&
                    end <= axis_size && axis_size % end == 0;
  return fits || reader.ErrorAt(at, absl::StrCat("this sub-axis does not divide the axis of size ", axis_size));
}

}  // namespace

bool ParseIotaTransform(TokenReader& reader, IotaTransform* iota, int64_t* devices) {
  return reader.Expect(TokenKind::kLessEqual, "before an iota of devices") &&
         ParseIotaDimensions(reader, iota, devices);
}

void AppendIotaTransform(const IotaTransform& iota, std::string* out) {
  absl::StrAppend(out, "[", absl::StrJoin(iota.reshape_dims, ","), "]");
  if (!iota.transpose_perm.empty()) absl::StrAppend(out, "T(", absl::StrJoin(iota.transpose_perm, ","), ")");
}

bool AtMesh(const TokenReader& reader) { return reader.IsWord("mesh") || reader.IsWord("maximal_mesh"); }

bool ParseMesh(TokenReader& reader, Mesh* mesh) {
  const bool maximal = reader.IsWord("maximal_mesh");
  reader.Next();
  if (maximal) return ParseMaximalMesh(reader, mesh);
  int64_t devices;
  if (!ParseMeshAxes(reader, mesh, &devices)) return false;
  if (!reader.Is(TokenKind::kComma)) return true;
  const Token next = reader.Peek();
  if (next.kind != TokenKind::kAttributeName || next.text != "device_ids") return true;
  reader.Next();
  reader.Next();
  return ParseDeviceIds(reader, devices, mesh);
}

// Prints `mesh["x"=2,"y"=4]`, and the order of the devices if it is not the natural one.
void AppendMesh(const Mesh& mesh, std::string* out) {
  if (mesh.maximal_device.has_value()) {
    absl::StrAppend(out, "maximal_mesh[device_id=", *mesh.maximal_device, "]");
    return;
  }
  absl::StrAppend(out, "mesh[");
  for (size_t i = 0; i < mesh.axes.size(); ++i) {
    absl::StrAppend(out, i > 0 ? "," : "");
    AppendAxisRef({static_cast<int64_t>(i), absl::nullopt}, mesh, out);
    absl::StrAppend(out, "=", mesh.axes[i].size);
  }
  out->push_back(']');
  if (mesh.iota.has_value()) {
    absl::StrAppend(out, ", device_ids=(");
    AppendIotaTransform(*mesh.iota, out);
    out->push_back(')');
  } else if (!mesh.device_ids.empty()) {
    absl::StrAppend(out, ", device_ids=(", absl::StrJoin(mesh.device_ids, ","), ")");
  }
}

bool ParseAxisRef(TokenReader& reader, const Mesh& mesh, AxisRef* axis) {
  if (!FindAxis(reader, mesh, &axis->axis)) return false;
  if (!reader.Accept(TokenKind::kColon)) return true;
  axis->sub_axis.emplace();
  return ParseSubAxis(reader, mesh.axes[axis->axis].size, &*axis->sub_axis);
}

bool AxesOverlap(const std::vector<AxisRef>& axes) {
  // For each axis the pieces [begin, end) that were named; pieces that do not overlap are few, since they divide it.
  constexpr int64_t kAll = std::numeric_limits<int64_t>::max();
  absl::flat_hash_map<int64_t, std::vector<std::pair<int64_t, int64_t>>> named;
  for (const AxisRef& ref : axes) {
    const int64_t begin = ref.sub_axis.has_value() ? ref.sub_axis->pre_size : 1;
    const int64_t end = ref.sub_axis.has_value() ? begin * ref.sub_axis->size : kAll;
    auto& pieces = named[ref.axis];
    for (const auto& piece : pieces) {
      // A piece of size 1 is empty, but naming it again is a mistake all the same.
      if ((begin < piece.second && piece.first < end) || begin == piece.first) return true;
    }
    pieces.emplace_back(begin, end);
  }
  return false;
}

bool ParseAxisRefs(TokenReader& reader, const Mesh& mesh, std::vector<AxisRef>* axes) {
  const char* const begin = reader.token().begin;
  const auto parse = [&] {
    axes->emplace_back();
    return ParseAxisRef(reader, mesh, &axes->back());
  };
  if (!reader.ParseBracedList(parse)) return false;
  return !AxesOverlap(*axes) || reader.ErrorAt(begin, "a mesh axis is named twice");
}

void AppendAxisRef(const AxisRef& axis, const Mesh& mesh, std::string* out) {
  if (axis.axis < 0 || axis.axis >= static_cast<int64_t>(mesh.axes.size())) {
    absl::StrAppend(out, axis.axis);
  } else {
    std::string quoted;
    AppendQuoted(mesh.axes[axis.axis].name, &quoted);
    quoted.front() = quoted.back() = '\'';
    absl::StrAppend(out, quoted);
  }
  if (axis.sub_axis.has_value()) absl::StrAppend(out, ":(", axis.sub_axis->pre_size, ")", axis.sub_axis->size);
}

void AppendAxisRefs(const std::vector<AxisRef>& axes, const Mesh& mesh, const char* separator, std::string* out) {
  out->push_back('{');
  for (size_t i = 0; i < axes.size(); ++i) {
    if (i > 0) absl::StrAppend(out, separator);
    AppendAxisRef(axes[i], mesh, out);
  }
  out->push_back('}');
}

// Groups in one of three forms: lists `{{0,1},{2,3}}`, iota `[2,2]<=[4]`, or axes of a mesh. The form is kept for
// printing.
bool ParseReplicaGroups(TokenReader& reader, ReplicaGroups* groups) {
  if (AtMesh(reader)) {
    groups->form = ReplicaGroups::Form::kMesh;
    return ParseMesh(reader, &groups->mesh) && ParseAxisRefs(reader, groups->mesh, &groups->axes);
  }
  if (!reader.Is(TokenKind::kLeftSquare)) {
    return reader.ParseBracedList([&] {
      groups->groups.emplace_back();
      return reader.ParseIntList(&groups->groups.back());
    });
  }
  groups->form = ReplicaGroups::Form::kIota;
  const char* const begin = reader.token().begin;
  std::vector<int64_t> tile;
  const auto parse = [&] {
    tile.emplace_back();
    return reader.ParseNonNegative(&tile.back(), "the size of a group");
  };
  if (!reader.ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, parse)) return false;
  if (tile.size() != 2) {
    return reader.ErrorAt(begin, "expected [groups,size] before the '<=' of iota replica groups");
  }
  groups->iota_groups = tile[0];
  groups->iota_group_size = tile[1];
  int64_t devices;
  return ParseIotaTransform(reader, &groups->iota, &devices);
}

// Prints groups in their form, or as lists if `full` asks for that. Groups that do not expand, because of a wrong
// size, are printed in their form even then.
void AppendReplicaGroups(const ReplicaGroups& groups, bool full, std::string* out) {
  if (full && groups.form != ReplicaGroups::Form::kList) {
    const absl::StatusOr<std::vector<std::vector<int64_t>>> lists = groups.Expand();
    if (lists.ok()) {
      ReplicaGroups expanded;
      expanded.groups = *lists;
      return AppendReplicaGroups(expanded, full, out);
    }
  }
  switch (groups.form) {
    case ReplicaGroups::Form::kList:
      out->push_back('{');
      for (size_t i = 0; i < groups.groups.size(); ++i) {
        absl::StrAppend(out, i > 0 ? "," : "", "{", absl::StrJoin(groups.groups[i], ","), "}");
      }
      out->push_back('}');
      return;
    case ReplicaGroups::Form::kIota:
      absl::StrAppend(out, "[", groups.iota_groups, ",", groups.iota_group_size, "]<=");
      AppendIotaTransform(groups.iota, out);
      return;
    case ReplicaGroups::Form::kMesh:
      AppendMesh(groups.mesh, out);
      out->push_back(' ');
      AppendAxisRefs(groups.axes, groups.mesh, ",", out);
      return;
  }
}

}  // namespace xla
