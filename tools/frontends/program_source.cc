#include "tools/frontends/program_source.h"

#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdint>
#include <utility>

#include "tools/shared/program_contents.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

constexpr char kStandardInput[] = "-";

}  // namespace

ProgramSource::ProgramSource(std::string path)
    : path_(std::move(path)), name_(is_standard_input() ? "<standard input>" : path_) {}

ProgramSource ProgramSource::PartOf(const ProgramSource& whole, absl::string_view text) {
  ProgramSource part(whole.path());
  part.text_ = text;
  return part;
}

bool ProgramSource::is_standard_input() const { return path_ == kStandardInput; }

bool ProgramSource::is_folder() const {
  struct stat info;
  return !is_standard_input() && stat(path_.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

absl::StatusOr<absl::string_view> ProgramSource::Contents() const {
  if (text_.has_value()) return *text_;
  if (contents_ == nullptr) {
    ASSIGN_OR_RETURN(contents_, ReadProgramContents(path_));
  }
  return contents_->data();
}

// Pages of memory that is private to the process are zeros again when they are read next. What standard input has is
// kept for whoever reads it again.
void ProgramSource::Release(absl::string_view part) const {
  if (text_.has_value() || contents_ == nullptr || is_standard_input()) return;
  const auto page = static_cast<uintptr_t>(sysconf(_SC_PAGESIZE));
  const uintptr_t begin = (reinterpret_cast<uintptr_t>(part.data()) + page - 1) / page * page;
  const uintptr_t end = reinterpret_cast<uintptr_t>(part.data() + part.size()) / page * page;
  if (begin < end) madvise(reinterpret_cast<void*>(begin), end - begin, MADV_DONTNEED);
}

}  // namespace xla
