#include "passes/analyses/exactness.h"

#include <algorithm>
#include <iterator>
#include <memory>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "passes/analyses/loop_invariants.h"
#include "passes/analyses/shape_leaves.h"
#include "xla_core/ir/opcode_map.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/ops/identity_calls.h"
#include "xla_core/support/check.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The leaves of a value, or of several values one after the other: true where they are inexact.
using InexactLeaves = std::vector<bool>;

bool AnyInexact(const InexactLeaves& leaves) { return std::find(leaves.begin(), leaves.end(), true) != leaves.end(); }

InexactLeaves Either(InexactLeaves a, const InexactLeaves& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

InexactLeaves BothInOrder(InexactLeaves a, const InexactLeaves& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

// Tokens have no bits.
InexactLeaves InexactUnlessToken(const Shape& shape) {
  std::vector<const Shape*> leaf_shapes;
  AppendLeafShapes(shape, &leaf_shapes);
  InexactLeaves leaves;
  for (const Shape* leaf : leaf_shapes) leaves.push_back(!leaf->IsToken());
  return leaves;
}

InexactLeaves InexactIfFloat(const Shape& shape) {
  std::vector<const Shape*> leaf_shapes;
  AppendLeafShapes(shape, &leaf_shapes);
  InexactLeaves leaves;
  for (const Shape* leaf : leaf_shapes) {
    leaves.push_back(leaf->IsArray() && (IsFloat(leaf->element_type()) || IsComplex(leaf->element_type())));
  }
  return leaves;
}

// Targets that only move, choose or make elements. What others compute is theirs to say: LAPACK's add up, those of
// other programs are unknown.
bool AddsUpNothing(absl::string_view target) {
  static constexpr absl::string_view kTargets[] = {"AllocateBuffer", "ApproxTopK",     "CreateBuffer", "GetRngSeed",
                                                   "PadToStatic",    "SliceToDynamic", "TopK",         "X64Combine",
                                                   "X64SplitHigh",   "X64SplitLow"};
  return IsIdentityCall(target) || std::find(std::begin(kTargets), std::end(kTargets), target) != std::end(kTargets);
}

// How a computation is run.
struct Call {
  const HloComputation* computation;
  InexactLeaves arguments;  // of all parameters
  bool folds = false;       // it combines elements in an order that is not defined, so what it adds up is a sum
  bool is_chosen = false;   // an inexact value decides whether it runs, or how often

  bool operator==(const Call& o) const {
    return computation == o.computation && arguments == o.arguments && folds == o.folds && is_chosen == o.is_chosen;
  }
  template <typename H>
  friend H AbslHashValue(H hash, const Call& call) {
    return H::combine(std::move(hash), call.computation, call.arguments, call.folds, call.is_chosen);
  }
};

// What the fixed point of one instruction needs to know of a call in it.
struct CallKind {
  bool folds = false;
  bool is_chosen = false;
};

// Walks through a module as if it ran it, with a stack of its own because calls may nest deeply: at a call whose result
// is not known yet, the walk goes on in the callee, and then looks at the calling instruction again.
class ExactnessWalk {
 public:
  using Marks = absl::flat_hash_map<const HloInstruction*, std::vector<bool>>;

  ExactnessWalk(const ExactnessOptions& options, const ResourceContext* resources, Marks* marks)
      : options_(options), poll_(resources), marks_(*marks) {}

  // The leaves of the entry's result. What is sent and fed may reach what was looked at before; then all is looked at
  // again.
  absl::StatusOr<InexactLeaves> Run(const HloModule& module) {
    for (;;) {
      const bool sends_inexact = sends_inexact_, feeds_are_chosen = feeds_are_chosen_;
      results_.clear();
      ASSIGN_OR_RETURN(InexactLeaves leaves, RunEntry(*module.entry()));
      if (sends_inexact == sends_inexact_ && feeds_are_chosen == feeds_are_chosen_) return leaves;
    }
  }
  bool feeds_out_inexact() const { return feeds_out_inexact_ || feeds_are_chosen_; }

 private:
  // A call, as far as the walk has come.
  struct Frame {
    explicit Frame(Call c) : call(std::move(c)) {
      for (const HloInstruction* parameter : call.computation->parameters()) {
        parameter_offsets.push_back(parameter_leaves);
        parameter_leaves += LeafCount(parameter->shape());
      }
    }
    const Call call;
    std::vector<int64_t> parameter_offsets;
    int64_t parameter_leaves = 0;
    size_t next = 0;
    absl::flat_hash_map<const HloInstruction*, InexactLeaves> values;
    // How far the fixed point of the loop at `next` has come, if that is one.
    absl::optional<InexactLeaves> loop_state;
    bool loop_is_chosen = false;
  };
  // nullopt: the result of a call is needed first.
  using Value = absl::optional<InexactLeaves>;
  using Rule = Value (ExactnessWalk::*)(const HloInstruction& instruction);

  absl::StatusOr<InexactLeaves> RunEntry(const HloComputation& entry);
  absl::StatusOr<bool> Advance();
  const InexactLeaves* ResultOf(const HloComputation& computation, InexactLeaves arguments, CallKind kind);
  const InexactLeaves& Of(const HloInstruction& instruction) const { return frame_->values.at(&instruction); }
  InexactLeaves OfOperands(const HloInstruction& instruction) const;
  InexactLeaves Part(const HloInstruction& tuple, int64_t element);
  Value Fold(const HloComputation& reducer, InexactLeaves elements);

  // ---- The rules: what an instruction gives.
  Value FromAllOperands(const HloInstruction& instruction);
  Value Parameter(const HloInstruction& parameter);
  Value OperandsInOrder(const HloInstruction& tuple) { return OfOperands(tuple); }
  Value FirstOperand(const HloInstruction& instruction) { return Of(*instruction.operand(0)); }
  Value TupleElement(const HloInstruction& get);
  Value FirstElement(const HloInstruction& done) { return Part(*done.operand(0), 0); }
  Value SecondElement(const HloInstruction& done) { return Part(*done.operand(0), 1); }
  Value Called(const HloInstruction& call);
  Value While(const HloInstruction& loop);
  Value Conditional(const HloInstruction& conditional);
  Value Async(const HloInstruction& step);
  Value Sort(const HloInstruction& sort);
  Value Reduce(const HloInstruction& reduce);
  Value ReduceAcrossDevices(const HloInstruction& reduce);
  Value Scatter(const HloInstruction& scatter);
  Value SelectAndScatter(const HloInstruction& scatter);
  Value Scan(const HloInstruction& scan);
  Value CustomCall(const HloInstruction& call);
  Value DimensionSize(const HloInstruction& get);
  Value FromFeed(const HloInstruction& instruction);
  Value Receive(const HloInstruction& receive);
  Value Send(const HloInstruction& send);

  const ExactnessOptions options_;
  ResourcePoll poll_;
  Marks& marks_;
  LeafOffsets leaf_offsets_;
  absl::flat_hash_map<Call, InexactLeaves> results_;
  std::vector<std::unique_ptr<Frame>> stack_;
  Frame* frame_ = nullptr;         // the last of them
  std::unique_ptr<Frame> needed_;  // the call whose result is needed first
  bool sends_inexact_ = false;     // to other devices
  bool feeds_out_inexact_ = false;
  // An inexact value decides how often numbers are drawn, or elements of feeds taken or given; so which ones come next.
  bool feeds_are_chosen_ = false;
};

absl::StatusOr<InexactLeaves> ExactnessWalk::RunEntry(const HloComputation& entry) {
  stack_.push_back(std::make_unique<Frame>(Call{&entry, {}}));
  for (;;) {
    frame_ = stack_.back().get();
    ASSIGN_OR_RETURN(const bool at_end, Advance());
    if (!at_end) {
      stack_.push_back(std::move(needed_));
      continue;
    }
    InexactLeaves root = Of(*frame_->call.computation->root());
    if (stack_.size() > 1) results_.emplace(frame_->call, root);
    stack_.pop_back();
    if (stack_.empty()) return root;
  }
}

// Looks at the instructions of the innermost call from the next one on; false if it came to a call that must be looked
// at first.
absl::StatusOr<bool> ExactnessWalk::Advance() {
  using W = ExactnessWalk;
  static constexpr OpcodeMap<Rule>::Entry kSpecial[] = {
      {HloOpcode::kAddDependency, &W::FirstOperand},
      {HloOpcode::kAllGatherDone, &W::SecondElement},
      {HloOpcode::kAllReduce, &W::ReduceAcrossDevices},
      {HloOpcode::kAllReduceDone, &W::FirstOperand},
      {HloOpcode::kAllReduceStart, &W::ReduceAcrossDevices},
      {HloOpcode::kAsyncDone, &W::SecondElement},
      {HloOpcode::kAsyncStart, &W::Async},
      {HloOpcode::kAsyncUpdate, &W::Async},
      {HloOpcode::kBitcast, &W::FirstOperand},
      {HloOpcode::kCall, &W::Called},
      {HloOpcode::kCollectivePermuteDone, &W::SecondElement},
      {HloOpcode::kConditional, &W::Conditional},
      {HloOpcode::kCopyDone, &W::FirstElement},
      {HloOpcode::kCustomCall, &W::CustomCall},
      {HloOpcode::kDomain, &W::FirstOperand},
      {HloOpcode::kFusion, &W::Called},
      {HloOpcode::kGetDimensionSize, &W::DimensionSize},
      {HloOpcode::kGetTupleElement, &W::TupleElement},
      {HloOpcode::kInfeed, &W::FromFeed},
      {HloOpcode::kMap, &W::Called},
      {HloOpcode::kOptBarrier, &W::FirstOperand},
      {HloOpcode::kOutfeed, &W::Send},
      {HloOpcode::kParameter, &W::Parameter},
      {HloOpcode::kRecv, &W::FromFeed},
      {HloOpcode::kRecvDone, &W::Receive},
      {HloOpcode::kReduce, &W::Reduce},
      {HloOpcode::kReduceScatter, &W::ReduceAcrossDevices},
      {HloOpcode::kReduceWindow, &W::Reduce},
      {HloOpcode::kRng, &W::FromFeed},
      {HloOpcode::kRngGetAndUpdateState, &W::FromFeed},
      {HloOpcode::kScan, &W::Scan},
      {HloOpcode::kScatter, &W::Scatter},
      {HloOpcode::kSelectAndScatter, &W::SelectAndScatter},
      {HloOpcode::kSend, &W::Send},
      {HloOpcode::kSort, &W::Sort},
      {HloOpcode::kTuple, &W::OperandsInOrder},
      {HloOpcode::kWhile, &W::While},
  };
  static constexpr OpcodeMap<Rule> kRules(&W::FromAllOperands, kSpecial);
  const auto instructions = frame_->call.computation->instructions();
  for (; frame_->next < instructions.size(); ++frame_->next) {
    const HloInstruction& instruction = *instructions[frame_->next];
    if (instruction.is_removed()) continue;
    RETURN_IF_ERROR(poll_.Check(1 + instruction.operand_count()));
    Value value = (this->*kRules[instruction.opcode()])(instruction);
    if (!value.has_value()) return false;
    RETURN_IF_ERROR(poll_.Check(static_cast<int64_t>(value->size())));
    if (AnyInexact(*value)) {
      InexactLeaves& marked = marks_[&instruction];
      marked.resize(value->size());
      marked = Either(std::move(marked), *value);
    }
    frame_->values[&instruction] = *std::move(value);
  }
  return true;
}

// nullptr if it must be looked at first. Good until the walk goes on.
const InexactLeaves* ExactnessWalk::ResultOf(const HloComputation& computation, InexactLeaves arguments,
                                             CallKind kind) {
  Call call{&computation, std::move(arguments), kind.folds || frame_->call.folds,
            kind.is_chosen || frame_->call.is_chosen};
  const auto found = results_.find(call);
  if (found != results_.end()) return &found->second;
  needed_ = std::make_unique<Frame>(std::move(call));
  return nullptr;
}

InexactLeaves ExactnessWalk::OfOperands(const HloInstruction& instruction) const {
  InexactLeaves leaves;
  for (const HloInstruction* operand : instruction.operands()) leaves = BothInOrder(std::move(leaves), Of(*operand));
  return leaves;
}

InexactLeaves ExactnessWalk::Part(const HloInstruction& tuple, int64_t element) {
  const std::vector<int64_t>& offsets = leaf_offsets_.Of(tuple.shape());
  const InexactLeaves& leaves = Of(tuple);
  return InexactLeaves(leaves.begin() + offsets[element], leaves.begin() + offsets[element + 1]);
}

// ---- Instructions that call nothing

// What is computed, moved or chosen: inexact if any operand is, and, where floats are added up, in any case.
ExactnessWalk::Value ExactnessWalk::FromAllOperands(const HloInstruction& instruction) {
  const bool any_inexact = std::any_of(instruction.operands().begin(), instruction.operands().end(),
                                       [&](const HloInstruction* operand) { return AnyInexact(Of(*operand)); });
  if (any_inexact) return InexactUnlessToken(instruction.shape());
  const HloOpcode opcode = instruction.opcode();
  const bool is_combined = opcode == HloOpcode::kAdd || opcode == HloOpcode::kMultiply;
  if (HasTrait(opcode, opcode_trait::kSums) || (frame_->call.folds && is_combined) ||
      (options_.may_round != nullptr && options_.may_round(opcode))) {
    return InexactIfFloat(instruction.shape());
  }
  return InexactLeaves(LeafCount(instruction.shape()));
}

// The entry's are what both programs get.
ExactnessWalk::Value ExactnessWalk::Parameter(const HloInstruction& parameter) {
  const int64_t count = LeafCount(parameter.shape());
  if (stack_.size() == 1) return InexactLeaves(count);
  const auto first =
      frame_->call.arguments.begin() + frame_->parameter_offsets[parameter.attributes<ParameterAttributes>().number];
  return InexactLeaves(first, first + count);
}

ExactnessWalk::Value ExactnessWalk::TupleElement(const HloInstruction& get) {
  return Part(*get.operand(0), get.attributes<GetTupleElementAttributes>().index);
}

ExactnessWalk::Value ExactnessWalk::CustomCall(const HloInstruction& call) {
  if (AddsUpNothing(call.attributes<CustomCallAttributes>().custom_call_target)) return FromAllOperands(call);
  return InexactUnlessToken(call.shape());
}

// What a static size is, the shape says.
ExactnessWalk::Value ExactnessWalk::DimensionSize(const HloInstruction& get) {
  const auto dimension = static_cast<int>(get.attributes<DimensionAttributes>().dimension);
  return get.operand(0)->shape().is_dynamic_dimension(dimension) ? FromAllOperands(get) : InexactLeaves(1);
}

// ---- Instructions whose results depend on how many of their kind ran before

ExactnessWalk::Value ExactnessWalk::FromFeed(const HloInstruction& instruction) {
  feeds_are_chosen_ = feeds_are_chosen_ || frame_->call.is_chosen;
  return feeds_are_chosen_ ? InexactUnlessToken(instruction.shape()) : FromAllOperands(instruction);
}

// Which send it receives from is not looked at.
ExactnessWalk::Value ExactnessWalk::Receive(const HloInstruction& receive) {
  return sends_inexact_ ? InexactUnlessToken(receive.shape()) : FromFeed(receive);
}

// To the host through outfeeds, or to other devices.
ExactnessWalk::Value ExactnessWalk::Send(const HloInstruction& send) {
  const bool is_inexact = AnyInexact(Of(*send.operand(0)));
  const bool goes_out = send.opcode() == HloOpcode::kOutfeed || send.attributes<SendRecvAttributes>().is_host_transfer;
  (goes_out ? feeds_out_inexact_ : sends_inexact_) |= is_inexact;
  return FromFeed(send);
}

// ---- Control flow

ExactnessWalk::Value ExactnessWalk::Called(const HloInstruction& call) {
  const InexactLeaves* const result = ResultOf(*call.called_computation(0), OfOperands(call), {});
  return result == nullptr ? absl::nullopt : Value(*result);
}

// The state begins as the operand, and each iteration may make more of it inexact, so that after as many iterations as
// there are leaves nothing changes any more. An inexact condition lets loops of different lengths end with different
// states, except for what is the same in all iterations.
ExactnessWalk::Value ExactnessWalk::While(const HloInstruction& loop) {
  if (!frame_->loop_state.has_value()) frame_->loop_state = Of(*loop.operand(0));
  InexactLeaves& so_far = *frame_->loop_state;
  bool& is_chosen = frame_->loop_is_chosen;
  for (;;) {
    const InexactLeaves* const condition = ResultOf(*loop.called_computation(0), so_far, {false, is_chosen});
    if (condition == nullptr) return absl::nullopt;
    const bool decides = is_chosen || AnyInexact(*condition);
    const InexactLeaves* const body = ResultOf(*loop.called_computation(1), so_far, {false, decides});
    if (body == nullptr) return absl::nullopt;
    InexactLeaves next = Either(so_far, *body);
    if (next == so_far && decides == is_chosen) break;
    so_far = std::move(next);
    is_chosen = decides;
  }
  InexactLeaves state = std::move(so_far);
  frame_->loop_state.reset();
  if (!std::exchange(is_chosen, false)) return state;
  const LoopInvariants invariants(loop);
  if (!loop.shape().IsTuple()) return invariants.IsInvariantState({}) ? state : InexactUnlessToken(loop.shape());
  const std::vector<int64_t>& offsets = leaf_offsets_.Of(loop.shape());
  for (int i = 0; i < loop.shape().tuple_size(); ++i) {
    if (invariants.IsInvariantState({i})) continue;
    const InexactLeaves changed = InexactUnlessToken(loop.shape().tuple_shape(i));
    std::copy(changed.begin(), changed.end(), state.begin() + offsets[i]);
  }
  return state;
}

ExactnessWalk::Value ExactnessWalk::Conditional(const HloInstruction& conditional) {
  const bool is_chosen = AnyInexact(Of(*conditional.operand(0)));
  InexactLeaves leaves(LeafCount(conditional.shape()));
  for (size_t i = 0; i < conditional.called_computations().size(); ++i) {
    const auto branch = static_cast<int>(i);
    const InexactLeaves* const result =
        ResultOf(*conditional.called_computation(branch), Of(*conditional.operand(branch + 1)), {false, is_chosen});
    if (result == nullptr) return absl::nullopt;
    leaves = Either(std::move(leaves), *result);
  }
  return is_chosen ? InexactUnlessToken(conditional.shape()) : leaves;
}

// async-start, whose value is the tuple of its operands, the result and more, and async-update, which passes that on.
// Where operands are bound one after the other, which of them are inexact is not looked at.
ExactnessWalk::Value ExactnessWalk::Async(const HloInstruction& step) {
  const bool is_start = step.opcode() == HloOpcode::kAsyncStart;
  if (!is_start && step.operand_count() == 1) return FirstOperand(step);
  const HloInstruction* start = &step;
  while (start->opcode() == HloOpcode::kAsyncUpdate) start = start->operand(0);
  const HloComputation& wrapped = *start->called_computation(0);
  const bool binds_all = is_start && step.operand_count() == wrapped.parameter_count();
  InexactLeaves arguments = OfOperands(step);
  if (!binds_all) {
    int64_t count = 0;
    for (const HloInstruction* parameter : wrapped.parameters()) count += LeafCount(parameter->shape());
    arguments = InexactLeaves(count, AnyInexact(arguments));
  }
  const InexactLeaves* const result = ResultOf(wrapped, arguments, {});
  if (result == nullptr) return absl::nullopt;
  if (!binds_all) {
    return AnyInexact(arguments) || AnyInexact(*result) ? InexactUnlessToken(step.shape())
                                                        : InexactLeaves(LeafCount(step.shape()));
  }
  InexactLeaves leaves = BothInOrder(std::move(arguments), *result);
  leaves.resize(LeafCount(step.shape()));
  return leaves;
}

// ---- Functions of elements

// The comparator decides for all arrays.
ExactnessWalk::Value ExactnessWalk::Sort(const HloInstruction& sort) {
  const InexactLeaves arrays = OfOperands(sort);
  InexactLeaves pairs;
  for (const bool array : arrays) pairs.insert(pairs.end(), 2, array);
  const InexactLeaves* const order = ResultOf(*sort.called_computation(0), std::move(pairs), {});
  if (order == nullptr) return absl::nullopt;
  return AnyInexact(*order) ? InexactUnlessToken(sort.shape()) : arrays;
}

// `elements`: for each result, whether anything that is combined is inexact. The reducer gets them, and its own
// results.
ExactnessWalk::Value ExactnessWalk::Fold(const HloComputation& reducer, InexactLeaves elements) {
  for (;;) {
    const InexactLeaves* const result = ResultOf(reducer, BothInOrder(elements, elements), {true, false});
    if (result == nullptr) return absl::nullopt;
    InexactLeaves next = Either(elements, *result);
    if (next == elements) return elements;
    elements = std::move(next);
  }
}

// Of n arrays and n initial values.
ExactnessWalk::Value ExactnessWalk::Reduce(const HloInstruction& reduce) {
  const InexactLeaves operands = OfOperands(reduce);
  const auto half = operands.begin() + static_cast<int64_t>(operands.size() / 2);
  return Fold(*reduce.called_computation(0),
              Either(InexactLeaves(operands.begin(), half), InexactLeaves(half, operands.end())));
}

// Each operand by itself.
ExactnessWalk::Value ExactnessWalk::ReduceAcrossDevices(const HloInstruction& reduce) {
  InexactLeaves leaves = OfOperands(reduce);
  for (size_t i = 0; i < leaves.size(); ++i) {
    const Value folded = Fold(*reduce.called_computation(0), {leaves[i]});
    if (!folded.has_value()) return absl::nullopt;
    leaves[i] = (*folded)[0];
  }
  return leaves;
}

// Of n arrays, indices and n updates.
ExactnessWalk::Value ExactnessWalk::Scatter(const HloInstruction& scatter) {
  const InexactLeaves operands = OfOperands(scatter);
  const size_t count = operands.size() / 2;
  InexactLeaves elements(count);
  for (size_t i = 0; i < count; ++i) elements[i] = operands[i] || operands[count] || operands[count + 1 + i];
  return Fold(*scatter.called_computation(0), std::move(elements));
}

// Of an array that only decides where the elements of another one go, and an initial value.
ExactnessWalk::Value ExactnessWalk::SelectAndScatter(const HloInstruction& scatter) {
  const InexactLeaves operands = OfOperands(scatter);
  const InexactLeaves* const selects = ResultOf(*scatter.called_computation(0), {operands[0], operands[0]}, {});
  if (selects == nullptr) return absl::nullopt;
  return Fold(*scatter.called_computation(1), {(*selects)[0] || operands[1] || operands[2]});
}

// Steps follow one another unless the scan says that they may be combined in another order.
ExactnessWalk::Value ExactnessWalk::Scan(const HloInstruction& scan) {
  const auto& attributes = scan.attributes<ScanAttributes>();
  InexactLeaves arguments = OfOperands(scan);
  for (;;) {
    const InexactLeaves* const result =
        ResultOf(*scan.called_computation(0), arguments, {attributes.is_associative == 1, false});
    if (result == nullptr) return absl::nullopt;
    InexactLeaves leaves = *result;
    bool same = true;
    for (int64_t i = 1; i <= attributes.num_carries; ++i) {
      const bool carry = arguments[arguments.size() - i];
      leaves[leaves.size() - i] = leaves[leaves.size() - i] || carry;
      same = same && leaves[leaves.size() - i] == carry;
      arguments[arguments.size() - i] = leaves[leaves.size() - i];
    }
    if (same) return leaves;
  }
}

}  // namespace

bool BackendsMayRound(HloOpcode opcode) {
  const ElementwiseRow* const row = FindElementwiseRow(opcode);
  return (row != nullptr && row->max_ulp > 0) || opcode == HloOpcode::kBatchNormInference || opcode == HloOpcode::kRng;
}

bool ExactOutputs::All() const { return outfeeds && std::find(results.begin(), results.end(), false) == results.end(); }

Exactness::Exactness(const HloModule& module, const ExactnessOptions& options) {
  CHECK(Find(module, /*resources=*/nullptr, options).ok());
}

absl::StatusOr<Exactness> Exactness::Create(const HloModule& module, const ResourceContext* resources,
                                            const ExactnessOptions& options) {
  Exactness exactness;
  RETURN_IF_ERROR(exactness.Find(module, resources, options));
  return exactness;
}

absl::Status Exactness::Find(const HloModule& module, const ResourceContext* resources,
                             const ExactnessOptions& options) {
  ExactnessWalk walk(options, resources, &inexact_);
  ASSIGN_OR_RETURN(InexactLeaves leaves, walk.Run(module));
  leaves.flip();
  outputs_ = {std::move(leaves), !walk.feeds_out_inexact()};
  return absl::OkStatus();
}

bool Exactness::IsExact(const HloInstruction& instruction, int64_t leaf) const {
  const auto found = inexact_.find(&instruction);
  return found == inexact_.end() || !found->second[leaf];
}

ExactOutputs FindExactOutputs(const HloModule& module, const ExactnessOptions& options) {
  return Exactness(module, options).outputs();
}

absl::StatusOr<ExactOutputs> FindExactOutputs(const HloModule& module, const ResourceContext* resources,
                                              const ExactnessOptions& options) {
  ASSIGN_OR_RETURN(const Exactness exactness, Exactness::Create(module, resources, options));
  return exactness.outputs();
}

std::string PrintExactness(const HloModule& module, const ResourceContext* resources) {
  const absl::StatusOr<Exactness> made = Exactness::Create(module, resources);
  if (!made.ok()) return "";
  const Exactness& exactness = *made;
  ResourcePoll poll(resources);
  std::string text;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->is_removed()) continue;
      const int64_t count = LeafCount(instruction->shape());
      if (poll.IsOver(1 + count)) return text;
      std::vector<int64_t> inexact;
      for (int64_t leaf = 0; leaf < count; ++leaf) {
        if (!exactness.IsExact(*instruction, leaf)) inexact.push_back(leaf);
      }
      if (inexact.empty()) continue;
      absl::StrAppend(&text, computation->name(), "/", instruction->name(), ": inexact");
      if (static_cast<int64_t>(inexact.size()) < count)
        absl::StrAppend(&text, ", leaves ", absl::StrJoin(inexact, ", "));
      text += '\n';
    }
  }
  return text;
}

}  // namespace xla
