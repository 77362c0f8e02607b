#include "backends/replicated/transport/session.h"

#include <algorithm>
#include <utility>

#include "backends/replicated/transport/work_in_rounds.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {

uint64_t Slot(uint64_t key, Stage stage, uint64_t number, uint64_t subject) {
  // The first bit is left: one number of all is not for messages.
  return MixHash(MixHash(MixHash(key, static_cast<uint64_t>(stage)), number), subject) >> 1;
}

Session::Session(Mesh* mesh, ThreadPool* pool, MemoryBudget* memory, const ExchangeMeeting& meeting,
                 Exchange::GoOn go_on)
    : mesh_(mesh), pool_(pool), reserved_(memory), meeting_(meeting), go_on_(go_on) {
  for (size_t m = 0; m < meeting.calls.size(); ++m) {
    const auto position = static_cast<int64_t>(m);
    if (meeting.calls[m] != nullptr) {
      mine_.push_back(position);
    } else {
      peers_[meeting.ranks[m]].push_back(position);
    }
  }
  first_ = meeting.calls[mine_[0]];
  calls_.assign(meeting.calls.size(), *first_);
  for (const int64_t m : mine_) calls_[m] = *meeting.calls[m];
  for (const auto& [rank, positions] : peers_) {
    for (const int64_t m : positions) {
      calls_[m].position = m;
      for (CollectiveArray& operand : calls_[m].operands) operand.data = nullptr;
      for (CollectiveArray& result : calls_[m].results) result.data = nullptr;
    }
  }
}

Session::~Session() {
  sent_.clear();
  for (ScratchMemory::Piece& piece : scratch_) mesh_->scratch().Return(std::move(piece));
}

void Session::Send(int to, uint64_t slot, const void* data, int64_t bytes, Delivery delivery) {
  if (bytes > 0) sent_.push_back(mesh_->Send(to, slot, data, bytes, delivery));
}

absl::Status Session::Send(int to, uint64_t slot, const Message& message, Delivery delivery) {
  const int64_t bytes = BytesOf(message);
  const char* place = message[0].place();
  if (!IsInOnePlace(message)) {
    ASSIGN_OR_RETURN(char* const packed, Memory(bytes));
    Pack(message, packed);
    place = packed;
  }
  Send(to, slot, place, bytes, delivery);
  return absl::OkStatus();
}

absl::Status Session::Await(Mesh::Transfer& transfer) {
  return mesh_->Wait(transfer, [this]() -> absl::Status {
    RETURN_IF_ERROR(go_on_());
    return on_long_wait_ == nullptr ? absl::OkStatus() : on_long_wait_();
  });
}

absl::Status Session::AwaitSent() {
  for (const std::unique_ptr<Mesh::Transfer>& transfer : sent_) RETURN_IF_ERROR(Await(*transfer));
  sent_.clear();
  return absl::OkStatus();
}

absl::StatusOr<char*> Session::Memory(int64_t bytes) {
  RETURN_IF_ERROR(reserved_.Add(bytes));
  scratch_.push_back(mesh_->scratch().Take(std::max<int64_t>(bytes, 1)));
  return scratch_.back().data.get();
}

absl::StatusOr<CollectiveWork> Session::Plan(const std::vector<CollectiveCall>& calls,
                                             absl::Span<const int64_t> wanted) {
  std::vector<const CollectiveCall*> pointers;
  for (const CollectiveCall& call : calls) pointers.push_back(&call);
  return CollectiveWork::Make(pointers, wanted);
}

absl::Status Session::Compute(const std::vector<CollectiveCall>& calls) const {
  ASSIGN_OR_RETURN(const CollectiveWork work, Plan(calls, mine_));
  return RunInRounds(work, *pool_, [this] {
    mesh_->Glance();
    return go_on_();
  });
}

}  // namespace transport
}  // namespace xla
