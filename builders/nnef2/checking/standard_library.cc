#include "builders/nnef2/checking/standard_library.h"

#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/language/parser.h"
#include "builders/nnef2/library/library.h"
#include "xla_core/support/check.h"

namespace xla {
namespace nnef2 {
namespace {

struct ParsedOnce {
  std::once_flag flag;
  std::shared_ptr<const Module> module;
};

std::shared_ptr<const Module> ParseStandardModule(const LibraryModule& text) {
  Diagnostics diagnostics;
  const auto source = std::make_shared<const Source>(
      Source{absl::StrCat(text.name, ".sknd"), std::string(text.text), std::string(text.name)});
  std::shared_ptr<const Module> module = ParseModule(source, &diagnostics);
  CHECK(module != nullptr);  // a test reads all of them
  return module;
}

}  // namespace

bool IsStandardModule(absl::string_view name) { return FindLibraryModule(name) != nullptr; }

std::shared_ptr<const Module> StandardModule(absl::string_view name) {
  const LibraryModule* const text = FindLibraryModule(name);
  if (text == nullptr) return nullptr;
  static auto* const modules = new std::vector<ParsedOnce>(StandardLibrary().size());
  ParsedOnce& parsed = (*modules)[static_cast<size_t>(text - StandardLibrary().data())];
  std::call_once(parsed.flag, [&] { parsed.module = ParseStandardModule(*text); });
  return parsed.module;
}

}  // namespace nnef2
}  // namespace xla
