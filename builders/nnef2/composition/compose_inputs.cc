// The inputs of the main graph: tensors of a fixed rank, whose extents, and lengths of packs, are known or have bounds.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/composition/composer.h"
#include "builders/nnef2/composition/shape_binder.h"
#include "builders/nnef2/language/print_expression.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace nnef2 {

bool Composer::CheckInputNames(const Definition& graph, const ComposeOptions& options) {
  std::vector<absl::string_view> known;
  for (const Parameter& input : graph.inputs) known.push_back(input.name.text);
  for (const auto& given : options.input_extents) {
    if (std::find(known.begin(), known.end(), given.first) != known.end()) continue;
    const absl::string_view nearest = NearestWord(given.first, known);
    return workspace_.Error(ErrorClass::kGraph, graph.At(graph.name.span),
                            absl::StrCat("graph '", graph.name.text, "' has no input '", given.first, "'"), "2.6",
                            nearest.empty() ? "" : absl::StrCat("did you mean '", nearest, "'?"));
  }
  return true;
}

// The main graph's inputs have a fixed rank, and each extent is known or has a bound.
bool Composer::CheckInputExtents(const Definition& graph, const Parameter& input, Scope* scope) {
  const Signature& signature = signatures_.at(&graph);
  const auto fail = [&](const Span& span, std::string message, std::string suggestion) {
    return workspace_.Error(ErrorClass::kGraph, graph.At(span), std::move(message), "2.6", std::move(suggestion));
  };
  if (!input.has_shape) {
    return fail(input.name.span, absl::StrCat("input '", input.name.text, "' of the main graph must have a shape"),
                "write real[2,3], or real[n|10] for an extent that varies");
  }
  for (const Extent& extent : input.shape) {
    const AffineForm* const form = signature.FindAffine(extent.value);
    const bool is_new = extent.value == nullptr || (form != nullptr && scope->Find(form->name) == nullptr);
    if (is_new && extent.is_pack && extent.length == nullptr) {
      return fail(extent.span, "the rank of an input of the main graph must be fixed", "write s|10 ..(3)");
    }
    if (is_new && extent.bound == nullptr) {
      return fail(extent.span, "an extent of the main graph that varies must have a bound", "write n|10");
    }
    if (!is_new && !CheckSameBound(graph, extent.span, extent.bound, form, *scope)) return false;
  }
  return true;
}

// `bound`, which may be missing, of a name that has been declared with a bound before.
bool Composer::CheckSameBound(const Definition& graph, const Span& span, const ExpressionPtr& bound,
                              const AffineForm* form, const Scope& scope) {
  if (bound == nullptr || form == nullptr) return true;
  const Value again = Evaluator(&workspace_, graph.source, &scope).EvaluateInt(*bound, "the bound of an extent");
  const Value* const symbol = scope.Find(form->name);
  if (again.is_error) return false;
  if (symbol->item().kind != Scalar::Kind::kSymbolic || again.is_null ||
      symbol->item().symbolic->upper == again.item().integer) {
    return true;
  }
  return workspace_.Error(ErrorClass::kShape, graph.At(span),
                          absl::StrCat("'", form->name, "' has the bound ", symbol->item().symbolic->upper,
                                       " and the bound ", again.item().integer),
                          "2.6");
}

bool Composer::CountTensors(const Definition& graph, const Parameter& input, Scope* scope, int64_t* count,
                            const Symbolic** length) {
  *count = 1;
  *length = nullptr;
  const PackSpec& pack = input.pack;
  if (!pack.is_pack) return true;
  const AffineForm* const form = signatures_.at(&graph).FindAffine(pack.length);
  if (pack.is_omitted || (form != nullptr && scope->Find(form->name) == nullptr)) {
    if (!CreateLength(graph, input, scope, length)) return false;
    *count = (*length)->upper;
    return true;
  }
  if (pack.length == nullptr) {
    return workspace_.Error(ErrorClass::kGraph, graph.At(input.name.span),
                            "the length of a pack of inputs of the main graph must be given", "2.6",
                            "write real[2]..(3), or real[2]..(n|3) for a length that varies");
  }
  Evaluator evaluator(&workspace_, graph.source, scope);
  const Value known = evaluator.EvaluateStatic(*pack.length, "a length");
  if (known.is_error) return false;
  const bool varies = !known.is_null && !known.type.is_pack && known.item().kind == Scalar::Kind::kSymbolic;
  if (varies && known.item().symbolic->lower >= 0 && known.item().symbolic->upper <= kMaxPackLength) {
    *length = known.item().symbolic;
    *count = (*length)->upper;
    return CheckSameBound(graph, input.name.span, pack.bound, form, *scope);
  }
  const Value fixed = evaluator.EvaluateCount(*pack.length, "a length");
  if (fixed.is_error) return false;
  *count = fixed.is_null ? 0 : fixed.item().integer;
  return true;
}

bool Composer::CreateLength(const Definition& graph, const Parameter& input, Scope* scope, const Symbolic** length) {
  const Position position = graph.At(input.name.span);
  if (input.pack.bound == nullptr) {
    return workspace_.Error(ErrorClass::kGraph, position,
                            "the length of a pack of inputs of the main graph that varies must have a bound", "2.6",
                            "write real[2]..(n|3)");
  }
  const Value bound =
      Evaluator(&workspace_, graph.source, scope).EvaluateInt(*input.pack.bound, "the bound of a length");
  if (bound.is_error) return false;
  const int64_t upper = bound.is_null || bound.item().kind != Scalar::Kind::kInt ? 0 : bound.item().integer;
  if (upper < 1 || upper > kMaxPackLength) {
    return workspace_.Error(ErrorClass::kValue, position,
                            absl::StrCat("the bound of the length of a pack must be a number between 1 and ",
                                         kMaxPackLength, ", got ", bound.ToString()),
                            "2.6");
  }
  const std::string name = input.pack.length == nullptr ? "~" : PrintExpression(*input.pack.length);
  *length = workspace_.symbols().NewSymbol(name, 0, upper);
  return true;
}

// Gives the name in the length of a pack its value.
bool Composer::BindLength(const Definition& graph, const Parameter& input, const Symbolic* length, Scope* scope) {
  const AffineForm* const form = signatures_.at(&graph).FindAffine(input.pack.length);
  if (length == nullptr || form == nullptr || scope->Find(form->name) != nullptr) return true;
  Scalar solution = SolveDynamicExtent(workspace_.symbols(), *form, length);
  if (solution.kind == Scalar::Kind::kUnknown) {
    return workspace_.Error(ErrorClass::kShape, graph.At(input.name.span),
                            absl::StrCat("'", form->name, "' cannot be found from a length that varies"), "2.6.1");
  }
  scope->values.emplace(form->name, Value::Of({BaseType::kInt, {}}, std::move(solution)));
  return true;
}

// The tensors of a pack whose length varies are one array when the graph runs.
bool Composer::CheckVaryingPack(const Definition& graph, const Parameter& input, const Value& value) {
  const Position position = graph.At(input.name.span);
  const bool spreads =
      std::any_of(input.shape.begin(), input.shape.end(), [](const Extent& extent) { return extent.is_spread; });
  if (spreads) {
    return workspace_.Error(ErrorClass::kGraph, position,
                            "the tensors of a pack of inputs whose length varies must have one shape", "2.6",
                            "leave out '..' before the extent");
  }
  int64_t volume = static_cast<int64_t>(value.items.size());
  const Shape shape = volume == 0 ? Shape() : ShapeOf(static_cast<int>(value.items[0].integer));
  for (const Scalar& extent : shape) {
    const int64_t upper = extent.kind == Scalar::Kind::kSymbolic ? extent.symbolic->upper : extent.integer;
    if (!__builtin_mul_overflow(volume, upper, &volume) && volume <= kMaxVolume) continue;
    return workspace_.Error(ErrorClass::kValue, position,
                            absl::StrCat("a pack of ", value.items.size(), " tensors of shape ", ShapeText(shape),
                                         " has more than ", kMaxVolume, " elements"),
                            "2.6");
  }
  return true;
}

// The names of the declared shape stand for extents that the user gives.
bool Composer::ReplaceExtents(const Parameter& input, const Shape& extents, int64_t count, const Symbolic* length,
                              Scope* scope, Value* value) {
  const Definition& graph = *graph_.definition;
  int64_t volume = 1;
  for (const Scalar& extent : extents) {
    const bool fits = extent.integer >= 0 && !__builtin_mul_overflow(volume, extent.integer, &volume);
    if (fits && volume <= kMaxVolume) continue;
    return workspace_.Error(ErrorClass::kValue, graph.At(input.name.span),
                            absl::StrCat("input '", input.name.text, "' cannot have the extents ", ShapeText(extents)),
                            "2.6");
  }
  std::vector<int> tensors;
  const ElementType element = ElementOf(input, scope->types);
  for (int64_t i = 0; i < count; ++i) {
    tensors.push_back(NewTensor(ComposedTensor::Kind::kInput, element, extents));
  }
  *value = TensorValue(element, input.pack.is_pack, tensors);
  value->length = length;
  // Of which BindOperator has its own.
  BoundOperator unused;
  std::vector<RunTimeCheck> checks;
  const absl::flat_hash_set<const Parameter*> replaced = {&input};
  const InvocationPlace place{&workspace_, &signatures_.at(&graph), &graph, graph.At(input.name.span), &checks, &unused,
                              &replaced};
  const bool is_bound = ShapeBinder(place, scope).BindInput(input, *value, element);
  scope->values.erase(input.name.text);
  return is_bound;
}

bool Composer::CreateInput(const Definition& graph, const Parameter& input, const ComposeOptions& options, Scope* scope,
                           Value* value) {
  const auto given = options.input_extents.find(std::string(input.name.text));
  const bool is_given = given != options.input_extents.end();
  if (!is_given && !CheckInputExtents(graph, input, scope)) return false;
  int64_t count = 0;
  const Symbolic* length = nullptr;
  if (!CountTensors(graph, input, scope, &count, &length)) return false;
  if (is_given) {
    Shape extents;
    for (const int64_t extent : given->second) extents.push_back(Scalar::Int(extent));
    if (!ReplaceExtents(input, extents, count, length, scope, value)) return false;
  } else {
    if (!BindLength(graph, input, length, scope)) return false;
    const ElementType element = ElementOf(input, scope->types);
    std::vector<int> tensors;
    for (int64_t i = 0; i < count; ++i) {
      Shape shape;
      if (length != nullptr && i > 0) {
        shape = ShapeOf(tensors[0]);
      } else if (!EvaluateShape(&workspace_, signatures_.at(&graph), graph, input.shape, static_cast<int>(i), scope,
                                &shape)) {
        return false;
      }
      tensors.push_back(NewTensor(ComposedTensor::Kind::kInput, element, std::move(shape)));
    }
    *value = TensorValue(element, input.pack.is_pack, tensors);
    value->length = length;
  }
  return length == nullptr || CheckVaryingPack(graph, input, *value);
}

}  // namespace nnef2
}  // namespace xla
