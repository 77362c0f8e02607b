// PassDump: files with the module before and after passes.
#ifndef TOOLS_OPTIMIZING_PASS_DUMP_H_
#define TOOLS_OPTIMIZING_PASS_DUMP_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "re2/re2.h"
#include "tools/optimizing/pass_flags.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"

namespace xla {

// Letters, digits and what is harmless of `name`, at most 100 of them: a part of a file name.
std::string FileNamePart(absl::string_view name);

// Names sort in the order of the passes. With --dump-each-pass: m.0000.before_passes.hlo, m.0001.after_fold.hlo ...;
// with --xla_dump_to: module_0000.m.before_optimizations.txt, module_0000.m.0001.cpu.after_fold.txt,
// module_0000.m.after_optimizations.txt, and .hlo.pb, .dot, .html where they are asked for.
class PassDump {
 public:
  // nullptr if the flags ask for no dump. The folder is made. InvalidArgument: a regular expression is none;
  // errors of making the folder. `resources` are the limits of what is written, and outlive the dump.
  static absl::StatusOr<std::unique_ptr<PassDump>> Create(const PassFlags& flags, const ResourceContext& resources);

  // `module_number` counts the modules of a file from 0.
  absl::Status BeforePasses(const HloModule& module, int64_t module_number) const;
  absl::Status AfterPass(const HloModule& module, int64_t module_number, const std::string& pass, int64_t run) const;
  absl::Status AfterPasses(const HloModule& module, int64_t module_number) const;

 private:
  struct Form {
    const char* extension;
    absl::StatusOr<std::string> (*write)(const HloModule& module, const PassDump& dump);
  };

  PassDump(const PassFlags& flags, const std::string& filter, const ResourceContext& resources);
  std::string Stem(const HloModule& module, int64_t module_number) const;
  absl::Status Write(const HloModule& module, const std::string& stem) const;
  static absl::StatusOr<std::string> Text(const HloModule& module, const PassDump& dump);
  static absl::StatusOr<std::string> Proto(const HloModule& module, const PassDump& dump);
  static absl::StatusOr<std::string> Dot(const HloModule& module, const PassDump& dump);
  static absl::StatusOr<std::string> Html(const HloModule& module, const PassDump& dump);

  const std::string folder_;
  const bool is_xla_;
  const bool dumps_passes_;
  const bool metadata_;
  const bool elide_;
  const std::string pipeline_;
  const RE2 filter_;
  const ResourceContext& resources_;
  std::vector<Form> forms_;
};

}  // namespace xla

#endif  // TOOLS_OPTIMIZING_PASS_DUMP_H_
