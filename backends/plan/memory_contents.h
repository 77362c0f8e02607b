// MemoryContents: which values each byte of a piece of memory holds for certain, at one point of a program.
#ifndef BACKENDS_PLAN_MEMORY_CONTENTS_H_
#define BACKENDS_PLAN_MEMORY_CONTENTS_H_

#include <cstdint>
#include <map>
#include <utility>

#include "absl/container/inlined_vector.h"
#include "passes/analyses/dataflow.h"

namespace xla {

// Ranges are [begin, end) in bytes; empty ones hold everything and change nothing.
class MemoryContents {
 public:
  using Value = Dataflow::Value;
  using Values = absl::InlinedVector<Value, 2>;  // ascending

  bool Holds(int64_t begin, int64_t end, Value value) const;
  // The values of the first byte of the range that does not hold `value`; empty if all do.
  Values ValuesInsteadOf(int64_t begin, int64_t end, Value value) const;

  // The range holds nothing now.
  void Erase(int64_t begin, int64_t end);
  // The range holds `value` and nothing else.
  void Write(int64_t begin, int64_t end, Value value);
  // What the range holds is `value`, too.
  void AddName(int64_t begin, int64_t end, Value value);
  // What the range holds is not `value` any more.
  void RemoveName(int64_t begin, int64_t end, Value value);
  // What both hold. True if that is less than before.
  bool MeetWith(const MemoryContents& other);

 private:
  struct Range {
    int64_t end;
    Values values;
  };
  using Ranges = std::map<int64_t, Range>;  // by begin; apart from each other, none without values

  // Makes ranges end and begin at `at`, if one has it inside.
  void SplitAt(int64_t at);
  // Those of ranges that lie within [begin, end), after splitting at both ends.
  std::pair<Ranges::iterator, Ranges::iterator> Within(int64_t begin, int64_t end);

  Ranges ranges_;
};

}  // namespace xla

#endif  // BACKENDS_PLAN_MEMORY_CONTENTS_H_
