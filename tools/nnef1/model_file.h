// A model of NNEF 1 as the tools open it: first its description, then, when it is known what is fed, all of it.
#ifndef TOOLS_NNEF1_MODEL_FILE_H_
#define TOOLS_NNEF1_MODEL_FILE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "builders/nnef1/containers/container.h"
#include "builders/nnef1/model/model.h"
#include "tools/nnef_common/fed_tensors.h"
#include "tools/nnef_common/model_source.h"

namespace xla {

// What the command line says about how to read a model. Errors: InvalidArgument for shapes that cannot be understood.
absl::StatusOr<nnef1::LoadOptions> Nnef1LoadOptions(const NnefReadFlags& flags);

// An input as the tools feed it.
FedInput Nnef1Input(const std::string& name, nnef1::Primitive primitive, nnef1::Extents extents,
                    const nnef1::NumberTypes& types);

class Nnef1ModelFile {
 public:
  // Errors: all that the description breaks, and what the container does. `options.load_data` is not read.
  static absl::StatusOr<std::unique_ptr<Nnef1ModelFile>> Open(std::unique_ptr<nnef1::Container> container,
                                                              nnef1::LoadOptions options);

  const std::string& name() const { return container_->name(); }
  // The description with the extents of inputs().
  const nnef1::Graph& graph() const { return graph_; }
  const std::vector<FedInput>& inputs() const { return fed_model_.inputs; }
  const FedModel& fed_model() const { return fed_model_; }

  // The model with its data, for inputs of these extents, in the order of inputs(). Errors: E6 if they have another
  // rank than declared, or extents that break the graph; what is wrong with the data.
  absl::StatusOr<nnef1::Model> Load(const std::vector<nnef1::Extents>& fed) const;
  // For inputs as declared.
  absl::StatusOr<nnef1::Model> Load() const;

  // The container, to be used in place of the object.
  std::unique_ptr<nnef1::Container> TakeContainer() { return std::move(container_); }

 private:
  Nnef1ModelFile(std::unique_ptr<nnef1::Container> container, nnef1::LoadOptions options, nnef1::Graph graph);

  std::unique_ptr<nnef1::Container> container_;
  const nnef1::LoadOptions options_;
  const nnef1::Graph graph_;
  FedModel fed_model_;
};

}  // namespace xla

#endif  // TOOLS_NNEF1_MODEL_FILE_H_
