#include "backends/host/host_value.h"

#include "xla_core/support/status_macros.h"

namespace xla {

absl::StatusOr<std::shared_ptr<HostValue>> HostValue::Reserve(std::shared_ptr<MemoryBudget> memory,
                                                              const Shape& shape) {
  const int64_t bytes = shape.ByteSize();
  RETURN_IF_ERROR(memory->Reserve(bytes));
  return std::shared_ptr<HostValue>(new HostValue(std::move(memory), bytes));
}

absl::StatusOr<std::shared_ptr<HostValue>> HostValue::Make(std::shared_ptr<MemoryBudget> memory, Literal literal,
                                                           ValueMemories leaves) {
  ASSIGN_OR_RETURN(std::shared_ptr<HostValue> value, Reserve(std::move(memory), literal.shape()));
  value->Fill(std::move(literal), std::move(leaves));
  return value;
}

absl::StatusOr<std::shared_ptr<HostValue>> HostValue::MakePending(std::shared_ptr<MemoryBudget> memory,
                                                                  const Shape& shape, Event ready) {
  ASSIGN_OR_RETURN(std::shared_ptr<HostValue> value, Reserve(std::move(memory), shape));
  value->ready_ = std::move(ready);
  return value;
}

absl::Status HostValue::BringToHost() const {
  for (const std::shared_ptr<ValueMemory>& leaf : leaves_) {
    if (leaf != nullptr) RETURN_IF_ERROR(leaf->BringToHost());
  }
  return absl::OkStatus();
}

uint64_t HostValue::NextId() {
  static std::atomic<uint64_t> last{0};
  return last.fetch_add(1, std::memory_order_relaxed) + 1;
}

absl::StatusOr<Literal> CopyElements(Literal literal) {
  for (int i = 0; i < literal.tuple_size(); ++i) {
    ASSIGN_OR_RETURN(literal.mutable_element(i), CopyElements(literal.element(i)));
  }
  RETURN_IF_ERROR(literal.MakeWritable(nullptr));
  return literal;
}

}  // namespace xla
