#include "backends/replicated/transport/large_move.h"

#include <sys/mman.h>

#include <algorithm>
#include <memory>
#include <set>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/replicated/transport/greeting.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// Addresses of this process for memory that is elsewhere; Fill gives them memory.
class AddressSpace {
 public:
  AddressSpace() = default;
  ~AddressSpace() {
    if (base_ != nullptr) munmap(base_, bytes_);
  }
  AddressSpace(const AddressSpace&) = delete;
  AddressSpace& operator=(const AddressSpace&) = delete;

  absl::Status Reserve(int64_t bytes) {
    bytes_ = std::max<int64_t>(bytes, 1);
    void* const place = mmap(nullptr, bytes_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (place == MAP_FAILED) {
      return absl::ResourceExhaustedError(absl::StrCat("no addresses for ", bytes_, " bytes of other processes"));
    }
    base_ = static_cast<char*>(place);
    return absl::OkStatus();
  }
  absl::Status Fill() {
    if (mprotect(base_, bytes_, PROT_READ | PROT_WRITE) == 0) return absl::OkStatus();
    return absl::ResourceExhaustedError(absl::StrCat("no memory for ", bytes_, " bytes of other processes"));
  }
  char* base() const { return base_; }

 private:
  char* base_ = nullptr;
  int64_t bytes_ = 0;
};

// Which bytes of whose operands each process reads: the plan of CollectiveWork, on addresses that are the same offsets
// in all processes.
class MovePlan {
 public:
  explicit MovePlan(const Session& session) : session_(session), calls_(session.calls()) {}

  absl::Status Make() {
    int64_t bytes = 0, result_bytes = 0;
    for (size_t m = 0; m < calls_.size(); ++m) {
      for (size_t k = 0; k < FirstValue(calls_[m]); ++k) {
        places_.push_back({bytes, m, k});
        bytes += (calls_[m].operands[k].shape->ByteSize() + kAlignment - 1) / kAlignment * kAlignment;
      }
    }
    for (const CollectiveArray& result : session_.first().results) result_bytes += result.shape->ByteSize();
    RETURN_IF_ERROR(operands_.Reserve(bytes));
    RETURN_IF_ERROR(results_.Reserve(result_bytes));
    for (const Place& place : places_)
      calls_[place.member].operands[place.operand].data = operands_.base() + place.offset;
    for (CollectiveCall& call : calls_) {
      call.reducer = session_.first().reducer;
      // Members' results may share addresses: nothing is written there.
      char* next = results_.base();
      for (CollectiveArray& result : call.results) {
        result.data = next;
        next += result.shape->ByteSize();
      }
    }
    return operands_.Fill();
  }

  // What members at `readers` read of operands of a rank, once each.
  absl::StatusOr<std::vector<CollectiveWork::Rows>> RowsOf(int rank, absl::Span<const int64_t> readers) const {
    ASSIGN_OR_RETURN(const CollectiveWork work, Session::Plan(calls_, readers));
    std::vector<CollectiveWork::Rows> found;
    std::set<std::tuple<const char*, int64_t, int64_t, int64_t>> known;
    for (const CollectiveWork::Rows& rows : work.Reads()) {
      if (session_.meeting().ranks[PlaceOf(rows.from).member] != rank) continue;
      if (known.insert({rows.from, rows.rows, rows.row_bytes, rows.stride}).second) found.push_back(rows);
    }
    return found;
  }

  // The same bytes in the operands themselves, of this process.
  const char* InOperands(const char* address) const {
    const Place place = PlaceOf(address);
    const auto* const data = static_cast<const char*>(session_.calls()[place.member].operands[place.operand].data);
    return data + (address - operands_.base() - place.offset);
  }
  // Operands of members elsewhere lie at the addresses of the plan.
  const std::vector<CollectiveArray>& OperandsOf(int64_t member) const { return calls_[member].operands; }

 private:
  static constexpr int64_t kAlignment = 4096;
  struct Place {
    int64_t offset;
    size_t member;
    size_t operand;
  };

  Place PlaceOf(const char* address) const {
    return *--std::upper_bound(places_.begin(), places_.end(), address - operands_.base(),
                               [](int64_t offset, const Place& place) { return offset < place.offset; });
  }

  const Session& session_;
  std::vector<CollectiveCall> calls_;
  std::vector<Place> places_;  // ascending
  AddressSpace operands_;
  AddressSpace results_;
};

struct Arrival {
  Message message;
  const char* packed = nullptr;
  std::unique_ptr<Mesh::Transfer> transfer;
};

}  // namespace

absl::Status MoveLarge(Session& session, uint64_t subject) {
  MovePlan plan(session);
  RETURN_IF_ERROR(plan.Make());
  const auto slot = [&](uint64_t number) { return Slot(session.meeting().key, Stage::kArrays, number, subject); };
  const Delivery delivery = Session::DeliveryOf(TotalBytes(session.first().operands));
  std::vector<Arrival> arrivals;
  for (const auto& [rank, positions] : session.peers()) {
    ASSIGN_OR_RETURN(const std::vector<CollectiveWork::Rows> rows, plan.RowsOf(rank, session.mine()));
    uint64_t number = 0;
    for (Message& message : CutIntoMessages(rows)) {
      const int64_t size = BytesOf(message);
      RETURN_IF_ERROR(session.Count(size));
      Arrival arrival;
      arrival.message = std::move(message);
      char* place = arrival.message[0].place();
      if (!IsInOnePlace(arrival.message)) {
        ASSIGN_OR_RETURN(place, session.Memory(size));
        arrival.packed = place;
      }
      arrival.transfer = session.Post(rank, slot(number++), place, size, delivery);
      arrivals.push_back(std::move(arrival));
    }
  }
  for (const auto& [rank, positions] : session.peers()) {
    ASSIGN_OR_RETURN(std::vector<CollectiveWork::Rows> rows, plan.RowsOf(session.meeting().rank, positions));
    for (CollectiveWork::Rows& r : rows) r.from = plan.InOperands(r.from);
    uint64_t number = 0;
    for (const Message& message : CutIntoMessages(rows)) {
      RETURN_IF_ERROR(session.Send(rank, slot(number++), message, delivery));
    }
  }
  for (Arrival& arrival : arrivals) {
    RETURN_IF_ERROR(session.Await(*arrival.transfer));
    if (arrival.packed != nullptr) Unpack(arrival.packed, arrival.message);
  }
  std::vector<CollectiveCall> calls = session.calls();
  for (const auto& [rank, positions] : session.peers()) {
    for (const int64_t m : positions) calls[m].operands = plan.OperandsOf(m);
  }
  return session.Compute(calls);
}

}  // namespace transport
}  // namespace xla
