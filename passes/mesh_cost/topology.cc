#include "passes/mesh_cost/topology.h"

#include <cmath>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// More than programs have, and few enough to count on each of them.
constexpr int64_t kMaxTopologyDevices = int64_t{1} << 20;

struct KindName {
  CollectiveKind kind;
  absl::string_view name;
};
constexpr KindName kKindNames[] = {{CollectiveKind::kDirect, "direct"},
                                   {CollectiveKind::kRing, "ring"},
                                   {CollectiveKind::kTree, "tree"},
                                   {CollectiveKind::kHierarchical, "hierarchical"}};

// As much of a name of the file as a message has room for.
absl::string_view Shown(absl::string_view text) { return text.substr(0, 60); }

// What a value is, for messages: `the string "x"`, `the number 3`, `an object`.
std::string Found(const JsonValue* value) {
  if (value == nullptr) return "nothing";
  if (value->AsString() != nullptr) return absl::StrCat("the string \"", Shown(*value->AsString()), "\"");
  if (value->is_number()) return absl::StrCat("the number ", *value->AsDouble());
  return std::string(value->KindName());
}

// One object of the file and its place there.
class TopologyObject {
 public:
  TopologyObject(const JsonValue* value, absl::string_view file, std::string path)
      : value_(value), file_(file), path_(std::move(path)) {}

  absl::Status Wrong(absl::string_view member, absl::string_view expected, const JsonValue* got) const {
    const std::string place = absl::StrCat(path_, path_.empty() || member.empty() ? "" : ".", member);
    return absl::InvalidArgumentError(absl::StrCat(file_, ": ", place.empty() ? "the topology" : place, ": expected ",
                                                   expected, ", got ", Found(got)));
  }

  // That it is an object with no other members.
  absl::Status CheckMembers(const std::vector<absl::string_view>& known) const {
    if (value_ == nullptr || value_->AsObject() == nullptr) {
      return Wrong("", absl::StrCat("an object with the members ", absl::StrJoin(known, ", ")), value_);
    }
    for (const auto& [name, value] : *value_->AsObject()) {
      bool is_known = false;
      for (const absl::string_view one : known) is_known |= one == name;
      if (is_known) continue;
      return absl::InvalidArgumentError(absl::StrCat(file_, ": ", path_.empty() ? "the topology" : path_,
                                                     " has no member '", Shown(name), "'", DidYouMean(name, known),
                                                     "; expected ", absl::StrJoin(known, ", ")));
    }
    return absl::OkStatus();
  }

  bool Has(absl::string_view member) const { return value_->Find(member) != nullptr; }

  absl::Status ReadCount(absl::string_view member, int64_t* count) const {
    const JsonValue* const got = value_->Find(member);
    const absl::optional<int64_t> number = got == nullptr ? absl::nullopt : got->AsInt64();
    if (!number.has_value() || *number < 1 || *number > kMaxTopologyDevices) {
      return Wrong(member, absl::StrCat("a whole number from 1 to ", kMaxTopologyDevices), got);
    }
    *count = *number;
    return absl::OkStatus();
  }

  absl::Status ReadReal(absl::string_view member, absl::string_view unit, bool allows_zero, double* real) const {
    const JsonValue* const got = value_->Find(member);
    const absl::optional<double> number = got == nullptr ? absl::nullopt : got->AsDouble();
    if (!number.has_value() || !std::isfinite(*number) || *number < 0 || (*number == 0 && !allows_zero)) {
      return Wrong(member, absl::StrCat("a number of ", unit, allows_zero ? ", 0 or more" : ", more than 0"), got);
    }
    *real = *number;
    return absl::OkStatus();
  }

  absl::Status ReadSwitch(absl::string_view member, bool* is_on) const {
    const JsonValue* const got = value_->Find(member);
    if (got == nullptr) return absl::OkStatus();
    if (!got->AsBool().has_value()) return Wrong(member, "true or false", got);
    *is_on = *got->AsBool();
    return absl::OkStatus();
  }

  absl::Status ReadKind(absl::string_view member, CollectiveKind* kind) const {
    const JsonValue* const got = value_->Find(member);
    if (got == nullptr) return absl::OkStatus();
    for (const KindName& known : kKindNames) {
      if (got->AsString() == nullptr || *got->AsString() != known.name) continue;
      *kind = known.kind;
      return absl::OkStatus();
    }
    return Wrong(member, "\"direct\", \"ring\", \"tree\" or \"hierarchical\"", got);
  }

  TopologyObject Member(absl::string_view member) const {
    return TopologyObject(value_->Find(member), file_, absl::StrCat(path_, path_.empty() ? "" : ".", member));
  }

 private:
  const JsonValue* value_;
  absl::string_view file_;
  std::string path_;
};

absl::Status ReadLink(const TopologyObject& object, Link* link) {
  RETURN_IF_ERROR(object.CheckMembers({"latency", "bandwidth", "shared"}));
  RETURN_IF_ERROR(object.ReadReal("latency", "seconds", /*allows_zero=*/true, &link->latency));
  RETURN_IF_ERROR(object.ReadReal("bandwidth", "bytes per second", /*allows_zero=*/false, &link->bandwidth));
  return object.ReadSwitch("shared", &link->is_shared);
}

absl::Status ReadDevice(const TopologyObject& object, Topology* topology) {
  RETURN_IF_ERROR(object.CheckMembers({"flops", "memory_bandwidth", "memory"}));
  RETURN_IF_ERROR(object.ReadReal("flops", "operations per second", /*allows_zero=*/false, &topology->flops));
  RETURN_IF_ERROR(
      object.ReadReal("memory_bandwidth", "bytes per second", /*allows_zero=*/false, &topology->memory_bandwidth));
  if (!object.Has("memory")) return absl::OkStatus();
  return object.ReadReal("memory", "bytes", /*allows_zero=*/false, &topology->memory);
}

// A link is needed where there are two ends.
absl::Status ReadLinks(const TopologyObject& object, Topology* topology) {
  RETURN_IF_ERROR(object.CheckMembers({"devices", "hosts"}));
  if (topology->devices_per_host > 1 || object.Has("devices")) {
    RETURN_IF_ERROR(ReadLink(object.Member("devices"), &topology->devices));
  }
  if (topology->hosts > 1 || object.Has("hosts")) {
    RETURN_IF_ERROR(ReadLink(object.Member("hosts"), &topology->between_hosts));
  }
  return absl::OkStatus();
}

std::string Counted(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

}  // namespace

absl::string_view NameOf(CollectiveKind kind) {
  for (const KindName& known : kKindNames) {
    if (known.kind == kind) return known.name;
  }
  return "";
}

std::string Topology::ToString() const {
  return absl::StrCat(Counted(hosts, "host"), " of ", Counted(devices_per_host, "device"), ", ", NameOf(kind));
}

absl::StatusOr<Topology> ReadTopology(absl::string_view text, absl::string_view file_name) {
  ASSIGN_OR_RETURN(const JsonValue value, ParseJson(text, file_name));
  const TopologyObject object(&value, file_name, "");
  RETURN_IF_ERROR(object.CheckMembers({"hosts", "devices_per_host", "collectives", "device", "links"}));
  Topology topology;
  RETURN_IF_ERROR(object.ReadCount("hosts", &topology.hosts));
  RETURN_IF_ERROR(object.ReadCount("devices_per_host", &topology.devices_per_host));
  if (topology.device_count() > kMaxTopologyDevices) {
    return absl::InvalidArgumentError(absl::StrCat(file_name, ": hosts times devices_per_host: expected at most ",
                                                   kMaxTopologyDevices, ", got ", topology.device_count()));
  }
  RETURN_IF_ERROR(object.ReadKind("collectives", &topology.kind));
  RETURN_IF_ERROR(ReadDevice(object.Member("device"), &topology));
  if (topology.device_count() > 1 || object.Has("links")) {
    RETURN_IF_ERROR(ReadLinks(object.Member("links"), &topology));
  }
  return topology;
}

}  // namespace xla
