// LowerSequentialForm: statements that read what they assign, as a while loop.
//
//   idx[] := i, i < n | x[i,] > x[idx[],]     state (step, idx): one iteration is i = step
//
// A loop whose index is an index of the target, the same one in each load from an output, keeps to elements of its own:
// all its iterations are made at a time, as a dimension. The steps count through the other loops, the last one fastest.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/constants.h"
#include "builders/nnef2/lowering/general_form.h"
#include "builders/nnef2/lowering/scalar_emission.h"

namespace xla {
namespace nnef2 {
namespace {

bool DependsOn(const NestNode& node, int loop) {
  return std::binary_search(node.loops.begin(), node.loops.end(), loop);
}

// All nodes that the statement is made of.
std::vector<const NestNode*> NodesOf(const StatementNest& nest) {
  std::vector<const NestNode*> pending = nest.indices;
  pending.insert(pending.end(), nest.values.begin(), nest.values.end());
  if (nest.target_item != nullptr) pending.push_back(nest.target_item);
  if (nest.condition != nullptr) pending.push_back(nest.condition);
  for (const NestGuard& guard : nest.guards) {
    pending.push_back(guard.index);
    pending.push_back(guard.extent);
  }
  std::vector<bool> is_known(static_cast<size_t>(nest.nodes->size()), false);
  std::vector<const NestNode*> nodes;
  while (!pending.empty()) {
    const NestNode* const node = pending.back();
    pending.pop_back();
    if (is_known[node->id]) continue;
    is_known[node->id] = true;
    nodes.push_back(node);
    for (const NestNode* const input : node->inputs()) pending.push_back(input);
  }
  return nodes;
}

// What a step of the loop needs of the world around: asked for once, to find out what that is, and then for the body.
class BodyLowering : public NestLowering {
 public:
  BodyLowering(NestLowering* outer, ComputationBuilder* builder) : outer_(*outer), builder_(*builder) {}

  ComputationBuilder& builder() override { return builder_; }
  const ComposedTensor& tensor(int number) const override { return outer_.tensor(number); }
  PrimitiveType TypeOf(BaseType type) const override { return outer_.TypeOf(type); }
  XlaOp Array(int number) override {
    return Get({0, number}, [&] { return outer_.Array(number); });
  }
  XlaOp Stacked(const std::vector<int>& numbers) override {
    std::vector<int> key = numbers;
    key.insert(key.begin(), 1);
    return Get(key, [&] { return outer_.Stacked(numbers); });
  }
  XlaOp Extent(const Scalar& extent) override {
    if (extent.kind != Scalar::Kind::kSymbolic) return xla::Scalar(&builder_, S32, extent.integer);
    return Get({2, extent.symbolic->id}, [&] { return outer_.Extent(extent); });
  }

  // The values outside, in the order in which they were asked for.
  const std::vector<XlaOp>& captured() const { return captured_; }
  // From now on these are the values inside.
  void set_inside(std::vector<XlaOp> inside) { inside_ = std::move(inside); }
  void Adopt(const BodyLowering& dry) {
    places_ = dry.places_;
    captured_ = dry.captured_;
  }

 private:
  template <typename Outside>
  XlaOp Get(const std::vector<int>& key, const Outside& outside) {
    const auto inserted = places_.emplace(key, captured_.size());
    if (inserted.second) captured_.push_back(outside());
    const size_t place = inserted.first->second;
    if (place < inside_.size()) return inside_[place];
    // Nothing is computed yet: a value of that shape will do.
    const XlaOp value = captured_[place];
    if (!value.valid()) return value;
    while (inside_.size() <= place) {
      const XlaOp other = captured_[inside_.size()];
      inside_.push_back(
          builder_.Parameter(static_cast<int64_t>(inside_.size()), outer_.builder().ShapeOrInvalid(other)));
    }
    return inside_[place];
  }

  NestLowering& outer_;
  ComputationBuilder& builder_;
  std::map<std::vector<int>, size_t> places_;
  std::vector<XlaOp> captured_;
  std::vector<XlaOp> inside_;
};

class SequentialForm {
 public:
  SequentialForm(NestLowering* lowering, const StatementNest* nest, const std::vector<NestTarget>* targets)
      : lowering_(*lowering), b_(lowering->builder()), nest_(*nest), targets_(*targets) {
    FindDimensions();
  }

  absl::Status Lower(std::vector<XlaOp>* states) {
    int64_t steps = 1;
    for (const int loop : counted_) {
      if (!__builtin_mul_overflow(steps, nest_.loops[loop].bound, &steps) && steps <= kMaxSteps) continue;
      return absl::InvalidArgumentError(absl::StrCat("a statement of ", nest_.definition->QualifiedName(),
                                                     " takes more than ", kMaxSteps, " steps, one after the other"));
    }
    for (const NestTarget& target : targets_) {
      states->push_back(target.initial.valid() ? target.initial : NeutralArray(lowering_, nest_, target.bounds));
      if (std::find(target.bounds.begin(), target.bounds.end(), 0) != target.bounds.end()) return absl::OkStatus();
    }
    if (steps == 1) {
      *states = Step(&lowering_, *states, b_.ConstantR0<int32_t>(0));
    } else {
      Loop(steps, states);
    }
    return absl::OkStatus();
  }

 private:
  // Which loops are dimensions, and which are counted by steps.
  void FindDimensions() {
    std::vector<const NestNode*> loads;
    for (const NestNode* const node : NodesOf(nest_)) {
      const bool reads_target = node->kind == NestNode::Kind::kLoad &&
                                std::any_of(node->tensors.begin(), node->tensors.end(), [&](int tensor) {
                                  return std::count(nest_.targets.begin(), nest_.targets.end(), tensor) > 0;
                                });
      if (reads_target) loads.push_back(node);
    }
    for (size_t i = 0; i < nest_.loops.size(); ++i) {
      const int loop = static_cast<int>(i);
      if (!KeepsToItself(loop, loads)) counted_.push_back(loop);
    }
  }

  bool KeepsToItself(int loop, const std::vector<const NestNode*>& loads) const {
    int place = -1;
    for (size_t d = 0; d < nest_.indices.size(); ++d) {
      if (nest_.indices[d]->is_loop(loop) && place < 0) {
        place = static_cast<int>(d);
      } else if (DependsOn(*nest_.indices[d], loop)) {
        return false;
      }
    }
    if (place < 0 || (nest_.target_item != nullptr && DependsOn(*nest_.target_item, loop))) return false;
    for (const int tensor : nest_.targets) {
      if (lowering_.BoundsOf(tensor)[place] < nest_.loops[loop].bound) return false;
    }
    return std::all_of(loads.begin(), loads.end(),
                       [&](const NestNode* load) { return load->operands[place]->is_loop(loop); });
  }

  bool IsCounted(int loop) const { return std::binary_search(counted_.begin(), counted_.end(), loop); }

  // The indices of the counted loops in a step.
  absl::flat_hash_map<int, XlaOp> IndicesOf(ComputationBuilder* b, XlaOp step) const {
    absl::flat_hash_map<int, XlaOp> indices;
    int64_t stride = 1;
    for (auto loop = counted_.rbegin(); loop != counted_.rend(); ++loop) {
      const int64_t bound = nest_.loops[*loop].bound;
      XlaOp index = stride == 1 ? step : b->Div(step, xla::Scalar(b, S32, stride));
      if (*loop != counted_.front()) index = b->Rem(index, xla::Scalar(b, S32, bound));
      indices.emplace(*loop, index);
      stride *= bound;
    }
    return indices;
  }

  // The states after one step.
  std::vector<XlaOp> Step(NestLowering* lowering, const std::vector<XlaOp>& states, XlaOp step) {
    ComputationBuilder& b = lowering->builder();
    SpaceEmitter emitter(lowering, &nest_, IndicesOf(&b, step));
    emitter.SetTargets(states, nest_.target_item != nullptr);
    absl::optional<SpaceArray> mask = emitter.Mask(std::vector<bool>(nest_.loops.size(), false));
    std::vector<XlaOp> next;
    for (size_t i = 0; i < targets_.size(); ++i) {
      next.push_back(Assign(&emitter, &b, targets_[i], states[i], mask));
    }
    return next;
  }

  // `state` with the elements of one step assigned.
  XlaOp Assign(SpaceEmitter* emitter, ComputationBuilder* b, const NestTarget& target, XlaOp state,
               absl::optional<SpaceArray> mask) {
    std::vector<int> in_order;
    std::vector<int64_t> sizes;
    std::vector<XlaOp> starts;
    for (size_t d = 0; d < target.indices.size(); ++d) {
      const NestNode& index = *target.indices[d];
      if (index.kind == NestNode::Kind::kLoop && !IsCounted(index.loop)) {
        in_order.push_back(index.loop);
        sizes.push_back(nest_.loops[index.loop].bound);
        starts.push_back(b->ConstantR0<int32_t>(0));
        continue;
      }
      sizes.push_back(1);
      starts.push_back(emitter->Emit(index).op);
      // What lies outside is not assigned, as in a scatter.
      const XlaOp extent = xla::Scalar(b, S32, target.bounds[d]);
      mask = emitter->Both(mask, emitter->WithinExtent(index, target.bounds[d], extent));
    }
    std::vector<int> loops = in_order;
    std::sort(loops.begin(), loops.end());
    const XlaOp old = sizes.empty() ? state : b->DynamicSlice(state, starts, sizes);
    // A block has the loops in the order of the dimensions, and 1 where there is none.
    std::vector<int64_t> to_block, dimensions;
    for (const int loop : in_order) {
      to_block.push_back(std::find(loops.begin(), loops.end(), loop) - loops.begin());
    }
    const auto block_of = [&](XlaOp array) {
      if (!std::is_sorted(to_block.begin(), to_block.end())) array = b->Transpose(array, to_block);
      return in_order.size() == sizes.size() ? array : b->Reshape(array, sizes);
    };
    XlaOp block = block_of(emitter->Spread(emitter->Emit(*target.value), loops));
    if (Accumulates(nest_.op)) block = EmitBinary(nest_.op, old, block);
    if (mask.has_value()) block = b->Select(block_of(emitter->Spread(*mask, loops)), block, old);
    return sizes.empty() ? block : b->DynamicUpdateSlice(state, block, starts);
  }

  void Loop(int64_t steps, std::vector<XlaOp>* states) {
    // What the body needs is known when it has been made once.
    ComputationBuilder trial("trial");
    trial.set_keep_source_locations(false);
    BodyLowering dry(&lowering_, &trial);
    const size_t num_states = states->size();
    {
      ComputationBuilder& b = trial;
      std::vector<XlaOp> inside;
      for (const XlaOp state : *states) inside.push_back(Zeros(&b, b_.ShapeOrInvalid(state)));
      Step(&dry, inside, b.ConstantR0<int32_t>(0));
    }
    std::vector<XlaOp> initial = {b_.ConstantR0<int32_t>(0)};
    initial.insert(initial.end(), states->begin(), states->end());
    initial.insert(initial.end(), dry.captured().begin(), dry.captured().end());
    const XlaOp start = b_.Tuple(initial);
    const xla::Shape shape = b_.ShapeOrInvalid(start);

    ComputationBuilder condition("has_steps");
    condition.set_keep_source_locations(false);
    condition.SetOpMetadata(b_.op_metadata());
    const XlaOp tested = condition.Parameter(0, shape, "state");
    condition.Lt(condition.GetTupleElement(tested, 0), xla::Scalar(&condition, S32, steps));

    ComputationBuilder body("step");
    body.set_keep_source_locations(false);
    body.SetOpMetadata(b_.op_metadata());
    const XlaOp state = body.Parameter(0, shape, "state");
    std::vector<XlaOp> parts;
    for (size_t i = 0; i < initial.size(); ++i) parts.push_back(body.GetTupleElement(state, static_cast<int64_t>(i)));
    const auto first_captured = parts.begin() + 1 + static_cast<int64_t>(num_states);
    BodyLowering inside(&lowering_, &body);
    inside.Adopt(dry);
    inside.set_inside({first_captured, parts.end()});
    std::vector<XlaOp> next = Step(&inside, {parts.begin() + 1, first_captured}, parts[0]);
    next.insert(next.begin(), body.Add(parts[0], body.ConstantR0<int32_t>(1)));
    next.insert(next.end(), first_captured, parts.end());
    const XlaOp end = b_.While(condition.BuildOrError(), body.BuildOrError(body.Tuple(next)), start);
    for (size_t i = 0; i < num_states; ++i) (*states)[i] = b_.GetTupleElement(end, static_cast<int64_t>(i) + 1);
  }

  NestLowering& lowering_;
  ComputationBuilder& b_;
  const StatementNest& nest_;
  const std::vector<NestTarget>& targets_;
  std::vector<int> counted_;  // rising
};

}  // namespace

absl::Status LowerSequentialForm(NestLowering& lowering, const StatementNest& nest,
                                 const std::vector<NestTarget>& targets, std::vector<XlaOp>* states) {
  return SequentialForm(&lowering, &nest, &targets).Lower(states);
}

}  // namespace nnef2
}  // namespace xla
