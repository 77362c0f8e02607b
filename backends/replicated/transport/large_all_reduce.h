// LargeAllReduce: an all-reduce in pieces, each of which one process folds for all.
//
// An owner receives its piece of the operand of every member elsewhere, folds in the listed order, and sends the result
// to all. Pieces take turns: while one is folded, others travel. A result may lie where the operand does: a piece of it
// arrives only when its owner has that piece of all operands.
#ifndef BACKENDS_REPLICATED_TRANSPORT_LARGE_ALL_REDUCE_H_
#define BACKENDS_REPLICATED_TRANSPORT_LARGE_ALL_REDUCE_H_

#include <cstdint>
#include <memory>
#include <vector>

#include "absl/status/status.h"
#include "absl/time/time.h"
#include "backends/replicated/transport/session.h"

namespace xla {
namespace transport {

class LargeAllReduce {
 public:
  // `session` outlives it. `subject` keeps its messages apart from those of other shapes.
  LargeAllReduce(Session* session, uint64_t subject);

  // Names the memory of what is sent and received; never waits.
  absl::Status Begin();
  // Returns when the results of this process are there. `met` is when the first piece of all members was.
  absl::Status Finish(absl::Time* met);

 private:
  // Runs of elements of operands.
  struct Piece {
    struct Run {
      size_t operand;
      int64_t first;
      int64_t count;
    };
    std::vector<Run> runs;
    int64_t bytes = 0;
    int owner = 0;
  };
  // Of a piece that another process owns.
  struct Result {
    size_t piece;
    std::unique_ptr<Mesh::Transfer> transfer;
    const char* packed = nullptr;
  };

  void CutIntoPieces();
  static Message MessageOf(const Piece& piece, const std::vector<CollectiveArray>& arrays);
  uint64_t PieceSlot(size_t piece, int64_t member) const;
  uint64_t ResultSlot(size_t piece) const;
  void PostOwn(size_t nth);
  char* PlaceOf(size_t nth, int64_t member) const;
  absl::Status Fold(size_t nth) const;
  void TakeResult(const Result& result) const;

  Session& session_;
  const uint64_t subject_;
  const Delivery delivery_;
  std::vector<Piece> pieces_;
  int64_t largest_ = 0;
  std::vector<size_t> own_;  // numbers of pieces
  // Of own pieces, so many are received at a time, from so many members, into one place each.
  int64_t window_ = 0;
  int64_t elsewhere_ = 0;
  char* places_ = nullptr;
  std::vector<std::vector<std::unique_ptr<Mesh::Transfer>>> arrivals_;  // by own piece
  std::vector<Result> results_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_LARGE_ALL_REDUCE_H_
