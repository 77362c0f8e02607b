// Where the processes of a group find each other: a folder or a port, as options name them.
#ifndef BACKENDS_REPLICATED_TRANSPORT_MEETING_PLACE_H_
#define BACKENDS_REPLICATED_TRANSPORT_MEETING_PLACE_H_

#include <string>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"

namespace xla {
namespace transport {

// "file:DIR" or "tcp:HOST:PORT".
struct MeetingPlace {
  std::string folder;  // "": it is a port
  std::string host;
  int port = 0;

  static absl::StatusOr<MeetingPlace> Parse(const std::string& text);
};

// The address of the control channel, in a file of a folder; one for each launch token.
class AddressFile {
 public:
  // Makes the folder if it is not there.
  static absl::StatusOr<AddressFile> Open(const std::string& folder, const std::string& launch_token);

  // Takes the place of one that an earlier run has left. AlreadyExists if a process still listens there.
  absl::Status Write(const std::string& address) const;
  // "" if it is not there yet.
  std::string Read() const;
  void Remove() const;

 private:
  AddressFile(std::string folder, std::string path) : folder_(std::move(folder)), path_(std::move(path)) {}

  std::string folder_;
  std::string path_;
};

// The first IPv4 address of a host, else its first IPv6 address in brackets. NotFound if there is none.
absl::StatusOr<std::string> NumericAddress(const std::string& host);
// Of a network interface of this host, such as eth0; "": of the first one that is not the loopback.
absl::StatusOr<std::string> AddressOfInterface(const std::string& name);
// Of a network interface of this host, else of a host by its name or number.
absl::StatusOr<std::string> AddressOfHost(const std::string& host);
// Whether it is an address of this host.
bool IsLocalAddress(const std::string& numeric);
bool IsLoopback(const std::string& numeric);
// The address of this host from which it reaches another one.
absl::StatusOr<std::string> AddressToward(const std::string& numeric);
// The address of this host by its name, or the loopback's if the name has none.
std::string OwnAddress();
std::string OwnHostName();
// "[::1]" without the brackets.
std::string WithoutBrackets(const std::string& numeric);

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_MEETING_PLACE_H_
