#include "tools/optimizing/pass_dump.h"

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "tools/views/view_flags.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/files.h"
#include "xla_core/support/folders.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

constexpr size_t kMaxNamePart = 100;

}  // namespace

std::string FileNamePart(absl::string_view name) {
  std::string part;
  for (const char c : name.substr(0, kMaxNamePart)) {
    part += absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '-' || c == '_' || (c == '.' && !part.empty())
                ? c
                : '_';
  }
  return part.empty() ? "module" : part;
}

PassDump::PassDump(const PassFlags& flags, const std::string& filter, const ResourceContext& resources)
    : folder_(flags.xla_dump_to.empty() ? flags.dump_folder : flags.xla_dump_to),
      is_xla_(!flags.xla_dump_to.empty()),
      dumps_passes_(!is_xla_ || !flags.xla_dump_pass_re.empty()),
      metadata_(!flags.xla_dump_without_metadata),
      elide_(is_xla_ && !flags.xla_dump_large_constants),
      pipeline_(flags.pipeline.empty() ? "passes" : flags.pipeline),
      filter_(filter, RE2::Quiet),
      resources_(resources),
      forms_({{is_xla_ ? "txt" : "hlo", Text}}) {
  if (flags.xla_dump_proto) forms_.push_back({"hlo.pb", Proto});
  if (flags.xla_dump_dot) forms_.push_back({"dot", Dot});
  if (flags.xla_dump_html) forms_.push_back({"html", Html});
}

absl::StatusOr<std::unique_ptr<PassDump>> PassDump::Create(const PassFlags& flags, const ResourceContext& resources) {
  if (flags.dump_folder.empty() && flags.xla_dump_to.empty()) {
    if (flags.dump_filter.empty()) return std::unique_ptr<PassDump>();
    return absl::InvalidArgumentError("--dump-filter needs --dump-each-pass=DIR");
  }
  std::unique_ptr<PassDump> dump(
      new PassDump(flags, flags.xla_dump_to.empty() ? flags.dump_filter : flags.xla_dump_pass_re, resources));
  if (!dump->filter_.ok()) {
    return absl::InvalidArgumentError(
        absl::StrCat("'", dump->filter_.pattern(), "' is no regular expression: ", dump->filter_.error()));
  }
  RETURN_IF_ERROR(MakeFolder(dump->folder_));
  return dump;
}

absl::StatusOr<std::string> PassDump::Text(const HloModule& module, const PassDump& dump) {
  PrintOptions options;
  options.metadata = dump.metadata_;
  options.elide_large_constants = dump.elide_;
  return PrintModule(module, options, &dump.resources_);
}

absl::StatusOr<std::string> PassDump::Proto(const HloModule& module, const PassDump& dump) {
  return WriteHloProto(module, ProtoEncoding::kBinary, HloProtoKind::kModule, &dump.resources_);
}

absl::StatusOr<std::string> PassDump::Dot(const HloModule& module, const PassDump& dump) {
  ViewOptions options;
  options.resources = &dump.resources_;
  return ModuleAsView(module, "dot", options);
}

absl::StatusOr<std::string> PassDump::Html(const HloModule& module, const PassDump& dump) {
  ViewOptions options;
  options.resources = &dump.resources_;
  return ModuleAsView(module, "html", options);
}

std::string PassDump::Stem(const HloModule& module, int64_t module_number) const {
  const std::string name = FileNamePart(module.name());
  if (is_xla_) return absl::StrFormat("module_%04d.%s", module_number, name);
  return module_number == 0 ? name : absl::StrFormat("%s.module_%04d", name, module_number);
}

absl::Status PassDump::Write(const HloModule& module, const std::string& stem) const {
  for (const Form& form : forms_) {
    ASSIGN_OR_RETURN(const std::string contents, form.write(module, *this));
    RETURN_IF_ERROR(WriteFile(absl::StrCat(folder_, "/", stem, ".", form.extension), contents));
  }
  return absl::OkStatus();
}

absl::Status PassDump::BeforePasses(const HloModule& module, int64_t module_number) const {
  const std::string stem = Stem(module, module_number);
  return Write(module, absl::StrCat(stem, is_xla_ ? ".before_optimizations" : ".0000.before_passes"));
}

absl::Status PassDump::AfterPass(const HloModule& module, int64_t module_number, const std::string& pass,
                                 int64_t run) const {
  if (!dumps_passes_ || !RE2::PartialMatch(pass, filter_)) return absl::OkStatus();
  return Write(module, absl::StrFormat("%s.%04d%s.after_%s", Stem(module, module_number), run,
                                       is_xla_ ? absl::StrCat(".", pipeline_) : "", FileNamePart(pass)));
}

absl::Status PassDump::AfterPasses(const HloModule& module, int64_t module_number) const {
  if (!is_xla_) return absl::OkStatus();
  return Write(module, absl::StrCat(Stem(module, module_number), ".after_optimizations"));
}

}  // namespace xla
