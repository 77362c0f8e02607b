#include "bindings/pjrt/rendezvous.h"

#include <arpa/inet.h>
#include <netdb.h>
#include <sys/socket.h>
#include <unistd.h>

#include <climits>
#include <cstring>
#include <string>

#include "absl/cleanup/cleanup.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "bindings/pjrt/client_state.h"
#include "bindings/pjrt/error.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace pjrt {
namespace {

// How long to wait for what another process leaves in the store.
constexpr int kTimeoutMilliseconds = 120000;

PJRT_CallbackError callback_error = &MakeCallbackError;

absl::Status Put(const KeyValueStore& store, const std::string& key, const std::string& value) {
  PJRT_KeyValuePutCallback_Args args = {};
  args.struct_size = sizeof(args);
  args.key = key.data();
  args.key_size = key.size();
  args.value = value.data();
  args.value_size = value.size();
  args.callback_error = &callback_error;
  args.user_arg = store.put_arg;
  return TakeError(store.put(&args));
}

// Waits until there is a value.
absl::StatusOr<std::string> Get(const KeyValueStore& store, const std::string& key) {
  PJRT_KeyValueGetCallback_Args args = {};
  args.struct_size = sizeof(args);
  args.key = key.data();
  args.key_size = key.size();
  args.timeout_in_ms = kTimeoutMilliseconds;
  args.callback_error = &callback_error;
  args.user_arg = store.get_arg;
  RETURN_IF_ERROR(TakeError(store.get(&args)));
  std::string value(args.value, args.value_size);
  if (args.value_deleter_callback != nullptr) args.value_deleter_callback(args.value);
  return value;
}

// A port that was free a moment ago. 0 if there is none.
int FreePort() {
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (listener < 0) return 0;
  const auto close_listener = absl::MakeCleanup([listener] { close(listener); });
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  socklen_t size = sizeof(address);
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (bind(listener, generic, size) != 0 || getsockname(listener, generic, &size) != 0) return 0;
  return ntohs(address.sin_port);
}

// The name of this host if it can be resolved, else the host itself.
std::string HostName() {
  char name[HOST_NAME_MAX + 1] = {};
  if (gethostname(name, HOST_NAME_MAX) != 0) return "localhost";
  addrinfo* found = nullptr;
  if (getaddrinfo(name, nullptr, nullptr, &found) != 0) return "localhost";
  freeaddrinfo(found);
  return name;
}

absl::StatusOr<std::string> OwnRendezvous(const BackendSettings& settings) {
  const int port = FreePort();
  if (port == 0) return absl::UnavailableError("no TCP port is free for the processes to meet at");
  const auto host = settings.find("host_name");
  return absl::StrCat("tcp:", host == settings.end() ? HostName() : host->second, ":", port);
}

std::string DeviceCountKey(int64_t process) { return absl::StrCat("halo/device_count/", process); }

absl::Status CheckDeviceCounts(const ClientSettings& client, const KeyValueStore& store) {
  const std::string own = absl::StrCat(client.device_count);
  RETURN_IF_ERROR(Put(store, DeviceCountKey(client.process_index), own));
  for (int64_t process = 0; process < client.process_count; ++process) {
    ASSIGN_OR_RETURN(const std::string count, Get(store, DeviceCountKey(process)));
    if (count == own) continue;
    return absl::InvalidArgumentError(absl::StrCat("process ", process, " has ", count, " devices, process ",
                                                   client.process_index, " has ", own,
                                                   "; set the option device_count to the same in all processes"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status AgreeOnRendezvous(const ClientSettings& client, const KeyValueStore& store, BackendSettings* settings) {
  if (store.get == nullptr || store.put == nullptr) {
    return absl::InvalidArgumentError(absl::StrCat(
        "the client has ", client.process_count,
        " processes, and no key-value store for them to find each other; call jax.distributed.initialize"));
  }
  RETURN_IF_ERROR(CheckDeviceCounts(client, store));
  if (settings->count("rendezvous") > 0) return absl::OkStatus();
  constexpr absl::string_view kKey = "halo/rendezvous";
  if (client.process_index == 0) {
    ASSIGN_OR_RETURN(const std::string own, OwnRendezvous(*settings));
    RETURN_IF_ERROR(Put(store, std::string(kKey), own));
    (*settings)["rendezvous"] = own;
    return absl::OkStatus();
  }
  ASSIGN_OR_RETURN((*settings)["rendezvous"], Get(store, std::string(kKey)));
  return absl::OkStatus();
}

}  // namespace pjrt
}  // namespace xla
