#include "tests/conformance/backend_variants.h"

#include <utility>

#include "absl/status/status.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "tools/shared/run_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::StatusOr<std::vector<int>> ReadNumbers(absl::string_view flag, absl::string_view list, int least, int most) {
  std::vector<int> numbers;
  for (const absl::string_view text : absl::StrSplit(list, ',')) {
    int number = 0;
    if (!absl::SimpleAtoi(text, &number) || number < least || number > most) {
      return absl::InvalidArgumentError(
          absl::StrCat("--", flag, ": expected numbers from ", least, " to ", most, ", like 1,2, got '", list, "'"));
    }
    numbers.push_back(number);
  }
  return numbers;
}

}  // namespace

std::string BackendVariant::Text() const {
  const std::string with = absl::StrJoin(settings, ",", absl::PairFormatter("="));
  const std::string in = processes == 1 ? "" : absl::StrCat(processes, " processes with ");
  return absl::StrCat(in, threads, threads == 1 ? " thread" : " threads", " at level ", optimization_level,
                      with.empty() ? "" : " with ", with);
}

absl::StatusOr<std::vector<BackendVariant>> ReadVariants(absl::string_view threads, absl::string_view levels,
                                                         const std::vector<std::string>& settings,
                                                         const std::vector<std::string>& client_settings) {
  constexpr int kMostThreads = 1024;
  ASSIGN_OR_RETURN(const std::vector<int> counts, ReadNumbers("backend-threads", threads, 1, kMostThreads));
  ASSIGN_OR_RETURN(const std::vector<int> efforts, ReadNumbers("levels", levels, 0, 2));
  BackendSettings read;
  RETURN_IF_ERROR(ReadBackendSettings(settings, "--setting", &read));
  BackendSettings of_client;
  RETURN_IF_ERROR(ReadBackendSettings(client_settings, "--client-setting", &of_client));
  std::vector<BackendVariant> variants;
  for (const int level : efforts) {
    for (const int count : counts) variants.push_back({count, level, /*processes=*/1, read, of_client});
  }
  return variants;
}

absl::StatusOr<std::vector<int>> ReadProcessCounts(absl::string_view list) {
  constexpr int kMostProcesses = 64;
  return ReadNumbers("processes", list, 1, kMostProcesses);
}

std::vector<BackendVariant> WithProcesses(const std::vector<BackendVariant>& variants,
                                          const std::vector<int>& processes, int64_t devices) {
  std::vector<int> fitting;
  for (const int count : processes) {
    if (devices % count == 0) fitting.push_back(count);
  }
  if (fitting.empty()) fitting.push_back(1);
  std::vector<BackendVariant> result;
  for (const int count : fitting) {
    for (BackendVariant variant : variants) {
      variant.processes = count;
      result.push_back(std::move(variant));
    }
  }
  return result;
}

void AddCheckedVariant(absl::string_view backend, size_t like, std::vector<BackendVariant>* variants) {
  if (backend != "cpu") return;
  BackendVariant checked = (*variants)[like];
  checked.settings["poison-memory"] = "true";
  checked.settings["verify-plan"] = "true";
  variants->push_back(std::move(checked));
}

}  // namespace xla
