#include "builders/nnef2/composition/check_assertions.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "builders/nnef2/language/print_expression.h"

namespace xla {
namespace nnef2 {
namespace {

class AssertionChecker {
 public:
  AssertionChecker(const InvocationPlace& place, Scope* scope)
      : place_(place),
        workspace_(*place.workspace),
        scope_(*scope),
        evaluator_(place.workspace, place.definition->source, scope),
        is_checked_(place.definition->assertions.size(), false) {}

  bool Run() {
    for (const Using& helper : place_.definition->helpers) {
      if (!CheckKnown() || !DefineHelper(helper)) return false;
    }
    return CheckKnown();
  }

 private:
  // The assertions all of whose names are known.
  bool CheckKnown() {
    const std::vector<Assertion>& assertions = place_.definition->assertions;
    for (size_t i = 0; i < assertions.size(); ++i) {
      if (is_checked_[i]) continue;
      std::vector<absl::string_view> names;
      CollectNames(*assertions[i].condition, &names);
      const bool is_known =
          std::all_of(names.begin(), names.end(), [&](absl::string_view name) { return scope_.Find(name) != nullptr; });
      if (!is_known) continue;
      is_checked_[i] = true;
      if (!Check(assertions[i])) return false;
    }
    return true;
  }

  bool Check(const Assertion& assertion) {
    const Value condition = evaluator_.EvaluateStatic(*assertion.condition, "an assertion");
    if (condition.is_error) return false;
    if (condition.is_null) return true;
    for (const Scalar& item : condition.items) {
      if (item.kind == Scalar::Kind::kBool && item.integer != 0) continue;
      if (item.kind == Scalar::Kind::kSymbolic) {
        place_.checks->push_back(
            RunTimeCheck{item.symbolic, ErrorClass::kAssert, MessageOf(assertion), place_.position});
        continue;
      }
      if (item.kind == Scalar::Kind::kBool) {
        return workspace_.Error(ErrorClass::kAssert, place_.position, MessageOf(assertion), "2.8");
      }
      return workspace_.Error(ErrorClass::kType, place_.definition->At(assertion.span),
                              "an assertion of reals cannot depend on a dynamic extent", "3.1");
    }
    return true;
  }

  // "operator 'nn.conv': stride must be positive; stride = [0]".
  std::string MessageOf(const Assertion& assertion) {
    std::string text = absl::StrCat("operator '", place_.definition->QualifiedName(), "': ");
    if (assertion.message == nullptr) {
      return absl::StrCat(text, PrintExpression(*assertion.condition), " does not hold");
    }
    const Value message = evaluator_.Evaluate(*assertion.message);
    absl::StrAppend(&text, message.is_error ? "" : message.item().text);
    for (const Assertion::Argument& argument : assertion.arguments) {
      const Value value = evaluator_.EvaluateStatic(*argument.value, "a value");
      const std::string label = argument.label != nullptr ? argument.label->text : std::string(argument.text);
      if (!value.is_error) absl::StrAppend(&text, "; ", label, " = ", value.ToString());
    }
    return text;
  }

  // "h = e;" "[a, b..] = e;" "[(e, f)..] = e;"
  bool DefineHelper(const Using& helper) {
    const Value value = evaluator_.EvaluateStatic(*helper.value, "a helper");
    if (value.is_error) return false;
    if (helper.is_list) return TakeApart(helper, value);
    const UsingItem& item = helper.items[0];
    if (item.length != nullptr && !value.is_null) {
      const Value length = evaluator_.EvaluateCount(*item.length, "a length");
      if (length.is_error) return false;
      const size_t expected = length.is_null ? value.items.size() : static_cast<size_t>(length.item().integer);
      if (value.items.size() != expected) return WrongLength(helper, value.items.size(), expected);
    }
    scope_.values.insert_or_assign(item.names[0].text, value);
    return true;
  }

  bool WrongLength(const Using& helper, size_t got, size_t expected) {
    return workspace_.Error(ErrorClass::kPack, place_.definition->At(helper.span),
                            absl::StrCat("a pack of ", got, " items is declared to have ", expected), "2.9");
  }

  bool TakeApart(const Using& helper, const Value& value) {
    // By part: the items that it takes, all of a zip together.
    std::vector<size_t> sizes;
    size_t sum = 0, open = helper.items.size();
    for (const UsingItem& item : helper.items) {
      size_t size = 1;
      if (item.is_pack && item.length == nullptr) {
        open = sizes.size();
        size = 0;
      } else if (item.is_pack) {
        const Value length = evaluator_.EvaluateCount(*item.length, "a length");
        if (length.is_error) return false;
        size = length.is_null ? 0 : static_cast<size_t>(length.item().integer) * item.names.size();
      }
      sizes.push_back(size);
      sum += size;
    }
    if (!value.is_null && open < sizes.size() && sum <= value.items.size()) {
      sizes[open] = value.items.size() - sum;
      sum = value.items.size();
    }
    if (!value.is_null && sum != value.items.size()) return WrongLength(helper, value.items.size(), sum);
    size_t begin = 0;
    for (size_t i = 0; i < helper.items.size(); ++i) {
      const std::vector<Name>& names = helper.items[i].names;
      if (!value.is_null && sizes[i] % names.size() != 0) {
        return workspace_.Error(ErrorClass::kPack, place_.definition->At(helper.span),
                                absl::StrCat(sizes[i], " items cannot be taken apart into ", names.size(), " packs"),
                                "2.9");
      }
      for (size_t k = 0; k < names.size(); ++k) {
        Value part = value;
        part.type.is_pack = helper.items[i].is_pack;
        part.is_uniform = false;
        part.items.clear();
        for (size_t j = k; !value.is_null && j < sizes[i]; j += names.size())
          part.items.push_back(value.items[begin + j]);
        if (value.is_null) part = Value::Null(part.type);
        scope_.values.insert_or_assign(names[k].text, std::move(part));
      }
      begin += sizes[i];
    }
    return true;
  }

  const InvocationPlace& place_;
  Workspace& workspace_;
  Scope& scope_;
  Evaluator evaluator_;
  std::vector<bool> is_checked_;
};

}  // namespace

bool CheckAssertionsAndHelpers(const InvocationPlace& place, Scope* scope) {
  return AssertionChecker(place, scope).Run();
}

}  // namespace nnef2
}  // namespace xla
