// Programs from files of any format that Halo reads, distinguished by their content.
#ifndef XLA_CORE_PROGRAM_FILE_PROGRAM_FILE_H_
#define XLA_CORE_PROGRAM_FILE_PROGRAM_FILE_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Everything that a file brings. Text may hold several modules, all other formats hold one.
struct ProgramFile {
  std::string format;                               // "HLO text", "binary protobuf", ...
  std::vector<std::unique_ptr<HloModule>> modules;  // at least one; not verified
  std::vector<std::string> warnings;
  // What a snapshot brings: arguments, by device or for all of them, and what they gave.
  std::vector<std::vector<Literal>> arguments;
  absl::optional<Literal> result;
  // Where the format names what goes in and comes out: names for the parameters and for the elements of the result.
  std::vector<std::string> input_names;
  std::vector<std::string> output_names;
};

// Reads a program in whatever format `contents` has. `name` stands for it in messages. Errors: InvalidArgument;
// reaching a limit of `resources`, if there are any.
absl::StatusOr<ProgramFile> ParseProgram(absl::string_view contents, const std::string& name,
                                         const ResourceContext* resources = nullptr);

// The module that `choice` names or, if it is a number, the one at that place from 0; the only one if `choice` is
// empty. `option` is what the caller's user knows the choice by, for messages: "--module". InvalidArgument, with the
// names there are, if the name is unknown or ambiguous.
absl::StatusOr<HloModule*> ChooseModule(const ProgramFile& file, const std::string& choice, absl::string_view option);

}  // namespace xla

#endif  // XLA_CORE_PROGRAM_FILE_PROGRAM_FILE_H_
