// What is fed to a model of NNEF 1: tensor files, arrays and images by the names of its inputs, cycle by cycle.
#ifndef TOOLS_NNEF1_FED_TENSORS_H_
#define TOOLS_NNEF1_FED_TENSORS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "tools/nnef1/images.h"
#include "tools/nnef1/model_file.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// What the command line says about inputs.
struct Nnef1InputFlags {
  // "FILE" or "NAME=FILE". Of files without a name each gives the next input in the graph's order, and after the last
  // one the first again, for the next cycle. A file is a tensor file or several of them one after the other, an .npy
  // file, or an .npz file whose arrays have the names of inputs, or "NAME.CYCLE".
  std::vector<std::string> files;
  std::vector<std::string> images;  // "NAME=FILE"
  ImageFlags image;
  int64_t cycles = 0;  // 0: as many as are given
};

// By cycle, then in the order of the model's inputs.
using FedCycles = std::vector<std::vector<Literal>>;

// A tensor file as a value for `input`, of any extents. Errors: E4 if it is damaged, E6 if it holds another type.
absl::StatusOr<Literal> ReadFedTensor(const std::string& path, const Nnef1ModelFile::Input& input,
                                      const nnef1::NumberTypes& types);

// All that is fed. An input that is given once is the same in every cycle. Errors: E6, or E4 for damaged files; a limit
// of `resources`, which may be nullptr, was reached.
absl::StatusOr<FedCycles> ReadFedCycles(const Nnef1ModelFile& model, const Nnef1InputFlags& flags,
                                        const ResourceContext* resources);

}  // namespace xla

#endif  // TOOLS_NNEF1_FED_TENSORS_H_
