// Reads graphs from their JSON form, which docs/webnn_json.md describes, and its parts, for those who run operators
// from JSON one at a time.
//
// Values go through MLGraphBuilder::call, so that what a file says means what the same JavaScript means. An error of
// the builder keeps its kind and its rule; what is wrong with the file itself is InvalidArgument without either.
// Messages begin with the place: "model.webnn.json: operators[2]: conv2d: ...".
#ifndef BUILDERS_WEBNN_READ_GRAPH_JSON_H_
#define BUILDERS_WEBNN_READ_GRAPH_JSON_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/webnn/graph_builder.h"
#include "xla_core/support/files.h"
#include "xla_core/support/json.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace webnn {

// Whether a file of this content can be meant as a graph in JSON: no form of HLO begins with a brace.
bool LooksLikeGraphJson(absl::string_view contents);

// A graph that a file has told a builder.
struct JsonGraph {
  // For MLGraphBuilder::build, in the order of the file.
  Named<MLOperand> outputs;
  // Elements that the file gives for inputs: what to run it on, unless stated otherwise.
  Named<Literal> input_values;
};

// Adds the graph to the builder. `name` stands for the file in messages; files of weights are looked for beside it.
// ResourceExhausted: the arrays that the file gives elements for take more than `max_array_bytes` together, or than the
// memory that `resources` leave, which may be nullptr. Reaching another limit of those is an error, too.
absl::StatusOr<JsonGraph> ReadGraphJson(const JsonValue& json, const std::string& name, MLGraphBuilder& builder,
                                        int64_t max_array_bytes = DefaultMaxFileBytes(),
                                        const ResourceContext* resources = nullptr);

// The edition that the member "spec" of a graph or case asks for: "later", else the draft's. InvalidArgument for
// something else.
absl::StatusOr<MLEdition> EditionOfJson(const JsonValue& json, absl::string_view where);

// ---- Parts

// What a file has given names to.
struct JsonNames {
  absl::flat_hash_map<std::string, MLOperand> operands;
  absl::flat_hash_map<std::string, MLActivation> activations;
};

// {"dtype", "shape"}.
absl::StatusOr<MLOperandDescriptor> ReadDescriptor(const JsonValue& json, absl::string_view where);
// The elements for a descriptor that the object `json` has as "data" or "fill".
absl::StatusOr<Literal> ReadConstantElements(const MLOperandDescriptor& descriptor, const JsonValue& json,
                                             absl::string_view where, MLEdition edition);

// What JavaScript would have in place of a JSON value: null and objects are undefined.
MLValue ToMLValue(const JsonValue& json);

// {NAME: {"value": ...}, NAME: {"operand": NAME}, NAME: {"operands": [NAME, ...]},
//  NAME: {"activations": [{"name", "options"}, ...]}, NAME: {"activationRefs": [NAME, ...]}}
absl::StatusOr<Named<MLValue>> ReadArguments(const JsonValue* json, const JsonNames& names, MLGraphBuilder& builder,
                                             absl::string_view where);

// {"op", "args", "options"}: the results of the call.
absl::StatusOr<std::vector<MLOperand>> CallOperator(const JsonValue& json, const JsonNames& names,
                                                    MLGraphBuilder& builder, absl::string_view where);

// The same error, kind and rule included, with the place in front of its message.
absl::Status AtPlace(absl::string_view where, const absl::Status& status);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_READ_GRAPH_JSON_H_
