// What is fed to an NNEF model: tensor files, arrays and images by the names of its inputs, cycle by cycle.
#ifndef TOOLS_NNEF_COMMON_FED_TENSORS_H_
#define TOOLS_NNEF_COMMON_FED_TENSORS_H_

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/nnef_common/containers/tensor_file.h"
#include "builders/nnef_common/model_format.h"
#include "tools/nnef_common/images.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Something that a model takes.
struct FedInput {
  std::string name;
  std::string type;               // as its document has it: "tensor<scalar>"
  nnef::DeclaredTensor declared;  // of any extents
  nnef::Extents extents;          // as declared, or as flags say
};

// What a model takes, as far as it matters to those who feed it.
struct FedModel {
  // The index of the input; -1 if there is none.
  int InputIndex(absl::string_view name) const;

  const nnef::ModelFormat* format = nullptr;
  std::vector<FedInput> inputs;
  // What codes in fed tensor files mean.
  std::function<absl::StatusOr<nnef::CodeMeaning>(const nnef::TensorHeader& header)> code_meaning;
};

// What the command line says about inputs.
struct FedInputFlags {
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

// A tensor file as a value for `input` of the model, of any extents. Errors: the fed error of the format.
absl::StatusOr<Literal> ReadFedTensor(const std::string& path, const FedInput& input, const FedModel& model);

// All that is fed. An input that is given once is the same in every cycle. Errors: the fed error of the format; those
// of damaged files; a limit of `resources`, which may be nullptr, was reached.
absl::StatusOr<FedCycles> ReadFedCycles(const FedModel& model, const FedInputFlags& flags,
                                        const ResourceContext* resources);

// The extents of each tensor.
std::vector<nnef::Extents> ExtentsOf(const std::vector<Literal>& tensors);

// Every cycle runs the same program. Errors: the fed error, if an input has other extents in one cycle than in another.
absl::Status CheckSameExtents(const FedModel& model, const FedCycles& fed);

}  // namespace xla

#endif  // TOOLS_NNEF_COMMON_FED_TENSORS_H_
