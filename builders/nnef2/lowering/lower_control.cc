// Branches as conditionals, and loops as while loops.
#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/region_lowering.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace nnef2 {
namespace {

// A region of an operation, as a computation of its own. Its instructions say where they come from themselves.
std::string NameOf(const ComposedOperation& operation, absl::string_view part) {
  return absl::StrCat(operation.scope.empty() ? "main" : operation.scope, ".", part);
}

std::vector<int> TensorsOf(const std::vector<Value>& values) {
  std::vector<int> tensors;
  for (const Value& value : values) {
    for (const Scalar& item : value.items) tensors.push_back(static_cast<int>(item.integer));
  }
  return tensors;
}

// A bool or an int of one element as a scalar.
XlaOp AsScalar(ComputationBuilder* b, XlaOp x) {
  return x.valid() && !b->ShapeOrInvalid(x).dimensions().empty() ? b->Reshape(x, {}) : x;
}

}  // namespace

// --- branches ---

// Conditions are computed one after the other, whichever holds: they have no effects. Their checks count for those that
// are reached.
absl::Status RegionLowering::LowerCondition(const ComposedRegion& region, XlaOp* condition) {
  RETURN_IF_ERROR(LowerOperations(region.operations));
  MakeChecks(&region);
  *condition = AsScalar(&builder_, Array(TensorsOf(region.results)[0]));
  return builder_.first_error();
}

std::vector<int> RegionLowering::NewSymbols(const ComposedOperation& operation) const {
  std::vector<int> symbols;
  for (const int number : TensorsOf(operation.outputs)) {
    for (const Scalar& extent : tensor(number).shape) {
      if (KnowsExtent(extent)) continue;
      const int id = extent.symbolic->id;
      if (std::find(symbols.begin(), symbols.end(), id) == symbols.end()) symbols.push_back(id);
    }
  }
  return symbols;
}

absl::Status RegionLowering::LowerConsequent(const ComposedOperation& operation, const ComposedRegion& region,
                                             const Captures& captures, const xla::Shape& operand,
                                             const std::vector<int>& checks, XlaComputation* computation) {
  ComputationBuilder b(NameOf(operation, "then"));
  b.set_keep_source_locations(false);
  b.SetOpMetadata(builder_.op_metadata());
  const XlaOp parameter = b.Parameter(0, operand, "captured");
  std::vector<XlaOp> parts;
  for (size_t i = 0; i < captures.values.size(); ++i) {
    parts.push_back(b.GetTupleElement(parameter, static_cast<int64_t>(i)));
  }
  RegionLowering inner(&context_, &b);
  inner.Receive(captures, parts);
  RETURN_IF_ERROR(inner.LowerOperations(region.operations));
  inner.MakeChecks(&region);
  // Results have the bounds of the outputs.
  const std::vector<int> outputs = TensorsOf(operation.outputs), yields = TensorsOf(region.results);
  std::vector<XlaOp> results;
  absl::flat_hash_map<int, XlaOp> sizes;
  for (size_t i = 0; i < outputs.size(); ++i) {
    XlaOp array = inner.Array(yields[i]);
    const std::vector<int64_t> bounds = BoundsOf(outputs[i]), own = BoundsOf(yields[i]);
    for (size_t d = 0; d < bounds.size(); ++d) {
      const Scalar& extent = tensor(outputs[i]).shape[d];
      if (!KnowsExtent(extent)) sizes.emplace(extent.symbolic->id, inner.Extent(tensor(yields[i]).shape[d]));
      if (bounds[d] <= own[d]) continue;
      const XlaOp zero = Zero(&b, b.ShapeOrInvalid(array).element_type());
      array = b.PadInDim(array, zero, static_cast<int64_t>(d), 0, bounds[d] - own[d]);
    }
    results.push_back(array);
  }
  for (const int symbol : NewSymbols(operation)) results.push_back(sizes.at(symbol));
  for (const int check : checks) {
    const auto made = inner.checks().find(check);
    results.push_back(made == inner.checks().end() ? b.ConstantR0<bool>(true) : made->second);
  }
  ASSIGN_OR_RETURN(*computation, b.Build(b.Tuple(results)));
  return absl::OkStatus();
}

absl::Status RegionLowering::LowerBranch(const ComposedOperation& operation) {
  const ComposedBranch& branch = *operation.branch;
  // The index of the first condition that holds.
  XlaOp index = xla::Scalar(&builder_, S32, static_cast<int64_t>(branch.conditions.size()));
  XlaOp is_decided = builder_.ConstantR0<bool>(false), first;
  std::vector<XlaOp> reached;
  for (size_t i = 0; i < branch.conditions.size(); ++i) {
    const std::map<int, XlaOp> before = checks_;
    XlaOp condition;
    RETURN_IF_ERROR(LowerCondition(branch.conditions[i], &condition));
    if (i == 0) first = condition;
    for (auto& check : checks_) {
      if (i > 0 && before.count(check.first) == 0) check.second = builder_.Or(is_decided, check.second);
    }
    const XlaOp is_chosen = builder_.And(builder_.Not(is_decided), condition);
    index = builder_.Select(is_chosen, xla::Scalar(&builder_, S32, static_cast<int64_t>(i)), index);
    is_decided = builder_.Or(is_decided, condition);
  }
  RegionUses uses;
  context_.uses.Add(branch, &uses);
  const Captures captures = Capture(uses);
  const XlaOp operand = builder_.Tuple(captures.values);
  const std::vector<int> checks = context_.checks.Within(operation);
  std::vector<XlaComputation> computations(branch.consequents.size());
  for (size_t i = 0; i < branch.consequents.size(); ++i) {
    RETURN_IF_ERROR(LowerConsequent(operation, branch.consequents[i], captures, builder_.ShapeOrInvalid(operand),
                                    checks, &computations[i]));
  }
  const XlaOp chosen =
      computations.size() == 2
          ? builder_.Conditional(first, operand, computations[0], operand, computations[1])
          : builder_.Conditional(index, computations, std::vector<XlaOp>(computations.size(), operand));
  int64_t next = 0;
  const std::vector<int> symbols = NewSymbols(operation);
  for (const int number : TensorsOf(operation.outputs)) SetArray(number, builder_.GetTupleElement(chosen, next++));
  for (const int symbol : symbols) SetExtent(symbol, builder_.GetTupleElement(chosen, next++));
  for (const int check : checks) {
    const XlaOp holds = builder_.GetTupleElement(chosen, next++);
    // Those of conditions are made already.
    checks_.emplace(check, holds);
  }
  return builder_.first_error();
}

// --- loops ---

// The parts of the state, in this order.
struct RegionLowering::LoopState {
  xla::Shape shape;
  // The number of iterations so far; whether the condition holds, which loops without one have, too.
  static constexpr int64_t kCounter = 0;
  static constexpr int64_t kGoesOn = 1;
  static constexpr int64_t kFirstCarried = 2;
  int64_t first_output = 0;
  int64_t first_extent = 0;
  int64_t first_check = 0;
  int64_t first_scan = 0;
  int64_t limit = 0;
  int64_t first_captured = 0;
  std::vector<int> checks;
  Captures captures;
};

// The greatest number of iterations, s32[].
XlaOp RegionLowering::LoopLimit(const ComposedOperation& operation) {
  const ComposedLoop& loop = *operation.loop;
  const XlaOp most = loop.count.has_value() ? xla::Scalar(&builder_, S32, *loop.count) : MaxValue(&builder_, S32);
  XlaOp limit = most;
  for (const ComposedLoop::Scan& scan : loop.scans) {
    if (scan.pack.length != nullptr) limit = builder_.Min(limit, Extent(Scalar::Of(scan.pack.length)));
  }
  if (!loop.count_tensor.has_value()) return limit;
  const XlaOp count = AsScalar(&builder_, Array(*loop.count_tensor));
  const int check = context_.checks.OfLoop(operation);
  if (check >= 0) checks_.insert_or_assign(check, builder_.Le(count, limit));
  return builder_.Min(count, limit);
}

void RegionLowering::SetLocals(const ComposedLoop& loop, absl::Span<const XlaOp> scans, XlaOp index) {
  for (size_t i = 0; i < loop.scans.size(); ++i) {
    const std::vector<int64_t> bounds = BoundsOf(loop.scans[i].local);
    std::vector<XlaOp> starts(bounds.size() + 1, builder_.ConstantR0<int32_t>(0));
    starts[0] = index;
    std::vector<int64_t> sizes = bounds;
    sizes.insert(sizes.begin(), 1);
    SetArray(loop.scans[i].local, builder_.Reshape(builder_.DynamicSlice(scans[i], starts, sizes), bounds));
  }
  if (loop.index.has_value()) SetArray(*loop.index, index);
}

absl::Status RegionLowering::LowerBody(const ComposedOperation& operation, const LoopState& state,
                                       XlaComputation* body) {
  const ComposedLoop& loop = *operation.loop;
  ComputationBuilder b(NameOf(operation, "body"));
  b.set_keep_source_locations(false);
  b.SetOpMetadata(builder_.op_metadata());
  const XlaOp parameter = b.Parameter(0, state.shape, "state");
  std::vector<XlaOp> parts;
  for (int64_t i = 0; i < static_cast<int64_t>(state.shape.tuple_shapes().size()); ++i) {
    parts.push_back(b.GetTupleElement(parameter, i));
  }
  const XlaOp counter = parts[LoopState::kCounter];
  const absl::Span<const XlaOp> scans = absl::MakeConstSpan(parts).subspan(state.first_scan, loop.scans.size());
  RegionLowering inner(&context_, &b);
  inner.Receive(state.captures, absl::MakeConstSpan(parts).subspan(state.first_captured));
  for (size_t i = 0; i < loop.carried.size(); ++i) {
    inner.SetArray(loop.carried[i].local, parts[LoopState::kFirstCarried + i]);
  }
  inner.SetLocals(loop, scans, counter);
  RETURN_IF_ERROR(inner.LowerOperations(loop.body.operations));
  inner.MakeChecks(&loop.body);
  const std::vector<int> yields = TensorsOf(loop.body.results);
  for (size_t i = 0; i < yields.size(); ++i) {
    const XlaOp value = inner.Array(yields[i]);
    if (i < loop.carried.size()) {
      parts[LoopState::kFirstCarried + i] = value;
      continue;
    }
    const int64_t place = state.first_output + static_cast<int64_t>(i - loop.carried.size());
    if (place >= state.first_extent) continue;
    std::vector<int64_t> one = BoundsOf(yields[i]);
    std::vector<XlaOp> starts(one.size() + 1, b.ConstantR0<int32_t>(0));
    starts[0] = counter;
    one.insert(one.begin(), 1);
    parts[place] = b.DynamicUpdateSlice(parts[place], b.Reshape(value, one), starts);
  }
  for (size_t i = 0; i < loop.extents.size(); ++i) {
    XlaOp& sizes = parts[state.first_extent + i];
    const XlaOp size = b.Reshape(inner.Extent(Scalar::Of(loop.extents[i].inside)), {1});
    sizes = b.DynamicUpdateSlice(sizes, size, std::vector<XlaOp>{counter});
  }
  parts[LoopState::kCounter] = b.Add(counter, b.ConstantR0<int32_t>(1));
  if (loop.condition.has_value()) {
    for (size_t i = 0; i < loop.carried.size(); ++i) {
      inner.SetArray(loop.carried[i].local, parts[LoopState::kFirstCarried + i]);
    }
    // A condition that is tested before is that of the next iteration.
    if (!loop.tests_after) inner.SetLocals(loop, scans, parts[LoopState::kCounter]);
    RETURN_IF_ERROR(inner.LowerCondition(*loop.condition, &parts[LoopState::kGoesOn]));
  }
  for (size_t i = 0; i < state.checks.size(); ++i) {
    const auto made = inner.checks().find(state.checks[i]);
    if (made == inner.checks().end()) continue;
    XlaOp& holds = parts[state.first_check + i];
    holds = b.And(holds, made->second);
  }
  RETURN_IF_ERROR(b.first_error());
  ASSIGN_OR_RETURN(*body, b.Build(b.Tuple(parts)));
  return absl::OkStatus();
}

absl::Status RegionLowering::LowerLoop(const ComposedOperation& operation) {
  const ComposedLoop& loop = *operation.loop;
  LoopState state;
  RegionUses uses;
  context_.uses.Add(loop.body, &uses);
  if (loop.condition.has_value()) context_.uses.Add(*loop.condition, &uses);
  state.captures = Capture(uses);
  std::vector<XlaOp> parts = {builder_.ConstantR0<int32_t>(0), builder_.ConstantR0<bool>(true)};
  for (const ComposedLoop::Carried& carried : loop.carried) parts.push_back(Array(carried.initial));
  state.first_output = static_cast<int64_t>(parts.size());
  const int64_t count = loop.count.value_or(0);
  for (size_t i = loop.carried.size(); i < operation.outputs.size() && count > 0; ++i) {
    const int first = static_cast<int>(operation.outputs[i].items[0].integer);
    std::vector<int64_t> bounds = BoundsOf(first);
    bounds.insert(bounds.begin(), count);
    parts.push_back(Zeros(&builder_, xla::Shape::Array(TypeOf(tensor(first).element.base), bounds)));
  }
  state.first_extent = static_cast<int64_t>(parts.size());
  for (size_t i = 0; i < loop.extents.size(); ++i) {
    parts.push_back(Zeros(&builder_, xla::Shape::Array(S32, {count})));
  }
  state.first_check = static_cast<int64_t>(parts.size());
  state.checks = context_.checks.Within(operation);
  for (size_t i = 0; i < state.checks.size(); ++i) parts.push_back(builder_.ConstantR0<bool>(true));
  state.first_scan = static_cast<int64_t>(parts.size());
  for (const ComposedLoop::Scan& scan : loop.scans) parts.push_back(Stacked(TensorsOf({scan.pack})));
  state.limit = static_cast<int64_t>(parts.size());
  parts.push_back(LoopLimit(operation));
  if (loop.condition.has_value() && !loop.tests_after) {
    for (const ComposedLoop::Carried& carried : loop.carried) SetArray(carried.local, Array(carried.initial));
    SetLocals(loop, absl::MakeConstSpan(parts).subspan(state.first_scan, loop.scans.size()),
              builder_.ConstantR0<int32_t>(0));
    RETURN_IF_ERROR(LowerCondition(*loop.condition, &parts[LoopState::kGoesOn]));
  }
  state.first_captured = static_cast<int64_t>(parts.size());
  parts.insert(parts.end(), state.captures.values.begin(), state.captures.values.end());
  const XlaOp start = builder_.Tuple(parts);
  RETURN_IF_ERROR(builder_.first_error());
  state.shape = builder_.ShapeOrInvalid(start);

  XlaComputation body;
  RETURN_IF_ERROR(LowerBody(operation, state, &body));
  ComputationBuilder condition(NameOf(operation, "condition"));
  condition.set_keep_source_locations(false);
  condition.SetOpMetadata(builder_.op_metadata());
  const XlaOp tested = condition.Parameter(0, state.shape, "state");
  const bool is_dynamic = loop.count_tensor.has_value() || !loop.count.has_value() ||
                          std::any_of(loop.scans.begin(), loop.scans.end(),
                                      [](const ComposedLoop::Scan& scan) { return scan.pack.length != nullptr; });
  const XlaOp limit =
      is_dynamic ? condition.GetTupleElement(tested, state.limit) : xla::Scalar(&condition, S32, *loop.count);
  XlaOp goes_on = condition.Lt(condition.GetTupleElement(tested, LoopState::kCounter), limit);
  if (loop.condition.has_value()) {
    goes_on = condition.And(goes_on, condition.GetTupleElement(tested, LoopState::kGoesOn));
  }
  const XlaOp end = builder_.While(condition.BuildOrError(goes_on), body, start);
  for (size_t i = 0; i < operation.outputs.size(); ++i) {
    const std::vector<Scalar>& items = operation.outputs[i].items;
    if (items.empty()) continue;
    const XlaOp result = builder_.GetTupleElement(end, LoopState::kFirstCarried + static_cast<int64_t>(i));
    const int first = static_cast<int>(items[0].integer);
    if (i < loop.carried.size()) {
      SetArray(first, result);
      continue;
    }
    packs_[first] = Pack{result, static_cast<int64_t>(items.size())};
    const Symbolic* const length = operation.outputs[i].length;
    if (length != nullptr) SetExtent(length->id, builder_.GetTupleElement(end, LoopState::kCounter));
  }
  for (size_t i = 0; i < loop.extents.size(); ++i) {
    const XlaOp sizes = builder_.GetTupleElement(end, state.first_extent + static_cast<int64_t>(i));
    extent_packs_[loop.extents[i].first_outside] = Pack{sizes, count};
  }
  for (size_t i = 0; i < state.checks.size(); ++i) {
    const XlaOp holds = builder_.GetTupleElement(end, state.first_check + static_cast<int64_t>(i));
    const auto inserted = checks_.emplace(state.checks[i], holds);
    // That of a condition has been made before the first iteration, too.
    if (!inserted.second) inserted.first->second = builder_.And(inserted.first->second, holds);
  }
  return builder_.first_error();
}

}  // namespace nnef2
}  // namespace xla
