// CollectiveWork: what a collective computes, once the operands of all members are in this process.
#ifndef BACKENDS_HOST_COLLECTIVE_WORK_H_
#define BACKENDS_HOST_COLLECTIVE_WORK_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "backends/collectives.h"

namespace xla {

// Cut into parts that threads may run at the same time and in any order: each writes to places of its own. The bits are
// those of the evaluator (xla_core/ops/collectives.cc), which computes each member's results by itself.
class CollectiveWork {
 public:
  // The calls of all members, by position; they outlive the object. InvalidArgument, as the evaluator says it, if they
  // do not fit together.
  static absl::StatusOr<CollectiveWork> Make(absl::Span<const CollectiveCall* const> members);
  // Only the results of the members at the positions `wanted`: for who holds these. Results of others, and operands
  // that no wanted result needs, may be addresses without memory.
  static absl::StatusOr<CollectiveWork> Make(absl::Span<const CollectiveCall* const> members,
                                             absl::Span<const int64_t> wanted);

  int64_t part_count() const { return static_cast<int64_t>(parts_.size()); }
  void Run(int64_t first_part, int64_t end_part) const;

  // Memory of operands that Run reads: `rows` times `row_bytes`, each `stride` after the one before.
  struct Rows {
    const char* from;
    int64_t rows;
    int64_t row_bytes;
    int64_t stride;
  };
  // All of it, in an order that follows from the calls alone; some of it may be named more than once.
  std::vector<Rows> Reads() const;

 private:
  class Maker;
  // Rows of bytes.
  struct Copy {
    const char* from;
    char* to;
    int64_t rows;
    int64_t row_bytes;
    int64_t from_stride;
    int64_t to_stride;

    void Run(int64_t begin, int64_t end, bool streams) const;
  };
  // Where a member wants the elements of a fold: of each row of this many elements some.
  struct Target {
    char* data;
    int64_t row;
    int64_t first;
    int64_t count;
    bool is_operand;  // of the same fold: nothing is written before all members' elements of that place are read
  };
  // What members with one reducer want. On a channel instructions with different ones may meet.
  struct Reduction {
    const CollectiveReducer* reducer;
    std::vector<Target> targets;
  };
  // One array of each member, folded in order.
  struct Fold {
    PrimitiveType type;  // of the arrays
    int64_t elements;
    std::vector<const char*> operands;
    std::vector<Reduction> reductions;

    int64_t row() const { return reductions.front().targets.front().row; }
    // Of each row, what some target needs: first element and the one after the last, ascending.
    std::vector<std::pair<int64_t, int64_t>> Wanted() const;
    void Run(int64_t begin, int64_t end, bool streams) const;
    const char* Chunk(const CollectiveReducer& reducer, int64_t begin, int64_t count, char* accumulator,
                      char* converted) const;
    void Deliver(const Target& target, int64_t begin, int64_t count, const char* values, bool streams) const;
    int64_t ScratchWidth() const;
  };
  struct Part {
    enum class Kind {
      kFold,    // elements [begin, end) of fold number `index`
      kCopy,    // bytes [begin, end) of copy number `index`
      kCopies,  // copies number `index` to `end`, one after the other
    };
    Kind kind;
    size_t index;
    int64_t begin;
    int64_t end;
  };

  // Whether all that is written is too much for the caches.
  bool Streams() const;

  std::vector<Copy> copies_;
  std::vector<Fold> folds_;
  bool streams_ = false;
  std::vector<Part> parts_;
};

}  // namespace xla

#endif  // BACKENDS_HOST_COLLECTIVE_WORK_H_
