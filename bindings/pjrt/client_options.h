// The options of PJRT_Client_Create.
#ifndef BINDINGS_PJRT_CLIENT_OPTIONS_H_
#define BINDINGS_PJRT_CLIENT_OPTIONS_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "backends/options.h"
#include "bindings/pjrt/pjrt_api.h"

namespace xla {
namespace pjrt {

// What a client is made with. Values come as what they are or as text, because jaxlib passes options of the environment
// on as text.
struct ClientSettings {
  std::string platform_name = "halo";  // how JAX chooses lowerings; "cpu" gives those of its CPU
  std::string backend = "cpu";         // of Halo, by its name in the registry
  int64_t device_count = 1;            // of this process
  int64_t threads = 0;                 // 0: one for each CPU
  std::string cache;                   // a folder for compiled code; "": none
  BackendSettings client_settings;     // `client-setting.NAME`
  // Of jax.distributed: how many processes there are, and which one this is.
  int64_t process_count = 1;
  int64_t process_index = 0;
};

// InvalidArgument, naming the option and what is known or expected, if one is unknown, given twice or out of range.
absl::StatusOr<ClientSettings> ReadClientOptions(const PJRT_NamedValue* options, size_t count);

// Option by option as text that ReadSettingsText reads; the client's processes are left out.
std::string SettingsText(const ClientSettings& settings);
absl::StatusOr<ClientSettings> ReadSettingsText(const std::string& text);

}  // namespace pjrt
}  // namespace xla

#endif  // BINDINGS_PJRT_CLIENT_OPTIONS_H_
