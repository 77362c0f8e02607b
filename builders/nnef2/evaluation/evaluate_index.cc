#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/evaluation/scalar_operations.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

// The characters of a string as a pack, to be indexed like one.
Value AsCharacters(const Value& string) {
  Value pack = Value::Pack({BaseType::kStr, {}}, {});
  pack.type.is_optional = string.type.is_optional;
  pack.has_items = string.item().kind == Scalar::Kind::kString;
  if (pack.has_items) {
    for (const char c : string.item().text) pack.items.push_back(Scalar::String(std::string(1, c)));
  }
  return pack;
}

Value AsString(const Value& characters) {
  Value string = Value::Of({BaseType::kStr, {}}, Scalar());
  string.type.is_optional = characters.type.is_optional;
  string.is_null = characters.is_null;
  if (characters.is_error) return characters;
  if (!characters.has_items) return string;
  string.items[0] = Scalar::String("");
  for (const Scalar& item : characters.items) {
    if (item.kind != Scalar::Kind::kString) return Value::Of({BaseType::kStr, {}}, Scalar());
    string.items[0].text += item.text;
  }
  return string;
}

}  // namespace

// Negative indices count from the end.
bool Evaluator::ResolveIndex(const Span& span, int64_t index, int64_t length, int64_t* place) {
  *place = index < 0 ? index + length : index;
  if (*place >= 0 && *place < length) return true;
  Fail(ErrorClass::kValue, span,
       absl::StrCat("index ", index, " is out of range: the pack has ", length, length == 1 ? " item" : " items"));
  return false;
}

Value Evaluator::EvaluateIndex(const Expression& e) {
  const Value base = Evaluate(*e.items[0]);
  if (base.is_error) return base;
  const bool is_string = !base.type.is_pack && !base.type.is_tensor && base.type.element.Fits({BaseType::kStr, {}});
  if (!base.type.is_pack && !is_string) {
    if (base.type.is_tensor && in_lowering_) {
      return Fail(ErrorClass::kType, e.span, "the access of a tensor of one dimension has a comma after its index",
                  "2.4", "write x[i,]");
    }
    return Fail(ErrorClass::kType, e.span, absl::StrCat("only packs have indices, got ", base.type.ToString()));
  }
  const Value pack = is_string && !base.is_null ? AsCharacters(base) : base;
  const Expression& index = *e.items[1];
  Value result;
  if (index.kind == Kind::kRange) {
    result = IndexByRange(index, pack);
  } else {
    const Value by = Operand(index);
    if (by.is_error) return by;
    result = IndexByValue(e, pack, by);
  }
  return is_string && result.type.is_pack ? AsString(result) : result;
}

Value Evaluator::IndexByValue(const Expression& e, const Value& pack, const Value& index) {
  const bool is_mask = index.type.element.is_bool();
  if (!index.type.element.is_any() && !index.type.element.is_int() && !(is_mask && index.type.is_pack)) {
    return Fail(
        ErrorClass::kType, e.items[1]->span,
        absl::StrCat("an index must be an int, a pack of ints, or a pack of bools, got ", index.type.ToString()));
  }
  Type type = pack.type;
  type.is_pack = index.type.is_pack;
  type.is_optional = pack.type.is_optional || index.type.is_optional;
  if (pack.is_null || index.is_null) return Value::Null(type);
  if (is_mask && !LengthsAgree(LengthOf(pack), LengthOf(index))) {
    return Fail(ErrorClass::kPack, e.span,
                absl::StrCat("a mask must be as long as its pack, got ", LengthOf(index)->ToString(), " for ",
                             LengthOf(pack)->ToString()));
  }
  Value result;
  result.type = type;
  bool is_known = pack.has_items && index.has_items;
  for (const Scalar& item : index.items) is_known = is_known && item.is_known();
  if (is_known) {
    for (size_t i = 0; i < index.items.size(); ++i) {
      int64_t place = static_cast<int64_t>(i);
      if (is_mask && index.items[i].integer == 0) continue;
      if (!is_mask && !ResolveIndex(e.span, index.items[i].integer, static_cast<int64_t>(pack.items.size()), &place)) {
        return Value::Error();
      }
      result.items.push_back(pack.items[place]);
    }
    return result;
  }
  if (!workspace_.is_definition() && !in_lowering_) {
    return Fail(ErrorClass::kType, e.span, "an index of a pack must be known when the model is composed", "3.1");
  }
  // Of tensors, any of them stands for the one that is meant.
  if (pack.type.is_tensor && !pack.items.empty()) {
    result.items.push_back(pack.items.front());
  } else if (pack.type.is_tensor && !pack.has_items) {
    return Fail(ErrorClass::kType, e.span, "an index of an empty pack of tensors");
  } else {
    result.items.resize(1);
  }
  if (type.is_pack) {
    if (!type.is_tensor) result.items.clear();
    result.has_items = false;
    result.length = is_mask ? nullptr : LengthOf(index);
    if (result.length != nullptr && result.length->constant().has_value() && !type.is_tensor) {
      result.has_items = true;
      result.items.resize(static_cast<size_t>(*result.length->constant()));
      result.length = nullptr;
    }
  }
  return result;
}

// The length of a part of a pack of which not all is known.
Value Evaluator::SliceLength(const Expression& range, const Value& pack, const Value& begin, const Value& end,
                             const Value& step) {
  SymbolTable& symbols = workspace_.symbols();
  const Symbolic* const length = LengthOf(pack);
  Value result = pack;
  result.has_items = false;
  result.length = nullptr;
  if (!pack.type.is_tensor) result.items.clear();
  result.type.is_optional = pack.type.is_optional || begin.type.is_optional || end.type.is_optional;
  const int64_t stride = step.item().kind == Scalar::Kind::kInt ? step.item().integer : 0;
  if (length == nullptr || (stride != 1 && stride != -1)) return result;
  const auto place = [&](const Value& value, bool is_given, const Symbolic* otherwise) -> const Symbolic* {
    if (!is_given) return otherwise;
    const Symbolic* const symbolic = AsSymbolic(symbols, value.item());
    if (symbolic == nullptr) return nullptr;
    if (symbolic->upper <= 0 && symbolic->lower != 0) return symbols.Add(length, symbolic);
    return symbolic;
  };
  const Symbolic* const last = stride > 0 ? symbols.Constant(0) : symbols.Subtract(length, symbols.Constant(1));
  const Symbolic* const from = place(begin, range.items[0] != nullptr, last);
  const Symbolic* const to = place(end, range.items[1] != nullptr, stride > 0 ? length : symbols.Constant(-1));
  result.length = stride > 0 ? symbols.Subtract(to, from) : symbols.Subtract(from, to);
  return result;
}

Value Evaluator::IndexByRange(const Expression& range, const Value& pack) {
  Value parts[3] = {Value::Int(0), Value::Int(0), Value::Int(1)};
  bool is_known = pack.has_items && pack.length == nullptr;
  Type type = pack.type;
  bool is_null = pack.is_null;
  for (int i = 0; i < 3; ++i) {
    if (range.items[i] == nullptr) continue;
    parts[i] = EvaluateInt(*range.items[i], "a part of a range");
    if (parts[i].is_error) return parts[i];
    type.is_optional = type.is_optional || parts[i].type.is_optional;
    is_null = is_null || parts[i].is_null;
    is_known = is_known && !parts[i].is_null && parts[i].item().kind == Scalar::Kind::kInt;
  }
  if (is_null) return Value::Null(type);
  if (parts[2].item().kind == Scalar::Kind::kInt && parts[2].item().integer == 0) {
    return Fail(ErrorClass::kValue, range.span, "the stride of a range is 0");
  }
  if (!is_known) {
    if (!workspace_.is_definition() && !in_lowering_) {
      return Fail(ErrorClass::kType, range.span, "a range must be known when the model is composed", "3.1");
    }
    return SliceLength(range, pack, parts[0], parts[1], parts[2]);
  }
  const int64_t length = static_cast<int64_t>(pack.items.size());
  const int64_t step = parts[2].item().integer;
  const auto bound = [&](int i, int64_t otherwise) {
    if (range.items[i] == nullptr) return otherwise;
    const int64_t value = parts[i].item().integer;
    return value < 0 ? value + length : value;
  };
  const int64_t begin = bound(0, step > 0 ? 0 : length - 1);
  const int64_t end = bound(1, step > 0 ? length : -1);
  const bool is_omitted_begin = range.items[0] == nullptr;
  if ((!is_omitted_begin && (begin < 0 || begin > length)) ||
      (range.items[1] != nullptr && (end < 0 || end > length))) {
    return Fail(ErrorClass::kValue, range.span,
                absl::StrCat("a range reaches out of its pack of ", length, length == 1 ? " item" : " items"));
  }
  Value result;
  result.type = type;
  result.is_uniform = pack.is_uniform;
  for (int64_t i = begin; step > 0 ? i < end : i > end;) {
    if (i >= length) {
      return Fail(ErrorClass::kValue, range.span, absl::StrCat("index ", i, " is out of range"));
    }
    result.items.push_back(pack.items[i]);
    if (step > length || step < -length) break;
    i += step;
  }
  return result;
}

Value Evaluator::EvaluateSubstitute(const Expression& e) {
  const Value pack = Operand(*e.items[0]);
  if (pack.is_error) return pack;
  if (e.items[1]->kind == Kind::kRange) {
    return Fail(ErrorClass::kType, e.items[1]->span, "a substitution takes an index or a pack of indices", "2.4",
                "put the range in a list: p[[1:3]] <- v");
  }
  const Value index = Operand(*e.items[1]);
  const Value value = index.is_error ? index : Operand(*e.items[2]);
  if (value.is_error) return value;
  if (!pack.type.is_pack) return Fail(ErrorClass::kType, e.span, "only items of packs can be substituted");
  if (!index.type.element.Fits({BaseType::kInt, {}})) {
    return Fail(ErrorClass::kType, e.items[1]->span,
                absl::StrCat("an index must be an int or a pack of ints, got ", index.type.ToString()));
  }
  if (!pack.type.element.Fits(value.type.element)) {
    return Fail(
        ErrorClass::kType, e.items[2]->span,
        absl::StrCat("expected a value of type ", pack.type.element.ToString(), ", got ", value.type.ToString()));
  }
  if (index.type.is_pack != value.type.is_pack) {
    return Fail(ErrorClass::kType, e.items[2]->span,
                index.type.is_pack ? "a pack of indices takes a pack of values" : "one index takes one value");
  }
  Type type = pack.type;
  type.is_optional = pack.type.is_optional || index.type.is_optional || value.type.is_optional;
  if (pack.is_null || index.is_null || value.is_null) return Value::Null(type);
  if (index.type.is_pack && !LengthsAgree(LengthOf(index), LengthOf(value))) {
    return Fail(ErrorClass::kPack, e.span,
                absl::StrCat("as many values as indices are needed, got ", LengthOf(value)->ToString(), " for ",
                             LengthOf(index)->ToString()));
  }
  Value result = pack;
  result.type = type;
  result.is_uniform = false;
  bool is_known = pack.has_items && index.has_items && value.has_items;
  for (const Scalar& item : index.items) is_known = is_known && item.kind == Scalar::Kind::kInt;
  if (!is_known) {
    if (!workspace_.is_definition() && !in_lowering_) {
      return Fail(ErrorClass::kType, e.span, "an index of a pack must be known when the model is composed", "3.1");
    }
    result.items.assign(result.items.size(), Scalar());
    return result;
  }
  for (size_t i = 0; i < index.items.size(); ++i) {
    int64_t place = 0;
    if (!ResolveIndex(e.span, index.items[i].integer, static_cast<int64_t>(pack.items.size()), &place)) {
      return Value::Error();
    }
    result.items[place] = value.items[i];
  }
  return result;
}

// "|e|" as a value: the guard belongs to the access in which it ends up.
Value Evaluator::EvaluateBounded(const Expression& e) {
  if (!in_lowering_) {
    return Fail(ErrorClass::kLower, e.span, "a guarded index stands in @lower only", "2.12");
  }
  Value result;
  for (const ExpressionPtr& part : e.items) {
    const Value value = Operand(*part);
    if (value.is_error) return value;
    if (!value.type.element.Fits({BaseType::kInt, {}})) {
      return Fail(ErrorClass::kType, part->span, absl::StrCat("an index must be an int, got ", value.type.ToString()),
                  "2.12");
    }
    if (part == e.items[0] || (value.type.is_pack && !result.type.is_pack)) result = value;
  }
  // Another index may take its place, so that its value is not known.
  result.items.assign(result.items.size(), Scalar());
  return result;
}

// The number of dimensions that the indices of an access cover. A pack that is not expanded stands for one of them, and
// the access for a pack: *pack, which is left alone otherwise. False after an error.
bool Evaluator::CountIndices(const Expression& access, const Symbolic** count, Value* pack) {
  SymbolTable& symbols = workspace_.symbols();
  *count = symbols.Constant(0);
  bool is_known = true;
  for (size_t i = 1; i < access.items.size(); ++i) {
    const Expression& item = *access.items[i];
    const bool is_expanded = item.kind == Kind::kExpand;
    const Expression& part = is_expanded ? *item.items[0] : item;
    if (part.kind == Kind::kRange) {
      Fail(ErrorClass::kSyntax, part.span, "a range cannot be an index of a tensor", "2.12");
      return false;
    }
    const Value index = Operand(part);
    if (index.is_error) return false;
    if (!index.type.element.Fits({BaseType::kInt, {}})) {
      Fail(ErrorClass::kType, part.span, absl::StrCat("an index must be an int, got ", index.type.ToString()), "2.12");
      return false;
    }
    const bool has_count = is_expanded && item.items.size() > 1;
    if (is_expanded && index.type.is_pack == has_count) {
      Fail(ErrorClass::kPack, part.span,
           has_count ? "a pack is expanded without a count" : "only a pack of indices can be expanded", "2.12");
      return false;
    }
    if (index.type.is_pack && !is_expanded) *pack = index;
    const Symbolic* added = symbols.Constant(1);
    if (has_count) {
      const Value times = EvaluateCount(*item.items[1], "a count");
      if (times.is_error) return false;
      added = times.is_null ? nullptr : AsSymbolic(symbols, times.item());
    } else if (is_expanded) {
      added = index.is_null ? symbols.Constant(0) : LengthOf(index);
    }
    is_known = is_known && added != nullptr;
    *count = is_known ? symbols.Add(*count, added) : nullptr;
  }
  return true;
}

Value Evaluator::EvaluateAccess(const Expression& e) {
  if (!in_lowering_) {
    return Fail(ErrorClass::kLower, e.span, "the elements of a tensor can be accessed in @lower only", "2.4");
  }
  const Value base = Evaluate(*e.items[0]);
  if (base.is_error) return base;
  if (!base.type.is_tensor) {
    if (base.is_null) return Value::Null({});
    return Fail(ErrorClass::kType, e.span, absl::StrCat("only tensors are accessed, got ", base.type.ToString()));
  }
  if (e.lacks_comma) {
    return Fail(ErrorClass::kType, e.span, "the access of a tensor of one dimension has a comma after its index", "2.4",
                "write x[|i|,]");
  }
  if (base.is_null) {
    // Its indices may be null, too.
    Type type = base.type;
    type.is_tensor = false;
    return Value::Null(type);
  }
  const Symbolic* count = nullptr;
  Value pack;
  if (!CountIndices(e, &count, &pack)) return Value::Error();
  Value result = base;
  result.type.is_tensor = false;
  if (!base.items.empty()) {
    const TensorFacts& facts = workspace_.tensor(static_cast<int>(base.items.front().integer));
    const Symbolic* const rank =
        facts.has_extents ? workspace_.symbols().Constant(static_cast<int64_t>(facts.extents.size())) : facts.rank;
    if (!LengthsAgree(count, rank)) {
      return Fail(
          ErrorClass::kRank, e.span,
          absl::StrCat("a tensor of rank ", rank->ToString(), " is accessed by ", count->ToString(), " indices"),
          "2.4");
    }
  }
  if (base.type.is_pack && !base.has_items) {
    result.items.clear();
    return result;
  }
  if (pack.type.is_pack && !base.type.is_pack) {
    result.type.is_pack = true;
    result.has_items = pack.has_items;
    result.length = pack.length;
    result.items.assign(pack.items.size(), Scalar());
    return result;
  }
  result.items.assign(base.items.size(), Scalar());
  result.length = nullptr;
  return result;
}

}  // namespace nnef2
}  // namespace xla
