#include "builders/nnef1/language/arguments.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef1 {
namespace {

// Of one invocation; more of them do not help.
constexpr size_t kMaxArgumentErrors = 20;

std::string SuggestedParameter(const Declaration& declaration, absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const Parameter& parameter : declaration.parameters) known.push_back(parameter.name);
  const absl::string_view nearest = NearestWord(name, known);
  return nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?");
}

class Binder {
 public:
  Binder(const Declaration& declaration, const Expression& invocation, int first_parameter,
         std::vector<ArgumentError>* errors)
      : declaration_(declaration), invocation_(invocation), first_(first_parameter), errors_(errors) {}

  // The place in the invocation of the argument for each parameter, -1 where its default counts. Positional arguments
  // come before named ones.
  std::vector<int> Bind() {
    places_.assign(declaration_.parameters.size(), -1);
    bool is_named = false;
    for (size_t i = 0; i < invocation_.items.size(); ++i) {
      const Name& name = invocation_.details->argument_names[i];
      if (!name.text.empty()) {
        is_named = true;
        BindNamed(name, static_cast<int>(i));
      } else if (is_named) {
        Error(SpanOf(i), "a positional argument must not follow a named one");
      } else {
        BindPositional(static_cast<int>(i));
      }
    }
    CheckMissing();
    return std::move(places_);
  }

 private:
  Span SpanOf(size_t i) const { return invocation_.items[i].span; }
  int ParameterCount() const { return static_cast<int>(declaration_.parameters.size()); }

  void Error(const Span& span, std::string message, std::string suggestion = "") {
    if (errors_ == nullptr || errors_->size() >= kMaxArgumentErrors) return;
    errors_->push_back({span, absl::StrCat(declaration_.name, ": ", message), std::move(suggestion)});
  }

  // Binds a positional argument; attributes may only be given by name.
  void BindPositional(int i) {
    const int parameter = i + first_;
    if (parameter >= ParameterCount()) {
      if (parameter == ParameterCount()) {
        Error(SpanOf(i), absl::StrCat("expected at most ", ParameterCount() - first_, " arguments, got ",
                                      invocation_.items.size()));
      }
      return;
    }
    const Parameter& declared = declaration_.parameters[parameter];
    places_[parameter] = i;
    if (declared.type.IsAttribute()) {
      Error(SpanOf(i), absl::StrCat("the attribute '", declared.name, "' must be a named argument"),
            absl::StrCat("write ", declared.name, " = ..."));
    }
  }

  void BindNamed(const Name& name, int i) {
    const int parameter = declaration_.ParameterIndex(name.text);
    if (parameter < 0) {
      const bool is_wanted = errors_ != nullptr && errors_->size() < kMaxArgumentErrors;
      Error(name.span, absl::StrCat("there is no parameter '", name.text, "'"),
            is_wanted ? SuggestedParameter(declaration_, name.text) : "");
    } else if (parameter < first_) {
      Error(name.span, absl::StrCat("the tensor '", name.text, "' must not be an argument here"));
    } else if (places_[parameter] >= 0) {
      Error(name.span, absl::StrCat("the parameter '", name.text, "' has an argument already"));
    } else {
      places_[parameter] = i;
    }
  }

  void CheckMissing() {
    for (int i = first_; i < ParameterCount(); ++i) {
      const Parameter& parameter = declaration_.parameters[i];
      if (places_[i] >= 0 || parameter.default_value.has_value()) continue;
      Error(invocation_.span, absl::StrCat("the parameter '", parameter.name, "' of type ", parameter.type.ToString(),
                                           " needs an argument"));
    }
  }

  const Declaration& declaration_;
  const Expression& invocation_;
  const int first_;
  std::vector<ArgumentError>* const errors_;
  std::vector<int> places_;
};

}  // namespace

std::vector<int> BindArguments(const Declaration& declaration, const Expression& invocation, int first_parameter,
                               std::vector<ArgumentError>* errors) {
  return Binder(declaration, invocation, first_parameter, errors).Bind();
}

}  // namespace nnef1
}  // namespace xla
