// The walk over requests, and the rules of operations that compute or move elements at places known beforehand.
//
// A rule runs when an element is asked for. Where an operand's element is not there yet, Get notes it and the rule
// gives up; it runs again when all that it asked for is there. So no depth of a graph makes this recurse; only
// functions of scalars and reductions within reductions do, up to kMaxNesting.
#include "backends/kernel_ir/lowering/element_emitter.h"

#include <algorithm>
#include <iterator>
#include <limits>

#include "absl/strings/str_cat.h"
#include "backends/kernel_ir/lowering/sliding_nest.h"
#include "passes/base/odd_forms.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/literal_util.h"

namespace xla {
namespace {

// Elements computed in one kernel, so that a program that recomputes too much is refused.
constexpr int64_t kMaxEmitted = 200'000;
constexpr int kMaxNesting = 24;

bool IsWrapper(HloOpcode opcode) { return opcode == HloOpcode::kCall || opcode == HloOpcode::kFusion; }

// The scalar that all elements of an array are.
absl::optional<Literal> SplatOf(const Literal& array) {
  const int64_t width = ByteWidth(array.shape().element_type());
  const char* const bytes = static_cast<const char*>(array.untyped_data());
  for (int64_t i = width; i < array.size_bytes(); ++i) {
    if (bytes[i] != bytes[i - width]) return absl::nullopt;
  }
  return Literal::ScalarOf(array.shape().element_type(), bytes);
}

}  // namespace

int CallContexts::Enter(const HloInstruction* caller, int parent) {
  const auto [place, is_new] = numbers_.try_emplace(std::make_pair(caller, parent), static_cast<int>(calls_.size()));
  if (is_new) calls_.push_back({caller, parent});
  return place->second;
}

ElementEmitter::ElementEmitter(KernelBuilder* builder, CallContexts* calls, ReductionSplits* splits)
    : b_(*builder), indices_(builder), splits_(*splits), calls_(*calls) {}

void ElementEmitter::BeginPhase() {
  made_.clear();
  made_at_.clear();
  ranges_.clear();
  row_ = kNoValue;
}

void ElementEmitter::Fail(const HloInstruction& instruction, absl::string_view why) {
  if (!status_.ok()) return;
  status_ = absl::UnimplementedError(
      absl::StrCat(instruction.name(), ": no kernel for ", instruction.opcode_name(), ": ", why));
}

KernelValue ElementEmitter::Zero(PrimitiveType type) { return b_.Constant(*LiteralUtil::Zero(type)); }

const KernelReducer& ElementEmitter::ReducerOf(const HloInstruction& instruction) {
  std::unique_ptr<KernelReducer>& reducer = reducers_[&instruction];
  if (reducer == nullptr) {
    const Shape& result = instruction.shape();
    reducer = std::make_unique<KernelReducer>(
        instruction.called_computations().empty() ? SumReducer(result.element_type())
        : result.IsTuple() && result.tuple_size() != 1
            ? KernelReducer()
            : AnalyzeReducer(*instruction.called_computation(0),
                             (result.IsTuple() ? result.tuple_shape(0) : result).element_type()));
  }
  return *reducer;
}

// ---- Arrays in memory

void ElementEmitter::BindBuffer(const HloInstruction* instruction, int buffer) { buffers_[instruction] = buffer; }

void ElementEmitter::BindRange(const ArrayNode& node, int buffer, KernelValue base, int64_t count) {
  ranges_.push_back({Resolve(node), buffer, base, count, b_.Depth()});
}

KernelValue ElementEmitter::LoadBound(const Request& request, bool* bound) {
  *bound = true;
  for (const Range& range : ranges_) {
    if (!(range.node == request.node)) continue;
    const KernelValue local = b_.Affine({{1, indices_.Linear(request.index)}, {-1, range.base}});
    const auto [low, high] = b_.RangeOf(local);
    if (low < 0 || high >= range.count) continue;
    return b_.Load(range.buffer, local, request.predicate);
  }
  for (const auto& [node, buffer] : workspaces_) {
    if (node == request.node) return b_.Load(buffer, indices_.Linear(request.index), request.predicate);
  }
  const auto found = buffers_.find(request.node.instruction);
  if (found == buffers_.end() || request.node.context != 0) {
    *bound = false;
    return kNoValue;
  }
  const Shape& shape = request.node.shape();
  if (shape.IsRowMajor()) return LoadElement(found->second, indices_.Linear(request.index), request.predicate);
  const std::vector<int> order = PhysicalOrder(shape);
  const ElementIndex physical = indices_.Rearrange(shape.dimensions(), request.index, PhysicalSizes(shape), order, {});
  return LoadElement(found->second, indices_.Linear(physical), request.predicate);
}

// An element of a buffer, from a block of it in scratch where there is one.
KernelValue ElementEmitter::LoadElement(int buffer, KernelValue element, KernelValue predicate) {
  if (block_ == nullptr || predicate != kNoValue) return b_.Load(buffer, element, predicate);
  for (Block::Buffer& held : block_->buffers) {
    if (held.buffer != buffer || b_.Depth() <= block_->depth) continue;
    // What is left without the loops of the block is where it begins.
    const KernelValue rest = b_.Affine({{1, element}, {-1, block_->k}, {-held.stride, block_->i}});
    if (b_.HomeOf(rest) > block_->depth) continue;
    KernelValue base = kNoValue;
    b_.AtDepth(block_->depth, [&] { base = b_.Affine({{1, rest}}); });
    if (held.base != kNoValue && held.base != base) continue;
    if (held.base == kNoValue) {
      held.base = base;
      b_.AtDepth(block_->depth, [&] {
        b_.For(block_->i_extent, LoopSchedule::kPlain, true, [&](KernelValue i) {
          b_.For(block_->k_extent, LoopSchedule::kVector, true, [&](KernelValue k) {
            const KernelValue from = b_.Affine({{1, base}, {held.stride, i}, {1, k}});
            b_.Store(held.scratch, b_.Affine({{1, i}, {block_size_, k}}), b_.Load(buffer, from));
          });
        });
      });
    }
    return b_.Load(held.scratch, b_.Affine({{1, block_->i}, {block_size_, block_->k}}));
  }
  return b_.Load(buffer, element, predicate);
}

// ---- Contexts

int ElementEmitter::EnterCall(const HloInstruction* caller, int parent) {
  if (parent < kFirstLocal) return calls_.Enter(caller, parent);
  const auto [place, is_new] = local_context_of_.try_emplace(std::make_pair(caller, parent),
                                                             kFirstLocal + static_cast<int>(local_contexts_.size()));
  if (is_new) local_contexts_.push_back({caller, parent, {}, DepthOfContext(parent)});
  return place->second;
}

const HloInstruction* ElementEmitter::CallerOf(int context, int* parent) const {
  if (context < kFirstLocal) {
    *parent = calls_.at(context).parent;
    return calls_.at(context).caller;
  }
  *parent = local_contexts_[context - kFirstLocal].parent;
  return local_contexts_[context - kFirstLocal].caller;
}

// Of whose iteration the context is; nullptr: of none.
const HloInstruction* ElementEmitter::LoopOf(int context) const {
  return context < kFirstLocal ? nullptr : local_contexts_[context - kFirstLocal].loop;
}

int ElementEmitter::DepthOfContext(int context) const {
  return context < kFirstLocal ? 0 : local_contexts_[context - kFirstLocal].depth;
}

const std::vector<KernelValue>* ElementEmitter::ArgumentsOf(int context) const {
  if (context < kFirstLocal || local_contexts_[context - kFirstLocal].caller != nullptr) return nullptr;
  return &local_contexts_[context - kFirstLocal].arguments;
}

ArrayNode ElementEmitter::Resolve(ArrayNode node) {
  while (true) {
    const HloInstruction& instruction = *node.instruction;
    if (node.context == 0 && buffers_.contains(&instruction)) return node;
    const HloOpcode opcode = instruction.opcode();
    if (opcode == HloOpcode::kGetTupleElement) {
      node.leaf.insert(node.leaf.begin(), instruction.attributes<GetTupleElementAttributes>().index);
      node.instruction = instruction.operand(0);
    } else if (opcode == HloOpcode::kTuple) {
      node.instruction = instruction.operand(static_cast<int>(node.leaf[0]));
      node.leaf.erase(node.leaf.begin());
    } else if (opcode == HloOpcode::kOptBarrier ||
               (opcode == HloOpcode::kWhile && IsInvariantLeaf(instruction, node.leaf))) {
      node.instruction = instruction.operand(0);
    } else if (IsWrapper(opcode)) {
      node.context = EnterCall(&instruction, node.context);
      node.instruction = instruction.called_computation(0)->root();
    } else if (opcode == HloOpcode::kParameter && LoopOf(node.context) != nullptr) {
      const HloInstruction& loop = *LoopOf(node.context);
      if (!IsInvariantLeaf(loop, node.leaf)) return node;
      node.instruction = loop.operand(0);
      node.context = local_contexts_[node.context - kFirstLocal].parent;
    } else {
      int parent;
      const HloInstruction* const caller = CallerOf(node.context, &parent);
      if (opcode != HloOpcode::kParameter || caller == nullptr) return node;
      node.instruction = caller->operand(static_cast<int>(instruction.attributes<ParameterAttributes>().number));
      node.context = parent;
    }
  }
}

// ---- What has been made

ElementEmitter::Key ElementEmitter::KeyOf(const Request& request) {
  const KernelValue linear = request.index.empty() ? kNoValue : indices_.Linear(request.index);
  return {request.node.instruction, request.node.leaf_number(), request.node.context, request.predicate, linear};
}

int ElementEmitter::HomeOf(const Request& request) const {
  int depth = DepthOfContext(request.node.context);
  if (!ranges_.empty()) depth = std::max(depth, ranges_.back().depth);
  for (const IndexGroup& group : request.index) depth = std::max(depth, b_.DepthOf(group.value));
  if (request.predicate != kNoValue) depth = std::max(depth, b_.DepthOf(request.predicate));
  return depth;
}

KernelValue ElementEmitter::Find(const Request& request) {
  Request always = request;
  always.predicate = kNoValue;
  KernelValue value = kNoValue;
  b_.AtDepth(HomeOf(request), [&] {
    const auto found = made_.find(KeyOf(always));
    if (found != made_.end()) {
      value = found->second;
    } else if (request.predicate != kNoValue) {
      const auto there = made_.find(KeyOf(request));
      if (there != made_.end()) value = there->second;
    }
  });
  return value;
}

void ElementEmitter::Remember(const Request& request, const Values& values) {
  const auto depth = static_cast<size_t>(b_.Depth());
  if (made_at_.size() <= depth) made_at_.resize(depth + 1);
  for (size_t i = 0; i < values.size(); ++i) {
    Key key = KeyOf(request);
    if (request.node.leaf_number() >= 0) std::get<1>(key) = static_cast<int64_t>(i);
    made_[key] = values[i];
    made_at_[depth].push_back(key);
  }
}

// Values of regions that have ended cannot be seen any more.
void ElementEmitter::Forget() {
  const auto depth = static_cast<size_t>(b_.Depth());
  while (made_at_.size() > depth + 1) {
    for (const Key& key : made_at_.back()) made_.erase(key);
    made_at_.pop_back();
  }
  while (!ranges_.empty() && ranges_.back().depth > static_cast<int>(depth)) ranges_.pop_back();
}

// ---- The walk

KernelValue ElementEmitter::Get(ArrayNode node, const ElementIndex& index, KernelValue predicate) {
  if (!status_.ok()) return kNoValue;
  node = Resolve(std::move(node));
  const Shape& shape = node.shape();
  if (shape.ElementCount() == 0) return Zero(shape.element_type());
  if (const std::vector<KernelValue>* const arguments = ArgumentsOf(node.context);
      arguments != nullptr && node.instruction->opcode() == HloOpcode::kParameter) {
    const bool is_state = LoopOf(node.context) != nullptr;
    return (*arguments)[is_state ? node.leaf[0] : node.instruction->attributes<ParameterAttributes>().number];
  }
  Request request{std::move(node), index, predicate};
  const KernelValue value = Find(request);
  if (value == kNoValue) pending_.push_back(std::move(request));
  return value;
}

KernelValue ElementEmitter::GetOperand(const Request& request, int operand, const ElementIndex& index,
                                       KernelValue predicate) {
  return Get({request.node.instruction->operand(operand), {}, request.node.context}, index, predicate);
}

KernelValue ElementEmitter::EmitOperand(const Request& request, int operand, const ElementIndex& index,
                                        KernelValue predicate) {
  return Emit({request.node.instruction->operand(operand), {}, request.node.context}, index, predicate);
}

KernelValue ElementEmitter::Emit(ArrayNode node, const ElementIndex& index, KernelValue predicate) {
  const PrimitiveType type = node.shape().element_type();
  if (++nesting_ > kMaxNesting) Fail(*node.instruction, "reductions within reductions are nested too deeply");
  Forget();
  std::vector<Request> outer;
  outer.swap(pending_);
  KernelValue value = Get(node, index, predicate);
  std::vector<Request> stack;
  stack.swap(pending_);
  while (!stack.empty() && status_.ok()) {
    const Request request = stack.back();
    if (Find(request) != kNoValue) {
      stack.pop_back();
      continue;
    }
    if (++emitted_ > kMaxEmitted) Fail(*request.node.instruction, "its elements would be computed too many times");
    const int home = HomeOf(request);
    // What was made in regions within that one, which are not to be seen for now.
    std::vector<std::vector<Key>> hidden;
    if (made_at_.size() > static_cast<size_t>(home) + 1) {
      hidden.assign(std::make_move_iterator(made_at_.begin() + home + 1), std::make_move_iterator(made_at_.end()));
      made_at_.resize(home + 1);
    }
    b_.AtDepth(home, [&] {
      const Values values = Run(request);
      Forget();
      if (!values.empty()) Remember(request, values);
    });
    made_at_.resize(home + 1);
    made_at_.insert(made_at_.end(), std::make_move_iterator(hidden.begin()), std::make_move_iterator(hidden.end()));
    stack.insert(stack.end(), pending_.rbegin(), pending_.rend());
    pending_.clear();
  }
  if (value == kNoValue && status_.ok()) value = Get(node, index, predicate);
  pending_ = std::move(outer);
  --nesting_;
  return status_.ok() ? value : Zero(type);
}

ElementEmitter::Values ElementEmitter::Apply(const HloComputation& computation,
                                             absl::Span<const KernelValue> arguments) {
  const int context = kFirstLocal + static_cast<int>(local_contexts_.size());
  local_contexts_.push_back({nullptr, 0, {arguments.begin(), arguments.end()}, b_.Depth()});
  const Shape& result = computation.root()->shape();
  if (!result.IsTuple()) return {Emit({computation.root(), {}, context}, {})};
  Values values;
  for (int i = 0; i < result.tuple_size(); ++i) values.push_back(Emit({computation.root(), {i}, context}, {}));
  return values;
}

// Asks for the array to be in memory; until then, values that mean nothing.
ElementEmitter::Values ElementEmitter::WantInMemory(const Request& request) {
  if (std::find(wanted_.begin(), wanted_.end(), request.node) == wanted_.end()) wanted_.push_back(request.node);
  const Shape& shape = request.node.instruction->shape();
  if (!shape.IsTuple()) return {Zero(shape.element_type())};
  Values values;
  for (const Shape& leaf : shape.tuple_shapes()) values.push_back(Zero(leaf.element_type()));
  return values;
}

ElementEmitter::Values ElementEmitter::RunIota(const Request& request) {
  const HloInstruction& iota = *request.node.instruction;
  const auto dimension = static_cast<int>(iota.attributes<IotaAttributes>().iota_dimension);
  return {b_.Convert(indices_.At(iota.shape().dimensions(), request.index, dimension), iota.shape().element_type())};
}

ElementEmitter::Values ElementEmitter::RunBroadcast(const Request& request) {
  const auto& dimensions = request.node.instruction->attributes<BroadcastAttributes>().dimensions;
  return RunRearranged(request, std::vector<int>(dimensions.begin(), dimensions.end()));
}

ElementEmitter::Values ElementEmitter::RunTranspose(const Request& request) {
  const auto& permutation = request.node.instruction->attributes<DimensionsAttributes>().dimensions;
  std::vector<int> from(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) from[permutation[i]] = static_cast<int>(i);
  return RunRearranged(request, from);
}

// Dimension d of the operand is dimension from[d] of the result.
ElementEmitter::Values ElementEmitter::RunRearranged(const Request& request, const std::vector<int>& from) {
  const HloInstruction& instruction = *request.node.instruction;
  const ElementIndex index = indices_.Rearrange(instruction.shape().dimensions(), request.index,
                                                instruction.operand(0)->shape().dimensions(), from, {});
  return {GetOperand(request, 0, index)};
}

ElementEmitter::Values ElementEmitter::RunReshape(const Request& request) {
  const auto sizes = request.node.instruction->operand(0)->shape().dimensions();
  return {GetOperand(request, 0, indices_.Reshape(request.index, sizes))};
}

ElementEmitter::Values ElementEmitter::RunOrWantReduceWindow(const Request& request) {
  const HloInstruction& reduce_window = *request.node.instruction;
  return IsShared(request.node) && HasWindowNest(reduce_window, ReducerOf(reduce_window)) ? WantInMemory(request)
                                                                                          : RunReduceWindow(request);
}

ElementEmitter::Values ElementEmitter::RunScatter(const Request& request) {
  if (request.node.context < kFirstLocal) return WantInMemory(request);
  Fail(*request.node.instruction, "it is in a function of scalars");
  return {};
}

ElementEmitter::Values ElementEmitter::RunGetDimensionSize(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto d = static_cast<int>(instruction.attributes<DimensionAttributes>().dimension);
  const auto size = LiteralUtil::Number(S32, instruction.operand(0)->shape().dimension(d));
  return {b_.Convert(b_.Constant(*size), instruction.shape().element_type())};
}

ElementEmitter::Values ElementEmitter::Run(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const Shape& shape = instruction.shape();
  const auto fail = [&](absl::string_view why) {
    Fail(instruction, why);
    return Values();
  };
  if (shape.IsDynamic()) return fail("sizes known at run time only");
  if (request.node.leaf.size() > 1) return fail("a tuple within a tuple");
  bool bound;
  const KernelValue loaded = LoadBound(request, &bound);
  if (bound) return {loaded};
  for (const HloInstruction* operand : instruction.operands()) {
    if (operand->shape().IsDynamic()) return fail("sizes known at run time only");
  }

  // Everything else is expanded before, or done by libraries.
  using Rule = Values (ElementEmitter::*)(const Request& request);
  static constexpr OpcodeMap<Rule> kRules(
      /*otherwise=*/nullptr, {{HloOpcode::kConstant, &ElementEmitter::RunConstant},
                              {HloOpcode::kIota, &ElementEmitter::RunIota},
                              {HloOpcode::kBroadcast, &ElementEmitter::RunBroadcast},
                              {HloOpcode::kTranspose, &ElementEmitter::RunTranspose},
                              {HloOpcode::kReshape, &ElementEmitter::RunReshape},
                              {HloOpcode::kBitcast, &ElementEmitter::RunBitcast},
                              {HloOpcode::kSlice, &ElementEmitter::RunSlice},
                              {HloOpcode::kReverse, &ElementEmitter::RunReverse},
                              {HloOpcode::kPad, &ElementEmitter::RunPad},
                              {HloOpcode::kConcatenate, &ElementEmitter::RunConcatenate},
                              {HloOpcode::kBitcastConvert, &ElementEmitter::RunBitcastConvert},
                              {HloOpcode::kMap, &ElementEmitter::RunMap},
                              {HloOpcode::kDynamicSlice, &ElementEmitter::RunDynamicSlice},
                              {HloOpcode::kDynamicUpdateSlice, &ElementEmitter::RunDynamicUpdateSlice},
                              {HloOpcode::kGather, &ElementEmitter::RunGather},
                              {HloOpcode::kReduce, &ElementEmitter::RunReduce},
                              {HloOpcode::kReduceWindow, &ElementEmitter::RunOrWantReduceWindow},
                              {HloOpcode::kDot, &ElementEmitter::RunDot},
                              {HloOpcode::kConvolution, &ElementEmitter::RunConvolution},
                              {HloOpcode::kWhile, &ElementEmitter::RunPointwiseLoop},
                              {HloOpcode::kScatter, &ElementEmitter::RunScatter},
                              {HloOpcode::kGetDimensionSize, &ElementEmitter::RunGetDimensionSize}});
  const HloOpcode opcode = instruction.opcode();
  if (IsOddForm(instruction)) return fail("a form that standardize-forms would write as an ordinary one");
  const Rule rule = IsElementwise(opcode) ? &ElementEmitter::RunElementwise : kRules[opcode];
  if (rule == nullptr) return fail("there is no rule for it");
  Values values = (this->*rule)(request);
  for (const KernelValue value : values) {
    if (value == kNoValue) return {};
  }
  if (!values.empty()) NoteUse(request, values);
  return values;
}

bool ElementEmitter::HasPartials(const ArrayNode& node) const {
  return std::any_of(partials_.begin(), partials_.end(), [&](const Partials& p) { return p.node == node; });
}

void ElementEmitter::NoteUse(const Request& request, const Values& values) {
  const int64_t leaf = std::max<int64_t>(request.node.leaf_number(), 0);
  Use use{request.node, values[leaf], b_.Depth(), false};
  const int64_t count = request.node.shape().ElementCount();
  if (row_ != kNoValue && count % rows_ == 0 && !request.index.empty() && b_.DepthOf(row_) <= b_.Depth()) {
    const int64_t in_row = count / rows_;
    const auto [low, high] = b_.RangeOf(b_.Affine({{1, indices_.Linear(request.index)}, {-in_row, row_}}));
    use.in_row = low >= 0 && high < in_row;
  }
  uses_.push_back(std::move(use));
}

// ---- Rules

ElementEmitter::Values ElementEmitter::RunElementwise(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  Values operands;
  bool complete = true;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const bool is_scalar = instruction.operand(i)->shape().rank() == 0;
    operands.push_back(GetOperand(request, i, is_scalar ? ElementIndex() : request.index));
    complete = complete && operands.back() != kNoValue;
  }
  if (!complete) return {};
  if (instruction.opcode() == HloOpcode::kCopy) return operands;
  return {b_.Elementwise(instruction, operands)};
}

ElementEmitter::Values ElementEmitter::RunConstant(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const Literal* const literal = instruction.attributes<ConstantAttributes>().literal.get();
  if (literal == nullptr || !literal->shape().IsArray()) {
    Fail(instruction, "its value is not known");
    return {};
  }
  if (const absl::optional<Literal> splat = SplatOf(*literal)) return {b_.Constant(*splat)};
  // Literals are row-major, whatever the shape says.
  const auto place = std::find_if(constants_.begin(), constants_.end(),
                                  [&](const auto& constant) { return constant.first == &instruction; });
  int buffer;
  if (place == constants_.end()) {
    buffer = b_.AddBuffer(instruction.name(), instruction.shape().element_type(), literal->element_count(),
                          KernelBuffer::Use::kRead);
    constants_.push_back({&instruction, buffer});
  } else {
    buffer = place->second;
  }
  return {b_.Load(buffer, indices_.Linear(request.index), request.predicate)};
}

// The element at the same place in memory.
ElementEmitter::Values ElementEmitter::RunBitcast(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const Shape& to = instruction.shape();
  const Shape& from = instruction.operand(0)->shape();
  if (!from.IsArray() || to.ElementCount() != from.ElementCount() ||
      (to.element_type() != from.element_type() && BitWidth(to.element_type()) != BitWidth(from.element_type()))) {
    Fail(instruction, absl::StrCat("a bitcast of ", from.ToString(Shape::LayoutPrinting::kWith), " to ",
                                   to.ToString(Shape::LayoutPrinting::kWith)));
    return {};
  }
  ElementIndex index = request.index;
  if (!to.IsRowMajor()) {
    index = indices_.Rearrange(to.dimensions(), index, PhysicalSizes(to), PhysicalOrder(to), {});
  }
  index = indices_.Reshape(index, PhysicalSizes(from));
  if (!from.IsRowMajor()) {
    const std::vector<int> order = PhysicalOrder(from);
    std::vector<int> place(order.size());
    for (size_t i = 0; i < order.size(); ++i) place[order[i]] = static_cast<int>(i);
    index = indices_.Rearrange(PhysicalSizes(from), index, from.dimensions(), place, {});
  }
  const KernelValue value = GetOperand(request, 0, index);
  if (value == kNoValue) return {};
  return {b_.BitcastConvert(value, to.element_type())};
}

ElementEmitter::Values ElementEmitter::RunSlice(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& ranges = instruction.attributes<SliceAttributes>().ranges;
  const auto& sizes = instruction.shape().dimensions();
  const auto& operand_sizes = instruction.operand(0)->shape().dimensions();
  std::vector<int> from(sizes.size());
  std::vector<KernelValue> own(sizes.size(), kNoValue);
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    from[d] = sizes[d] == operand_sizes[d] ? d : -1;
    if (from[d] == d) continue;
    own[d] = b_.Affine({{ranges[d].stride, indices_.At(sizes, request.index, d)}}, ranges[d].start);
  }
  return {GetOperand(request, 0, indices_.Rearrange(sizes, request.index, operand_sizes, from, own))};
}

ElementEmitter::Values ElementEmitter::RunReverse(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& sizes = instruction.shape().dimensions();
  std::vector<int> from(sizes.size());
  std::vector<KernelValue> own(sizes.size(), kNoValue);
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) from[d] = d;
  for (const int64_t d : instruction.attributes<DimensionsAttributes>().dimensions) {
    from[d] = -1;
    own[d] = b_.Affine({{-1, indices_.At(sizes, request.index, static_cast<int>(d))}}, sizes[d] - 1);
  }
  return {GetOperand(request, 0, indices_.Rearrange(sizes, request.index, sizes, from, own))};
}

ElementEmitter::Values ElementEmitter::RunPad(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto& padding = instruction.attributes<PadAttributes>().padding;
  const auto& sizes = instruction.shape().dimensions();
  const auto& operand_sizes = instruction.operand(0)->shape().dimensions();
  const KernelValue outside = GetOperand(request, 1, {});
  if (instruction.operand(0)->shape().ElementCount() == 0) return {outside};
  std::vector<int> from(sizes.size());
  std::vector<KernelValue> own(sizes.size(), kNoValue);
  KernelValue inside = kNoValue;
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) {
    const PaddingDimension& p = padding[d];
    from[d] = d;
    if (p.low == 0 && p.high == 0 && (p.interior == 0 || operand_sizes[d] == 1)) continue;
    from[d] = -1;
    const int64_t spacing = operand_sizes[d] == 1 ? 1 : p.interior + 1;
    const KernelValue position = b_.Affine({{1, indices_.At(sizes, request.index, d)}}, -p.low);
    inside = b_.And(inside, b_.InRange(position, 0, (operand_sizes[d] - 1) * spacing));
    own[d] = b_.Quotient(position, spacing);
    inside = b_.And(inside, b_.InRange(b_.Remainder(position, spacing), 0, 0));
  }
  const KernelValue value = GetOperand(request, 0, indices_.Rearrange(sizes, request.index, operand_sizes, from, own),
                                       b_.And(request.predicate, inside));
  if (value == kNoValue || outside == kNoValue) return {};
  return {inside == kNoValue ? value : b_.Select(inside, value, outside)};
}

ElementEmitter::Values ElementEmitter::RunConcatenate(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  const auto dimension = static_cast<int>(instruction.attributes<DimensionAttributes>().dimension);
  const auto& sizes = instruction.shape().dimensions();
  std::vector<int> from(sizes.size());
  std::vector<KernelValue> own(sizes.size(), kNoValue);
  for (int d = 0; d < static_cast<int>(sizes.size()); ++d) from[d] = d;
  const KernelValue position = indices_.At(sizes, request.index, dimension);
  const auto [low, high] = b_.RangeOf(position);
  // Pieces that the position may be in, with their ends.
  std::vector<std::pair<KernelValue, int64_t>> pieces;
  bool complete = true;
  int64_t begin = 0;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    const Shape& piece = instruction.operand(i)->shape();
    const int64_t end = begin + piece.dimension(dimension);
    if (low < end && high >= begin && begin < end) {
      from[dimension] = piece.dimension(dimension) == sizes[dimension] ? dimension : -1;
      own[dimension] = b_.Affine({{1, position}}, -begin);
      const KernelValue predicate = b_.And(request.predicate, b_.InRange(position, begin, end - 1));
      pieces.push_back(
          {GetOperand(request, i, indices_.Rearrange(sizes, request.index, piece.dimensions(), from, own), predicate),
           end});
      complete = complete && pieces.back().first != kNoValue;
    }
    begin = end;
  }
  if (!complete) return {};
  // Outside of all pieces, where what is around asks for nothing: beside what is padded, say.
  if (pieces.empty()) return {Zero(instruction.shape().element_type())};
  KernelValue value = pieces.back().first;
  for (size_t i = pieces.size() - 1; i > 0; --i) {
    const KernelValue before = b_.InRange(position, std::numeric_limits<int64_t>::min(), pieces[i - 1].second - 1);
    value = before == kNoValue ? pieces[i - 1].first : b_.Select(before, pieces[i - 1].first, value);
  }
  return {value};
}

ElementEmitter::Values ElementEmitter::RunMap(const Request& request) {
  const HloInstruction& instruction = *request.node.instruction;
  Values arguments;
  for (int i = 0; i < instruction.operand_count(); ++i) {
    arguments.push_back(GetOperand(request, i, request.index));
    if (arguments.back() == kNoValue) return {};
  }
  return Apply(*instruction.called_computation(0), arguments);
}

}  // namespace xla
