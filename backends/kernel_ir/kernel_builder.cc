#include "backends/kernel_ir/kernel_builder.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/drop_unused.h"
#include "backends/kernel_ir/kernel_builder_state.h"
#include "xla_core/ops/convert_elements.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/check.h"

namespace xla {

KernelBuilder::KernelBuilder(std::string name) { kernel_.name = std::move(name); }
KernelBuilder::~KernelBuilder() = default;

int KernelBuilder::AddBuffer(std::string name, PrimitiveType type, int64_t element_count, KernelBuffer::Use use,
                             int same_memory_as) {
  kernel_.buffers.push_back({std::move(name), type, element_count, use, same_memory_as});
  return static_cast<int>(kernel_.buffers.size()) - 1;
}

int KernelBuilder::AddScratch(std::string name, PrimitiveType type, int64_t element_count) {
  return AddBuffer(std::move(name), type, element_count, KernelBuffer::Use::kScratch);
}

PrimitiveType KernelBuilder::BufferType(int buffer) const { return kernel_.buffers[buffer].type; }

// ---- Instructions and regions.

KernelValue KernelBuilder::NewValue(PrimitiveType type) {
  kernel_.value_types.push_back(type);
  facts_.emplace_back();
  depths_.push_back(Depth());
  facts_.back().range = IndexRange::OfType(type);
  return static_cast<KernelValue>(kernel_.value_types.size()) - 1;
}

KernelInstruction& KernelBuilder::Append(KernelInstruction instruction) {
  CHECK(!scopes_.empty());
  std::vector<KernelInstruction>& instructions = scopes_.back().region.instructions;
  instructions.push_back(std::move(instruction));
  return instructions.back();
}

// Appends an instruction unless one with equal operands and attributes is visible here, in this scope or an outer
// one. `note` tells apart instructions that are equal otherwise. Returns the value, and whether it is new.
std::pair<KernelValue, bool> KernelBuilder::AppendOnce(KernelInstruction instruction, PrimitiveType type,
                                                       std::string note) {
  std::string key = absl::StrCat(instruction.op, ",", instruction.opcode, ",", type, ",", instruction.constant, ",",
                                 instruction.constant2, ",", note);
  for (const KernelValue operand : instruction.operands) absl::StrAppend(&key, ",", operand);
  for (const int64_t coefficient : instruction.coefficients) absl::StrAppend(&key, ",", coefficient);
  if (instruction.op == KernelOp::kConstant) {
    key.append(static_cast<const char*>(instruction.literal.untyped_data()), instruction.literal.size_bytes());
  }
  for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope) {
    const auto found = scope->made.find(key);
    if (found != scope->made.end()) return {found->second, false};
  }
  const KernelValue result = NewValue(type);
  instruction.results = {result};
  Append(std::move(instruction));
  scopes_.back().made.emplace(std::move(key), result);
  return {result, true};
}

void KernelBuilder::OpenScope() { scopes_.emplace_back(); }

KernelRegion KernelBuilder::CloseScope(Values results) {
  KernelRegion region = std::move(scopes_.back().region);
  region.results = std::move(results);
  scopes_.pop_back();
  return region;
}

KernelValue KernelBuilder::AddArgument(PrimitiveType type) {
  const KernelValue argument = NewValue(type);
  scopes_.back().region.arguments.push_back(argument);
  return argument;
}

// The argument, or the constant that is all it can be.
KernelValue KernelBuilder::AddIndexArgument(const IndexRange& range) {
  const KernelValue argument = AddArgument(S64);
  facts_[argument].range = range;
  return range.IsPoint() ? Index(range.low) : argument;
}

KernelBuilder::Values KernelBuilder::AddArgumentsLike(absl::Span<const KernelValue> values) {
  Values arguments;
  for (const KernelValue value : values) arguments.push_back(AddArgument(TypeOf(value)));
  return arguments;
}

KernelBuilder::Values KernelBuilder::AppendWithResults(KernelInstruction instruction,
                                                       absl::Span<const KernelValue> like) {
  Values results;
  for (const KernelValue value : like) results.push_back(NewValue(TypeOf(value)));
  instruction.results.assign(results.begin(), results.end());
  Append(std::move(instruction));
  return results;
}

int KernelBuilder::Depth() const { return static_cast<int>(scopes_.size()) - 1; }

void KernelBuilder::AtDepth(int depth, absl::FunctionRef<void()> body) {
  CHECK(depth >= 0 && depth <= Depth());
  std::vector<Scope> inner(std::make_move_iterator(scopes_.begin() + depth + 1),
                           std::make_move_iterator(scopes_.end()));
  scopes_.resize(depth + 1);
  body();
  CHECK(Depth() == depth);
  scopes_.insert(scopes_.end(), std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
}

// ---- Values.

// A constant, with the facts that follow from it: the truth of a predicate, the range of an integer.
KernelValue KernelBuilder::Constant(Literal scalar) {
  const PrimitiveType type = scalar.shape().element_type();
  KernelInstruction constant;
  constant.op = KernelOp::kConstant;
  constant.literal = std::move(scalar);
  const Literal literal = constant.literal;
  const auto [result, is_new] = AppendOnce(std::move(constant), type);
  if (!is_new) return result;
  Facts& facts = facts_[result];
  if (type == PRED) facts.predicate = *literal.data<bool>();
  if (IsInt(type)) {
    int64_t number;
    ConvertElements(type, S64, 1, literal.untyped_data(), &number);
    // A u64 beyond s64 stays unknown.
    facts.range =
        number < 0 && IsUnsignedInt(type) ? IndexRange{0, IndexRange::kUnknownHigh} : IndexRange::Point(number);
  }
  return result;
}

KernelValue KernelBuilder::Boolean(bool value) { return Constant(Literal::Scalar<bool>(value)); }

absl::optional<bool> KernelBuilder::ConstantPredicate(KernelValue predicate) const {
  return predicate == kNoValue ? absl::make_optional(true) : facts_[predicate].predicate;
}

KernelValue KernelBuilder::AppendElementwise(KernelInstruction instruction, PrimitiveType type) {
  instruction.op = KernelOp::kElementwise;
  const KernelValue result = NewValue(type);
  instruction.results = {result};
  FollowInteger(Append(std::move(instruction)), result);
  return result;
}

KernelValue KernelBuilder::Unary(HloOpcode opcode, KernelValue x) {
  if (opcode == HloOpcode::kCopy) return x;
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  CHECK(row != nullptr && row->arity == 1);
  KernelInstruction unary;
  unary.opcode = opcode;
  unary.operands = {x};
  return AppendElementwise(std::move(unary), ElementwiseResultType(*row, TypeOf(x)));
}

KernelValue KernelBuilder::Binary(HloOpcode opcode, KernelValue x, KernelValue y) {
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  CHECK(row != nullptr && row->arity == 2 && TypeOf(x) == TypeOf(y));
  KernelInstruction binary;
  binary.opcode = opcode;
  binary.operands = {x, y};
  return AppendElementwise(std::move(binary), ElementwiseResultType(*row, TypeOf(x)));
}

KernelValue KernelBuilder::MultiplyAdd(KernelValue x, KernelValue y, KernelValue z) {
  const PrimitiveType type = TypeOf(x);
  CHECK((type == F32 || type == F64) && TypeOf(y) == type && TypeOf(z) == type);
  KernelInstruction multiply_add;
  multiply_add.op = KernelOp::kMultiplyAdd;
  multiply_add.operands = {x, y, z};
  const KernelValue result = NewValue(type);
  multiply_add.results = {result};
  Append(std::move(multiply_add));
  return result;
}

KernelValue KernelBuilder::Select(KernelValue predicate, KernelValue on_true, KernelValue on_false) {
  if (on_true == on_false) return on_true;
  if (const absl::optional<bool> known = ConstantPredicate(predicate)) return *known ? on_true : on_false;
  CHECK(TypeOf(predicate) == PRED && TypeOf(on_true) == TypeOf(on_false));
  KernelInstruction select;
  select.opcode = HloOpcode::kSelect;
  select.operands = {predicate, on_true, on_false};
  return AppendElementwise(std::move(select), TypeOf(on_true));
}

KernelValue KernelBuilder::Compare(ComparisonDirection direction, KernelValue x, KernelValue y, bool total_order) {
  CHECK(TypeOf(x) == TypeOf(y));
  KernelInstruction compare;
  compare.opcode = HloOpcode::kCompare;
  compare.direction = direction;
  compare.total_order = total_order && IsFloat(TypeOf(x));
  compare.operands = {x, y};
  return AppendElementwise(std::move(compare), PRED);
}

KernelValue KernelBuilder::Convert(KernelValue x, PrimitiveType type) {
  if (TypeOf(x) == type) return x;
  KernelInstruction convert;
  convert.opcode = HloOpcode::kConvert;
  convert.operands = {x};
  return AppendElementwise(std::move(convert), type);
}

KernelValue KernelBuilder::BitcastConvert(KernelValue x, PrimitiveType type) {
  if (TypeOf(x) == type) return x;
  CHECK(BitWidth(TypeOf(x)) == BitWidth(type));
  KernelInstruction bitcast;
  bitcast.opcode = HloOpcode::kBitcastConvert;
  bitcast.operands = {x};
  return AppendElementwise(std::move(bitcast), type);
}

// The kernel instruction for an HLO instruction. Converts, selects and compares go through functions that simplify;
// casts to the same type and copies vanish.
KernelValue KernelBuilder::Elementwise(const HloInstruction& instruction, absl::Span<const KernelValue> operands) {
  const PrimitiveType type = instruction.shape().element_type();
  const HloOpcode opcode = instruction.opcode();
  CHECK(IsElementwise(opcode) || opcode == HloOpcode::kBitcastConvert);
  CHECK(static_cast<int>(operands.size()) == instruction.operand_count());
  if (opcode == HloOpcode::kCopy) return operands[0];
  if (opcode == HloOpcode::kConvert) return Convert(operands[0], type);
  if (opcode == HloOpcode::kSelect) return Select(operands[0], operands[1], operands[2]);
  if (opcode == HloOpcode::kCompare) {
    const auto& attributes = instruction.attributes<CompareAttributes>();
    const bool total_order = attributes.type == ComparisonType::kTotalOrder && IsFloat(TypeOf(operands[0]));
    return Compare(attributes.direction, operands[0], operands[1], total_order);
  }
  if (opcode == HloOpcode::kBitcastConvert && TypeOf(operands[0]) == type) return operands[0];
  KernelInstruction elementwise;
  elementwise.opcode = opcode;
  elementwise.operands.assign(operands.begin(), operands.end());
  if (opcode == HloOpcode::kReducePrecision) {
    const auto& attributes = instruction.attributes<ReducePrecisionAttributes>();
    elementwise.exponent_bits = static_cast<int32_t>(attributes.exponent_bits);
    elementwise.mantissa_bits = static_cast<int32_t>(attributes.mantissa_bits);
  }
  return AppendElementwise(std::move(elementwise), type);
}

KernelValue KernelBuilder::And(KernelValue a, KernelValue b) {
  if (a == b) return a;
  for (const bool swapped : {false, true}) {
    const absl::optional<bool> known = ConstantPredicate(swapped ? b : a);
    if (known.has_value()) return *known == swapped ? a : b;
  }
  KernelInstruction conjunction;
  conjunction.op = KernelOp::kElementwise;
  conjunction.opcode = HloOpcode::kAnd;
  conjunction.operands = {a, b};
  return AppendOnce(std::move(conjunction), PRED).first;
}

// ---- Memory.

// A load, unconditional if the predicate is known to be true, and `otherwise` if it is known to be false. Without
// `otherwise`, the elements that are not loaded are zero.
KernelValue KernelBuilder::Load(int buffer, KernelValue element, KernelValue predicate, KernelValue otherwise) {
  const PrimitiveType type = BufferType(buffer);
  const absl::optional<bool> always = ConstantPredicate(predicate);
  if (always != absl::make_optional(true) && otherwise == kNoValue) {
    const char zeros[sizeof(complex128)] = {};
    otherwise = Constant(Literal::ScalarOf(type, zeros));
  }
  if (always == absl::make_optional(false)) return otherwise;
  KernelInstruction load;
  load.op = KernelOp::kLoad;
  load.buffer = buffer;
  load.operands = {element};
  if (!always.has_value()) {
    load.operands.push_back(predicate);
    load.operands.push_back(otherwise);
  }
  const KernelValue result = NewValue(type);
  load.results = {result};
  Append(std::move(load));
  return result;
}

void KernelBuilder::Store(int buffer, KernelValue element, KernelValue value, KernelValue predicate) {
  CHECK(TypeOf(value) == BufferType(buffer));
  const absl::optional<bool> always = ConstantPredicate(predicate);
  if (always == absl::make_optional(false)) return;
  KernelInstruction store;
  store.op = KernelOp::kStore;
  store.buffer = buffer;
  store.operands = {element, value};
  if (!always.has_value()) store.operands.push_back(predicate);
  Append(std::move(store));
}

// ---- Control.

void KernelBuilder::Phase(int64_t tile_count, absl::FunctionRef<void(KernelValue)> body) {
  CHECK(scopes_.empty());
  if (tile_count <= 0) return;
  OpenScope();
  body(AddIndexArgument({0, tile_count - 1}));
  kernel_.phases.push_back({tile_count, CloseScope({})});
}

// A loop; none is made if it has no iteration for sure, and only its body if it has exactly one.
void KernelBuilder::For(KernelValue extent, LoopSchedule schedule, bool independent,
                        absl::FunctionRef<void(KernelValue)> body) {
  const IndexRange range = facts_[extent].range;
  if (range.high <= 0) return;
  if (range.low == 1 && range.high == 1) return body(Index(0));
  KernelInstruction loop;
  loop.op = KernelOp::kFor;
  loop.operands = {extent};
  loop.schedule = schedule;
  loop.independent = independent;
  OpenScope();
  body(AddIndexArgument({0, range.high - 1}));
  loop.regions.push_back(CloseScope({}));
  Append(std::move(loop));
}

// A loop that passes values from one iteration to the next, simplified as For. Without iterations, the values are the
// initial ones.
KernelBuilder::Values KernelBuilder::ForWithState(
    KernelValue extent, absl::Span<const KernelValue> initial,
    absl::FunctionRef<Values(KernelValue, absl::Span<const KernelValue>)> body) {
  const IndexRange range = facts_[extent].range;
  if (range.high <= 0) return Values(initial.begin(), initial.end());
  if (range.low == 1 && range.high == 1) return body(Index(0), initial);
  KernelInstruction loop;
  loop.op = KernelOp::kFor;
  loop.operands = {extent};
  loop.operands.insert(loop.operands.end(), initial.begin(), initial.end());
  OpenScope();
  const KernelValue index = AddIndexArgument({0, range.high - 1});
  const Values state = AddArgumentsLike(initial);
  Values next = body(index, state);
  loop.regions.push_back(CloseScope(std::move(next)));
  return AppendWithResults(std::move(loop), initial);
}

// A reduction over the nest of `extents`. Extents of 1 are left out, except the last one where lanes count along it;
// without any element, or with a single one, no loop is made.
KernelBuilder::Values KernelBuilder::Reduce(
    absl::Span<const int64_t> extents, int64_t lanes, absl::Span<const KernelValue> initial,
    absl::Span<const KernelValue> neutral, absl::FunctionRef<Values(absl::Span<const KernelValue>)> element,
    absl::FunctionRef<Values(absl::Span<const KernelValue>, absl::Span<const KernelValue>)> combine) {
  CHECK(neutral.size() == (lanes == 1 ? 0 : initial.size()));
  KernelInstruction reduce;
  reduce.op = KernelOp::kReduce;
  reduce.lanes = lanes;
  // Extents of one say nothing, but the last one says what goes to which lane.
  std::vector<bool> is_kept;
  bool is_empty = false;
  for (size_t i = 0; i < extents.size(); ++i) {
    is_kept.push_back(extents[i] != 1 || (lanes > 1 && i + 1 == extents.size()));
    if (is_kept.back()) reduce.extents.push_back(extents[i]);
    is_empty |= extents[i] == 0;
  }
  if (is_empty && lanes == 1) return Values(initial.begin(), initial.end());
  const auto indices = [&](bool as_arguments) {
    Values values;
    for (size_t i = 0; i < extents.size(); ++i) {
      const bool is_argument = as_arguments && is_kept[i];
      values.push_back(is_argument ? AddIndexArgument({0, std::max<int64_t>(extents[i] - 1, 0)}) : kNoValue);
    }
    for (KernelValue& value : values) {
      if (value == kNoValue) value = Index(0);
    }
    return values;
  };
  if (reduce.extents.empty()) return combine(initial, element(indices(false)));

  reduce.operands.assign(initial.begin(), initial.end());
  reduce.operands.insert(reduce.operands.end(), neutral.begin(), neutral.end());
  OpenScope();
  Values values = element(indices(true));
  reduce.regions.push_back(CloseScope(std::move(values)));
  OpenScope();
  const Values left = AddArgumentsLike(initial);
  const Values right = AddArgumentsLike(initial);
  Values combined = combine(left, right);
  reduce.regions.push_back(CloseScope(std::move(combined)));
  return AppendWithResults(std::move(reduce), initial);
}

// A branch with values; if the predicate is known, only the code of the branch that is taken is made.
KernelBuilder::Values KernelBuilder::If(KernelValue predicate, absl::FunctionRef<Values()> then,
                                        absl::FunctionRef<Values()> otherwise) {
  if (const absl::optional<bool> known = ConstantPredicate(predicate)) return *known ? then() : otherwise();
  KernelInstruction branch;
  branch.op = KernelOp::kIf;
  branch.operands = {predicate};
  OpenScope();
  const Values then_values = then();
  branch.regions.push_back(CloseScope(then_values));
  OpenScope();
  Values other_values = otherwise();
  branch.regions.push_back(CloseScope(std::move(other_values)));
  return AppendWithResults(std::move(branch), then_values);
}

// A loop that tests before each iteration. Condition and body have arguments of their own for the same state.
KernelBuilder::Values KernelBuilder::While(absl::Span<const KernelValue> initial,
                                           absl::FunctionRef<KernelValue(absl::Span<const KernelValue>)> condition,
                                           absl::FunctionRef<Values(absl::Span<const KernelValue>)> body) {
  KernelInstruction loop;
  loop.op = KernelOp::kWhile;
  loop.operands.assign(initial.begin(), initial.end());
  OpenScope();
  const Values tested = AddArgumentsLike(initial);
  const KernelValue predicate = condition(tested);
  loop.regions.push_back(CloseScope({predicate}));
  OpenScope();
  const Values state = AddArgumentsLike(initial);
  Values next = body(state);
  loop.regions.push_back(CloseScope(std::move(next)));
  return AppendWithResults(std::move(loop), initial);
}

// ---- The end.

namespace {

void RenumberBuffers(KernelRegion& region, absl::Span<const int32_t> new_number) {
  for (KernelInstruction& instruction : region.instructions) {
    if (instruction.buffer >= 0) instruction.buffer = new_number[instruction.buffer];
    for (KernelRegion& nested : instruction.regions) RenumberBuffers(nested, new_number);
  }
}

// Places scratch after the caller's buffers.
void OrderBuffers(Kernel& kernel) {
  std::vector<KernelBuffer> ordered;
  std::vector<int32_t> new_number(kernel.buffers.size());
  for (const bool scratch : {false, true}) {
    for (size_t i = 0; i < kernel.buffers.size(); ++i) {
      if ((kernel.buffers[i].use == KernelBuffer::Use::kScratch) != scratch) continue;
      new_number[i] = static_cast<int32_t>(ordered.size());
      ordered.push_back(std::move(kernel.buffers[i]));
    }
  }
  for (KernelBuffer& buffer : ordered) {
    if (buffer.same_memory_as >= 0) buffer.same_memory_as = new_number[buffer.same_memory_as];
  }
  kernel.buffers = std::move(ordered);
  for (KernelPhase& phase : kernel.phases) RenumberBuffers(phase.body, new_number);
}

}  // namespace

Kernel KernelBuilder::Finish(bool notes_narrow) && {
  CHECK(scopes_.empty());
  if (notes_narrow) NoteNarrow();
  DropUnused(kernel_);
  OrderBuffers(kernel_);
  return std::move(kernel_);
}

}  // namespace xla
