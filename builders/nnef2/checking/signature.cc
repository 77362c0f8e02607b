#include "builders/nnef2/checking/signature.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

using NameSet = absl::flat_hash_set<absl::string_view>;

bool IsKnown(const Expression& expression, const NameSet& known) {
  std::vector<absl::string_view> names;
  CollectNames(expression, &names);
  return std::all_of(names.begin(), names.end(), [&](absl::string_view name) { return known.count(name) > 0; });
}

bool HasMember(const Expression& expression) {
  if (expression.kind == Expression::Kind::kMember) return true;
  return std::any_of(expression.items.begin(), expression.items.end(),
                     [](const ExpressionPtr& item) { return item != nullptr && HasMember(*item); });
}

class SignatureFinder {
 public:
  SignatureFinder(const Definition& definition, Diagnostics* diagnostics)
      : definition_(definition), diagnostics_(*diagnostics) {}

  Signature Run() {
    FindAffineForms();
    FindDeferred();
    for (const Parameter& input : definition_.inputs) {
      for (const Extent& extent : input.shape) {
        for (const ExpressionPtr* const part : {&extent.value, &extent.length}) {
          if (*part == nullptr || !HasMember(**part)) continue;
          diagnostics_.Error(ErrorClass::kBinding, definition_.At((*part)->span),
                             "the shape of an input cannot refer to the shape or rank of another", "2.6.1",
                             "name its extents");
          return std::move(signature_);
        }
      }
    }
    std::vector<bool> is_bound(definition_.inputs.size(), false);
    BindUntilStable(/*optional=*/false, &is_bound);
    BindOnce(/*optional=*/true, &is_bound);
    BindUntilStable(/*optional=*/false, &is_bound);
    BindOnce(/*optional=*/true, &is_bound);
    for (size_t i = 0; i < is_bound.size(); ++i) {
      if (!is_bound[i]) ReportUnbound(definition_.inputs[i]);
    }
    if (signature_.input_order.size() == is_bound.size()) CheckAttributes();
    return std::move(signature_);
  }

 private:
  void AddAffine(const ExpressionPtr& expression) {
    if (expression == nullptr) return;
    std::vector<absl::string_view> names;
    CollectNames(*expression, &names);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    if (names.size() != 1) return;
    Diagnostics ignored;
    Workspace workspace(/*is_definition=*/true, &ignored);
    Scope scope;
    const Symbolic* const symbol = workspace.symbols().NewSymbol(names[0], std::numeric_limits<int64_t>::min(),
                                                                 std::numeric_limits<int64_t>::max());
    scope.values.emplace(names[0], Value::Of({BaseType::kInt, {}}, Scalar::Of(symbol)));
    const Value value = Evaluator(&workspace, definition_.source, &scope).Evaluate(*expression);
    if (value.is_error || value.type.is_pack || value.is_null) return;
    if (value.item().kind != Scalar::Kind::kSymbolic) return;
    const auto affine = SymbolTable::AsAffine(value.item().symbolic);
    if (affine.has_value()) {
      signature_.affine_forms.emplace(expression.get(), AffineForm{names[0], affine->scale, affine->offset});
    }
  }

  void FindAffineForms() {
    for (const std::vector<Parameter>* const block :
         {&definition_.attributes, &definition_.inputs, &definition_.outputs, &definition_.variables,
          &definition_.constants}) {
      for (const Parameter& parameter : *block) {
        AddAffine(parameter.pack.length);
        for (const Extent& extent : parameter.shape) {
          AddAffine(extent.value);
          AddAffine(extent.length);
        }
      }
    }
  }

  // Names with a value before any input is bound.
  void FindDeferred() {
    for (const TypeParameter& type : definition_.types) known_.insert(type.name.text);
    for (const Parameter& attribute : definition_.attributes) {
      std::vector<absl::string_view> names;
      if (attribute.value != nullptr) CollectNames(*attribute.value, &names);
      const bool is_deferred =
          std::any_of(names.begin(), names.end(), [&](absl::string_view name) { return !IsType(name); });
      signature_.is_deferred.push_back(is_deferred);
      if (!is_deferred && !attribute.is_optional && !attribute.pack.is_pack) known_.insert(attribute.name.text);
    }
  }

  bool IsType(absl::string_view name) const {
    return std::any_of(definition_.types.begin(), definition_.types.end(),
                       [&](const TypeParameter& type) { return type.name.text == name; });
  }

  // Whether an extent either binds an unknown name or is known.
  bool CanBind(const ExpressionPtr& expression, const NameSet& known) const {
    return expression == nullptr || IsKnown(*expression, known) || signature_.FindAffine(expression) != nullptr;
  }

  void AddBound(const ExpressionPtr& expression, NameSet* known) const {
    if (const AffineForm* const form = signature_.FindAffine(expression)) known->insert(form->name);
  }

  // The names that a shape binds are known to the components after them.
  bool CanBind(const Parameter& input) const {
    int flexible = 0;
    NameSet known = known_;
    if (!input.rank.empty()) known.insert(input.rank.text);
    for (const Extent& extent : input.shape) {
      const bool is_bound = extent.value != nullptr && IsKnown(*extent.value, known_);
      if (!CanBind(extent.value, known)) return false;
      AddBound(extent.value, &known);
      if (!extent.is_pack) continue;
      if (extent.length == nullptr) {
        // A pack whose name is bound already has a known length.
        if (!is_bound && ++flexible > 1) return false;
      } else if (!IsKnown(*extent.length, known)) {
        if (signature_.FindAffine(extent.length) == nullptr || ++flexible > 1) return false;
      }
    }
    return true;
  }

  bool TryInput(size_t i, std::vector<bool>* is_bound) {
    const Parameter& input = definition_.inputs[i];
    if ((*is_bound)[i] || !CanBind(input)) return false;
    (*is_bound)[i] = true;
    signature_.input_order.push_back(static_cast<int>(i));
    if (!input.rank.empty()) known_.insert(input.rank.text);
    AddBound(input.pack.length, &known_);
    for (const Extent& extent : input.shape) {
      AddBound(extent.value, &known_);
      AddBound(extent.length, &known_);
    }
    return true;
  }

  bool BindOnce(bool optional, std::vector<bool>* is_bound) {
    bool is_changed = false;
    for (size_t i = 0; i < definition_.inputs.size(); ++i) {
      if (definition_.inputs[i].is_optional == optional) is_changed = TryInput(i, is_bound) || is_changed;
    }
    return is_changed;
  }

  void BindUntilStable(bool optional, std::vector<bool>* is_bound) {
    while (BindOnce(optional, is_bound)) {
    }
  }

  void ReportUnbound(const Parameter& input) {
    diagnostics_.Error(ErrorClass::kBinding, definition_.At(input.name.span),
                       absl::StrCat("the extents of input '", input.name.text,
                                    "' cannot be bound: more than one of its packs has an unknown length"),
                       "2.6.1", "give the length of all packs but one by an attribute or another input");
  }

  // After all inputs, defaults and lengths of attributes must be computable.
  void CheckAttributes() {
    for (const Parameter& attribute : definition_.attributes) {
      known_.insert(attribute.name.text);
    }
    for (size_t i = 0; i < definition_.attributes.size(); ++i) {
      const Parameter& attribute = definition_.attributes[i];
      if (!signature_.is_deferred[i]) continue;
      std::vector<absl::string_view> names;
      CollectNames(*attribute.value, &names);
      for (const absl::string_view name : names) CheckDefaultName(attribute, name);
    }
    for (const Parameter& attribute : definition_.attributes) {
      if (const AffineForm* const form = signature_.FindAffine(attribute.pack.length)) known_.insert(form->name);
    }
  }

  // A name that is the length of a packed attribute only is not known if that attribute is given one value for all.
  void CheckDefaultName(const Parameter& attribute, absl::string_view name) {
    if (known_.count(name) > 0) return;
    for (const Parameter& other : definition_.attributes) {
      const AffineForm* const form = signature_.FindAffine(other.pack.length);
      if (form == nullptr || form->name != name) continue;
      // A length is known from an attribute that is never uniform: it has no default, and is itself given as a pack.
      if (other.value == nullptr) return;
      diagnostics_.Error(ErrorClass::kBinding, definition_.At(attribute.value->span),
                         absl::StrCat("the default of attribute '", attribute.name.text, "' depends on '", name,
                                      "', which no input binds"),
                         "2.6.1");
      return;
    }
  }

  const Definition& definition_;
  Diagnostics& diagnostics_;
  Signature signature_;
  NameSet known_;
};

}  // namespace

void CollectNames(const Expression& expression, std::vector<absl::string_view>* names) {
  if (expression.kind == Expression::Kind::kIdentifier || expression.kind == Expression::Kind::kMember) {
    names->push_back(expression.name);
  }
  for (const ExpressionPtr& item : expression.items) {
    if (item != nullptr) CollectNames(*item, names);
  }
}

Signature FindSignature(const Definition& definition, Diagnostics* diagnostics) {
  return SignatureFinder(definition, diagnostics).Run();
}

}  // namespace nnef2
}  // namespace xla
