// The backend `replicated`: one client over the devices of one or several processes, each of which has a client of
// another backend for its own.
//
//   ClientOptions options;
//   options.device_count = 8;  // of all processes together
//   options.process_index = rank;
//   options.process_count = 2;
//   options.settings = {{"backend", "cpu"}, {"rendezvous", "tcp:10.0.0.1:5555"}, {"launch_token", job}};
//   ASSIGN_OR_RETURN(std::shared_ptr<Client> client, GetClient("replicated", options));  // waits for all processes
//
// ---- How it works
//
// *Devices* are divided evenly, in order: of 8 devices in 2 processes, process 1 has those with ids 4 to 7. devices()
// lists all of them, addressable_devices() those of this process: these are devices of the client below, with the same
// ids, and only they take buffers and run programs.
//
// *Compiling* happens once in each process, with CompileOptions::own_devices for the client below; every process must
// have a device of the program.
//
// *A launch* begins with all processes agreeing that they run the same program with the same options and seed
// (ProcessGroup::Begin); then each runs its own devices, which meet the others in the Collectives that Begin gives.
// Launches pair up by ExecuteOptions::launch_id or, without one, by their order. An asynchronous launch begins on a
// thread of its own when its arguments are ready. A launch that cannot run in this process, because an argument has
// failed for instance, still begins and then fails, so that the others learn of it at once.
//
// *In one process* launches go straight to the client below, in whose memory the devices meet; this backend only looks
// on where ExecuteOptions::report or `collective_timeout` asks for it.
//
// ---- ClientOptions::settings
//
//   backend             of the client below (cpu, if it is not given); its library must be linked or loaded
//   rendezvous          of several processes: where they find each other (ProcessGroupOptions::rendezvous)
//   launch_token        keeps jobs apart that meet at the same place
//   host_name           by which other processes reach this one: a name, an address or a network interface (eth0); found
//                       out if it is not given
//   connect_timeout     how long to wait for all processes: 60s, 1.5m, ... (60s, if it is not given)
//   collective_timeout  how long a device may wait at one collective (60s, if it is not given; in one process, where
//                       nothing can get lost, for ever)
//   backend.NAME        the setting NAME of the client below
#ifndef BACKENDS_REPLICATED_REPLICATED_CLIENT_H_
#define BACKENDS_REPLICATED_REPLICATED_CLIENT_H_

#include "backends/backend.h"
#include "backends/replicated/process_group.h"

namespace xla {

// What GetClient("replicated") gives.
class ReplicatedClient : public Client {
 public:
  // How this process reaches the others; nullptr if there are none. It lives as long as the client.
  virtual ProcessGroup* group() const = 0;
};

}  // namespace xla

#endif  // BACKENDS_REPLICATED_REPLICATED_CLIENT_H_
