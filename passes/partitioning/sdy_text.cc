#include "passes/partitioning/sdy_text.h"

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"

namespace xla {
namespace {

// Reads from the left. The first thing that is not as expected is the error; from then on nothing matches.
class SdyReader {
 public:
  explicit SdyReader(absl::string_view text) : text_(text), rest_(text) {}

  absl::Status Finish() {
    SkipBlanks();
    if (status_.ok() && !rest_.empty()) Expected("the end");
    return status_;
  }
  bool ok() const { return status_.ok(); }

  bool Accept(absl::string_view word) {
    SkipBlanks();
    if (!ok() || !absl::StartsWith(rest_, word)) return false;
    rest_.remove_prefix(word.size());
    return true;
  }
  bool Expect(absl::string_view word) { return Accept(word) || Expected(absl::StrCat("'", word, "'")); }
  bool Expected(absl::string_view what) {
    if (ok()) {
      status_ =
          absl::InvalidArgumentError(absl::StrCat("expected ", what, " at column ", rest_.data() - text_.data() + 1,
                                                  " of the attribute ", text_.substr(0, kShownCharacters)));
    }
    return false;
  }

  // item, item, ... up to `end`, which is taken, too.
  template <typename Item>
  bool List(absl::string_view end, Item item) {
    if (Accept(end)) return true;
    do {
      if (!item() || !ok()) return false;
    } while (Accept(","));
    return Expect(end);
  }

  bool Integer(int64_t* value) {
    SkipBlanks();
    size_t length = 0;
    while (length < rest_.size() && absl::ascii_isdigit(rest_[length])) ++length;
    if (!ok() || !absl::SimpleAtoi(rest_.substr(0, length), value)) return Expected("a number of at most 63 bits");
    rest_.remove_prefix(length);
    return true;
  }
  bool Quoted(std::string* value) {
    if (!Expect("\"")) return false;
    const size_t end = rest_.find('"');
    if (end == absl::string_view::npos) return Expected("'\"' after a name");
    *value = std::string(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return true;
  }
  // A name without quotes, or one in quotes.
  bool Name(std::string* value) {
    SkipBlanks();
    if (ok() && absl::StartsWith(rest_, "\"")) return Quoted(value);
    size_t length = 0;
    while (length < rest_.size() && (absl::ascii_isalnum(rest_[length]) || absl::StrContains("_.$-", rest_[length]))) {
      ++length;
    }
    if (!ok() || length == 0) return Expected("a name");
    *value = std::string(rest_.substr(0, length));
    rest_.remove_prefix(length);
    return true;
  }

 private:
  static constexpr size_t kShownCharacters = 200;

  void SkipBlanks() { rest_ = absl::StripLeadingAsciiWhitespace(rest_); }

  const absl::string_view text_;
  absl::string_view rest_;
  absl::Status status_;
};

// ["data"=2, "model"=4]>, or with device_ids before the >; from after the <.
bool ReadMesh(SdyReader& reader, Mesh* mesh) {
  if (!reader.Expect("[")) return false;
  absl::flat_hash_set<std::string> names;
  const auto axis = [&] {
    MeshAxis& read = mesh->axes.emplace_back();
    if (!reader.Quoted(&read.name)) return false;
    if (!names.insert(read.name).second) {
      return reader.Expected(
          absl::StrCat("another name than \"", read.name, "\", which an axis of the mesh has already,"));
    }
    return reader.Expect("=") && reader.Integer(&read.size);
  };
  if (!reader.List("]", axis)) return false;
  if (reader.Accept(",")) {
    const auto id = [&] {
      mesh->device_ids.emplace_back();
      return reader.Integer(&mesh->device_ids.back());
    };
    if (!reader.Expect("device_ids") || !reader.Expect("=") || !reader.Expect("[") || !reader.List("]", id)) {
      return false;
    }
  }
  if (mesh->axes.empty() && mesh->device_ids.size() == 1) mesh->maximal_device = mesh->device_ids[0];
  return reader.Expect(">");
}

// "data", or a part of it, "data":(1)2.
bool ReadAxis(SdyReader& reader, const Mesh& mesh, AxisRef* ref) {
  std::string name;
  if (!reader.Quoted(&name)) return false;
  ref->axis = 0;
  while (ref->axis < static_cast<int64_t>(mesh.axes.size()) && mesh.axes[ref->axis].name != name) ++ref->axis;
  if (ref->axis == static_cast<int64_t>(mesh.axes.size())) {
    return reader.Expected(absl::StrCat("an axis of the mesh, which has none of the name \"", name, "\","));
  }
  if (!reader.Accept(":")) return true;
  ref->sub_axis.emplace();
  return reader.Expect("(") && reader.Integer(&ref->sub_axis->pre_size) && reader.Expect(")") &&
         reader.Integer(&ref->sub_axis->size);
}

// {"data", ?}p1
bool ReadDimension(SdyReader& reader, const Mesh& mesh, Sharding::Named::Dimension* dimension) {
  if (!reader.Expect("{")) return false;
  const auto axis = [&] {
    if (reader.Accept("?")) {
      dimension->is_closed = false;
      return true;
    }
    dimension->axes.emplace_back();
    return ReadAxis(reader, mesh, &dimension->axes.back());
  };
  if (!reader.List("}", axis)) return false;
  int64_t priority;
  return !reader.Accept("p") || reader.Integer(&priority);
}

bool ReadAxes(SdyReader& reader, const Mesh& mesh, std::vector<AxisRef>* axes) {
  return reader.Expect("=") && reader.Expect("{") && reader.List("}", [&] {
    axes->emplace_back();
    return ReadAxis(reader, mesh, &axes->back());
  });
}

// @mesh, or mesh<["q"=2]>
bool ReadMeshOfSharding(SdyReader& reader, const SdyMeshes& meshes, Mesh* mesh) {
  if (reader.Accept("mesh<")) return ReadMesh(reader, mesh);
  std::string name;
  if (!reader.Expect("@") || !reader.Name(&name)) return false;
  const auto found = meshes.find(name);
  if (found == meshes.end()) {
    return reader.Expected(absl::StrCat("a mesh of the module's xla.sdy.meshes, which has no @", name, ","));
  }
  *mesh = found->second;
  return true;
}

// @mesh, [{"data"}, {}], replicated={..}, unreduced={..}>; from after the <.
bool ReadSdySharding(SdyReader& reader, const SdyMeshes& meshes, Sharding* sharding) {
  auto named = std::make_shared<Sharding::Named>();
  if (!ReadMeshOfSharding(reader, meshes, &named->mesh)) return false;
  while (reader.Accept(",")) {
    if (reader.Accept("[")) {
      const auto dimension = [&] {
        named->dimensions.emplace_back();
        return ReadDimension(reader, named->mesh, &named->dimensions.back());
      };
      if (!reader.List("]", dimension)) return false;
    } else if (reader.Accept("replicated")) {
      if (!ReadAxes(reader, named->mesh, &named->replicated_axes)) return false;
    } else if (reader.Accept("unreduced")) {
      if (!ReadAxes(reader, named->mesh, &named->unreduced_axes)) return false;
    } else {
      return reader.Expected("[...], replicated= or unreduced=");
    }
  }
  sharding->named = std::move(named);
  return reader.Expect(">");
}

}  // namespace

absl::StatusOr<SdyMeshes> ParseSdyMeshes(absl::string_view text) {
  SdyReader reader(text);
  SdyMeshes meshes;
  const auto mesh = [&] {
    std::string name;
    if (!reader.Name(&name)) return false;
    const auto [place, is_new] = meshes.try_emplace(name);
    if (!is_new) return reader.Expected(absl::StrCat("another name than @", name, ", which a mesh has already,"));
    return reader.Expect("=") && reader.Expect("#sdy.mesh<") && ReadMesh(reader, &place->second);
  };
  if (reader.Expect("{")) reader.List("}", mesh);
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return meshes;
}

absl::StatusOr<std::vector<Sharding>> ParseSdyShardings(absl::string_view text, const SdyMeshes& meshes) {
  SdyReader reader(text);
  std::vector<Sharding> shardings;
  const auto sharding = [&] {
    shardings.emplace_back();
    return ReadSdySharding(reader, meshes, &shardings.back());
  };
  if (reader.Accept("#sdy.sharding_per_value<")) {
    if (reader.Expect("[")) reader.List("]", [&] { return reader.Expect("<") && sharding(); });
    reader.Expect(">");
  } else if (reader.Expect("#sdy.sharding<")) {
    sharding();
  }
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return shardings;
}

absl::StatusOr<std::vector<std::string>> ParseSdyManualAxes(absl::string_view text) {
  SdyReader reader(text);
  std::vector<std::string> names;
  const auto name = [&] {
    names.emplace_back();
    return reader.Quoted(&names.back());
  };
  if (reader.Expect("#sdy<manual_axes{")) reader.List("}", name);
  reader.Expect(">");
  const absl::Status status = reader.Finish();
  if (!status.ok()) return status;
  return names;
}

}  // namespace xla
