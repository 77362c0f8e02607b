// Programs from files of any format that the tools read: those of HLO and those of frontends.
#ifndef TOOLS_READ_PROGRAM_H_
#define TOOLS_READ_PROGRAM_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "tools/shared/flag_table.h"
#include "tools/nnef1/program.h"
#include "xla_core/program_file/program_file.h"

namespace xla {

// Adds --frontend, which says how to read a program; "auto": its content tells.
void AddFrontendFlag(std::string* frontend, FlagTable* table);

// Adds the flags that say how to read a model of NNEF 1, to the current topic.
void AddNnef1ReadFlags(Nnef1ReadFlags* flags, FlagTable* table);

// Whether what is at `path` is a model of NNEF 1, which may be a folder or an archive, or is to be read as one, as
// `frontend`, the name or the content says.
bool IsNnef1(const std::string& path, const std::string& frontend);

// Such a model as a program, which refers to nothing of the model. Errors: those of Nnef1Program::Load.
absl::StatusOr<ProgramFile> ReadNnef1Program(const std::string& path, const Nnef1Flags& flags);

// The frontend for a file of this content: "hlo", or "webnn" for a graph in JSON. What `frontend` says, unless that is
// "auto".
std::string FrontendFor(absl::string_view contents, const std::string& frontend);

// Reads a program with the frontend that FrontendFor gives. `name` stands for the file in messages, and files that it
// names are looked for beside it. Errors: InvalidArgument, and those of reading such files.
absl::StatusOr<ProgramFile> ReadProgram(absl::string_view contents, const std::string& name,
                                        const std::string& frontend);

}  // namespace xla

#endif  // TOOLS_READ_PROGRAM_H_
