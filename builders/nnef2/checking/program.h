// Program: the modules of a model, read with all that they import (NNEF 2.0 section 2.15).
#ifndef BUILDERS_NNEF2_CHECKING_PROGRAM_H_
#define BUILDERS_NNEF2_CHECKING_PROGRAM_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/string_view.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/syntax_tree.h"

namespace xla {
namespace nnef2 {

// The source of the module of that name that belongs to the model, or nullptr if there is none. Modules of the standard
// library, which a model cannot replace, are not asked for.
using ModuleReader = std::function<std::shared_ptr<const Source>(absl::string_view module)>;

class Program {
 public:
  // The definitions of a module, and what it imports.
  struct LoadedModule {
    std::shared_ptr<const Module> module;
    absl::flat_hash_set<std::string> imports;
    absl::flat_hash_map<absl::string_view, const Definition*> definitions;
  };

  // Reads `main` and all that it imports; without a `reader` (nullptr) only the standard library. Errors are reported:
  // lex, syntax and import first, and without these name (definitions twice, recursion), graph and import (uses of what
  // is not imported).
  static std::shared_ptr<const Program> Load(const std::shared_ptr<const Source>& main, const ModuleReader& reader,
                                             Diagnostics* diagnostics);

  const std::map<std::string, LoadedModule>& modules() const { return modules_; }
  // The graphs of main in the order of the text, the first of which is the main one.
  const std::vector<const Definition*>& graphs() const { return graphs_; }

  // The operator or graph that `name` means inside `user`; nullptr after an error of `error_class` or class import.
  const Definition* Find(const Definition& user, const Name& name, ErrorClass error_class,
                         Diagnostics* diagnostics) const;

 private:
  std::map<std::string, LoadedModule> modules_;
  std::vector<const Definition*> graphs_;
};

}  // namespace nnef2
}  // namespace xla

#endif  // BUILDERS_NNEF2_CHECKING_PROGRAM_H_
