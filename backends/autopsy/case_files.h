// The folder that an autopsy leaves.
#ifndef BACKENDS_AUTOPSY_CASE_FILES_H_
#define BACKENDS_AUTOPSY_CASE_FILES_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// Each file appears when it is complete, and replaces an older one. Errors: those of files.
class CaseFiles {
 public:
  // "": nothing is written. The folder is made with the first file, if it is not there.
  explicit CaseFiles(std::string folder) : folder_(std::move(folder)) {}

  std::string Path(absl::string_view name) const;
  // Removes what an earlier autopsy has left, and nothing of a folder that has no verdict of one.
  absl::Status RemoveOlder();
  absl::Status WriteVerdict(absl::string_view text);
  absl::Status WriteModule(absl::string_view name, const HloModule& module);
  // The arrays among the leaves of the values: arg0, arg1, ... of the prefix "arg".
  absl::Status WriteArrays(absl::string_view name, absl::string_view prefix, const std::vector<Literal>& values,
                           const ResourceContext* resources);
  // There is nothing to tell: removes the verdict, and the folder if it was made for it.
  void Forget();

 private:
  absl::Status MakeFolderOnce();

  const std::string folder_;
  bool has_folder_ = false;
  bool made_folder_ = false;
};

}  // namespace xla

#endif  // BACKENDS_AUTOPSY_CASE_FILES_H_
