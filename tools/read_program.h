// Programs from files of any format that the tools read: those of HLO and those of frontends.
#ifndef TOOLS_READ_PROGRAM_H_
#define TOOLS_READ_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/flag_table.h"
#include "xla_core/program_file/program_file.h"

namespace xla {

// Adds --frontend, which says how to read a program; "auto": its content tells.
void AddFrontendFlag(std::string* frontend, FlagTable* table);

// The frontend for a file of this content: "hlo", or "webnn" for a graph in JSON. What `frontend` says, unless that is
// "auto".
std::string FrontendFor(absl::string_view contents, const std::string& frontend);

// Reads a program with the frontend that FrontendFor gives. `name` stands for the file in messages, and files that it
// names are looked for beside it. Errors: InvalidArgument, and those of reading such files.
absl::StatusOr<ProgramFile> ReadProgram(absl::string_view contents, const std::string& name,
                                        const std::string& frontend);

}  // namespace xla

#endif  // TOOLS_READ_PROGRAM_H_
