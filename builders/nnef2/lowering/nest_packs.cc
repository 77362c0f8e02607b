#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/lowering/nest_evaluator.h"

namespace xla {
namespace nnef2 {

// Adds an item of a list, or the items that it stands for. False after an error.
bool NestEvaluator::AppendItem(const Expression& item, NestValue* list) {
  std::vector<NestValue> parts;
  if (item.kind == Expression::Kind::kZip) {
    for (const ExpressionPtr& part : item.items) parts.push_back(Evaluate(*part));
  } else if (item.kind == Expression::Kind::kExpand) {
    parts.push_back(Evaluate(*item.items[0]));
  } else {
    parts.push_back(Evaluate(item));
  }
  for (const NestValue& part : parts) {
    if (part.is_error) return false;
    list->is_null = list->is_null || part.is_null;
  }
  if (list->is_null) return true;
  int64_t copies = 1;
  const bool has_count = item.kind == Expression::Kind::kExpand && item.items.size() > 1;
  if (has_count && !EvaluateCount(*item.items[1], &copies)) return false;
  list->type = parts[0].type;
  list->is_tensor = parts[0].is_tensor;
  if (list->is_tensor) {
    list->tensors.insert(list->tensors.end(), parts[0].tensors.begin(), parts[0].tensors.end());
    return true;
  }
  if (static_cast<int64_t>(list->items.size()) + copies > kMaxPackLength) {
    Fail(ErrorClass::kValue, item.span, absl::StrCat("a list has more than ", kMaxPackLength, " items"));
    return false;
  }
  for (int64_t copy = 0; copy < copies; ++copy) {
    for (size_t i = 0; i < parts[0].items.size(); ++i) {
      for (const NestValue& part : parts) {
        if (i < part.items.size()) list->items.push_back(part.items[i]);
      }
    }
  }
  return true;
}

// The ints of a range whose parts are known, while other items of its list are not.
bool NestEvaluator::AppendRange(const Expression& range, NestValue* list) {
  int64_t parts[3] = {0, 0, 1};
  for (int i = 0; i < 3; ++i) {
    if (range.items[i] != nullptr && !EvaluateKnownInt(*range.items[i], "a part of a range", &parts[i])) return false;
  }
  const __int128 step = parts[2];
  if (step == 0) {
    Fail(ErrorClass::kValue, range.span, "the stride of a range is 0");
    return false;
  }
  for (__int128 i = parts[0]; step > 0 ? i < parts[1] : i > parts[1]; i += step) {
    if (static_cast<int64_t>(list->items.size()) >= kMaxPackLength) {
      Fail(ErrorClass::kValue, range.span, absl::StrCat("a list has more than ", kMaxPackLength, " items"));
      return false;
    }
    list->items.push_back(NestItem{nodes_.Int(static_cast<int64_t>(i))});
  }
  return true;
}

NestValue NestEvaluator::EvaluateList(const Expression& e) {
  NestValue list;
  list.is_pack = true;
  for (const ExpressionPtr& item : e.items) {
    const bool is_range = item->kind == Expression::Kind::kRange;
    if (is_range ? !AppendRange(*item, &list) : !AppendItem(*item, &list)) return Error();
  }
  if (list.is_null) return Null();
  return list;
}

NestValue NestEvaluator::EvaluateIndex(const Expression& e) {
  NestValue base = Evaluate(*e.items[0]);
  if (base.is_error || base.is_null) return base;
  const Expression& index = *e.items[1];
  if (index.kind == Expression::Kind::kRange) return IndexByRange(index, base);
  const NestValue by = Evaluate(index);
  if (by.is_error || by.is_null) return by;
  if (!CheckUnguarded(e, by)) return Error();
  if (base.is_tensor) {
    if (by.is_pack) {
      return Fail(ErrorClass::kType, e.span, "a choice of several tensors must be known when the model is composed");
    }
    const NestNode* const item = by.items[0].node;
    const int64_t size = static_cast<int64_t>(base.tensors.size());
    if (size == 0 || item->upper < -size || item->lower >= size) {
      return Fail(
          ErrorClass::kValue, e.span,
          absl::StrCat("an index of a pack is out of range: the pack has ", size, size == 1 ? " item" : " items"));
    }
    base.is_pack = false;
    if (item->is_known()) {
      base.tensors = {base.tensors[item->scalar.integer < 0 ? item->scalar.integer + size : item->scalar.integer]};
      return base;
    }
    base.item = item;
    return base;
  }
  NestValue result;
  result.is_pack = by.is_pack;
  result.type = base.type;
  const bool is_mask = by.type == BaseType::kBool;
  for (size_t i = 0; i < by.items.size(); ++i) {
    const NestNode* const place = by.items[i].node;
    if (is_mask) {
      if (!place->is_known() || by.items.size() != base.items.size()) {
        return Fail(ErrorClass::kType, index.span, "a mask must be known when the model is composed");
      }
      if (place->scalar.integer != 0) result.items.push_back(base.items[i]);
      continue;
    }
    // Guarded indices are chosen as they are.
    const int64_t size = static_cast<int64_t>(base.items.size());
    if (place->is_known() && place->scalar.integer >= -size && place->scalar.integer < size) {
      result.items.push_back(
          base.items[place->scalar.integer < 0 ? place->scalar.integer + size : place->scalar.integer]);
      continue;
    }
    if (!CheckUnguarded(e, base)) return Error();
    std::vector<const NestNode*> items;
    for (const NestItem& item : base.items) items.push_back(item.node);
    std::string error;
    const NestNode* const node = nodes_.Table(items, place, &error);
    if (node == nullptr) return Fail(ErrorClass::kValue, e.span, error);
    result.items.push_back(NestItem{node});
  }
  return result;
}

NestValue NestEvaluator::IndexByRange(const Expression& range, const NestValue& pack) {
  const int64_t length = static_cast<int64_t>(pack.is_tensor ? pack.tensors.size() : pack.items.size());
  int64_t parts[3] = {0, 0, 1};
  for (int i = 0; i < 3; ++i) {
    if (range.items[i] == nullptr) continue;
    const NestValue part = Evaluate(*range.items[i]);
    if (part.is_error || part.is_null) return part;
    if (!EvaluateKnownInt(*range.items[i], "a part of a range", &parts[i])) return Error();
  }
  const int64_t step = parts[2];
  if (step == 0) return Fail(ErrorClass::kValue, range.span, "the stride of a range is 0");
  const auto bound = [&](int i, int64_t otherwise) {
    return range.items[i] == nullptr ? otherwise : parts[i] < 0 ? parts[i] + length : parts[i];
  };
  const int64_t begin = bound(0, step > 0 ? 0 : length - 1);
  const int64_t end = bound(1, step > 0 ? length : -1);
  if ((range.items[0] != nullptr && (begin < 0 || begin > length)) ||
      (range.items[1] != nullptr && (end < 0 || end > length))) {
    return Fail(ErrorClass::kValue, range.span,
                absl::StrCat("a range reaches out of its pack of ", length, length == 1 ? " item" : " items"));
  }
  NestValue result = pack;
  result.items.clear();
  result.tensors.clear();
  for (int64_t i = begin; step > 0 ? i < end : i > end; i += step) {
    if (i >= length) return Fail(ErrorClass::kValue, range.span, absl::StrCat("index ", i, " is out of range"));
    if (pack.is_tensor) {
      result.tensors.push_back(pack.tensors[i]);
    } else {
      result.items.push_back(pack.items[i]);
    }
    if (step > length || step < -length) break;
  }
  return result;
}

NestValue NestEvaluator::EvaluateSubstitute(const Expression& e) {
  NestValue pack = Evaluate(*e.items[0]);
  const NestValue index = pack.is_error ? pack : Evaluate(*e.items[1]);
  const NestValue value = index.is_error ? index : Evaluate(*e.items[2]);
  if (value.is_error) return value;
  if (pack.is_null || index.is_null || value.is_null) return Null();
  if (!CheckUnguarded(e, index)) return Error();
  if (index.is_pack && index.items.size() != value.items.size()) {
    return Fail(
        ErrorClass::kPack, e.span,
        absl::StrCat("as many values as indices are needed, got ", value.items.size(), " for ", index.items.size()));
  }
  const int64_t size = static_cast<int64_t>(pack.items.size());
  for (size_t i = 0; i < index.items.size(); ++i) {
    const NestNode* const node = index.items[i].node;
    if (!node->is_known()) {
      return Fail(ErrorClass::kType, e.items[1]->span,
                  "the place of a substitution must be known when the model is composed");
    }
    const int64_t place = node->scalar.integer < 0 ? node->scalar.integer + size : node->scalar.integer;
    if (place < 0 || place >= size) {
      return Fail(ErrorClass::kValue, e.span,
                  absl::StrCat("index ", node->scalar.integer, " is out of range: the pack has ", size,
                               size == 1 ? " item" : " items"));
    }
    pack.items[place] = ItemOf(value, i);
  }
  return pack;
}

// |e|, |e <> a : b|: of packs for each item.
NestValue NestEvaluator::EvaluateBounded(const Expression& e) {
  NestValue parts[3];
  size_t size = 1;
  NestValue result;
  for (size_t i = 0; i < e.items.size(); ++i) {
    parts[i] = Evaluate(*e.items[i]);
    if (parts[i].is_error || parts[i].is_null) return parts[i];
    if (!CheckUnguarded(e, parts[i])) return Error();
    if (!parts[i].is_pack) continue;
    if (result.is_pack && parts[i].items.size() != size) {
      return Fail(ErrorClass::kPack, e.span, "packs of different length in a guarded index");
    }
    result.is_pack = true;
    size = parts[i].items.size();
  }
  for (size_t i = 0; i < size; ++i) {
    NestItem item = ItemOf(parts[0], i);
    if (e.items.size() > 2) {
      item.below = ItemOf(parts[1], i).node;
      item.beyond = ItemOf(parts[2], i).node;
    } else {
      item.is_guarded = true;
    }
    result.items.push_back(item);
  }
  return result;
}

}  // namespace nnef2
}  // namespace xla
