// Mutates the descriptions of a corpus of NNEF 1 models and looks whether the frontend keeps its promises.
// Usage: mutate_nnef1 CORPUS COUNT [SEED]
#include "tests/fuzz/fuzz_targets.h"
#include "tests/fuzz/mutate_documents.h"

namespace xla {
namespace {

constexpr absl::string_view kNnef1Words =
    "version extension graph fragment tensor integer scalar logical string shape_of length_of for range_of in "
    "yield if else true false -> <?> [ ] ( ) { } , ; : = == && || ! - + * / ^ < > ' \" # 0 -1 1 2147483648 1e400 "
    "0.0 1.5 9223372036854775807 'replicate' 'reflect' 'ignore' 'constant' external variable constant update conv "
    "reshape split KHR_enable_fragment_definitions KHR_enable_operator_expressions \xC3\xA9 \\";

}  // namespace
}  // namespace xla

int main(int argc, char** argv) {
  return xla::MutateDocuments({"mutate_nnef1", "graph.nnef", ".nnef", xla::kNnef1Words, xla::FuzzNnef1Document}, argc,
                              argv);
}
