#include "tests/benchmarks/peak_memory.h"

#include <unistd.h>

#include <cstdio>
#include <fstream>

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
  if (absl::EndsWith(path, ".mlirbc") || absl::EndsWith(path, ".mlir")) return ReadStableHlo(path);
  ASSIGN_OR_RETURN(const FileContents file, ReadFile(path));
  if (DetectHloFormat(file.data()) == HloFileFormat::kHloText) return ParseHloModule(file.data()).status();
  return ReadHloProto(file.data()).status();
}

// A number of /proc/self/status in bytes. Not getrusage: its peak counts what the process that this one was forked from
// held.
absl::StatusOr<int64_t> OwnBytes(absl::string_view what) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    absl::string_view rest = line;
    if (!absl::ConsumePrefix(&rest, what) || !absl::ConsumePrefix(&rest, ":")) continue;
    int64_t kilobytes = 0;
    if (absl::SimpleAtoi(absl::StripSuffix(rest, "kB"), &kilobytes)) return kilobytes * 1024;
  }
  return absl::UnavailableError(absl::StrCat("/proc/self/status does not say ", what));
}

absl::StatusOr<int64_t> PeakBytesBeyondStart(const std::string& path) {
  ASSIGN_OR_RETURN(const int64_t start, OwnBytes("VmRSS"));
  RETURN_IF_ERROR(ReadModule(path));
  ASSIGN_OR_RETURN(const int64_t peak, OwnBytes("VmHWM"));
  return peak - start;
}

}  // namespace

int ReadAndPrintPeak(const std::string& path) {
  const absl::StatusOr<int64_t> bytes = PeakBytesBeyondStart(path);
  if (!bytes.ok()) {
    std::fprintf(stderr, "%s\n", bytes.status().ToString().c_str());
    return 1;
  }
  std::printf("%lld\n", static_cast<long long>(*bytes));
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
