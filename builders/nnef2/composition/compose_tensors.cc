#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/composition/composer.h"

namespace xla {
namespace nnef2 {
namespace {

// A constant that is given element by element has at most that many.
constexpr int64_t kMaxConstantElements = 1 << 22;

bool VolumeOf(const Shape& shape, int64_t* volume) {
  *volume = 1;
  for (const Scalar& extent : shape) {
    if (extent.kind != Scalar::Kind::kInt) return false;
    if (__builtin_mul_overflow(*volume, extent.integer, volume)) return false;
  }
  return true;
}

}  // namespace

int Composer::NewTensor(ComposedTensor::Kind kind, const ElementType& element, Shape shape) {
  TensorFacts facts;
  facts.element = element;
  facts.has_extents = true;
  facts.extents = shape;
  const int number = workspace_.AddTensor(std::move(facts));
  // The binder adds tensors of its own for defaults, which are not part of the graph.
  graph_.tensors.resize(number + 1);
  ComposedTensor& tensor = graph_.tensors[number];
  tensor.kind = kind;
  tensor.element = element;
  tensor.shape = std::move(shape);
  return number;
}

int Composer::NewConstant(const Position& position, const ElementType& element, Shape shape,
                          std::vector<Scalar> values) {
  const auto misfit = std::find_if(values.begin(), values.end(), [](const Scalar& value) {
    return value.kind == Scalar::Kind::kInt && !FitsRunTime(value.integer);
  });
  if (misfit != values.end()) {
    workspace_.Error(ErrorClass::kValue, position, RunTimeMisfit(misfit->integer), "2.3");
  }
  const int number = NewTensor(ComposedTensor::Kind::kConstant, element, std::move(shape));
  graph_.tensors[number].values = std::move(values);
  return number;
}

Value Composer::TensorValue(const ElementType& element, bool is_pack, const std::vector<int>& tensors) {
  Value value;
  value.type = {element, false, is_pack, true};
  for (const int tensor : tensors) value.items.push_back(Scalar::Tensor(tensor));
  return value;
}

Value Composer::Materialize(const Position& position, const Value& value, const ElementType& element) {
  if (value.type.is_tensor || value.is_null) return value;
  std::vector<int> tensors;
  for (const Scalar& item : value.items) tensors.push_back(NewConstant(position, element, {}, {item}));
  return TensorValue(element, value.type.is_pack, tensors);
}

// Items of packs are called y:1, y:2, ...
void Composer::NameTensors(const Frame& frame, absl::string_view name, const Value& value, bool is_accessible) {
  if (value.is_null || !value.type.is_tensor) return;
  const std::string scoped = absl::StrCat(frame.path, name);
  names_.emplace(scoped, NamedTensor{value, is_accessible});
  for (size_t i = 0; i < value.items.size(); ++i) {
    ComposedTensor& tensor = graph_.tensors[value.items[i].integer];
    if (tensor.name.empty()) tensor.name = value.type.is_pack ? absl::StrCat(scoped, ":", i + 1) : scoped;
  }
}

bool Composer::SameShape(const Shape& a, const Shape& b) {
  if (a.size() != b.size()) return false;
  for (size_t i = 0; i < a.size(); ++i) {
    if (!(a[i] == b[i])) return false;
  }
  return true;
}

bool Composer::EvaluateFormula(const Frame& frame, const Parameter& constant, const Shape& shape,
                               std::vector<Scalar>* values) {
  // The loops: one for each index, and for each item of one that is a pack.
  struct Index {
    absl::string_view name;
    bool is_pack = false;
    std::vector<int64_t> bounds;
  };
  Evaluator outer(&workspace_, frame.definition->source, frame.scope);
  std::vector<Index> indices;
  size_t rank = 0;
  int64_t volume = 1;
  for (const IndexBound& bound : constant.bounds) {
    const Value limit = outer.EvaluateStatic(*bound.bound, "the bound of an index");
    if (limit.is_error) return false;
    Index index{bound.symbol.text, limit.type.is_pack, {}};
    for (const Scalar& item : limit.items) {
      const bool fits = item.kind == Scalar::Kind::kInt && rank < shape.size() && shape[rank] == item;
      if (!fits) {
        return Fail(ErrorClass::kShape, frame, bound.symbol.span,
                    absl::StrCat("the indices of constant '", constant.name.text, "' must count through its extents ",
                                 ShapeText(shape)),
                    "2.7");
      }
      index.bounds.push_back(item.integer);
      volume *= item.integer;
      ++rank;
    }
    indices.push_back(std::move(index));
  }
  if (rank != shape.size()) {
    return Fail(
        ErrorClass::kShape, frame, constant.name.span,
        absl::StrCat("constant '", constant.name.text, "' has ", shape.size(), " dimensions and ", rank, " indices"),
        "2.7");
  }
  Scope scope;
  scope.parent = frame.scope;
  Evaluator evaluator(&workspace_, frame.definition->source, &scope);
  const ElementType element{BaseType::kInt, {}};
  if (!workspace_.Spend(static_cast<size_t>(volume))) {
    return Fail(ErrorClass::kValue, frame, constant.name.span, "the constants of the model have too many elements",
                "2.7");
  }
  for (int64_t place = 0; place < volume; ++place) {
    int64_t rest = place;
    for (auto index = indices.rbegin(); index != indices.rend(); ++index) {
      std::vector<Scalar> items(index->bounds.size());
      for (size_t k = items.size(); k > 0; --k) {
        items[k - 1] = Scalar::Int(rest % index->bounds[k - 1]);
        rest /= index->bounds[k - 1];
      }
      scope.values.insert_or_assign(
          index->name, index->is_pack ? Value::Pack(element, std::move(items)) : Value::Of(element, items.front()));
    }
    const Value value = evaluator.EvaluateStatic(*constant.value, "a constant");
    if (value.is_error) return false;
    values->push_back(value.item());
  }
  return true;
}

bool Composer::CreateConstant(const Frame& frame, const Parameter& constant, const Shape& shape, int item,
                              int* tensor) {
  int64_t volume = 0;
  const bool is_static = VolumeOf(shape, &volume);
  std::vector<Scalar> values;
  if (!constant.bounds.empty()) {
    if (!is_static || volume > kMaxConstantElements) {
      return Fail(ErrorClass::kValue, frame, constant.name.span,
                  absl::StrCat("constant '", constant.name.text, "' of shape ", ShapeText(shape),
                               " is given by a formula, which takes a fixed shape of at most ", kMaxConstantElements,
                               " elements"),
                  "2.7");
    }
    if (!EvaluateFormula(frame, constant, shape, &values)) return false;
  } else {
    Evaluator evaluator(&workspace_, frame.definition->source, frame.scope);
    const Value value = evaluator.EvaluateStatic(*constant.value, "a constant");
    if (value.is_error) return false;
    values = value.items;
    if (constant.pack.is_pack) {
      if (static_cast<size_t>(item) >= values.size()) {
        return Fail(ErrorClass::kShape, frame, constant.name.span,
                    absl::StrCat("constant '", constant.name.text, "' has ", values.size(), " values for more tensors"),
                    "2.7");
      }
      values = {value.items[item]};
    } else if (value.type.is_pack && (!is_static || static_cast<int64_t>(values.size()) != volume)) {
      return Fail(ErrorClass::kShape, frame, constant.name.span,
                  absl::StrCat("constant '", constant.name.text, "' of shape ", ShapeText(shape), " has ",
                               values.size(), " values"),
                  "2.7");
    }
  }
  *tensor = NewConstant(frame.definition->At(constant.value->span), ElementOf(constant, frame.scope->parent->types),
                        shape, std::move(values));
  return true;
}

bool Composer::CreateConstants(const Frame& frame) {
  const Definition& definition = *frame.definition;
  Evaluator evaluator(&workspace_, definition.source, frame.scope);
  for (const Parameter& constant : definition.constants) {
    int64_t count = 1;
    if (constant.pack.is_pack) {
      if (constant.pack.length == nullptr) {
        return Fail(ErrorClass::kPack, frame, constant.name.span, "a pack of constants must have a length", "2.7");
      }
      const Value length = evaluator.EvaluateCount(*constant.pack.length, "a length");
      if (length.is_error) return false;
      count = length.is_null ? 0 : length.item().integer;
      const Value values = evaluator.EvaluateStatic(*constant.value, "a constant");
      if (values.is_error) return false;
      if (static_cast<int64_t>(values.items.size()) != count) {
        return Fail(ErrorClass::kShape, frame, constant.name.span,
                    absl::StrCat("constant '", constant.name.text, "' has ", values.items.size(), " values for ", count,
                                 " tensors"),
                    "2.7");
      }
    }
    std::vector<int> tensors;
    for (int64_t i = 0; i < count; ++i) {
      Shape shape;
      int tensor = 0;
      if (!EvaluateShape(&workspace_, signatures_.at(&definition), definition, constant.shape, static_cast<int>(i),
                         frame.scope, &shape) ||
          !CreateConstant(frame, constant, shape, static_cast<int>(i), &tensor)) {
        return false;
      }
      tensors.push_back(tensor);
    }
    Value value = TensorValue(ElementOf(constant, frame.scope->parent->types), constant.pack.is_pack, tensors);
    NameTensors(frame, constant.name.text, value, /*is_accessible=*/true);
    frame.scope->values.insert_or_assign(constant.name.text, std::move(value));
  }
  return true;
}

bool Composer::CreateVariables(const Frame& frame) {
  const Definition& definition = *frame.definition;
  Evaluator evaluator(&workspace_, definition.source, frame.scope);
  for (const Parameter& variable : definition.variables) {
    if (!frame.has_label) {
      // The invocation is the innermost call.
      return workspace_.Error(
          ErrorClass::kVariable, workspace_.calls().back().position,
          absl::StrCat("operator '", definition.QualifiedName(), "' has variables and must be invoked with a label"),
          "2.10", "write y, z = label: op(x)");
    }
    int64_t count = 1;
    if (variable.pack.is_pack) {
      if (variable.pack.length == nullptr) {
        return Fail(ErrorClass::kPack, frame, variable.name.span, "a pack of variables must have a length", "2.7");
      }
      const Value length = evaluator.EvaluateCount(*variable.pack.length, "a length");
      if (length.is_error) return false;
      count = length.is_null ? 0 : length.item().integer;
    }
    const ElementType element = ElementOf(variable, frame.scope->parent->types);
    std::vector<Shape> shapes(static_cast<size_t>(count));
    for (int64_t i = 0; i < count; ++i) {
      if (!EvaluateShape(&workspace_, signatures_.at(&definition), definition, variable.shape, static_cast<int>(i),
                         frame.scope, &shapes[i])) {
        return false;
      }
    }
    // Two calls of a graph, or of an operator under one name, share their variables, which must agree.
    const auto known = names_.find(absl::StrCat(frame.path, variable.name.text));
    if (known != names_.end()) {
      bool agrees = known->second.value.items.size() == shapes.size() && known->second.value.type.element.Fits(element);
      for (size_t i = 0; agrees && i < shapes.size(); ++i) {
        const ComposedTensor& tensor = graph_.tensors[known->second.value.items[i].integer];
        agrees = tensor.kind == ComposedTensor::Kind::kVariable && SameShape(tensor.shape, shapes[i]);
      }
      if (!agrees || !definition.is_graph) {
        return Fail(ErrorClass::kVariable, frame, variable.name.span,
                    absl::StrCat("there are two variables '", known->first, "'"), "2.10",
                    "label the invocations differently");
      }
      frame.scope->values.insert_or_assign(variable.name.text, known->second.value);
      continue;
    }
    std::vector<int> tensors;
    for (Shape& shape : shapes) {
      tensors.push_back(NewTensor(ComposedTensor::Kind::kVariable, element, std::move(shape)));
      graph_.variables.push_back(tensors.back());
      graph_.variable_positions.push_back(definition.At(variable.name.span));
    }
    Value value = TensorValue(element, variable.pack.is_pack, tensors);
    NameTensors(frame, variable.name.text, value, /*is_accessible=*/true);
    frame.scope->values.insert_or_assign(variable.name.text, std::move(value));
  }
  return true;
}

}  // namespace nnef2
}  // namespace xla
