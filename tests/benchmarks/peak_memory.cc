#include "tests/benchmarks/peak_memory.h"

#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "builders/stablehlo/parse_stablehlo.h"
#include "tools/frontends/program_source.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/files.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

// As the tools read it, which give back what has been copied.
absl::Status ReadStableHlo(const std::string& path) {
  const ProgramSource source(path);
  ASSIGN_OR_RETURN(const absl::string_view contents, source.Contents());
  StableHloOptions options;
  options.on_copied = [&source](absl::string_view part) { source.Release(part); };
  return ParseStableHlo(contents, options).status();
}

absl::Status ReadModule(const std::string& path) {
  if (absl::EndsWith(path, ".mlirbc")) return ReadStableHlo(path);
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  if (DetectHloFormat(file.data()) == HloFileFormat::kHloText) return ParseHloModule(file.data()).status();
  return ReadHloProto(file.data()).status();
}

}  // namespace

int ReadAndPrintPeak(const std::string& path) {
  const absl::Status status = ReadModule(path);
  if (!status.ok()) {
    std::fprintf(stderr, "%s\n", status.ToString().c_str());
    return 1;
  }
  rusage usage;
  getrusage(RUSAGE_SELF, &usage);
  std::printf("%lld\n", static_cast<long long>(usage.ru_maxrss) * 1024);
  return 0;
}

absl::StatusOr<int64_t> PeakBytesOfReading(const std::string& path) {
  char self[4096];
  const ssize_t length = readlink("/proc/self/exe", self, sizeof(self));
  if (length <= 0) return absl::UnavailableError("cannot find this program's own file");
  const std::string command = absl::StrCat("'", absl::string_view(self, length), "' '--read-only=", path, "'");
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) return absl::UnavailableError("cannot start this program again");
  char line[64] = {};
  const bool got_line = std::fgets(line, sizeof(line), output) != nullptr;
  int64_t bytes = 0;
  if (pclose(output) != 0 || !got_line || !absl::SimpleAtoi(absl::StripSuffix(line, "\n"), &bytes)) {
    return absl::UnavailableError(absl::StrCat("reading ", path, " in another process failed"));
  }
  return bytes;
}

}  // namespace xla
