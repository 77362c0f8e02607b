// Reads StableHLO's portable artifacts: MLIR bytecode, versions 0 to 6, with VHLO of any version since 0.9.0.
//
// What is read is what today's StableHLO text would say: operations and attributes of older versions are those of
// today's. Whether an operation's types and attributes fit together is for the verification. Errors are
// InvalidArgument with the offset in the file and the section: "f.mlirbc: offset 12 in section 4 (IR): expected ...".
// No input makes the reader crash, hang, or take memory or time out of proportion to the file.
#ifndef BUILDERS_STABLEHLO_BYTECODE_READER_H_
#define BUILDERS_STABLEHLO_BYTECODE_READER_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "builders/stablehlo/ir/module.h"
#include "xla_core/support/resource_context.h"

namespace xla {
namespace stablehlo {

struct BytecodeOptions {
  std::string file_name;  // for messages
  // Limits of the work; nullptr: none.
  const ResourceContext* resources = nullptr;
};

// Whether `contents` begins as MLIR bytecode does.
bool IsBytecode(absl::string_view contents);

// `file` outlives the module, whose constants refer to it.
absl::StatusOr<std::unique_ptr<Module>> ReadBytecode(absl::string_view file, const BytecodeOptions& options = {});

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_BYTECODE_READER_H_
