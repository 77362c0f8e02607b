// Where a program is read from: a file, a folder, standard input, or text in memory.
#ifndef TOOLS_FRONTENDS_PROGRAM_SOURCE_H_
#define TOOLS_FRONTENDS_PROGRAM_SOURCE_H_

#include <memory>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "xla_core/support/files.h"

namespace xla {

class ProgramSource {
 public:
  // What is at `path`; "-": what standard input has. Nothing is read yet.
  explicit ProgramSource(std::string path);
  // Text that is part of `whole`, and is called like it. `text` outlives the object.
  static ProgramSource PartOf(const ProgramSource& whole, absl::string_view text);

  // As the user wrote it.
  const std::string& path() const { return path_; }
  // For messages: the path, or "<standard input>".
  const std::string& name() const { return name_; }
  bool is_standard_input() const;
  bool is_folder() const;

  // All bytes, read by the first call and kept. Errors: those of ReadFile, for a folder too.
  absl::StatusOr<absl::string_view> Contents() const;
  // Gives back the memory of a part of the contents, which is undefined from then on. Less than a page stays, a borrowed
  // part, and what standard input has.
  void Release(absl::string_view part) const;

 private:
  std::string path_;
  std::string name_;
  absl::optional<absl::string_view> text_;  // of a part
  mutable std::shared_ptr<const FileContents> contents_;
};

}  // namespace xla

#endif  // TOOLS_FRONTENDS_PROGRAM_SOURCE_H_
