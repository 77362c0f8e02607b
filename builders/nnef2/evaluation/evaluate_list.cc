#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "builders/nnef2/evaluation/scalar_operations.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

// The number of ints from `begin` up to `end` in steps of `step`, which is not 0.
int64_t RangeLength(int64_t begin, int64_t end, int64_t step) {
  const __int128 distance = static_cast<__int128>(end) - begin;
  if (step > 0 ? distance <= 0 : distance >= 0) return 0;
  const __int128 size = step > 0 ? step : -static_cast<__int128>(step);
  const __int128 length = ((distance < 0 ? -distance : distance) + size - 1) / size;
  return length > kMaxPackLength ? kMaxPackLength + 1 : static_cast<int64_t>(length);
}

}  // namespace

// Adds `value`, one item or an expanded pack, after the items of `list`.
bool Evaluator::AppendValue(const Span& span, const Value& value, Value* list) {
  Type& type = list->type;
  const bool is_first = type.element.is_any() && !type.is_tensor;
  if (!type.element.Fits(value.type.element) || (!is_first && type.is_tensor != value.type.is_tensor)) {
    Fail(ErrorClass::kType, span,
         absl::StrCat("the items of a list must have the same type, got ", type.ToString(), " and ",
                      value.type.ToString()));
    return false;
  }
  if (is_first) {
    type.element = value.type.element;
    type.is_tensor = value.type.is_tensor;
  }
  type.is_optional = type.is_optional || value.type.is_optional;
  list->is_null = list->is_null || value.is_null;
  if (list->is_null) return true;
  const Symbolic* const added = value.type.is_pack ? LengthOf(value) : workspace_.symbols().Constant(1);
  const bool is_first_item = list->has_items && list->items.empty();
  list->is_uniform = value.is_uniform && is_first_item;
  // A tensor pack of dynamic length has items and a length.
  const bool is_dynamic = value.type.is_pack && value.has_items && value.length != nullptr;
  if (!list->has_items || !value.has_items || is_dynamic || list->length != nullptr) {
    const Symbolic* const before = LengthOf(*list);
    list->length = before == nullptr || added == nullptr ? nullptr : workspace_.symbols().Add(before, added);
    if (is_dynamic && !is_first_item) {
      Fail(ErrorClass::kType, span, "a pack of dynamic length must be the first part of a list", "3.1");
      return false;
    }
  }
  list->has_items = list->has_items && value.has_items;
  if (!list->has_items) {
    list->items.clear();
    return true;
  }
  list->items.insert(list->items.end(), value.items.begin(), value.items.end());
  if (static_cast<int64_t>(list->items.size()) <= kMaxPackLength) return true;
  Fail(ErrorClass::kValue, span, absl::StrCat("a list has more than ", kMaxPackLength, " items"));
  return false;
}

// "a ..(n)", "p..".
bool Evaluator::ExpandItem(const Expression& item, Value* list) {
  const Value value = Evaluate(*item.items[0]);
  if (value.is_error) return false;
  if (item.items.size() == 1) {
    if (value.type.is_pack) return AppendValue(item.span, value, list);
    Fail(ErrorClass::kPack, item.span, "'..' expands a pack, got a single value", "2.4",
         "repeat a value by a count: [a ..(n)]");
    return false;
  }
  if (value.type.is_pack) {
    Fail(ErrorClass::kPack, item.span, "a pack is expanded without a count", "2.4", "write [p..]");
    return false;
  }
  const Value count = EvaluateCount(*item.items[1], "a count");
  if (count.is_error) return false;
  Value copies = value;
  copies.type.is_pack = true;
  copies.type.is_optional = value.type.is_optional || count.type.is_optional;
  copies.is_null = value.is_null || count.is_null;
  copies.is_uniform = true;
  copies.items.clear();
  if (!copies.is_null && count.item().kind == Scalar::Kind::kInt) {
    copies.items.assign(static_cast<size_t>(count.item().integer), value.item());
  } else if (!copies.is_null) {
    copies.has_items = false;
    copies.length = AsSymbolic(workspace_.symbols(), count.item());
  }
  return AppendValue(item.span, copies, list);
}

bool Evaluator::ZipItems(const Expression& item, Value* list) {
  std::vector<Value> packs;
  Value zipped;
  zipped.type = {ElementType::Any(), false, true, false};
  const Symbolic* length = nullptr;
  for (const ExpressionPtr& part : item.items) {
    packs.push_back(Operand(*part));
    const Value& pack = packs.back();
    if (pack.is_error) return false;
    if (!pack.type.is_pack) {
      Fail(ErrorClass::kPack, part->span, "the parts of a zip must be packs");
      return false;
    }
    if (!zipped.type.element.Fits(pack.type.element)) {
      Fail(ErrorClass::kType, part->span,
           absl::StrCat("the parts of a zip must have the same type, got ", zipped.type.element.ToString(), " and ",
                        pack.type.element.ToString()));
      return false;
    }
    if (zipped.type.element.is_any()) zipped.type.element = pack.type.element;
    zipped.type.is_optional = zipped.type.is_optional || pack.type.is_optional;
    zipped.is_null = zipped.is_null || pack.is_null;
    zipped.has_items = zipped.has_items && pack.has_items;
    if (pack.is_null) continue;
    if (!LengthsAgree(length, LengthOf(pack))) {
      Fail(ErrorClass::kPack, part->span,
           absl::StrCat("the parts of a zip must have the same length, got ", length->ToString(), " and ",
                        LengthOf(pack)->ToString()));
      return false;
    }
    if (length == nullptr) length = LengthOf(pack);
  }
  if (zipped.has_items && !zipped.is_null) {
    for (size_t i = 0; i < packs[0].items.size(); ++i) {
      for (const Value& pack : packs) zipped.items.push_back(pack.items[i]);
    }
  } else {
    const int64_t parts = static_cast<int64_t>(packs.size());
    zipped.length = workspace_.symbols().Multiply(length, workspace_.symbols().Constant(parts));
  }
  return AppendValue(item.span, zipped, list);
}

// [begin:end:step] as a pack.
Value Evaluator::EvaluateRange(const Expression& e) {
  Value parts[3] = {Value::Int(0), Value::Int(0), Value::Int(1)};
  bool is_known = true, is_null = false, is_optional = false;
  for (int i = 0; i < 3; ++i) {
    if (e.items[i] == nullptr) continue;
    parts[i] = EvaluateInt(*e.items[i], "a part of a range");
    if (parts[i].is_error) return parts[i];
    is_null = is_null || parts[i].is_null;
    is_optional = is_optional || parts[i].type.is_optional;
    is_known = is_known && !parts[i].is_null && parts[i].item().kind == Scalar::Kind::kInt;
  }
  const ElementType element{BaseType::kInt, {}};
  const Type type{element, is_optional, true, false};
  if (is_null) return Value::Null(type);
  if (parts[2].item().kind == Scalar::Kind::kInt && parts[2].item().integer == 0) {
    return Fail(ErrorClass::kValue, e.span, "the stride of a range is 0");
  }
  if (!is_known) {
    if (!workspace_.is_definition() && !in_lowering_) {
      return Fail(ErrorClass::kType, e.span, "a range must be known when the model is composed", "3.1");
    }
    const bool has_unit_step = parts[2].item() == Scalar::Int(1);
    const Symbolic* const length =
        has_unit_step ? workspace_.symbols().Subtract(AsSymbolic(workspace_.symbols(), parts[1].item()),
                                                      AsSymbolic(workspace_.symbols(), parts[0].item()))
                      : nullptr;
    Value range = Value::UnknownPack(element, length);
    range.type.is_optional = is_optional;
    return range;
  }
  const int64_t begin = parts[0].item().integer, step = parts[2].item().integer;
  const int64_t length = RangeLength(begin, parts[1].item().integer, step);
  if (length > kMaxPackLength) {
    return Fail(ErrorClass::kValue, e.span, absl::StrCat("a range has more than ", kMaxPackLength, " items"));
  }
  Value range = Value::Pack(element, {});
  range.type.is_optional = is_optional;
  // Below the length all sums fit, for they lie between begin and end.
  for (int64_t i = 0; i < length; ++i) range.items.push_back(Scalar::Int(begin + i * step));
  return range;
}

Value Evaluator::EvaluateList(const Expression& e) {
  Value list;
  list.type = {ElementType::Any(), false, true, false};
  for (const ExpressionPtr& item : e.items) {
    bool is_good = true;
    if (item->kind == Kind::kExpand) {
      is_good = ExpandItem(*item, &list);
    } else if (item->kind == Kind::kZip) {
      is_good = ZipItems(*item, &list);
    } else {
      const Value value = item->kind == Kind::kRange ? EvaluateRange(*item) : Evaluate(*item);
      if (value.is_error) return value;
      if (value.type.is_pack && item->kind != Kind::kRange) {
        return Fail(ErrorClass::kPack, item->span, "a pack in a list must be expanded", "2.4", "write p..");
      }
      is_good = AppendValue(item->span, value, &list);
    }
    if (!is_good) return Value::Error();
  }
  if (list.is_null) return Value::Null(list.type);
  return list;
}

}  // namespace nnef2
}  // namespace xla
