#include "builders/nnef2/composition/bind_operator.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/nnef2/composition/check_assertions.h"
#include "builders/nnef2/composition/shape_binder.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/language/print_expression.h"

namespace xla {
namespace nnef2 {
namespace {

class OperatorBinder {
 public:
  OperatorBinder(Workspace* workspace, const Signature& signature, const ResolvedInvocation& resolved,
                 const Position& position, std::vector<RunTimeCheck>* checks)
      : workspace_(*workspace),
        signature_(signature),
        resolved_(resolved),
        definition_(*resolved.callee),
        bound_(std::make_shared<BoundOperator>()),
        scope_(bound_->scope),
        evaluator_(workspace, definition_.source, &scope_),
        invocation_{workspace, &signature, &definition_, position, checks, bound_.get(), &resolved.replaced} {}

  std::shared_ptr<BoundOperator> Run() {
    bound_->definition = &definition_;
    scope_.types = resolved_.types;
    if (!BindGivenAttributes()) return nullptr;
    ShapeBinder shapes(invocation_, &scope_);
    for (const int i : signature_.input_order) {
      if (!shapes.BindInput(definition_.inputs[i], resolved_.inputs[i],
                            ElementOf(definition_.inputs[i], scope_.types))) {
        return nullptr;
      }
    }
    if (!BindOtherAttributes() || !CheckAssertionsAndHelpers(invocation_, &scope_) || !BindOutputs()) return nullptr;
    for (const Parameter& input : definition_.inputs) scope_.values.erase(input.name.text);
    return bound_;
  }

 private:
  bool Fail(ErrorClass error_class, std::string message, absl::string_view rule, std::string suggestion = "") {
    return workspace_.Error(error_class, invocation_.position, std::move(message), rule, std::move(suggestion));
  }

  // Those that have a value without the inputs. Packs given one value for all wait for their length.
  bool BindGivenAttributes() {
    pending_.resize(definition_.attributes.size());
    for (size_t i = 0; i < definition_.attributes.size(); ++i) {
      const Parameter& attribute = definition_.attributes[i];
      absl::optional<Value> value = resolved_.attributes[i];
      if (!value.has_value() && attribute.value == nullptr) {
        Value null = Value::Null({ElementOf(attribute, scope_.types), true, attribute.pack.is_pack, false});
        scope_.values.insert_or_assign(attribute.name.text, std::move(null));
        continue;
      }
      if (!value.has_value() && !signature_.is_deferred[i]) {
        value = evaluator_.EvaluateStatic(*attribute.value, "a default");
        if (value->is_error) return false;
      }
      if (value.has_value()) value->type.element = ElementOf(attribute, scope_.types);
      if (value.has_value() && !attribute.pack.is_pack) {
        if (value->is_null && !attribute.is_optional) return NullDefault(attribute);
        value->type.is_optional = attribute.is_optional;
        scope_.values.insert_or_assign(attribute.name.text, *std::move(value));
        continue;
      }
      pending_[i] = true;
      if (value.has_value()) given_.emplace(i, *std::move(value));
    }
    return true;
  }

  bool NullDefault(const Parameter& attribute) {
    return Fail(ErrorClass::kAttrib,
                absl::StrCat("attribute '", attribute.name.text, "' of operator '", definition_.name.text,
                             "' must be given: its default is null"),
                "2.5");
  }

  bool IsKnown(const ExpressionPtr& expression) const {
    std::vector<absl::string_view> names;
    if (expression != nullptr) CollectNames(*expression, &names);
    return std::all_of(names.begin(), names.end(), [&](absl::string_view name) {
      return scope_.Find(name) != nullptr || scope_.FindType(name) != nullptr;
    });
  }

  // Deferred defaults and packs, one after the other as the names that they mention become known.
  bool BindOtherAttributes() {
    bool is_changed = true;
    while (is_changed) {
      is_changed = false;
      for (size_t i = 0; i < pending_.size(); ++i) {
        if (!pending_[i]) continue;
        bool is_bound = false;
        if (!TryAttribute(i, &is_bound)) return false;
        is_changed = is_changed || is_bound;
      }
    }
    for (size_t i = 0; i < pending_.size(); ++i) {
      if (pending_[i]) return UnknownLength(definition_.attributes[i]);
    }
    return true;
  }

  bool UnknownLength(const Parameter& attribute) {
    return Fail(ErrorClass::kAttrib,
                absl::StrCat("attribute '", attribute.name.text, "' of operator '", definition_.name.text,
                             "' has one value for all items, but its length is not known"),
                "2.6.1", "give a list");
  }

  // *is_bound: whether the attribute has got its value. False after an error.
  bool TryAttribute(size_t i, bool* is_bound) {
    const Parameter& attribute = definition_.attributes[i];
    const auto given = given_.find(i);
    if (given == given_.end()) {
      if (!IsKnown(attribute.value)) return true;
      Value value = evaluator_.EvaluateStatic(*attribute.value, "a default");
      if (value.is_error) return false;
      if (value.is_null && !attribute.is_optional) return NullDefault(attribute);
      value.type.element = ElementOf(attribute, scope_.types);
      value.type.is_optional = attribute.is_optional;
      if (attribute.pack.is_pack) {
        given_.emplace(i, std::move(value));
        *is_bound = true;
        return true;
      }
      Store(i, std::move(value));
      *is_bound = true;
      return true;
    }
    Value value = given->second;
    if (value.is_null) {
      Store(i, std::move(value));
      *is_bound = true;
      return true;
    }
    return value.type.is_pack ? TryPack(i, std::move(value), is_bound) : TryUniform(i, value, is_bound);
  }

  void Store(size_t i, Value value) {
    pending_[i] = false;
    value.type.is_optional = definition_.attributes[i].is_optional;
    scope_.values.insert_or_assign(definition_.attributes[i].name.text, std::move(value));
  }

  bool TryPack(size_t i, Value value, bool* is_bound) {
    const Parameter& attribute = definition_.attributes[i];
    const int64_t size = static_cast<int64_t>(value.items.size());
    const AffineForm* const form = signature_.FindAffine(attribute.pack.length);
    if (form != nullptr && scope_.Find(form->name) == nullptr) {
      const int64_t rest = size - form->offset;
      if (rest % form->scale != 0 || rest / form->scale < 0) return WrongLength(attribute, size, "another");
      scope_.values.emplace(form->name, Value::Int(rest / form->scale));
    } else if (attribute.pack.length != nullptr) {
      if (!IsKnown(attribute.pack.length)) return true;
      const Value length = evaluator_.EvaluateCount(*attribute.pack.length, "the length of an attribute");
      if (length.is_error) return false;
      if (!length.is_null && length.item().integer != size) {
        return WrongLength(attribute, size, absl::StrCat(length.item().integer));
      }
    }
    Store(i, std::move(value));
    *is_bound = true;
    return true;
  }

  bool WrongLength(const Parameter& attribute, int64_t size, absl::string_view expected) {
    return Fail(ErrorClass::kAttrib,
                absl::StrCat("attribute '", attribute.name.text, "' of operator '", definition_.name.text, "' has ",
                             size, size == 1 ? " item" : " items", ", expected ", expected),
                "2.6.1");
  }

  bool TryUniform(size_t i, const Value& value, bool* is_bound) {
    const Parameter& attribute = definition_.attributes[i];
    if (attribute.pack.length == nullptr) return UnknownLength(attribute);
    if (!IsKnown(attribute.pack.length)) return true;
    const Value length = evaluator_.EvaluateCount(*attribute.pack.length, "the length of an attribute");
    if (length.is_error) return false;
    if (length.is_null) return UnknownLength(attribute);
    Value pack = Value::Pack(value.type.element, {});
    pack.items.assign(static_cast<size_t>(length.item().integer), value.item());
    pack.is_uniform = true;
    Store(i, std::move(pack));
    *is_bound = true;
    return true;
  }

  // In graphs an extent may be left to the composition, and with it the rank.
  static bool HasOpenRank(const Parameter& output) {
    return std::any_of(output.shape.begin(), output.shape.end(), [](const Extent& extent) {
      return extent.value == nullptr && extent.is_pack && extent.length == nullptr;
    });
  }

  // The number of tensors of an output, or the greatest with the expression that it is.
  bool CountTensors(const Parameter& output, size_t* count, const Symbolic** length) {
    const Value value = evaluator_.EvaluateStatic(*output.pack.length, "the length of an output");
    if (value.is_error || value.is_null) return false;
    const bool varies =
        !value.type.is_pack && value.item().kind == Scalar::Kind::kSymbolic && value.type.element.is_int();
    if (varies && value.item().symbolic->lower >= 0 && value.item().symbolic->upper <= kMaxPackLength) {
      *length = value.item().symbolic;
      *count = static_cast<size_t>((*length)->upper);
      return true;
    }
    const Value known = evaluator_.EvaluateCount(*output.pack.length, "the length of an output");
    if (known.is_error) return false;
    *count = static_cast<size_t>(known.item().integer);
    return true;
  }

  bool BindOutputs() {
    bound_->num_known_symbols = workspace_.symbols().size();
    for (const Parameter& output : definition_.outputs) {
      BoundOperator::Output bound;
      bound.element = ElementOf(output, scope_.types);
      if (bound.element.base == BaseType::kStr) {
        return Fail(ErrorClass::kType,
                    absl::StrCat("output '", output.name.text, "' of operator '", definition_.name.text,
                                 "' is a tensor, which cannot hold strings"),
                    "2.3");
      }
      bound.is_pack = output.pack.is_pack;
      size_t count = 1;
      if (output.pack.is_pack && output.pack.length != nullptr && !CountTensors(output, &count, &bound.length)) {
        return false;
      }
      for (size_t item = 0; item < count && output.has_shape && !HasOpenRank(output); ++item) {
        Shape shape;
        if (!EvaluateShape(&workspace_, signature_, definition_, output.shape, static_cast<int>(item), &scope_,
                           &shape)) {
          return false;
        }
        bound.shapes.push_back(std::move(shape));
      }
      bound_->outputs.push_back(std::move(bound));
    }
    return true;
  }

  Workspace& workspace_;
  const Signature& signature_;
  const ResolvedInvocation& resolved_;
  const Definition& definition_;
  std::shared_ptr<BoundOperator> bound_;
  Scope& scope_;
  Evaluator evaluator_;
  const InvocationPlace invocation_;
  std::vector<bool> pending_;
  absl::flat_hash_map<size_t, Value> given_;
};

}  // namespace

std::shared_ptr<BoundOperator> BindOperator(Workspace* workspace, const Signature& signature,
                                            const ResolvedInvocation& resolved, const Position& position,
                                            std::vector<RunTimeCheck>* checks) {
  return OperatorBinder(workspace, signature, resolved, position, checks).Run();
}

namespace {

// The name of a symbol for an extent: "n", "(2 * n)".
std::string NameOf(const Expression& extent, const AffineForm& form) {
  if (form.scale == 1 && form.offset == 0) return std::string(form.name);
  return absl::StrCat("(", PrintExpression(extent), ")");
}

// A new symbol for an extent that is not known, or nothing if it has no bound.
absl::optional<Scalar> NewExtent(Workspace* workspace, const Definition& definition, const Extent& extent,
                                 absl::string_view name, const Scope& scope) {
  if (extent.bound == nullptr) return absl::nullopt;
  const Value bound =
      Evaluator(workspace, definition.source, &scope).EvaluateInt(*extent.bound, "the bound of an extent");
  if (bound.is_error) return Scalar();
  const Scalar& item = bound.item();
  const int64_t upper = item.kind == Scalar::Kind::kSymbolic ? item.symbolic->upper : item.integer;
  if (bound.is_null || upper < 0) {
    workspace->Error(ErrorClass::kValue, definition.At(extent.span), absl::StrCat("the bound of an extent is ", upper),
                     "2.6");
    return Scalar();
  }
  return Scalar::Of(workspace->symbols().NewSymbol(name, 0, upper));
}

bool CheckVolume(Workspace* workspace, const Definition& definition, const Span& span, const Shape& shape) {
  int64_t volume = 1;
  for (const Scalar& extent : shape) {
    const int64_t upper = extent.kind == Scalar::Kind::kSymbolic ? extent.symbolic->upper : extent.integer;
    if (upper == 0) return true;
    if (__builtin_mul_overflow(volume, upper, &volume) || volume > kMaxVolume) {
      return workspace->Error(
          ErrorClass::kValue, definition.At(span),
          absl::StrCat("a tensor of shape ", ShapeText(shape), " has more than ", kMaxVolume, " elements"), "2.6");
    }
  }
  return true;
}

}  // namespace

bool EvaluateShape(Workspace* workspace, const Signature& signature, const Definition& definition,
                   const std::vector<Extent>& extents, int item, Scope* scope, Shape* shape) {
  Evaluator evaluator(workspace, definition.source, scope);
  for (const Extent& extent : extents) {
    int64_t count = 1;
    if (extent.is_pack && extent.length != nullptr) {
      const Value length = evaluator.EvaluateCount(*extent.length, "the number of extents");
      if (length.is_error) return false;
      count = length.is_null ? 0 : length.item().integer;
    }
    const AffineForm* const form = signature.FindAffine(extent.value);
    const bool is_new = extent.value == nullptr || (form != nullptr && scope->Find(form->name) == nullptr);
    if (is_new) {
      Value created = Value::Pack({BaseType::kInt, {}}, {});
      Value solved = created;
      for (int64_t i = 0; i < count; ++i) {
        const absl::optional<Scalar> symbol =
            NewExtent(workspace, definition, extent, form == nullptr ? "~" : NameOf(*extent.value, *form), *scope);
        if (!symbol.has_value() && definition.is_graph && extent.value == nullptr) {
          created.items.emplace_back();
          continue;
        }
        if (!symbol.has_value()) {
          return workspace->Error(ErrorClass::kShape, definition.At(extent.span),
                                  "an extent that is not known must have a bound", "2.6", "write n|10");
        }
        if (symbol->kind == Scalar::Kind::kUnknown) return false;
        created.items.push_back(*symbol);
        if (form == nullptr) continue;
        solved.items.push_back(SolveDynamicExtent(workspace->symbols(), *form, symbol->symbolic));
        if (solved.items.back().kind == Scalar::Kind::kUnknown) {
          return workspace->Error(ErrorClass::kShape, definition.At(extent.span),
                                  absl::StrCat("'", form->name, "' cannot be found from a dynamic extent"), "2.6.1");
        }
      }
      shape->insert(shape->end(), created.items.begin(), created.items.end());
      if (form != nullptr) {
        scope->values.emplace(form->name,
                              extent.is_pack ? solved : Value::Of(solved.type.element, solved.items.front()));
      }
      continue;
    }
    const Value value = evaluator.EvaluateStatic(*extent.value, "an extent");
    if (value.is_error) return false;
    if (value.is_null) continue;
    std::vector<Scalar> added = value.items;
    if (extent.is_spread && value.type.is_pack) {
      if (static_cast<size_t>(item) >= value.items.size()) {
        return workspace->Error(ErrorClass::kPack, definition.At(extent.span), "fewer extents than tensors of a pack",
                                "2.6");
      }
      added = {value.items[item]};
    } else if (extent.is_pack && !value.type.is_pack) {
      added.assign(static_cast<size_t>(count), value.item());
    } else if (extent.is_pack && extent.length != nullptr && static_cast<int64_t>(added.size()) != count) {
      return workspace->Error(ErrorClass::kPack, definition.At(extent.span),
                              "the length of a pack of extents differs from the declared one", "2.6");
    }
    for (const Scalar& one : added) {
      if (one.kind == Scalar::Kind::kInt ? one.integer < 0 : one.kind != Scalar::Kind::kSymbolic) {
        return workspace->Error(ErrorClass::kValue, definition.At(extent.span),
                                absl::StrCat("an extent is ", one.kind == Scalar::Kind::kInt ? one.integer : 0,
                                             one.kind == Scalar::Kind::kInt ? "" : ", not a value that is known"),
                                "2.6");
      }
      if (one.kind == Scalar::Kind::kSymbolic && one.symbolic->upper < 0) {
        return workspace->Error(ErrorClass::kValue, definition.At(extent.span), "an extent is negative", "2.6");
      }
      shape->push_back(one);
    }
  }
  return CheckVolume(workspace, definition, extents.empty() ? Span{} : extents[0].span, *shape);
}

std::string ShapeText(const Shape& shape) {
  return absl::StrCat("[",
                      absl::StrJoin(shape, ",",
                                    [](std::string* out, const Scalar& extent) {
                                      if (extent.kind == Scalar::Kind::kInt) {
                                        absl::StrAppend(out, extent.integer);
                                      } else if (extent.kind == Scalar::Kind::kSymbolic) {
                                        absl::StrAppend(out, extent.symbolic->ToString(), "|", extent.symbolic->upper);
                                      } else {
                                        absl::StrAppend(out, "?");
                                      }
                                    }),
                      "]");
}

}  // namespace nnef2
}  // namespace xla
