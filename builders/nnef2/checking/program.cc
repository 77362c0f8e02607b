#include "builders/nnef2/checking/program.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/standard_library.h"
#include "builders/nnef2/checking/visit_invocations.h"
#include "builders/nnef2/language/parser.h"
#include "builders/nnef2/library/library.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kModuleRule = "2.15";
constexpr int kMaxModules = 10000;

// What only the standard library of the later language has.
constexpr char kLaterLanguage[] = "the document is written for a later revision than draft 6 of NNEF 2.0, which has it";
constexpr absl::string_view kLaterModules[] = {"layer", "misc", "rand"};
constexpr absl::string_view kLaterOperators[] = {"layout.tensor", "layout.space_to_depth", "layout.depth_to_space",
                                                 "math.cumsum",   "image.grid_sample",     "nn.lstm_step",
                                                 "nn.lstm_loop"};

// Reads modules along their imports. The depth of imports is that of the stack here.
class Loader {
 public:
  Loader(const ModuleReader& reader, std::map<std::string, Program::LoadedModule>* modules, Diagnostics* diagnostics)
      : reader_(reader), modules_(*modules), diagnostics_(*diagnostics) {}

  void Load(const std::shared_ptr<const Source>& main) {
    Enter(main->module, ParseModule(main, &diagnostics_));
    while (!open_.empty() && !diagnostics_.IsOver()) {
      Open& top = open_.back();
      if (top.next == top.imports.size()) {
        open_.pop_back();
        continue;
      }
      const Name name = top.imports[top.next++];
      Import(name, &modules_[top.name]);
    }
  }

 private:
  static std::string Suggestion(absl::string_view module) {
    std::vector<absl::string_view> standard;
    for (const LibraryModule& known : StandardLibrary()) standard.push_back(known.name);
    const absl::string_view nearest = NearestWord(module, standard);
    if (std::find(std::begin(kLaterModules), std::end(kLaterModules), module) != std::end(kLaterModules)) {
      return kLaterLanguage;
    }
    if (!nearest.empty()) return absl::StrCat("did you mean '", nearest, "'?");
    return "modules are the standard ones, and the .sknd files of the folder of the model";
  }

  // `module` is nullptr after errors in its text.
  void Enter(const std::string& name, std::shared_ptr<const Module> module) {
    Open entry;
    entry.name = name;
    if (module != nullptr) {
      for (const nnef2::Import& import : module->imports) {
        entry.imports.insert(entry.imports.end(), import.modules.begin(), import.modules.end());
      }
    }
    modules_[name].module = std::move(module);
    open_.push_back(std::move(entry));
  }

  void Import(const Name& name, Program::LoadedModule* user) {
    const std::string module(name.text);
    const Position position = At(user->module->source, name.span);
    const bool is_open = std::any_of(open_.begin(), open_.end(), [&](const Open& o) { return o.name == module; });
    if (is_open) {
      diagnostics_.Error(ErrorClass::kImport, position, absl::StrCat("module '", module, "' imports itself"),
                         kModuleRule, "modules cannot import each other in a cycle");
      return;
    }
    if (modules_.count(module) == 0 && !Read(module)) {
      diagnostics_.Error(ErrorClass::kImport, position, absl::StrCat("there is no module '", module, "'"), kModuleRule,
                         Suggestion(module));
      return;
    }
    user->imports.insert(module);
  }

  // A module of the standard library, or of the model; false if there is none.
  bool Read(const std::string& name) {
    if (static_cast<int>(modules_.size()) >= kMaxModules) return false;
    if (std::shared_ptr<const Module> standard = StandardModule(name)) {
      Enter(name, std::move(standard));
      return true;
    }
    const std::shared_ptr<const Source> text = reader_ == nullptr ? nullptr : reader_(name);
    if (text == nullptr) return false;
    Enter(name, ParseModule(text, &diagnostics_));
    return true;
  }

  // A module whose imports are being read, and how many of these have been.
  struct Open {
    std::string name;
    std::vector<Name> imports;
    size_t next = 0;
  };

  const ModuleReader& reader_;
  std::map<std::string, Program::LoadedModule>& modules_;
  Diagnostics& diagnostics_;
  std::vector<Open> open_;
};

void IndexDefinitions(Program::LoadedModule* loaded, bool is_main, Diagnostics* diagnostics) {
  for (const auto& definition : loaded->module->definitions) {
    const auto inserted = loaded->definitions.emplace(definition->name.text, definition.get());
    if (!inserted.second) {
      diagnostics->Error(ErrorClass::kName, definition->At(definition->name.span),
                         absl::StrCat("'", definition->name.text, "' is defined twice, first in line ",
                                      inserted.first->second->name.span.line),
                         "2.2");
    }
    if (definition->is_graph && !is_main) {
      diagnostics->Error(ErrorClass::kImport, definition->At(definition->name.span),
                         "a module that is imported must not define a graph", kModuleRule,
                         "graphs stand in the main module");
    }
  }
}

// Recursion: operators are taken apart until primitive ones are left, which would not end.
class RecursionCheck {
 public:
  RecursionCheck(const Program& program, Diagnostics* diagnostics) : program_(program), diagnostics_(*diagnostics) {}

  void Check(const Definition& root) {
    struct Frame {
      const Definition* definition;
      std::vector<const Invocation*> invocations;
      size_t next = 0;
    };
    std::vector<Frame> stack;
    const auto enter = [&](const Definition& definition) {
      states_[&definition] = 1;
      Frame frame{&definition, {}, 0};
      VisitInvocations(definition, [&](const Invocation& invocation) { frame.invocations.push_back(&invocation); });
      stack.push_back(std::move(frame));
    };
    if (states_[&root] == 0) enter(root);
    while (!stack.empty()) {
      Frame& top = stack.back();
      if (top.next == top.invocations.size()) {
        states_[top.definition] = 2;
        stack.pop_back();
        continue;
      }
      const Invocation& invocation = *top.invocations[top.next++];
      Diagnostics ignored;
      const Definition* const callee = program_.Find(*top.definition, invocation.target, ErrorClass::kName, &ignored);
      if (callee == nullptr || states_[callee] == 2) continue;
      if (states_[callee] == 1) {
        diagnostics_.Error(ErrorClass::kName, top.definition->At(invocation.span),
                           absl::StrCat("'", callee->QualifiedName(), "' invokes itself"), "2.10",
                           "use a loop: operators are composed without recursion");
        continue;
      }
      enter(*callee);
    }
  }

 private:
  const Program& program_;
  Diagnostics& diagnostics_;
  absl::flat_hash_map<const Definition*, int> states_;  // 1: being visited, 2: visited
};

}  // namespace

std::shared_ptr<const Program> Program::Load(const std::shared_ptr<const Source>& main, const ModuleReader& reader,
                                             Diagnostics* diagnostics) {
  auto program = std::make_shared<Program>();
  Loader(reader, &program->modules_, diagnostics).Load(main);
  if (diagnostics->has_errors() || diagnostics->IsOver()) return nullptr;
  for (auto& entry : program->modules_) {
    IndexDefinitions(&entry.second, entry.first == main->module, diagnostics);
  }
  const LoadedModule& root = program->modules_[main->module];
  for (const auto& definition : root.module->definitions) {
    if (definition->is_graph) program->graphs_.push_back(definition.get());
  }
  if (program->graphs_.empty()) {
    diagnostics->Error(ErrorClass::kGraph, Position{main, 0, 0, 1}, "the main module defines no graph", kModuleRule,
                       "write graph G { @compose { ... } }");
  }
  if (diagnostics->has_errors()) return nullptr;
  RecursionCheck recursion(*program, diagnostics);
  for (const auto& entry : program->modules_) {
    for (const auto& definition : entry.second.module->definitions) recursion.Check(*definition);
  }
  if (diagnostics->has_errors()) return nullptr;
  return program;
}

const Definition* Program::Find(const Definition& user, const Name& name, ErrorClass error_class,
                                Diagnostics* diagnostics) const {
  const LoadedModule& own = modules_.at(user.source->module);
  const size_t dot = name.text.rfind('.');
  const absl::string_view module = dot == absl::string_view::npos ? user.source->module : name.text.substr(0, dot);
  const absl::string_view word = dot == absl::string_view::npos ? name.text : name.text.substr(dot + 1);
  const bool is_own = module == user.source->module;
  const auto fail = [&](ErrorClass kind, std::string message, std::string suggestion) -> const Definition* {
    diagnostics->Error(kind, user.At(name.span), std::move(message), kModuleRule, std::move(suggestion));
    return nullptr;
  };
  if (!is_own && own.imports.count(module) == 0) {
    return fail(error_class == ErrorClass::kName ? ErrorClass::kImport : error_class,
                absl::StrCat("module '", module, "' is not imported here"),
                absl::StrCat("write import ", module, "; at the begin of ", user.source->name));
  }
  const LoadedModule& loaded = modules_.at(std::string(module));
  const auto found = loaded.definitions.find(word);
  if (found == loaded.definitions.end()) {
    std::vector<absl::string_view> known;
    for (const auto& definition : loaded.module->definitions) known.push_back(definition->name.text);
    if (std::find(std::begin(kLaterOperators), std::end(kLaterOperators), name.text) != std::end(kLaterOperators)) {
      return fail(error_class, absl::StrCat("module '", module, "' has no operator '", word, "'"), kLaterLanguage);
    }
    const absl::string_view nearest = NearestWord(word, known);
    return fail(error_class, absl::StrCat("module '", module, "' has no operator '", word, "'"),
                nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
  }
  if (!is_own && absl::StartsWith(word, "_")) {
    return fail(ErrorClass::kImport, absl::StrCat("operator '", name.text, "' is private to its module"),
                "names that begin with _ are used in their own module only");
  }
  return found->second;
}

}  // namespace nnef2
}  // namespace xla
