// FeedQueues: what a run takes in and gives out besides arguments and results.
#ifndef XLA_CORE_EVALUATOR_FEED_QUEUES_H_
#define XLA_CORE_EVALUATOR_FEED_QUEUES_H_

#include <vector>

#include "xla_core/types/literal.h"

namespace xla {

// Queues of a run, by device. Elements of infeed are taken front first; their shapes must be those that the program
// reads.
struct FeedQueues {
  std::vector<std::vector<Literal>> infeed;
  std::vector<std::vector<Literal>> outfeed;
};

}  // namespace xla

#endif  // XLA_CORE_EVALUATOR_FEED_QUEUES_H_
