// LoadModel: modules, the composition of the graph, and tensor files, with the errors of all of them.
#include <cstdint>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "builders/nnef2/checking/check_program.h"
#include "builders/nnef2/checking/standard_library.h"
#include "builders/nnef2/composition/bind_operator.h"
#include "builders/nnef2/data/model_format.h"
#include "builders/nnef2/data/tensor_file.h"
#include "builders/nnef2/diagnostics.h"
#include "builders/nnef2/model/model.h"
#include "builders/nnef_common/containers/model_texts.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

constexpr absl::string_view kVariableRule = "2.7";
// Where the names of tensors begin; files of variables may leave it out.
constexpr absl::string_view kMainScope = "main.";

// "custom.ops" is custom/ops.sknd.
std::string MemberOfModule(absl::string_view module) {
  return absl::StrCat(absl::StrReplaceAll(module, {{".", "/"}}), kModuleSuffix);
}

// Reads modules of the container for a program. Errors of reading are kept.
class ModuleSource {
 public:
  explicit ModuleSource(const nnef::Container& container) : container_(container) {}

  std::shared_ptr<const Source> Read(absl::string_view module) {
    const std::string member = MemberOfModule(module);
    if (!container_.Has(member)) return nullptr;
    absl::StatusOr<std::shared_ptr<const Source>> source = nnef::ReadSource(container_, member, std::string(module));
    if (source.ok()) return *std::move(source);
    status_.Update(source.status());
    return nullptr;
  }

  const absl::Status& status() const { return status_; }

 private:
  const nnef::Container& container_;
  absl::Status status_;
};

// A model cannot replace what is standard, which whoever wrote the file may not know.
void WarnOfHiddenModules(const nnef::Container& container, const Program& program, Diagnostics* diagnostics) {
  for (const auto& module : program.modules()) {
    const std::string member = MemberOfModule(module.first);
    if (!IsStandardModule(module.first) || !container.Has(member)) continue;
    diagnostics->Warn(absl::StrCat(container.NameOf(member), " is not read: '", module.first,
                                   "' is a module of the standard library"));
  }
}

// The data of variables.
class VariableReader {
 public:
  VariableReader(const nnef::Container& container, Diagnostics* diagnostics, Model* model)
      : container_(container), diagnostics_(*diagnostics), model_(*model) {}

  void Read(size_t place) {
    const ComposedTensor& tensor = model_.graph.tensors[model_.graph.variables[place]];
    const Position& position = model_.graph.variable_positions[place];
    nnef::Extents extents;
    for (const Scalar& extent : tensor.shape) {
      if (extent.kind != Scalar::Kind::kInt) {
        diagnostics_.Error(ErrorClass::kVariable, position,
                           absl::StrCat("variable '", tensor.name, "' of shape ", ShapeText(tensor.shape),
                                        " has an extent that varies; its file has fixed ones"),
                           kVariableRule);
        return;
      }
      extents.push_back(extent.integer);
    }
    absl::StatusOr<Literal> literal = ReadVariable(container_, MemberOf(tensor.name), KindOf(tensor.element.base),
                                                   TypeOf(tensor.element.base), extents, &diagnostics_);
    if (!literal.ok()) {
      diagnostics_.Error(ErrorClass::kData, position,
                         absl::StrCat("variable '", tensor.name, "': ", MessageWithoutClass(literal.status())),
                         kVariableRule);
      return;
    }
    model_.variables.emplace(tensor.name, std::make_shared<const Literal>(*std::move(literal)));
  }

  // Files that look like data of this graph, and that no variable reads.
  void WarnOfOthers() {
    constexpr int64_t kMostMembers = 100000;
    const std::string scope = absl::StrCat(model_.graph.definition->name.text, ".");
    std::vector<absl::string_view> known;
    for (const auto& variable : model_.variables) known.push_back(variable.first);
    for (const std::string& member : container_.Members(kMostMembers)) {
      absl::string_view name = member;
      if (!absl::ConsumeSuffix(&name, kTensorFileSuffix)) continue;
      const absl::string_view inner = absl::StripPrefix(name, kMainScope);
      const std::string scoped = absl::StrCat(kMainScope, inner);
      if (!absl::StartsWith(inner, scope) || model_.variables.count(scoped) != 0) continue;
      diagnostics_.Warn(absl::StrCat(container_.NameOf(member), " is not read: the graph has no variable '", scoped,
                                     "'", DidYouMean(scoped, known)));
    }
  }

 private:
  // "main.G.w.dat", or "G.w.dat" where there is only that.
  std::string MemberOf(absl::string_view name) const {
    const std::string member = absl::StrCat(name, kTensorFileSuffix);
    const std::string without_scope(absl::StripPrefix(member, kMainScope));
    return !container_.Has(member) && container_.Has(without_scope) ? without_scope : member;
  }

  static nnef::ItemKind KindOf(BaseType base) {
    if (base == BaseType::kBool) return nnef::ItemKind::kLogical;
    return base == BaseType::kInt ? nnef::ItemKind::kInteger : nnef::ItemKind::kReal;
  }
  PrimitiveType TypeOf(BaseType base) const {
    if (base == BaseType::kBool) return PRED;
    return base == BaseType::kInt ? S32 : model_.real_type;
  }

  const nnef::Container& container_;
  Diagnostics& diagnostics_;
  Model& model_;
};

absl::Status ReadVariables(const nnef::Container& container, const LoadOptions& options, Diagnostics* diagnostics,
                           Model* model) {
  VariableReader reader(container, diagnostics, model);
  for (size_t i = 0; i < model->graph.variables.size(); ++i) {
    RETURN_IF_ERROR(CheckResources(options.resources));
    reader.Read(i);
  }
  if (diagnostics->has_errors()) return diagnostics->ToStatus();
  reader.WarnOfOthers();
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<CheckedModules> LoadModules(const nnef::Container& container, const ResourceContext* resources) {
  if (!container.Has(kMainModuleMember)) return nnef::NoDescription(container);
  ASSIGN_OR_RETURN(const std::shared_ptr<const Source> main, nnef::ReadSource(container, kMainModuleMember, "main"));
  Diagnostics diagnostics(resources);
  ModuleSource modules(container);
  CheckedModules checked;
  checked.program = Program::Load(
      main, [&](absl::string_view module) { return modules.Read(module); }, &diagnostics);
  RETURN_IF_ERROR(modules.status());
  if (checked.program == nullptr) return diagnostics.ToStatus();
  checked.signatures = CheckProgram(*checked.program, &diagnostics, IsStandardModule);
  if (diagnostics.has_errors()) return diagnostics.ToStatus();
  WarnOfHiddenModules(container, *checked.program, &diagnostics);
  checked.warnings = diagnostics.warnings();
  return checked;
}

absl::StatusOr<Model> LoadModel(const std::string& path, const LoadOptions& options) {
  ASSIGN_OR_RETURN(const std::unique_ptr<nnef::Container> container,
                   nnef::OpenContainer(path, Nnef2Format(), nnef::DefaultMaxContainerBytes(), options.resources));
  return LoadModel(*container, options);
}

absl::StatusOr<Model> LoadModel(const nnef::Container& container, const LoadOptions& options) {
  ASSIGN_OR_RETURN(const CheckedModules modules, LoadModules(container, options.resources));
  Diagnostics diagnostics(options.resources);
  absl::optional<ComposedGraph> graph =
      ComposeGraph(modules.program, modules.signatures, options.compose, &diagnostics);
  if (!graph.has_value()) return diagnostics.ToStatus();
  Model model;
  model.graph = *std::move(graph);
  model.real_type = options.real_type;
  if (options.load_data && !container.is_bare_description()) {
    RETURN_IF_ERROR(ReadVariables(container, options, &diagnostics, &model));
  }
  model.warnings = modules.warnings;
  model.warnings.insert(model.warnings.end(), diagnostics.warnings().begin(), diagnostics.warnings().end());
  return model;
}

}  // namespace nnef2
}  // namespace xla
