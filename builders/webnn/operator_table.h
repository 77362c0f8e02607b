// The table of all operators. Its rows stand in ops/, one file for each group.
#ifndef BUILDERS_WEBNN_OPERATOR_TABLE_H_
#define BUILDERS_WEBNN_OPERATOR_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "builders/webnn/operator_definition.h"

namespace xla {
namespace webnn {

// By group, as listed in operator_table.cc.
absl::Span<const OperatorDefinition* const> AllOperators();

// nullptr if there is no operator of that name.
const OperatorDefinition* FindOperator(absl::string_view name);

// The same with a TypeError that names the nearest operator there is.
absl::StatusOr<const OperatorDefinition*> GetOperator(absl::string_view name);

}  // namespace webnn
}  // namespace xla

#endif  // BUILDERS_WEBNN_OPERATOR_TABLE_H_
