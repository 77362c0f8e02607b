// graph.quant (NNEF 1.0.4 sections 5.3 and 7.1): one quantisation operation for each tensor that it names.
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef1/document.h"
#include "builders/nnef1/document_tree.h"
#include "builders/nnef1/language/arguments.h"
#include "builders/nnef1/language/evaluate_constant.h"
#include "builders/nnef1/language/expression_checker.h"
#include "builders/nnef1/language/parser.h"
#include "builders/nnef1/language/standard_fragments.h"
#include "builders/nnef1/language/type_rules.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef1 {
namespace {

constexpr absl::string_view kQuantizationRule = "5.3";

class QuantizationReader {
 public:
  QuantizationReader(std::shared_ptr<const Source> source, const Document& document, const Graph& graph,
                     Diagnostics* diagnostics)
      : source_(std::move(source)), document_(document), diagnostics_(*diagnostics), evaluator_(source_) {
    for (size_t i = 0; i < graph.tensors.size(); ++i) {
      const Tensor& tensor = graph.tensors[i];
      if (!tensor.is_declared) continue;
      tensors_.emplace(tensor.name, &tensor);
      names_.push_back(tensor.name);
    }
  }

  std::vector<std::pair<std::string, Quantization>> Read() {
    std::vector<std::pair<std::string, Quantization>> result;
    for (const QuantizationLine& line :
         ParseQuantizationLines(source_, document_.has_operator_extension, &diagnostics_)) {
      if (diagnostics_.IsOver()) break;
      Quantization quantization;
      const bool has_key = CheckKey(line);
      if (ReadOperation(line, &quantization) && has_key) result.emplace_back(line.key, std::move(quantization));
    }
    return result;
  }

 private:
  bool Error(const Span& span, std::string message, std::string suggestion = "") {
    diagnostics_.Error(ErrorClass::kQuantization, At(source_, span), std::move(message), kQuantizationRule, std::move(suggestion));
    return false;
  }

  // The key of a line: a scalar tensor of the graph, named once in the file.
  bool CheckKey(const QuantizationLine& line) {
    const auto found = tensors_.find(line.key);
    if (found == tensors_.end()) {
      if (diagnostics_.IsOver(static_cast<int64_t>(names_.size()))) return false;
      const absl::string_view nearest = NearestWord(line.key, names_);
      return Error(line.key_span, absl::StrCat("the graph has no tensor '", line.key, "'"),
                   nearest.empty() ? "keys are identifiers of the graph, not labels of variables"
                                   : absl::StrCat("did you mean '", nearest, "'?"));
    }
    if (found->second->primitive != Primitive::kScalar) {
      return Error(line.key_span, absl::StrCat("only scalar tensors are quantised, '", line.key, "' is a tensor<",
                                               PrimitiveName(found->second->primitive), ">"));
    }
    if (seen_.insert(line.key).second) return true;
    return Error(line.key_span, absl::StrCat("'", line.key, "' has a line already"));
  }

  // The operation quantises one tensor: the first parameter takes it, the one result is what it becomes.
  bool CheckOperation(const QuantizationLine& line, const Fragment* fragment) {
    const Span& span = line.invocation.span;
    if (fragment == nullptr) {
      std::vector<absl::string_view> known = StandardOperationNames();
      for (const auto& own : document_.fragments) known.push_back(own->declaration.name);
      const absl::string_view nearest = NearestWord(line.invocation.name, known);
      return Error(span, absl::StrCat("there is no operation '", line.invocation.name, "'"),
                   nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
    }
    const Declaration& declaration = fragment->declaration;
    const Type scalars = Type::Tensor(Primitive::kScalar);
    const bool takes_tensor = IsTensor(declaration.parameters[0].type) &&
                              IsCastable(scalars, Substitute(declaration.parameters[0].type, Primitive::kScalar));
    const bool gives_tensor =
        declaration.results.size() == 1 && Substitute(declaration.results[0].type, Primitive::kScalar) == scalars;
    if (takes_tensor && gives_tensor && declaration.name != "update") return true;
    return Error(span, absl::StrCat("'", declaration.name, "' does not turn one scalar tensor into another"));
  }

  // The operation of a line, with arguments by name; the tensor itself, its first parameter, is left out in the file.
  bool ReadOperation(const QuantizationLine& line, Quantization* quantization) {
    const Expression& invocation = line.invocation;
    const Fragment* const fragment = FindFragment(document_, invocation.name);
    if (!CheckOperation(line, fragment)) return false;
    const Declaration& declaration = fragment->declaration;
    if (invocation.details->generic.has_value() && !declaration.is_generic) {
      return Error(invocation.span, absl::StrCat(declaration.name, " is not generic, so it takes no type in <>"));
    }
    std::vector<ArgumentError> errors;
    const std::vector<int> places = BindArguments(declaration, invocation, /*first_parameter=*/1, &errors);
    for (size_t i = 0; i < invocation.items.size(); ++i) {
      if (!invocation.details->argument_names[i].text.empty()) continue;
      errors.insert(errors.begin(),
                    {invocation.items[i].span, absl::StrCat(declaration.name, ": arguments must be named here"), ""});
      break;
    }
    for (ArgumentError& error : errors) Error(error.span, std::move(error.message), std::move(error.suggestion));
    if (!errors.empty()) return false;
    quantization->definition = declaration.definition;
    if (declaration.definition == nullptr) quantization->custom_name = declaration.name;
    quantization->position = At(source_, line.key_span);
    bool is_right = true;
    for (size_t i = 1; i < places.size(); ++i) {
      const Parameter& parameter = declaration.parameters[i];
      Value value = parameter.default_value.value_or(Value());
      if (places[i] >= 0) is_right &= ReadArgument(declaration, parameter, invocation.items[places[i]], &value);
      quantization->names.push_back(parameter.name);
      quantization->values.push_back(std::move(value));
    }
    return is_right;
  }

  // An argument, evaluated at once: only what is known without running the graph is allowed here.
  bool ReadArgument(const Declaration& declaration, const Parameter& parameter, const Expression& argument,
                    Value* value) {
    ExpressionChecker::Place place;
    place.source = source_;
    place.only_class = ErrorClass::kQuantization;
    const absl::optional<Type> type = ExpressionChecker(std::move(place), &diagnostics_).TypeOf(argument);
    if (!type.has_value()) return false;
    const Type expected = Substitute(parameter.type, Primitive::kScalar);
    if (!type->IsAttribute()) return Error(argument.span, "arguments are known at compile time here");
    if (!IsCastable(*type, expected)) {
      std::string suggestion = SuggestedArgument(argument, expected, *type);
      if (type->kind == Type::Kind::kArray && !IsPrimitive(expected, Primitive::kString)) {
        suggestion = "ranges by channel are no part of NNEF 1.0.4";
      }
      return Error(argument.span,
                   absl::StrCat("argument '", parameter.name, "' of ", declaration.name, ": expected ",
                                expected.ToString(), ", got ", type->ToString()),
                   std::move(suggestion));
    }
    absl::StatusOr<Value> evaluated = evaluator_.Evaluate(argument);
    if (!evaluated.ok()) return Error(argument.span, std::string(evaluated.status().message()));
    *value = *std::move(evaluated);
    return true;
  }

  const std::shared_ptr<const Source> source_;
  const Document& document_;
  Diagnostics& diagnostics_;
  ConstantEvaluator evaluator_;
  absl::flat_hash_map<absl::string_view, const Tensor*> tensors_;
  std::vector<absl::string_view> names_;
  absl::flat_hash_set<std::string> seen_;
};

}  // namespace

std::vector<std::pair<std::string, Quantization>> ParseQuantization(std::shared_ptr<const Source> source,
                                                                    const Document& document, const Graph& graph,
                                                                    Diagnostics* diagnostics) {
  return QuantizationReader(std::move(source), document, graph, diagnostics).Read();
}

}  // namespace nnef1
}  // namespace xla
