#include <algorithm>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "builders/nnef2/evaluation/scalar_operations.h"
#include "builders/nnef2/lowering/nest_evaluator.h"

namespace xla {
namespace nnef2 {
namespace {

bool LoadsData(const NestNode& index) {
  absl::flat_hash_set<int> seen;
  std::vector<const NestNode*> pending = {&index};
  while (!pending.empty()) {
    const NestNode& node = *pending.back();
    pending.pop_back();
    if (node.kind == NestNode::Kind::kLoad) return true;
    if (!seen.insert(node.id).second) continue;
    pending.insert(pending.end(), node.operands.begin(), node.operands.end());
  }
  return false;
}

}  // namespace

void NestEvaluator::AddGuard(const NestNode* index, const NestNode* extent) {
  if (index->lower >= 0 && index->upper < extent->lower) return;
  for (const NestGuard& guard : guards_) {
    if (guard.index == index && guard.extent == extent) return;
  }
  guards_.push_back({index, extent});
}

bool NestEvaluator::ReadsOutput(const std::vector<int>& tensors) const {
  return std::any_of(tensors.begin(), tensors.end(),
                     [&](int tensor) { return std::find(outputs_.begin(), outputs_.end(), tensor) != outputs_.end(); });
}

// An extent of the tensor that is accessed: where `item` chooses one of several, that of the one that it chooses.
const NestNode* NestEvaluator::ExtentOf(const Expression& access, const NestValue& base, size_t dimension) {
  std::vector<const NestNode*> extents;
  for (const int tensor : base.tensors) {
    extents.push_back(nodes_.Known(graph_.tensors[tensor].shape[dimension], BaseType::kInt));
  }
  if (base.item == nullptr) return extents[0];
  std::string error;
  const NestNode* const extent = nodes_.Table(extents, base.item, &error);
  if (extent == nullptr) Fail(ErrorClass::kValue, access.span, error);
  return extent;
}

void NestEvaluator::NoteUnchecked(const Expression& access, const NestNode* index, const NestValue& base,
                                  size_t dimension) {
  int64_t extent = 0;
  for (const int tensor : base.tensors) {
    extent = std::max(extent, UpperBound(graph_.tensors[tensor].shape[dimension]));
    if (base.item == nullptr) break;
  }
  if (num_choices_ > 0 || (index->lower >= 0 && index->upper < extent)) return;
  for (const UncheckedIndex& other : unchecked_) {
    if (other.index == index && other.extent <= extent) return;
  }
  unchecked_.push_back({index, extent, dimension, access.span});
}

const NestNode* NestEvaluator::BindIndex(const Expression& access, const NestItem& item, const NestValue& base,
                                         size_t dimension) {
  if (!item.is_guarded && item.below == nullptr) {
    NoteUnchecked(access, item.node, base, dimension);
    return item.node;
  }
  const NestNode* const extent = ExtentOf(access, base, dimension);
  if (extent == nullptr) return nullptr;
  if (item.is_guarded) {
    AddGuard(item.node, extent);
    return item.node;
  }
  std::string error;
  const NestNode* index = nullptr;
  if (extent->kind == NestNode::Kind::kScalar) {
    index = nodes_.Remap(item.node, item.below, item.beyond, extent->scalar, &error);
  } else {
    const NestNode* const is_below = nodes_.Binary(Operator::kLess, item.node, nodes_.Int(0), &error);
    const NestNode* const is_beyond = nodes_.Binary(Operator::kGreaterEqual, item.node, extent, &error);
    index = is_beyond == nullptr ? nullptr : nodes_.Select(is_beyond, item.beyond, item.node, &error);
    index = index == nullptr || is_below == nullptr ? nullptr : nodes_.Select(is_below, item.below, index, &error);
  }
  if (index == nullptr) Fail(ErrorClass::kValue, access.span, error);
  return index;
}

bool NestEvaluator::BindIndices(const Expression& access, const std::vector<NestItem>& items, const NestValue& base,
                                std::vector<const NestNode*>* indices) {
  for (const int tensor : base.tensors) {
    const size_t rank = graph_.tensors[tensor].shape.size();
    if (rank == items.size()) continue;
    Fail(ErrorClass::kRank, access.span,
         absl::StrCat("a tensor of rank ", rank, " is accessed by ", items.size(), " indices"));
    return false;
  }
  for (size_t d = 0; d < items.size(); ++d) {
    const NestNode* const index = BindIndex(access, items[d], base, d);
    if (index == nullptr) return false;
    indices->push_back(index);
  }
  return true;
}

bool NestEvaluator::EvaluateIndices(const Expression& access, std::vector<std::vector<NestItem>>* variants) {
  variants->assign(1, {});
  for (size_t i = 1; i < access.items.size(); ++i) {
    const Expression& item = *access.items[i];
    const bool is_expanded = item.kind == Expression::Kind::kExpand;
    const NestValue value = Evaluate(is_expanded ? *item.items[0] : item);
    if (value.is_error) return false;
    if (value.is_null) continue;
    if (value.is_tensor) {
      Fail(ErrorClass::kType, item.span, "an index must be an int, got a tensor", "access an element: x[i,]");
      return false;
    }
    if (value.is_pack && !is_expanded) {
      // One access for each item.
      if (variants->size() == 1) variants->resize(value.items.size(), variants->front());
      if (variants->size() != value.items.size()) {
        Fail(ErrorClass::kPack, item.span, "packs of different length among the indices of an access");
        return false;
      }
      for (size_t k = 0; k < value.items.size(); ++k) (*variants)[k].push_back(value.items[k]);
      continue;
    }
    int64_t copies = 1;
    if (is_expanded && item.items.size() > 1 && !EvaluateCount(*item.items[1], &copies)) return false;
    if (copies * static_cast<int64_t>(value.items.size()) > kMaxPackLength) {
      Fail(ErrorClass::kRank, access.span, "a tensor is accessed by too many indices");
      return false;
    }
    for (std::vector<NestItem>& indices : *variants) {
      for (int64_t copy = 0; copy < copies; ++copy) {
        indices.insert(indices.end(), value.items.begin(), value.items.end());
      }
    }
  }
  return true;
}

NestValue NestEvaluator::EvaluateBase(const Expression& access) {
  NestValue base = Evaluate(*access.items[0]);
  if (base.is_error || base.is_null) return base;
  if (!base.is_tensor) return Fail(ErrorClass::kType, access.span, "only tensors are accessed");
  if (base.is_pack && base.has_dynamic_length) {
    return Fail(ErrorClass::kType, access.span, "all tensors of a pack whose length varies are accessed at a time",
                "access one of them: xs[k][i,]");
  }
  return base;
}

// The greatest or least value of sums and differences of loops, as an expression; nullptr: it is another expression.
const Symbolic* NestEvaluator::Extreme(const NestNode& node, bool is_greatest, int* steps) {
  SymbolTable& symbols = workspace_.symbols();
  if (--*steps < 0 || node.type != BaseType::kInt) return nullptr;
  const auto of = [&](size_t i, bool greatest) { return Extreme(*node.operands[i], greatest, steps); };
  if (node.kind == NestNode::Kind::kScalar) return AsSymbolic(symbols, node.scalar);
  if (node.kind == NestNode::Kind::kLoop && static_cast<size_t>(node.loop) < loop_extents_.size()) {
    const Symbolic* const extent = AsSymbolic(symbols, loop_extents_[static_cast<size_t>(node.loop)]);
    return is_greatest ? symbols.Subtract(extent, symbols.Constant(1)) : symbols.Constant(0);
  }
  if (node.kind != NestNode::Kind::kBinary) return nullptr;
  if (node.op == Operator::kAdd) return symbols.Add(of(0, is_greatest), of(1, is_greatest));
  if (node.op == Operator::kSubtract) return symbols.Subtract(of(0, is_greatest), of(1, !is_greatest));
  const size_t factor = node.operands[0]->is_known() ? 0 : 1;
  if (node.op != Operator::kMultiply || !node.operands[factor]->is_known()) return nullptr;
  const int64_t scale = node.operands[factor]->scalar.integer;
  return symbols.Multiply(symbols.Constant(scale), of(1 - factor, (scale >= 0) == is_greatest));
}

// The extent minus the greatest value of the index; nullptr: not known.
const Symbolic* NestEvaluator::RoomBeyond(const NestNode& index, const NestNode& extent) {
  if (extent.kind != NestNode::Kind::kScalar) return nullptr;
  constexpr int kMaxSteps = 100;
  int steps = kMaxSteps;
  const Symbolic* const greatest = Extreme(index, /*is_greatest=*/true, &steps);
  return workspace_.symbols().Subtract(AsSymbolic(workspace_.symbols(), extent.scalar), greatest);
}

// Whether the last iteration takes an index past an extent that varies, whatever that is.
bool NestEvaluator::EndsOutside(const NestNode& index, const NestNode& extent) {
  if (num_choices_ > 0) return false;
  const Symbolic* const room = RoomBeyond(index, extent);
  return room != nullptr && room->upper <= 0;
}

// Whether `index` is an element of an output, and all that elements of it have been given are places below the extent:
// x[i,] > x[y[],] where y is assigned i.
bool NestEvaluator::HoldsPlaces(const NestNode& index, const NestNode& extent) {
  if (index.kind != NestNode::Kind::kLoad) return false;
  for (const int tensor : index.tensors) {
    const auto own = own_values_.find(tensor);
    if (own == own_values_.end()) return false;
    for (const NestNode* const value : own->second) {
      const Symbolic* const room = value == nullptr ? nullptr : RoomBeyond(*value, extent);
      if (room == nullptr || room->lower <= 0) return false;
    }
    const auto before = assigned_->find(tensor);
    if (before == assigned_->end()) continue;
    for (const NestNode* const value : before->second) {
      if (value == nullptr || value->upper >= std::max<int64_t>(extent.lower, 1)) return false;
    }
  }
  return true;
}

// An index that data or an extent that varies takes out of its tensor is moved inside. HLO's gather moves it inside of
// the array, which is larger where an extent varies, or is that of one of several tensors.
const NestNode* NestEvaluator::MovedInside(const Expression& access, const NestNode* index, const NestValue& base,
                                           size_t dimension) {
  const NestNode* const extent = ExtentOf(access, base, dimension);
  if (extent == nullptr) return nullptr;
  if (extent->is_known() || index->upper < extent->lower || HoldsPlaces(*index, *extent)) return index;
  if (!LoadsData(*index) && !EndsOutside(*index, *extent)) return index;
  std::string error;
  const NestNode* const last = nodes_.Binary(Operator::kSubtract, extent, nodes_.Int(1), &error);
  const NestNode* const moved = last == nullptr ? nullptr : nodes_.Binary(Operator::kMinimum, index, last, &error);
  if (moved == nullptr) Fail(ErrorClass::kValue, access.span, error);
  return moved;
}

NestValue NestEvaluator::LoadOf(const Expression& access, const std::vector<NestItem>& items, const NestValue& base) {
  std::vector<const NestNode*> indices;
  if (!BindIndices(access, items, base, &indices)) return Error();
  for (size_t d = 0; d < indices.size(); ++d) {
    if (items[d].is_guarded || items[d].below != nullptr) continue;
    indices[d] = MovedInside(access, indices[d], base, d);
    if (indices[d] == nullptr) return Error();
  }
  std::string error;
  return Of(access,
            nodes_.Load(base.type, base.tensors, base.item, std::move(indices), ReadsOutput(base.tensors), &error),
            error);
}

NestValue NestEvaluator::EvaluateAccess(const Expression& e) {
  const NestValue base = EvaluateBase(e);
  if (base.is_error || base.is_null) return base;
  std::vector<std::vector<NestItem>> variants;
  if (!EvaluateIndices(e, &variants)) return Error();
  if (!base.is_pack && variants.size() == 1) return LoadOf(e, variants[0], base);
  if (base.is_pack && variants.size() != 1) {
    return Fail(ErrorClass::kPack, e.span, "a pack of tensors is accessed by a pack of indices", "expand it: i..");
  }
  NestValue result;
  result.is_pack = true;
  result.type = base.type;
  NestValue one = base;
  one.is_pack = false;
  for (size_t i = 0; i < (base.is_pack ? base.tensors.size() : variants.size()); ++i) {
    if (base.is_pack) one.tensors = {base.tensors[i]};
    const NestValue value = LoadOf(e, variants[base.is_pack ? 0 : i], one);
    if (value.is_error) return value;
    result.items.push_back(value.items[0]);
  }
  return result;
}

bool NestEvaluator::EvaluateTarget(const Expression& target, NestAccess* access) {
  const NestValue base = EvaluateBase(target);
  std::vector<std::vector<NestItem>> variants;
  if (base.is_error || !EvaluateIndices(target, &variants)) return false;
  if (base.is_null || variants.size() != 1) {
    Fail(ErrorClass::kLower, target.span, "the left side of an assignment is the access of an output");
    return false;
  }
  access->tensors = base.tensors;
  access->item = base.item;
  access->is_pack = base.is_pack;
  if (base.tensors.empty()) return true;
  // Of a whole pack all guards count, and remapped indices go with the first tensor.
  NestValue one = base;
  one.is_pack = false;
  for (size_t i = 0; i < (base.is_pack ? base.tensors.size() : 1); ++i) {
    if (base.is_pack) one.tensors = {base.tensors[i]};
    std::vector<const NestNode*> indices;
    if (!BindIndices(target, variants[0], one, &indices)) return false;
    if (i > 0 && indices != access->indices) {
      Fail(ErrorClass::kShape, target.span, "a remapped index differs between the tensors of a pack that is assigned");
      return false;
    }
    access->indices = std::move(indices);
  }
  return true;
}

}  // namespace nnef2
}  // namespace xla
