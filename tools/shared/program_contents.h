// The bytes of the file that a program is read from.
#ifndef TOOLS_SHARED_PROGRAM_CONTENTS_H_
#define TOOLS_SHARED_PROGRAM_CONTENTS_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "xla_core/support/files.h"

namespace xla {

// What is in the file at `path`. Standard input ("-"), which gives its bytes only once, is kept for as long as the
// process lives, so that one can look at what it is and then read it. Errors: those of ReadFile.
absl::StatusOr<std::shared_ptr<const FileContents>> ReadProgramContents(const std::string& path);

}  // namespace xla

#endif  // TOOLS_SHARED_PROGRAM_CONTENTS_H_
