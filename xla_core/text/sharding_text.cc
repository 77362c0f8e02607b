#include "xla_core/text/sharding_text.h"

#include <memory>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/text/annotations_text.h"
#include "xla_core/text/mesh_text.h"

namespace xla {
namespace {

struct TypeWord {
  Keyword keyword;
  Sharding::Type type;
  const char* text;
};
constexpr TypeWord kTypeWords[] = {{Keyword::kReplicated, Sharding::Type::kReplicated, "replicated"},
                                   {Keyword::kMaximal, Sharding::Type::kMaximal, "maximal"},
                                   {Keyword::kManual, Sharding::Type::kManual, "manual"},
                                   {Keyword::kUnknown, Sharding::Type::kUnknown, "unknown"},
                                   {Keyword::kUnreduced, Sharding::Type::kUnreduced, "unreduced"}};

const TypeWord* FindTypeWord(Keyword keyword) {
  for (const TypeWord& word : kTypeWords) {
    if (keyword != Keyword::kNone && word.keyword == keyword) return &word;
  }
  return nullptr;
}

const char* TypeText(Sharding::Type type) {
  for (const TypeWord& word : kTypeWords) {
    if (word.type == type) return word.text;
  }
  return "replicated";
}

constexpr absl::string_view kReductions[] = {"sum", "max", "min"};

// {a="1"} or {{..},{..}}
bool ParseMetadataList(TokenReader& reader, std::vector<OpMetadata>* metadata) {
  if (reader.Is(TokenKind::kLeftBrace) && reader.Peek().kind == TokenKind::kLeftBrace) {
    return reader.ParseBracedList([&] {
      metadata->emplace_back();
      return ParseMetadata(reader, &metadata->back());
    });
  }
  metadata->emplace_back();
  return ParseMetadata(reader, &metadata->back());
}

void AppendMetadataList(const std::vector<OpMetadata>& metadata, std::string* out) {
  if (metadata.size() == 1) return AppendMetadata(metadata[0], out);
  out->push_back('{');
  for (size_t i = 0; i < metadata.size(); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    AppendMetadata(metadata[i], out);
  }
  out->push_back('}');
}

// ---- Classic

// Reads the words of one classic sharding and builds it.
class ClassicParser {
 public:
  ClassicParser(TokenReader& reader, Sharding* sharding) : reader_(reader), sharding_(*sharding) {}

  // From the position after the opening brace to the position after the closing one.
  bool Parse() {
    const char* const begin = reader_.token().begin;
    while (!reader_.Is(TokenKind::kRightBrace)) {
      if (!ParseWord()) return false;
    }
    reader_.Next();
    return Finish(begin);
  }

 private:
  // One word of a sharding in braces; they may come in any order.
  bool ParseWord() {
    if (const TypeWord* word = FindTypeWord(reader_.token().keyword)) {
      if (has_type_ && sharding_.type != word->type)
        return reader_.Error("a sharding has only one of replicated, maximal, manual, unknown, unreduced");
      has_type_ = true;
      sharding_.type = word->type;
      reader_.Next();
      return true;
    }
    if (reader_.Accept(Keyword::kLastTileDimReplicate)) {
      sharding_.replicate_on_last_tile_dim = true;
      return true;
    }
    if (reader_.Is(Keyword::kShardAs) || reader_.Is(Keyword::kShardLike)) return ParseShardGroup();
    if (reader_.IsAttribute("device")) {
      reader_.Next();
      sharding_.devices.emplace_back();
      return reader_.ParseInt(&sharding_.devices.back());
    }
    if (reader_.IsAttribute("devices")) return ParseTiles();
    if (reader_.IsAttribute("last_tile_dims")) return ParseLastTileDims();
    if (reader_.IsAttribute("metadata")) {
      reader_.Next();
      return ParseMetadataList(reader_, &sharding_.metadata);
    }
    static constexpr absl::string_view kWords[] = {
        "replicated",     "maximal",  "manual",     "unknown",
        "unreduced",      "devices",  "device",     "last_tile_dim_replicate",
        "last_tile_dims", "shard_as", "shard_like", "metadata"};
    return reader_.ErrorUnknown("word in a sharding", kWords);
  }

  bool ParseShardGroup() {
    const auto type = reader_.Is(Keyword::kShardAs) ? Sharding::GroupType::kAs : Sharding::GroupType::kLike;
    reader_.Next();
    int64_t group;
    if (!reader_.ParseInt(&group)) return false;
    sharding_.shard_group.emplace(type, group);
    return true;
  }

  // devices=[2,1,2]0,1,2,3 or devices=[2,2]<=[4]
  bool ParseTiles() {
    tiles_at_ = reader_.token().begin;
    reader_.Next();
    const auto parse = [&] {
      const char* const at = reader_.token().begin;
      sharding_.tile_dimensions.emplace_back();
      int64_t& size = sharding_.tile_dimensions.back();
      if (!reader_.ParseInt(&size)) return false;
      if (size <= 0) return reader_.ErrorAt(at, "the tile sizes of a sharding must be positive");
      return CheckedMul(tiles_, size, &tiles_) || reader_.ErrorAt(at, "the number of tiles does not fit in 63 bits");
    };
    if (!reader_.ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, parse)) return false;
    if (reader_.Is(TokenKind::kLessEqual)) {
      sharding_.iota.emplace();
      return ParseIotaTransform(reader_, &*sharding_.iota, &devices_);
    }
    do {
      sharding_.devices.emplace_back();
      if (!reader_.ParseInt(&sharding_.devices.back())) return false;
    } while (reader_.Accept(TokenKind::kComma));
    devices_ = static_cast<int64_t>(sharding_.devices.size());
    return true;
  }

  // last_tile_dims={manual, replicated}
  bool ParseLastTileDims() {
    reader_.Next();
    return reader_.ParseBracedList([&] {
      const TypeWord* const word = FindTypeWord(reader_.token().keyword);
      if (word == nullptr || word->type == Sharding::Type::kMaximal) {
        return reader_.ErrorExpected("replicated, manual, unknown or unreduced");
      }
      sharding_.last_tile_dims.push_back(word->type);
      reader_.Next();
      return true;
    });
  }

  bool Finish(const char* begin) {
    if (tiles_at_ != nullptr) return FinishTiled();
    if (!has_type_) {
      return reader_.ErrorAt(
          begin, "a sharding needs devices=[...] or one of replicated, maximal, manual, unknown, unreduced");
    }
    if (sharding_.type == Sharding::Type::kMaximal) {
      if (sharding_.devices.empty()) return reader_.ErrorAt(begin, "a maximal sharding needs device=");
      sharding_.devices.erase(sharding_.devices.begin(), sharding_.devices.end() - 1);
      return true;
    }
    return sharding_.devices.empty() ||
           reader_.ErrorAt(begin, absl::StrCat("a sharding that is ", TypeText(sharding_.type), " names no device"));
  }

  bool FinishTiled() {
    if (has_type_)
      return reader_.ErrorAt(tiles_at_, absl::StrCat("a sharding that is ", TypeText(sharding_.type), " has no tiles"));
    sharding_.type = Sharding::Type::kOther;
    if (tiles_ != devices_) {
      return reader_.ErrorAt(tiles_at_,
                             absl::StrCat("the sharding has ", tiles_, " tiles, but names ", devices_, " devices"));
    }
    return devices_ > 1 ||
           reader_.ErrorAt(tiles_at_, "a sharding with tiles needs at least two devices; write maximal device=");
  }

  TokenReader& reader_;
  Sharding& sharding_;
  bool has_type_ = false;
  const char* tiles_at_ = nullptr;
  int64_t tiles_ = 1;
  int64_t devices_ = 0;
};

// Prints a sharding in the form that tiles dimensions over numbered devices: `{devices=[2,1]0,1}`.
void AppendClassic(const Sharding& sharding, std::string* out) {
  out->push_back('{');
  if (sharding.type == Sharding::Type::kOther) {
    absl::StrAppend(out, "devices=[", absl::StrJoin(sharding.tile_dimensions, ","), "]");
    if (sharding.iota.has_value()) {
      absl::StrAppend(out, "<=");
      AppendIotaTransform(*sharding.iota, out);
    } else {
      absl::StrAppend(out, absl::StrJoin(sharding.devices, ","));
    }
  } else {
    absl::StrAppend(out, TypeText(sharding.type));
    if (sharding.type == Sharding::Type::kMaximal) {
      absl::StrAppend(out, " device=", sharding.devices.empty() ? 0 : sharding.devices[0]);
    }
  }
  if (sharding.replicate_on_last_tile_dim) absl::StrAppend(out, " last_tile_dim_replicate");
  if (!sharding.last_tile_dims.empty()) {
    absl::StrAppend(out, " last_tile_dims={",
                    absl::StrJoin(sharding.last_tile_dims, ", ",
                                  [](std::string* o, Sharding::Type type) { absl::StrAppend(o, TypeText(type)); }),
                    "}");
  }
  if (sharding.shard_group.has_value()) {
    absl::StrAppend(out, sharding.shard_group->first == Sharding::GroupType::kAs ? " shard_as " : " shard_like ",
                    sharding.shard_group->second);
  }
  if (!sharding.metadata.empty()) {
    absl::StrAppend(out, " metadata=");
    AppendMetadataList(sharding.metadata, out);
  }
  out->push_back('}');
}

// ---- Named

std::vector<AxisRef> AllAxes(const Mesh& mesh) {
  std::vector<AxisRef> axes;
  for (size_t i = 0; i < mesh.axes.size(); ++i) axes.push_back({static_cast<int64_t>(i), absl::nullopt});
  return axes;
}

// {'y', ?}
bool ParseNamedDimension(TokenReader& reader, const Mesh& mesh, Sharding::Named::Dimension* dimension) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before the axes of a dimension")) return false;
  while (!reader.Is(TokenKind::kRightBrace)) {
    if (reader.Accept(TokenKind::kQuestion)) {
      dimension->is_closed = false;
      break;
    }
    dimension->axes.emplace_back();
    if (!ParseAxisRef(reader, mesh, &dimension->axes.back())) return false;
    if (!reader.Accept(TokenKind::kComma)) break;
  }
  return reader.Expect(TokenKind::kRightBrace, "after the axes of a dimension");
}

// unreduced=sum{'y'}, unreduced={'y'}, or in short unreduced=max for all axes.
bool ParseUnreduced(TokenReader& reader, Sharding::Named* named) {
  if (reader.Is(TokenKind::kIdentifier)) {
    int reduction = 0;
    while (reduction < 3 && kReductions[reduction] != reader.token().text) ++reduction;
    if (reduction == 3) return reader.ErrorUnknown("reduction", kReductions);
    named->reduction = static_cast<Sharding::Reduction>(reduction);
    reader.Next();
    if (!reader.Is(TokenKind::kLeftBrace)) {
      named->unreduced_axes = AllAxes(named->mesh);
      return true;
    }
  }
  return ParseAxisRefs(reader, named->mesh, &named->unreduced_axes);
}

// One item after the mesh: the dimensions, a list of axes, or a short form.
bool ParseNamedItem(TokenReader& reader, Sharding::Named* named, std::vector<OpMetadata>* metadata) {
  if (reader.Is(TokenKind::kLeftSquare)) {
    return reader.ParseList(TokenKind::kLeftSquare, TokenKind::kRightSquare, [&] {
      named->dimensions.emplace_back();
      return ParseNamedDimension(reader, named->mesh, &named->dimensions.back());
    });
  }
  if (reader.Accept(Keyword::kReplicated)) return true;
  if (reader.Accept(Keyword::kManual)) {
    named->manual_axes = AllAxes(named->mesh);
    return true;
  }
  if (reader.Accept(Keyword::kUnreduced)) {
    named->unreduced_axes = AllAxes(named->mesh);
    return true;
  }
  const Token name = reader.token();
  if (name.kind == TokenKind::kAttributeName) {
    if (name.text == "replicated") return reader.Next(), ParseAxisRefs(reader, named->mesh, &named->replicated_axes);
    if (name.text == "manual") return reader.Next(), ParseAxisRefs(reader, named->mesh, &named->manual_axes);
    if (name.text == "unreduced") return reader.Next(), ParseUnreduced(reader, named);
    if (name.text == "metadata") return reader.Next(), ParseMetadataList(reader, metadata);
  }
  return reader.ErrorExpected("[...], replicated=, unreduced=, manual= or metadata= after the mesh of a sharding");
}

// Parses a sharding over named axes of a mesh. No axis, or part of one, may be used for two purposes.
bool ParseNamed(TokenReader& reader, Sharding* sharding) {
  const char* const begin = reader.token().begin;
  auto named = std::make_shared<Sharding::Named>();
  if (!ParseMesh(reader, &named->mesh)) return false;
  if (!reader.Is(TokenKind::kComma) && !named->mesh.maximal_device.has_value()) {
    return reader.ErrorExpected("',' and what is sharded over the mesh");
  }
  while (reader.Accept(TokenKind::kComma)) {
    if (!ParseNamedItem(reader, named.get(), &sharding->metadata)) return false;
  }
  std::vector<AxisRef> used = named->replicated_axes;
  used.insert(used.end(), named->unreduced_axes.begin(), named->unreduced_axes.end());
  used.insert(used.end(), named->manual_axes.begin(), named->manual_axes.end());
  for (const auto& dimension : named->dimensions) used.insert(used.end(), dimension.axes.begin(), dimension.axes.end());
  if (AxesOverlap(used)) return reader.ErrorAt(begin, "a mesh axis is used twice in this sharding");
  sharding->named = std::move(named);
  return reader.Expect(TokenKind::kRightBrace, "at the end of a sharding");
}

void AppendNamedDimensions(const Sharding::Named& named, std::string* out) {
  absl::StrAppend(out, ", [");
  for (size_t i = 0; i < named.dimensions.size(); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    const Sharding::Named::Dimension& dimension = named.dimensions[i];
    AppendAxisRefs(dimension.axes, named.mesh, ", ", out);
    if (!dimension.is_closed) {
      out->pop_back();
      absl::StrAppend(out, dimension.axes.empty() ? "?}" : ", ?}");
    }
  }
  out->push_back(']');
}

// The word for a sharding that treats all axes alike; nullptr if there is none.
const char* ShortForm(const Sharding::Named& named) {
  if (!named.dimensions.empty() || !named.replicated_axes.empty()) return nullptr;
  const bool no_manual = named.manual_axes.empty();
  const bool no_unreduced = named.unreduced_axes.empty();
  if (no_manual && no_unreduced) return "replicated";
  const std::vector<AxisRef> all = AllAxes(named.mesh);
  if (no_unreduced && named.manual_axes == all) return "manual";
  if (no_manual && named.unreduced_axes == all) return "unreduced";
  return nullptr;
}

// Prints a named sharding, by a single word where everything is replicated, manual or unreduced.
void AppendNamed(const Sharding::Named& named, const std::vector<OpMetadata>& metadata, std::string* out) {
  out->push_back('{');
  AppendMesh(named.mesh, out);
  const auto reduction = kReductions[static_cast<int>(named.reduction)];
  if (const char* const word = ShortForm(named)) {
    if (!named.mesh.maximal_device.has_value()) absl::StrAppend(out, ", ", word);
    if (!named.unreduced_axes.empty() && named.reduction != Sharding::Reduction::kSum)
      absl::StrAppend(out, "=", reduction);
  } else {
    const auto list = [&](absl::string_view name, const std::vector<AxisRef>& axes) {
      if (axes.empty()) return;
      absl::StrAppend(out, ", ", name);
      AppendAxisRefs(axes, named.mesh, ", ", out);
    };
    AppendNamedDimensions(named, out);
    list("replicated=", named.replicated_axes);
    list(named.reduction == Sharding::Reduction::kSum ? "unreduced=" : absl::StrCat("unreduced=", reduction),
         named.unreduced_axes);
    list("manual=", named.manual_axes);
  }
  if (!metadata.empty()) {
    absl::StrAppend(out, ", metadata=");
    AppendMetadataList(metadata, out);
  }
  out->push_back('}');
}

bool ParseSingle(TokenReader& reader, Sharding* sharding) {
  if (!reader.Expect(TokenKind::kLeftBrace, "before a sharding")) return false;
  if (AtMesh(reader)) return ParseNamed(reader, sharding);
  return ClassicParser(reader, sharding).Parse();
}

}  // namespace

bool ParseSharding(TokenReader& reader, Sharding* sharding) {
  if (!reader.Is(TokenKind::kLeftBrace)) return reader.ErrorExpected("'{' before a sharding");
  const TokenKind next = reader.Peek().kind;
  if (next != TokenKind::kLeftBrace && next != TokenKind::kRightBrace) return ParseSingle(reader, sharding);
  sharding->type = Sharding::Type::kTuple;
  return reader.ParseBracedList([&] {
    sharding->tuple.emplace_back();
    return ParseSingle(reader, &sharding->tuple.back());
  });
}

void AppendSharding(const Sharding& sharding, std::string* out) {
  if (sharding.named != nullptr) return AppendNamed(*sharding.named, sharding.metadata, out);
  if (sharding.type != Sharding::Type::kTuple) return AppendClassic(sharding, out);
  out->push_back('{');
  for (size_t i = 0; i < sharding.tuple.size(); ++i) {
    if (i > 0) absl::StrAppend(out, ", ");
    if (i > 0 && i % 5 == 0) absl::StrAppend(out, "/*index=", i, "*/");
    // Only protobuf can nest tuples; what is deeper than one level has no text.
    if (sharding.tuple[i].type == Sharding::Type::kTuple && sharding.tuple[i].named == nullptr) {
      absl::StrAppend(out, "{replicated}");
    } else {
      AppendSharding(sharding.tuple[i], out);
    }
  }
  out->push_back('}');
}

}  // namespace xla
