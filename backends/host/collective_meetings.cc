#include "backends/host/collective_meetings.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

// The arrays of values, and, where some have dynamic dimensions, one more with their sizes.
class FlatValues {
 public:
  explicit FlatValues(absl::Span<const Literal> values) {
    for (const Literal& value : values) Add(value);
    if (sizes_.empty()) return;
    leaves_.push_back(Literal::FromValues<int64_t>({static_cast<int64_t>(sizes_.size())}, sizes_));
  }

  std::vector<CollectiveArray> Arrays() const {
    std::vector<CollectiveArray> arrays;
    // Operands are only read.
    for (const Literal& leaf : leaves_) arrays.push_back({&leaf.shape(), const_cast<void*>(leaf.untyped_data())});
    return arrays;
  }
  const std::vector<Literal>& leaves() const { return leaves_; }
  bool has_sizes() const { return !sizes_.empty(); }

 private:
  void Add(const Literal& value) {
    if (value.IsTuple()) {
      for (int i = 0; i < value.tuple_size(); ++i) Add(value.element(i));
    } else if (value.shape().IsArray()) {
      leaves_.push_back(value);
      if (!value.shape().IsDynamic()) return;
      for (int d = 0; d < value.shape().rank(); ++d) sizes_.push_back(value.dynamic_size(d));
    }
  }

  std::vector<Literal> leaves_;
  std::vector<int64_t> sizes_;
};

// The other way round: a value like `like` from the leaves of another device.
Literal Assemble(const Literal& like, Literal*& next_leaf, const int64_t*& next_size) {
  if (like.IsTuple()) {
    std::vector<Literal> elements;
    for (int i = 0; i < like.tuple_size(); ++i) elements.push_back(Assemble(like.element(i), next_leaf, next_size));
    return Literal::Tuple(std::move(elements));
  }
  if (!like.shape().IsArray()) return like;
  Literal leaf = std::move(*next_leaf++);
  if (like.shape().IsDynamic()) {
    for (int d = 0; d < like.shape().rank(); ++d) leaf.SetDynamicSize(d, *next_size++);
  }
  return leaf;
}

}  // namespace

absl::StatusOr<Contributions> CollectiveMeetings::Exchange(int64_t device, const HloInstruction& instruction,
                                                           absl::Span<const int64_t> group, std::vector<Literal> mine,
                                                           absl::FunctionRef<absl::Status()> check) {
  const FlatValues flat(mine);
  CollectiveCall call;
  call.action = CollectiveCall::Action::kGatherAll;
  call.instruction = &instruction;
  call.group.assign(group.begin(), group.end());
  call.position = std::find(group.begin(), group.end(), device) - group.begin();
  call.operands = flat.Arrays();
  if (collectives_->shares_values()) return ExchangeShared(std::move(call), std::move(mine), check);
  std::vector<std::vector<Literal>> gathered(group.size());
  for (std::vector<Literal>& leaves : gathered) {
    leaves.reserve(flat.leaves().size());  // they stay where they are
    for (const Literal& leaf : flat.leaves()) {
      ASSIGN_OR_RETURN(Literal place, Literal::Allocate(leaf.shape(), memory_));
      leaves.push_back(std::move(place));
      call.results.push_back({&leaf.shape(), leaves.back().untyped_mutable_data()});
    }
  }
  RETURN_IF_ERROR(collectives_->Start(std::move(call))->Await(check));
  Contributions contributions;
  for (size_t m = 0; m < group.size(); ++m) {
    Literal* next_leaf = gathered[m].data();
    const int64_t* next_size = flat.has_sizes() ? gathered[m].back().data<int64_t>() : nullptr;
    std::vector<Literal> brought;
    for (const Literal& value : mine) brought.push_back(Assemble(value, next_leaf, next_size));
    contributions.push_back(std::make_shared<const std::vector<Literal>>(std::move(brought)));
  }
  return contributions;
}

// The arrays of the call are those of `mine`, which stays where it is.
absl::StatusOr<Contributions> CollectiveMeetings::ExchangeShared(CollectiveCall call, std::vector<Literal> mine,
                                                                 absl::FunctionRef<absl::Status()> check) {
  Contributions contributions;
  call.value = std::make_shared<const std::vector<Literal>>(std::move(mine));
  call.values = &contributions;
  RETURN_IF_ERROR(collectives_->Start(std::move(call))->Await(check));
  return contributions;
}

absl::Status CollectiveMeetings::Send(int64_t device, int64_t to, int64_t channel, Literal value) {
  const FlatValues flat(absl::MakeConstSpan(&value, 1));
  CollectiveCall call;
  call.action = CollectiveCall::Action::kSend;
  call.channel = channel;
  call.group = {device, to};
  call.position = 0;
  call.operands = flat.Arrays();
  return collectives_->Start(std::move(call))->Await([] { return absl::OkStatus(); });
}

absl::StatusOr<Literal> CollectiveMeetings::Receive(int64_t device, int64_t from, int64_t channel,
                                                    const HloInstruction& instruction,
                                                    absl::FunctionRef<absl::Status()> check) {
  // (data, u32[], token[]) of a recv or (data, token[]) of a recv-done
  ASSIGN_OR_RETURN(Literal value, Literal::Zeros(instruction.shape().tuple_shape(0), memory_));
  const FlatValues flat(absl::MakeConstSpan(&value, 1));
  CollectiveCall call;
  call.action = CollectiveCall::Action::kReceive;
  call.instruction = &instruction;
  call.channel = channel;
  call.group = {from, device};
  call.position = 1;
  std::vector<Literal> leaves;
  leaves.reserve(flat.leaves().size());
  for (const Literal& leaf : flat.leaves()) {
    ASSIGN_OR_RETURN(Literal place, Literal::Allocate(leaf.shape(), memory_));
    leaves.push_back(std::move(place));
    call.results.push_back({&leaf.shape(), leaves.back().untyped_mutable_data()});
  }
  RETURN_IF_ERROR(collectives_->Start(std::move(call))->Await(check));
  Literal* next_leaf = leaves.data();
  const int64_t* next_size = flat.has_sizes() ? leaves.back().data<int64_t>() : nullptr;
  return Assemble(value, next_leaf, next_size);
}

}  // namespace xla
