// The networks of examples/nnef2 once more: as flat documents of NNEF 1, and the LSTM as HLO.
#ifndef TESTS_NNEF_PAIRS_NETWORKS_H_
#define TESTS_NNEF_PAIRS_NETWORKS_H_

#include <cstdint>
#include <string>

namespace xla {

// Documents whose variables have the names and the extents of those of the SkriptND document, so that both read the
// same tensor files.
std::string ResNet50Document(int64_t size, int64_t width, int64_t classes);
std::string MobileNetV2Document(int64_t size, int64_t unit, int64_t classes);
std::string TransformerDocument(int64_t length, int64_t heads, int64_t head_size);

// A module whose parameters are those of the SkriptND document: the input, then the variables.
std::string LstmModule(int64_t length, int64_t batch, int64_t inputs, int64_t cells);

}  // namespace xla

#endif  // TESTS_NNEF_PAIRS_NETWORKS_H_
