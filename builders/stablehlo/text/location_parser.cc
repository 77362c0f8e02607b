// Locations. Their aliases stand after the module that uses them, and may name each other in any order: what names an
// alias that is not known yet is read at the end.
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/stablehlo/text/attribute_parser.h"

namespace xla {
namespace stablehlo {

void AttributeParser::SetLocation(const PendingLocation& of, LocationId location) {
  if (of.operation.ok()) {
    module_.SetLocation(of.operation, location);
  } else {
    module_.SetLocation(of.value, location);
  }
}

bool AttributeParser::ReadOptionalLocation(OperationId operation) {
  return !token().IsWord("loc") || ReadOptionalLocation(PendingLocation{token().begin(), operation, {}});
}

bool AttributeParser::ReadOptionalLocation(ValueId value) {
  return !token().IsWord("loc") || ReadOptionalLocation(PendingLocation{token().begin(), {}, value});
}

bool AttributeParser::ReadOptionalLocation(PendingLocation pending) {
  LocationId location;
  may_defer_location_ = true;
  must_defer_location_ = false;
  const bool is_read = ReadLocationAt(pending.body, &location);
  may_defer_location_ = false;
  if (is_read) {
    SetLocation(pending, location);
    return true;
  }
  if (!must_defer_location_) return false;
  pending_locations_.push_back(pending);
  MoveTo(pending.body);
  Advance();
  return SkipBalanced();
}

// loc(...)
bool AttributeParser::ReadLocationAt(const char* body, LocationId* location) {
  MoveTo(body);
  return ExpectWord("loc") && Expect('(') && ReadLocation(location) && Expect(')');
}

bool AttributeParser::ReadLocation(LocationId* location) {
  const Nested nested(this);
  if (!nested.ok()) return false;
  if (ConsumeWordIf("unknown")) {
    *location = module_.Intern(Location());
    return true;
  }
  if (ConsumeWordIf("callsite")) {
    LocationId callee;
    LocationId caller;
    if (!Expect('(') || !ReadLocation(&callee) || !ExpectWord("at") || !ReadLocation(&caller)) return false;
    *location = module_.Intern(CallSiteLocation(callee, caller));
    return Expect(')');
  }
  if (ConsumeWordIf("fused")) return ReadFusedLocation(location);
  if (token().Is(TokenKind::kHashName)) {
    const auto alias = location_aliases_.find(token().text);
    const bool is_known = alias != location_aliases_.end() && alias->second.location.ok();
    if (!is_known && may_defer_location_) {
      must_defer_location_ = true;
      return false;
    }
    if (!is_known) return Error(absl::StrCat("the location ", Quoted(token().text), " is not defined"));
    *location = alias->second.location;
    Advance();
    return true;
  }
  std::string text;
  if (!token().Is(TokenKind::kString)) {
    return ErrorExpected("a location such as \"file\":1:2, \"name\", callsite(...), fused[...] or unknown");
  }
  if (!ReadString(&text)) return false;
  if (token().Is(':')) return ReadFileLocation(text, location);
  LocationId child;
  if (ConsumeIf('(') && (!ReadLocation(&child) || !Expect(')'))) return false;
  *location = module_.Intern(NameLocation(text, child));
  return true;
}

// After the name of the file: `:5:6`, `:5:6 to :20`, `:1:2 to 3:4`
bool AttributeParser::ReadFileLocation(absl::string_view text, LocationId* location) {
  Location file = FileLocation(text, 0, 0);
  if (!Expect(':') || !ReadIntegerFrom(0, &file.line)) return false;
  if (ConsumeIf(':') && !ReadIntegerFrom(0, &file.column)) return false;
  if (ConsumeWordIf("to")) {
    file.end_line = file.line;
    if (token().Is(TokenKind::kInteger) && !ReadIntegerFrom(0, &file.end_line)) return false;
    if (!Expect(':') || !ReadIntegerFrom(0, &file.end_column)) return false;
  }
  *location = module_.Intern(file);
  return true;
}

// After the word: `[a, b]`, `<metadata>[a, b]`
bool AttributeParser::ReadFusedLocation(LocationId* location) {
  AttributeId metadata;
  if (ConsumeIf('<') && (!ReadAttribute(&metadata) || !Expect('>'))) return false;
  std::vector<LocationId> parts;
  const bool is_read = ReadList('[', ']', [&] {
    parts.emplace_back();
    return ReadLocation(&parts.back());
  });
  if (is_read) *location = module_.Intern(FusedLocation(parts, metadata));
  return is_read;
}

// Those that the location at `body`, which is known to be balanced, names.
std::vector<absl::string_view> AttributeParser::UnsettledAliases(const char* body) {
  std::vector<absl::string_view> names;
  int depth = 0;
  MoveTo(body);
  do {
    Advance();
    if (token().Is('(')) ++depth;
    if (token().Is(')')) --depth;
    if (!token().Is(TokenKind::kHashName)) continue;
    const auto alias = location_aliases_.find(token().text);
    if (alias != location_aliases_.end() && !alias->second.location.ok()) names.push_back(token().text);
  } while (depth > 0);
  return names;
}

// Reads the location `name` after those that it names: chains of them may be long, so this does not recurse.
bool AttributeParser::SettleAlias(absl::string_view name) {
  std::vector<absl::string_view> to_settle = {name};
  while (!to_settle.empty()) {
    LocationAlias& alias = location_aliases_.find(to_settle.back())->second;
    if (!alias.location.ok()) {
      const std::vector<absl::string_view> first = UnsettledAliases(alias.body);
      if (!first.empty()) {
        if (alias.is_open) {
          return ErrorAt(alias.body, absl::StrCat("the location ", to_settle.back(), " is a part of itself"));
        }
        alias.is_open = true;
        to_settle.insert(to_settle.end(), first.begin(), first.end());
        continue;
      }
      if (!ReadLocationAt(alias.body, &alias.location)) return false;
    }
    to_settle.pop_back();
  }
  return true;
}

bool AttributeParser::SettleLocations() {
  for (const absl::string_view name : location_alias_names_) {
    if (!SettleAlias(name)) return false;
  }
  for (const PendingLocation& pending : pending_locations_) {
    LocationId location;
    if (!ReadLocationAt(pending.body, &location)) return false;
    SetLocation(pending, location);
  }
  return true;
}

}  // namespace stablehlo
}  // namespace xla
