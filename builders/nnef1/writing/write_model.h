// Writing: models as folders, and programs in HLO as models.
#ifndef BUILDERS_NNEF1_WRITING_WRITE_MODEL_H_
#define BUILDERS_NNEF1_WRITING_WRITE_MODEL_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "builders/nnef1/model/model.h"
#include "xla_core/ir/hlo_module.h"

namespace xla {
namespace nnef1 {

// The folder of a model: graph.nnef as a flat document, a tensor file for each label, graph.quant if there is something
// to say in it. The folder is made if it is missing, the description is written last. Errors: Unimplemented for a
// quantisation by a fragment, which a flat document does not have; InvalidArgument for data that tensor files cannot
// hold; those of writing files.
absl::Status WriteModel(const Model& model, const std::string& folder);

// The text of graph.quant; "" if there is nothing to say.
absl::StatusOr<std::string> WriteQuantization(const Model& model);

// A model that computes what the entry computation does. Its inputs have the names of the parameters and its outputs
// those of the results, as far as NNEF can spell them; small constants are `constant`, others variables. Gathered
// indices out of range, which HLO clamps, are an error in NNEF. Errors: Unimplemented, with the instruction, for what
// NNEF cannot say: types but one float type, s64 and pred, arrays without elements, loops, sorting, ...
absl::StatusOr<Model> ModelFromHlo(const HloModule& module);

}  // namespace nnef1
}  // namespace xla

#endif  // BUILDERS_NNEF1_WRITING_WRITE_MODEL_H_
