#include "builders/nnef2/checking/lint_program.h"

#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/signature.h"
#include "builders/nnef2/checking/standard_library.h"
#include "builders/nnef2/checking/visit_expressions.h"
#include "builders/nnef2/checking/visit_invocations.h"

namespace xla {
namespace nnef2 {
namespace {

class ModuleLinter {
 public:
  explicit ModuleLinter(const Module& module) : module_(module) {}

  std::vector<std::string> Run() {
    LintImports();
    for (const auto& definition : module_.definitions) LintDefinition(*definition);
    std::stable_sort(warnings_.begin(), warnings_.end(),
                     [](const Warning& a, const Warning& b) { return a.first < b.first; });
    std::vector<std::string> texts;
    for (Warning& warning : warnings_) texts.push_back(std::move(warning.second));
    return texts;
  }

 private:
  using Warning = std::pair<std::pair<int, int>, std::string>;  // line and column first

  void Warn(const Span& span, absl::string_view message) {
    warnings_.emplace_back(std::make_pair(span.line, span.column),
                           absl::StrCat(nnef::PlaceText(At(module_.source, span)), message));
  }

  void LintImports() {
    absl::flat_hash_set<absl::string_view> used;
    const auto use = [&](const Invocation& invocation) {
      const absl::string_view name = invocation.target.text;
      const size_t dot = name.rfind('.');
      if (dot != absl::string_view::npos) used.insert(name.substr(0, dot));
    };
    for (const auto& definition : module_.definitions) {
      VisitInvocations(*definition, use);
      for (const Quantization& entry : definition->quantizations) use(entry.algorithm);
    }
    for (const Import& import : module_.imports) {
      for (const Name& name : import.modules) {
        if (used.count(name.text) == 0)
          Warn(name.span, absl::StrCat("module '", name.text, "' is imported and not used"));
      }
    }
  }

  void LintDefinition(const Definition& definition) {
    std::vector<absl::string_view> names;
    VisitExpressions(definition, [&](const Expression& expression) {
      CollectNames(expression, &names);
      LintLogic(expression);
    });
    // What an operator without a body does with its attributes only the compiler knows.
    if (!definition.Has(BlockKind::kLower) && !definition.Has(BlockKind::kCompose)) return;
    const absl::flat_hash_set<absl::string_view> used(names.begin(), names.end());
    for (const Parameter& attribute : definition.attributes) {
      if (used.count(attribute.name.text) != 0) continue;
      Warn(attribute.name.span, absl::StrCat("attribute '", attribute.name.text, "' is not used"));
    }
    for (const Using& helper : definition.helpers) {
      for (const UsingItem& item : helper.items) LintHelper(item, used);
    }
  }

  void LintHelper(const UsingItem& item, const absl::flat_hash_set<absl::string_view>& used) {
    for (const Name& name : item.names) {
      if (used.count(name.text) == 0) Warn(name.span, absl::StrCat("helper '", name.text, "' is not used"));
    }
  }

  // && and || bind alike, from left to right.
  void LintLogic(const Expression& expression) {
    const auto is_logic = [](const Expression& e) {
      return e.kind == Expression::Kind::kBinary && (e.op == Operator::kAnd || e.op == Operator::kOr);
    };
    for (const ExpressionPtr& item : expression.items) {
      if (item == nullptr) continue;
      LintLogic(*item);
      if (!is_logic(expression) || !is_logic(*item) || item->is_parenthesized || item->op == expression.op) continue;
      Warn(expression.span, "&& and || bind alike, from left to right; write parentheses");
    }
  }

  const Module& module_;
  std::vector<Warning> warnings_;
};

}  // namespace

std::vector<std::string> LintProgram(const Program& program) {
  std::vector<std::string> warnings;
  for (const auto& module : program.modules()) {
    if (IsStandardModule(module.first)) continue;
    for (std::string& warning : ModuleLinter(*module.second.module).Run()) warnings.push_back(std::move(warning));
  }
  return warnings;
}

}  // namespace nnef2
}  // namespace xla
