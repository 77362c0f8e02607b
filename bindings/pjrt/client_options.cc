#include "bindings/pjrt/client_options.h"

#include <set>
#include <utility>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

constexpr char kClientSetting[] = "client-setting.";
constexpr char kKnownOptions[] =
    "backend, cache, client-setting.NAME, device_count, platform_name, threads; of jax.distributed: node_id, "
    "num_nodes, "
    "partition_index";
constexpr int64_t kMostThreads = 1024;
constexpr int64_t kMostProcesses = 1 << 20;

absl::Status OptionError(absl::string_view name, absl::string_view expected, absl::string_view got) {
  return absl::InvalidArgumentError(
      absl::StrCat("the option ", name, " of the client must be ", expected, ", got ", got));
}

// The value as text, whatever its type.
absl::StatusOr<std::string> TextOf(absl::string_view name, const PJRT_NamedValue& value) {
  switch (value.type) {
    case PJRT_NamedValue_kString:
      if (value.value_size > 0 && value.string_value == nullptr) return OptionError(name, "a text", "NULL");
      return std::string(value.value_size > 0 ? value.string_value : "", value.value_size);
    case PJRT_NamedValue_kInt64:
      return absl::StrCat(value.int64_value);
    case PJRT_NamedValue_kFloat:
      return absl::StrCat(value.float_value);
    case PJRT_NamedValue_kBool:
      return std::string(value.bool_value ? "true" : "false");
    case PJRT_NamedValue_kInt64List:
      return OptionError(name, "a text or a number", "a list of integers");
  }
  return OptionError(name, "a text or a number", absl::StrCat("a value of type ", static_cast<int>(value.type)));
}

absl::Status ReadNumber(absl::string_view name, const std::string& text, int64_t least, int64_t most, int64_t* out) {
  if (absl::SimpleAtoi(text, out) && *out >= least && *out <= most) return absl::OkStatus();
  return OptionError(name, absl::StrCat("a number from ", least, " to ", most), absl::StrCat("'", text, "'"));
}

absl::Status ReadName(absl::string_view name, const std::string& text, std::string* out) {
  if (text.empty()) return OptionError(name, "a name", "''");
  *out = text;
  return absl::OkStatus();
}

absl::Status ReadOption(absl::string_view name, const std::string& text, ClientSettings* settings) {
  if (name == "backend") return ReadName(name, text, &settings->backend);
  if (name == "platform_name") return ReadName(name, text, &settings->platform_name);
  if (name == "device_count") return ReadNumber(name, text, 1, 4096, &settings->device_count);
  if (name == "threads") return ReadNumber(name, text, 0, kMostThreads, &settings->threads);
  if (name == "num_nodes") return ReadNumber(name, text, 1, kMostProcesses, &settings->process_count);
  if (name == "node_id") return ReadNumber(name, text, 0, kMostProcesses, &settings->process_index);
  if (name == "partition_index") return absl::OkStatus();  // says nothing that node_id does not say
  if (name == "cache") {
    settings->cache = text;
    return absl::OkStatus();
  }
  if (absl::ConsumePrefix(&name, kClientSetting)) {
    settings->client_settings[std::string(name)] = text;
    return absl::OkStatus();
  }
  return absl::InvalidArgumentError(
      absl::StrCat("the client has no option '", name, "'; the options are ", kKnownOptions));
}

absl::Status CheckProcesses(const ClientSettings& settings) {
  if (settings.process_index < settings.process_count) return absl::OkStatus();
  return OptionError("node_id", absl::StrCat("less than num_nodes, ", settings.process_count),
                     absl::StrCat(settings.process_index));
}

}  // namespace

absl::StatusOr<ClientSettings> ReadClientOptions(const PJRT_NamedValue* options, size_t count) {
  ClientSettings settings;
  std::set<std::string> names;
  if (count > 0 && options == nullptr) return absl::InvalidArgumentError("the list of the client's options is NULL");
  for (size_t i = 0; i < count; ++i) {
    const PJRT_NamedValue& option = options[i];
    if (option.name == nullptr) return absl::InvalidArgumentError(absl::StrCat("option ", i, " has no name"));
    const std::string name(option.name, option.name_size);
    if (!names.insert(name).second) {
      return absl::InvalidArgumentError(absl::StrCat("the option ", name, " of the client is given twice"));
    }
    ASSIGN_OR_RETURN(const std::string text, TextOf(name, option));
    RETURN_IF_ERROR(ReadOption(name, text, &settings));
  }
  RETURN_IF_ERROR(CheckProcesses(settings));
  return settings;
}

std::string SettingsText(const ClientSettings& settings) {
  std::string text = absl::StrCat("platform_name=", settings.platform_name, "\nbackend=", settings.backend,
                                  "\ndevice_count=", settings.device_count, "\nthreads=", settings.threads,
                                  "\ncache=", settings.cache);
  for (const auto& [name, value] : settings.client_settings) {
    absl::StrAppend(&text, "\n", kClientSetting, name, "=", value);
  }
  return text;
}

absl::StatusOr<ClientSettings> ReadSettingsText(const std::string& text) {
  ClientSettings settings;
  for (const absl::string_view line : absl::StrSplit(text, '\n')) {
    const std::pair<std::string, std::string> option = absl::StrSplit(line, absl::MaxSplits('=', 1));
    RETURN_IF_ERROR(ReadOption(option.first, option.second, &settings));
  }
  return settings;
}

}  // namespace pjrt
}  // namespace xla
