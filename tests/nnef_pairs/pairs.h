// Operations that NNEF 1 and the standard library of NNEF 2 both have.
#ifndef TESTS_NNEF_PAIRS_PAIRS_H_
#define TESTS_NNEF_PAIRS_PAIRS_H_

#include <vector>

namespace xla {

struct OperationPair {
  const char* inputs;  // "x: 2,3; w: 4,3": real tensors; "c: bool 2,3"
  const char* nnef1;   // "conv(x, w, stride = [2,2])"
  const char* nnef2;   // "nn.conv{stride=2}(x, w)"
};

// Both of each become the same HLO.
const std::vector<OperationPair>& OperationPairs();

}  // namespace xla

#endif  // TESTS_NNEF_PAIRS_PAIRS_H_
