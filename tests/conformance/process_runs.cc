#include "tests/conformance/process_runs.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "absl/strings/str_cat.h"
#include "tools/processes/field_list.h"
#include "xla_core/support/check.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

struct Child {
  pid_t id = -1;
  int results = -1;  // to read from; -1: at its end
  std::string bytes;
};

std::string Encode(const absl::StatusOr<ProcessPart>& part) {
  FieldListWriter fields;
  fields.Number(static_cast<int64_t>(part.status().code()));
  fields.Text(part.status().message());
  if (!part.ok()) return fields.TakeBytes();
  fields.Number(part->compile_report.native_instructions);
  fields.Number(static_cast<int64_t>(part->compile_report.fallbacks.size()));
  for (const Fallback& fallback : part->compile_report.fallbacks) {
    fields.Text(fallback.opcode);
    fields.Text(fallback.reason);
    fields.Number(fallback.count);
  }
  fields.Number(static_cast<int64_t>(part->results.size()));
  for (const Literal& result : part->results) fields.Value(result);
  return fields.TakeBytes();
}

absl::StatusOr<ProcessPart> Decode(absl::string_view bytes) {
  FieldListReader fields(bytes);
  ASSIGN_OR_RETURN(const int64_t code, fields.Number());
  ASSIGN_OR_RETURN(const absl::string_view message, fields.Text());
  if (code != 0) return absl::Status(static_cast<absl::StatusCode>(code), message);
  ProcessPart part;
  ASSIGN_OR_RETURN(part.compile_report.native_instructions, fields.Number());
  ASSIGN_OR_RETURN(const int64_t fallback_count, fields.Number());
  for (int64_t i = 0; i < fallback_count; ++i) {
    Fallback fallback;
    ASSIGN_OR_RETURN(const absl::string_view opcode, fields.Text());
    ASSIGN_OR_RETURN(const absl::string_view reason, fields.Text());
    ASSIGN_OR_RETURN(fallback.count, fields.Number());
    fallback.opcode = std::string(opcode);
    fallback.reason = std::string(reason);
    part.compile_report.fallbacks.push_back(std::move(fallback));
  }
  ASSIGN_OR_RETURN(const int64_t result_count, fields.Number());
  for (int64_t i = 0; i < result_count; ++i) {
    ASSIGN_OR_RETURN(Literal result, fields.Value());
    part.results.push_back(std::move(result));
  }
  return part;
}

[[noreturn]] void Work(const std::function<absl::StatusOr<ProcessPart>(const ProcessPlace& place)>& work,
                       const ProcessPlace& place, int results) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  const std::string bytes = Encode(work(place));
  absl::string_view rest = bytes;
  while (!rest.empty()) {
    const ssize_t written = write(results, rest.data(), rest.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    rest.remove_prefix(static_cast<size_t>(written));
  }
  _exit(0);
}

// What each of them writes until it ends.
void ReadAll(std::vector<Child>& children) {
  while (true) {
    std::vector<pollfd> descriptors;
    std::vector<Child*> open;
    for (Child& child : children) {
      if (child.results < 0) continue;
      descriptors.push_back({child.results, POLLIN, 0});
      open.push_back(&child);
    }
    if (open.empty()) return;
    if (poll(descriptors.data(), descriptors.size(), -1) < 0) continue;
    for (size_t i = 0; i < open.size(); ++i) {
      if (descriptors[i].revents == 0) continue;
      char buffer[65536];
      const ssize_t got = read(open[i]->results, buffer, sizeof(buffer));
      if (got > 0) {
        open[i]->bytes.append(buffer, static_cast<size_t>(got));
      } else if (got == 0 || errno != EINTR) {
        close(open[i]->results);
        open[i]->results = -1;
      }
    }
  }
}

absl::StatusOr<ProcessPart> ResultOf(const Child& child, size_t rank) {
  int status = 0;
  CHECK(waitpid(child.id, &status, 0) == child.id);
  if (WIFSIGNALED(status)) {
    return absl::InternalError(
        absl::StrCat("rank ", rank, " crashed with signal ", WTERMSIG(status), " (", strsignal(WTERMSIG(status)), ")"));
  }
  return Decode(child.bytes);
}

bool IsNewsOfAnother(const absl::Status& status) { return absl::IsAborted(status) || absl::IsUnavailable(status); }

}  // namespace

absl::StatusOr<ProcessPart> RunInProcesses(
    int count, const std::function<absl::StatusOr<ProcessPart>(const ProcessPlace& place)>& work) {
  const char* const parent = std::getenv("TEST_TMPDIR");
  std::string folder = absl::StrCat(parent != nullptr ? parent : "/tmp", "/halo-conformance-XXXXXX");
  if (mkdtemp(&folder[0]) == nullptr) {
    return absl::UnavailableError(absl::StrCat("cannot make the folder ", folder, ": ", std::strerror(errno)));
  }
  ProcessPlace place;
  place.count = count;
  if (count > 1) place.rendezvous = absl::StrCat("file:", folder);
  place.launch_token = folder;
  std::vector<Child> children;
  for (place.index = 0; place.index < count; ++place.index) {
    int results[2];
    CHECK(pipe2(results, O_CLOEXEC) == 0);
    Child child;
    child.id = fork();
    CHECK(child.id >= 0);
    if (child.id == 0) Work(work, place, results[1]);
    close(results[1]);
    child.results = results[0];
    children.push_back(std::move(child));
  }
  ReadAll(children);
  std::error_code ignored;
  std::filesystem::remove_all(folder, ignored);
  ProcessPart whole;
  absl::Status error;
  for (size_t rank = 0; rank < children.size(); ++rank) {
    absl::StatusOr<ProcessPart> part = ResultOf(children[rank], rank);
    if (!part.ok()) {
      if (error.ok() || (IsNewsOfAnother(error) && !IsNewsOfAnother(part.status()))) error = part.status();
      continue;
    }
    if (rank == 0) whole.compile_report = std::move(part->compile_report);
    for (Literal& result : part->results) whole.results.push_back(std::move(result));
  }
  RETURN_IF_ERROR(error);
  return whole;
}

}  // namespace xla
