#include "builders/nnef1/language/standard_fragments.h"

#include <cstdio>
#include <memory>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/language/parser.h"
#include "builders/nnef1/operation.h"
#include "xla_core/support/check.h"

namespace xla {
namespace nnef1 {
namespace {

struct StandardFragments {
  std::vector<std::shared_ptr<const Fragment>> by_row;
  absl::flat_hash_map<absl::string_view, const Fragment*> by_name;
};

std::shared_ptr<const Fragment> ParseRow(const OperationDefinition& definition) {
  const auto source = std::make_shared<const Source>(
      Source{absl::StrCat("NNEF 1.0.4 section ", definition.section), definition.declaration});
  Diagnostics diagnostics;
  std::shared_ptr<Fragment> fragment = ParseFragment(source, &diagnostics);
  if (fragment == nullptr) {
    std::fprintf(stderr, "%s\n%s\n", std::string(diagnostics.ToStatus().message()).c_str(), source->text.c_str());
  }
  CHECK(fragment != nullptr);
  fragment->declaration.definition = &definition;
  return fragment;
}

const StandardFragments& All() {
  static const auto* const all = [] {
    auto* const fragments = new StandardFragments;
    for (const OperationDefinition& definition : OperationTable()) {
      fragments->by_row.push_back(ParseRow(definition));
      const Fragment* const fragment = fragments->by_row.back().get();
      const bool is_new = fragments->by_name.emplace(fragment->declaration.name, fragment).second;
      CHECK(is_new);
    }
    return fragments;
  }();
  return *all;
}

}  // namespace

const Fragment* FindStandardFragment(absl::string_view name) {
  const auto found = All().by_name.find(name);
  return found == All().by_name.end() ? nullptr : found->second;
}

std::vector<absl::string_view> StandardOperationNames() {
  std::vector<absl::string_view> names;
  for (const auto& fragment : All().by_row) names.push_back(fragment->declaration.name);
  return names;
}

// softabs is in the fragment library of Khronos' NNEF-Tools only, not in the specification.
bool IsExtraOperation(absl::string_view name) { return name == "softabs"; }

const Declaration* FindStandardDeclaration(absl::string_view name) {
  const Fragment* const fragment = FindStandardFragment(name);
  return fragment == nullptr ? nullptr : &fragment->declaration;
}

const Declaration& DeclarationOf(const OperationDefinition& definition) {
  const std::ptrdiff_t row = &definition - OperationTable().data();
  CHECK(row >= 0 && row < static_cast<std::ptrdiff_t>(OperationTable().size()));
  return All().by_row[row]->declaration;
}

const Fragment* FindFragment(const Document& document, absl::string_view name) {
  const auto found = document.fragment_places.find(name);
  if (found != document.fragment_places.end()) return document.fragments[found->second].get();
  return FindStandardFragment(name);
}

}  // namespace nnef1
}  // namespace xla
