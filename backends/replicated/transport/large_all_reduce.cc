#include "backends/replicated/transport/large_all_reduce.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "absl/time/clock.h"
#include "backends/replicated/transport/greeting.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

// Each message costs as much as some hundred kilobytes; but what travels and what is folded should overlap.
constexpr int64_t kMinPieceBytes = 512 << 10;
constexpr int64_t kMaxPieceBytes = 1 << 20;
constexpr int64_t kPiecesOfEach = 4;
constexpr int64_t kWindow = 4;

}  // namespace

LargeAllReduce::LargeAllReduce(Session* session, uint64_t subject)
    : session_(*session), subject_(subject), delivery_(Session::DeliveryOf(TotalBytes(session->first().operands))) {}

// Of a small array each process still owns one piece.
void LargeAllReduce::CutIntoPieces() {
  const CollectiveCall& first = session_.first();
  std::vector<int> ranks = {session_.meeting().rank};
  for (const auto& [rank, positions] : session_.peers()) ranks.push_back(rank);
  std::sort(ranks.begin(), ranks.end());
  const auto owners = static_cast<int64_t>(ranks.size());
  const int64_t total = TotalBytes(first.operands);
  const auto share = [total](int64_t parts) { return (total + parts - 1) / parts; };
  const int64_t wanted = std::min(kMaxPieceBytes, std::max(kMinPieceBytes, share(owners * kPiecesOfEach)));
  // Whole cache lines, and no element is cut.
  const int64_t size = (std::min(wanted, share(owners)) + 63) / 64 * 64;
  for (size_t k = 0; k < first.operands.size(); ++k) {
    const Shape& shape = *first.operands[k].shape;
    const int64_t width = ByteWidth(shape.element_type());
    for (int64_t begin = 0; begin < shape.ElementCount();) {
      if (pieces_.empty() || pieces_.back().bytes + width > size) pieces_.emplace_back();
      Piece& piece = pieces_.back();
      const int64_t elements = std::min(shape.ElementCount() - begin, (size - piece.bytes) / width);
      piece.runs.push_back({k, begin, elements});
      piece.bytes += elements * width;
      begin += elements;
    }
  }
  for (size_t i = 0; i < pieces_.size(); ++i) {
    pieces_[i].owner = ranks[i % ranks.size()];
    largest_ = std::max(largest_, pieces_[i].bytes);
    if (pieces_[i].owner == session_.meeting().rank) own_.push_back(i);
  }
}

Message LargeAllReduce::MessageOf(const Piece& piece, const std::vector<CollectiveArray>& arrays) {
  Message message;
  for (const Piece::Run& run : piece.runs) {
    const int64_t width = ByteWidth(arrays[run.operand].shape->element_type());
    const int64_t bytes = run.count * width;
    message.push_back({static_cast<char*>(arrays[run.operand].data) + run.first * width, bytes, bytes, 0, bytes});
  }
  return message;
}

uint64_t LargeAllReduce::PieceSlot(size_t piece, int64_t member) const {
  return Slot(session_.meeting().key, Stage::kPiece, piece * session_.calls().size() + member, subject_);
}

uint64_t LargeAllReduce::ResultSlot(size_t piece) const {
  return Slot(session_.meeting().key, Stage::kResult, piece, subject_);
}

char* LargeAllReduce::PlaceOf(size_t nth, int64_t member) const {
  return places_ + (static_cast<int64_t>(nth) % window_ * elsewhere_ + member) * largest_;
}

void LargeAllReduce::PostOwn(size_t nth) {
  int64_t member = 0;  // counted by rank
  for (const auto& [rank, positions] : session_.peers()) {
    for (const int64_t m : positions) {
      arrivals_[nth].push_back(
          session_.Post(rank, PieceSlot(own_[nth], m), PlaceOf(nth, member++), pieces_[own_[nth]].bytes, delivery_));
    }
  }
}

absl::Status LargeAllReduce::Begin() {
  CutIntoPieces();
  elsewhere_ = static_cast<int64_t>(session_.calls().size() - session_.mine().size());
  window_ = std::min(kWindow, static_cast<int64_t>(own_.size()));
  ASSIGN_OR_RETURN(places_, session_.Memory(window_ * elsewhere_ * largest_));
  arrivals_.resize(own_.size());
  for (int64_t nth = 0; nth < window_; ++nth) PostOwn(nth);
  for (size_t i = 0; i < pieces_.size(); ++i) {
    const Piece& piece = pieces_[i];
    if (piece.owner == session_.meeting().rank) continue;
    const Message message = MessageOf(piece, session_.first().results);
    Result result = {i};
    char* place = message[0].place();
    if (!IsInOnePlace(message)) {
      ASSIGN_OR_RETURN(place, session_.Memory(piece.bytes));
      result.packed = place;
    }
    result.transfer = session_.Post(piece.owner, ResultSlot(i), place, piece.bytes, delivery_);
    results_.push_back(std::move(result));
    for (const int64_t m : session_.mine()) {
      const Message operands = MessageOf(piece, session_.calls()[m].operands);
      RETURN_IF_ERROR(session_.Send(piece.owner, PieceSlot(i, m), operands, delivery_));
    }
  }
  return absl::OkStatus();
}

absl::Status LargeAllReduce::Finish(absl::Time* met) {
  for (size_t nth = 0; nth < own_.size(); ++nth) {
    for (const auto& arrival : arrivals_[nth]) RETURN_IF_ERROR(session_.Await(*arrival));
    if (nth == 0) *met = absl::Now();
    RETURN_IF_ERROR(Fold(nth));
    const Message message = MessageOf(pieces_[own_[nth]], session_.first().results);
    for (const auto& [rank, positions] : session_.peers()) {
      RETURN_IF_ERROR(session_.Send(rank, ResultSlot(own_[nth]), message, delivery_));
    }
    if (nth + window_ < own_.size()) PostOwn(nth + window_);
  }
  for (Result& result : results_) {
    RETURN_IF_ERROR(session_.Await(*result.transfer));
    TakeResult(result);
  }
  if (own_.empty()) *met = absl::Now();
  return absl::OkStatus();
}

// As calls about the piece alone.
absl::Status LargeAllReduce::Fold(size_t nth) const {
  const Piece& piece = pieces_[own_[nth]];
  std::vector<Shape> shapes;
  shapes.reserve(piece.runs.size());
  for (const Piece::Run& run : piece.runs) {
    shapes.push_back(Shape::Array(session_.first().operands[run.operand].shape->element_type(), {run.count}));
  }
  const auto arrays_of = [&](const std::vector<CollectiveArray>& arrays) {
    std::vector<CollectiveArray> parts;
    const Message message = MessageOf(piece, arrays);
    for (size_t r = 0; r < message.size(); ++r) parts.push_back({&shapes[r], message[r].place()});
    return parts;
  };
  std::vector<CollectiveCall> calls(session_.calls().size());
  for (size_t m = 0; m < calls.size(); ++m) {
    const CollectiveCall& whole = session_.calls()[m];
    calls[m].action = whole.action;
    calls[m].instruction = whole.instruction;
    calls[m].group = whole.group;
    calls[m].position = whole.position;
    calls[m].reducer = whole.reducer;
  }
  for (const int64_t m : session_.mine()) {
    calls[m].operands = arrays_of(session_.calls()[m].operands);
    calls[m].results = arrays_of(session_.calls()[m].results);
  }
  int64_t member = 0;
  for (const auto& [rank, positions] : session_.peers()) {
    for (const int64_t m : positions) {
      char* place = PlaceOf(nth, member++);
      for (const Shape& shape : shapes) {
        calls[m].operands.push_back({&shape, place});
        place += shape.ByteSize();
      }
    }
  }
  return session_.Compute(calls);
}

// It has come to the results of the first member of this process.
void LargeAllReduce::TakeResult(const Result& result) const {
  const Message message = MessageOf(pieces_[result.piece], session_.first().results);
  if (result.packed != nullptr) Unpack(result.packed, message);
  for (const int64_t m : session_.mine()) {
    if (m == session_.mine()[0]) continue;
    const Message other = MessageOf(pieces_[result.piece], session_.calls()[m].results);
    for (size_t f = 0; f < message.size(); ++f) std::memcpy(other[f].place(), message[f].place(), message[f].bytes());
  }
}

}  // namespace transport
}  // namespace xla
