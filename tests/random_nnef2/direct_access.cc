#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/evaluator.h"
#include "tests/random_nnef2/direct_expression.h"

namespace xla {
namespace nnef2 {
namespace {

using Kind = Expression::Kind;

}  // namespace

// "a ..(n)".
DirectValue DirectExpression::Repeat(const Expression& expand) {
  DirectValue value = Evaluate(*expand.items[0]);
  if (value.is_null || value.is_pack) return value;
  const DirectValue count = Evaluate(*expand.items[1]);
  if (count.is_null) return count;
  value.is_pack = true;
  value.items.resize(static_cast<size_t>(std::max(count.items[0].number, 0.0)), value.items[0]);
  return value;
}

DirectValue DirectExpression::Zip(const Expression& e) {
  std::vector<DirectValue> packs;
  DirectValue result;
  result.is_pack = true;
  for (const ExpressionPtr& part : e.items) {
    packs.push_back(Evaluate(*part));
    if (packs.back().is_null) return DirectValue::Null();
    if (packs.back().items.size() != packs[0].items.size()) return Fail(e, "packs of different length in a zip");
  }
  result.base = packs[0].base;
  for (size_t i = 0; i < packs[0].items.size(); ++i) {
    for (const DirectValue& pack : packs) result.items.push_back(pack.items[i]);
  }
  return result;
}

DirectValue DirectExpression::List(const Expression& e) {
  DirectValue list;
  list.is_pack = true;
  for (const ExpressionPtr& item : e.items) {
    DirectValue part = item->kind == Kind::kZip                                ? Zip(*item)
                       : item->kind == Kind::kExpand && item->items.size() > 1 ? Repeat(*item)
                       : item->kind == Kind::kExpand                           ? Evaluate(*item->items[0])
                       : item->kind == Kind::kRange                            ? Range(*item)
                                                                               : Evaluate(*item);
    if (part.is_null) return part;
    list.base = part.base;
    list.items.insert(list.items.end(), part.items.begin(), part.items.end());
  }
  return list;
}

DirectValue DirectExpression::Range(const Expression& e) {
  double parts[3] = {0, 0, 1};
  for (int i = 0; i < 3; ++i) {
    if (e.items[i] == nullptr) continue;
    const DirectValue part = Evaluate(*e.items[i]);
    if (part.is_null) return part;
    parts[i] = part.items[0].number;
  }
  DirectValue range;
  range.is_pack = true;
  if (parts[2] == 0) return Fail(e, "the stride of a range is 0");
  for (double i = parts[0]; parts[2] > 0 ? i < parts[1] : i > parts[1]; i += parts[2]) {
    range.items.emplace_back();
    range.items.back().number = i;
  }
  return range;
}

// Where in a pack an index is: negative ones count from the end. What tensors hold is limited to the pack instead.
bool DirectExpression::FindPlace(const Expression& e, const DirectItem& index, size_t size, size_t* place) {
  const double length = static_cast<double>(size);
  double found = index.number;
  if (index.is_data) {
    found = std::min(std::max(found, 0.0), length - 1);
  } else if (found < 0) {
    found += length;
  }
  if (found < 0 || found >= length) {
    Fail(e, absl::StrCat("index ", index.number, " of a pack of ", size, " items"));
    return false;
  }
  *place = static_cast<size_t>(found);
  return true;
}

DirectValue DirectExpression::Slice(const Expression& range, const DirectValue& pack) {
  const double size = static_cast<double>(pack.items.size());
  double step = 1;
  if (range.items[2] != nullptr) step = Evaluate(*range.items[2]).items[0].number;
  if (step == 0) return Fail(range, "the stride of a range is 0");
  double ends[2] = {step > 0 ? 0 : size - 1, step > 0 ? size : -1};
  for (int i = 0; i < 2; ++i) {
    if (range.items[i] == nullptr) continue;
    const DirectValue end = Evaluate(*range.items[i]);
    if (end.is_null) return end;
    ends[i] = end.items[0].number < 0 ? end.items[0].number + size : end.items[0].number;
  }
  DirectValue result = pack;
  result.items.clear();
  for (double i = ends[0]; step > 0 ? i < ends[1] : i > ends[1]; i += step) {
    if (i < 0 || i >= size) return Fail(range, "a range reaches out of its pack");
    result.items.push_back(pack.items[static_cast<size_t>(i)]);
  }
  return result;
}

DirectValue DirectExpression::Index(const Expression& e) {
  const DirectValue pack = Evaluate(*e.items[0]);
  if (pack.is_null) return pack;
  if (e.items[1]->kind == Kind::kRange) return Slice(*e.items[1], pack);
  const DirectValue index = Evaluate(*e.items[1]);
  if (index.is_null) return index;
  DirectValue result = pack;
  result.is_pack = index.is_pack;
  result.items.clear();
  for (size_t i = 0; i < index.items.size(); ++i) {
    size_t place = i;
    if (index.base == BaseType::kBool) {
      if (index.items[i].number == 0) continue;
    } else if (!FindPlace(e, index.items[i], pack.items.size(), &place)) {
      return DirectValue::Null();
    }
    result.items.push_back(pack.items[place]);
    result.items.back().is_data = result.items.back().is_data || index.items[i].is_data;
  }
  return result;
}

DirectValue DirectExpression::Substitute(const Expression& e) {
  DirectValue pack = Evaluate(*e.items[0]);
  const DirectValue index = Evaluate(*e.items[1]);
  const DirectValue value = Evaluate(*e.items[2]);
  if (pack.is_null || index.is_null || value.is_null) return DirectValue::Null();
  if (index.items.size() != value.items.size()) return Fail(e, "as many values as indices are needed");
  for (size_t i = 0; i < index.items.size(); ++i) {
    size_t place = 0;
    if (!FindPlace(e, index.items[i], pack.items.size(), &place)) return DirectValue::Null();
    pack.items[place] = value.items[i];
  }
  return pack;
}

DirectValue DirectExpression::Bounded(const Expression& e) {
  DirectValue value = Evaluate(*e.items[0]);
  if (value.is_null) return value;
  if (e.items.size() == 1) {
    for (DirectItem& item : value.items) item.is_guarded = true;
    return value;
  }
  const DirectValue low = Evaluate(*e.items[1]);
  const DirectValue high = Evaluate(*e.items[2]);
  if (low.is_null || high.is_null) return DirectValue::Null();
  if (!value.is_pack && (low.is_pack || high.is_pack)) {
    value.items.resize(low.is_pack ? low.items.size() : high.items.size(), value.items[0]);
    value.is_pack = true;
  }
  for (size_t i = 0; i < value.items.size(); ++i) {
    value.items[i].is_remapped = true;
    value.items[i].low = low.items[low.is_pack ? i : 0].number;
    value.items[i].high = high.items[high.is_pack ? i : 0].number;
  }
  return value;
}

// --- accesses ---

// x, xs, or xs[k].
std::vector<DirectTensor*> DirectExpression::TensorsOf(const Expression& base, bool* is_null, bool* is_pack) {
  const bool has_item = base.kind == Kind::kIndex;
  const Value* const value = frame_.scope.Find(has_item ? base.items[0]->name : base.name);
  *is_null = value == nullptr || value->is_null;
  *is_pack = false;
  std::vector<DirectTensor*> tensors;
  if (*is_null) return tensors;
  for (const Scalar& item : value->items) tensors.push_back(frame_.tensors[static_cast<size_t>(item.integer)]);
  *is_pack = value->type.is_pack;
  if (!has_item) return tensors;
  DirectValue all;
  all.is_pack = true;
  for (size_t i = 0; i < tensors.size(); ++i) {
    all.items.emplace_back();
    all.items.back().number = static_cast<double>(i);
  }
  DirectValue chosen;
  if (base.items[1]->kind == Kind::kRange) {
    chosen = Slice(*base.items[1], all);
  } else {
    chosen = Evaluate(*base.items[1]);
    for (DirectItem& item : chosen.items) {
      size_t place = 0;
      if (!FindPlace(base, item, tensors.size(), &place)) return {};
      item.number = static_cast<double>(place);
    }
  }
  *is_pack = chosen.is_pack;
  std::vector<DirectTensor*> result;
  for (const DirectItem& item : chosen.items) result.push_back(tensors[static_cast<size_t>(item.number)]);
  return result;
}

bool DirectExpression::FindIndex(const Expression& e, const DirectItem& item, int64_t extent, bool is_target,
                                 int64_t* index) {
  const double size = static_cast<double>(extent);
  double place = item.number;
  if (item.is_remapped) place = place < 0 ? item.low : place >= size ? item.high : place;
  if (place >= 0 && place < size) {
    *index = static_cast<int64_t>(place);
    return true;
  }
  if (item.is_guarded) {
    skips_ = true;
    return false;
  }
  if (!item.is_data) {
    Fail(e, absl::StrCat("index ", place, " of a dimension of ", extent, " elements"));
    return false;
  }
  *index = std::min(std::max<int64_t>(static_cast<int64_t>(place), 0), extent - 1);
  return !is_target && extent > 0;
}

DirectExpression::Access DirectExpression::Resolve(const Expression& access, bool is_target) {
  Access result;
  std::vector<DirectTensor*> tensors = TensorsOf(*access.items[0], &result.is_null, &result.is_pack);
  if (result.is_null) return result;
  // By dimension: one index, or one for each element of a pack.
  std::vector<std::vector<DirectItem>> dimensions;
  size_t size = tensors.size();
  for (size_t i = 1; i < access.items.size(); ++i) {
    const Expression& part = *access.items[i];
    const bool is_expanded = part.kind == Kind::kExpand;
    const bool is_repeated = is_expanded && part.items.size() > 1;
    const DirectValue value = is_repeated ? Repeat(part) : is_expanded ? Evaluate(*part.items[0]) : Evaluate(part);
    if (value.is_null && is_expanded) continue;
    if (value.is_null) {
      result.is_null = true;
      return result;
    }
    if (value.is_pack && !is_expanded) {
      dimensions.push_back(value.items);
      if (!result.is_pack) size = value.items.size();
      result.is_pack = true;
      continue;
    }
    for (const DirectItem& item : value.items) dimensions.push_back({item});
  }
  for (size_t i = 0; i < size; ++i) {
    Element element;
    element.tensor = tensors[tensors.size() == 1 ? 0 : i];
    const std::vector<int64_t>& extents = element.tensor->extents;
    if (extents.size() != dimensions.size()) {
      Fail(access, absl::StrCat(dimensions.size(), " indices of a tensor of rank ", extents.size()));
      return result;
    }
    int64_t offset = 0;
    bool is_inside = true;
    for (size_t d = 0; d < extents.size(); ++d) {
      const std::vector<DirectItem>& indices = dimensions[d];
      if (indices.size() != 1 && indices.size() != size) {
        Fail(access, "packs of indices of different length");
        return result;
      }
      int64_t index = 0;
      is_inside &= FindIndex(access, indices[indices.size() == 1 ? 0 : i], extents[d], is_target, &index);
      offset = offset * extents[d] + index;
    }
    element.offset = is_inside ? offset : -1;
    result.elements.push_back(element);
  }
  return result;
}

DirectValue DirectExpression::Elements(const Expression& e) {
  const Access access = Resolve(e, /*is_target=*/false);
  if (access.is_null) return DirectValue::Null();
  DirectValue value;
  value.is_pack = access.is_pack;
  for (const Element& element : access.elements) {
    value.base = element.tensor->base;
    DirectItem item;
    item.is_data = true;
    if (element.offset >= 0) item.number = element.tensor->elements[static_cast<size_t>(element.offset)];
    value.items.push_back(item);
  }
  if (value.items.empty() && !value.is_pack) return DirectValue::Null();
  return value;
}

std::vector<DirectTensor*> DirectExpression::TargetsOf(const Expression& access) {
  const Expression& base = *access.items[0];
  const bool is_open = base.kind == Kind::kIndex && Varies(*base.items[1]);
  bool is_null = false, is_pack = false;
  return TensorsOf(is_open ? *base.items[0] : base, &is_null, &is_pack);
}

}  // namespace nnef2
}  // namespace xla
