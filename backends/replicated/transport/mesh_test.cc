// Meshes of processes that are threads of one process, with strangers at their ports.
#include "backends/replicated/transport/mesh.h"

#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "backends/replicated/transport/mesh_handshake.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace transport {
namespace {

using ::testing::Each;
using ::testing::HasSubstr;

const std::string kSecret(kMeshSecretBytes, 's');

absl::Status KeepWaiting() { return absl::OkStatus(); }

std::vector<std::shared_ptr<Mesh>> MakeMeshes(int count) {
  std::vector<std::shared_ptr<Mesh>> meshes;
  for (int r = 0; r < count; ++r) meshes.push_back(*Mesh::Make(r, count, "127.0.0.1"));
  return meshes;
}

std::vector<std::string> AddressesOf(const std::vector<std::shared_ptr<Mesh>>& meshes) {
  std::vector<std::string> addresses;
  for (const auto& mesh : meshes) addresses.push_back(mesh->address());
  return addresses;
}

// What each of them says.
std::vector<std::string> OnAll(const std::vector<std::shared_ptr<Mesh>>& meshes,
                               const std::function<absl::Status(Mesh&, int)>& body) {
  std::vector<std::string> said(meshes.size());
  std::vector<std::thread> threads;
  for (size_t r = 0; r < meshes.size(); ++r) {
    threads.emplace_back([&, r] { said[r] = body(*meshes[r], static_cast<int>(r)).ToString(); });
  }
  for (std::thread& thread : threads) thread.join();
  return said;
}

absl::Status ConnectWithin(Mesh& mesh, const std::vector<std::string>& peers, absl::Duration time,
                           const std::string& secret = kSecret) {
  return mesh.Connect(peers, secret, absl::Now() + time, &KeepWaiting);
}

// Calls and says `bytes`, again and again.
class Stranger {
 public:
  Stranger(const std::string& address, std::string bytes)
      : endpoint_(*ParseAddress(address)), bytes_(std::move(bytes)), thread_([this] { Run(); }) {}
  ~Stranger() {
    stopping_ = true;
    thread_.join();
  }

 private:
  void Run() {
    std::vector<Socket> calls;
    while (!stopping_) {
      calls.emplace_back(socket(AF_INET, SOCK_STREAM, 0));
      const Socket& call = calls.back();
      if (connect(call.descriptor(), endpoint_.get(), endpoint_.size) == 0) {
        send(call.descriptor(), bytes_.data(), bytes_.size(), MSG_NOSIGNAL);
      }
      if (calls.size() > 100) calls.erase(calls.begin());
    }
  }

  const Endpoint endpoint_;
  const std::string bytes_;
  std::atomic<bool> stopping_{false};
  std::thread thread_;
};

TEST(MeshTest, CarriesMessagesBetweenAnyTwoAmongStrangers) {
  const auto meshes = MakeMeshes(4);
  const std::vector<std::string> peers = AddressesOf(meshes);
  std::vector<std::unique_ptr<Stranger>> strangers;
  for (const std::string& address : peers) {
    strangers.push_back(std::make_unique<Stranger>(address, ""));
    strangers.push_back(std::make_unique<Stranger>(address, std::string(4000, '\xff')));
    // A member of another group.
    strangers.push_back(std::make_unique<Stranger>(address, "halomesh" + std::string(16, 'x') + std::string(4, '\3')));
  }
  const auto said = OnAll(meshes, [&](Mesh& mesh, int rank) -> absl::Status {
    absl::Status status = ConnectWithin(mesh, peers, absl::Seconds(30));
    for (uint64_t slot = 1; slot < 200 && status.ok(); ++slot) {
      const Delivery delivery = slot % 2 == 0 ? Delivery::kAtOnce : Delivery::kWhenExpected;
      const std::string mine(slot * slot * 10, static_cast<char>(rank));
      std::vector<std::unique_ptr<Mesh::Transfer>> transfers;
      std::vector<std::string> rooms(4, std::string(mine.size(), 9));
      for (int r = 0; r < 4; ++r) {
        if (r == rank) continue;
        transfers.push_back(mesh.Send(r, slot, mine.data(), static_cast<int64_t>(mine.size()), delivery));
        transfers.push_back(mesh.Receive(r, slot, &rooms[r][0], static_cast<int64_t>(mine.size()), delivery));
      }
      for (const auto& transfer : transfers) {
        if (status.ok()) status = mesh.Wait(*transfer, &KeepWaiting);
      }
      for (int r = 0; r < 4 && status.ok(); ++r) {
        if (r != rank && rooms[r] != std::string(mine.size(), static_cast<char>(r))) {
          status = absl::InternalError("other bytes");
        }
      }
    }
    return status;
  });
  EXPECT_THAT(said, Each("OK"));
}

TEST(MeshTest, DoesNotTalkToOneThatKnowsAnotherSecret) {
  const auto meshes = MakeMeshes(2);
  const std::vector<std::string> peers = AddressesOf(meshes);
  const auto said = OnAll(meshes, [&](Mesh& mesh, int rank) {
    return ConnectWithin(mesh, peers, absl::Seconds(1), std::string(kMeshSecretBytes, static_cast<char>('a' + rank)));
  });
  EXPECT_EQ(said[0],
            "DEADLINE_EXCEEDED: rank 0 could not be connected with ranks 1 in time; allow the hosts each other's ports "
            "in the firewall");
  EXPECT_THAT(said[1], HasSubstr("UNAVAILABLE: rank 0 cannot be reached at 127.0.0.1:"));
}

TEST(MeshTest, SaysThatNobodyListens) {
  auto meshes = MakeMeshes(2);
  const std::vector<std::string> peers = AddressesOf(meshes);
  meshes[0].reset();
  EXPECT_EQ(ConnectWithin(*meshes[1], peers, absl::Seconds(30)),
            absl::UnavailableError(absl::StrCat("rank 0 cannot be reached at ", peers[0], ": Connection refused")));
}

TEST(MeshTest, EndsWaitingWhenItIsToldTo) {
  const auto meshes = MakeMeshes(2);
  const std::vector<std::string> peers = AddressesOf(meshes);
  const auto said = OnAll(meshes, [&](Mesh& mesh, int rank) -> absl::Status {
    absl::Status status = ConnectWithin(mesh, peers, absl::Seconds(30));
    if (!status.ok()) return status;
    char byte;
    const auto never = mesh.Receive(1 - rank, 7, &byte, 1, Delivery::kWhenExpected);
    const absl::Time end = absl::Now() + absl::Milliseconds(50);
    status = mesh.Wait(*never, [&] { return absl::Now() < end ? absl::OkStatus() : absl::CancelledError("enough"); });
    if (rank == 0) mesh.Close();
    return absl::IsCancelled(status) ? mesh.Wait(*never, &KeepWaiting) : status;
  });
  EXPECT_EQ(said[0], "UNAVAILABLE: the connections between the processes are closed");
  EXPECT_THAT(said[1], HasSubstr("UNAVAILABLE: the connection with rank 0 is lost: "));
}

TEST(MeshTest, MovesMessagesAtAGlance) {
  const auto meshes = MakeMeshes(2);
  const std::vector<std::string> peers = AddressesOf(meshes);
  const auto said = OnAll(meshes, [&](Mesh& mesh, int rank) -> absl::Status {
    absl::Status status = ConnectWithin(mesh, peers, absl::Seconds(30));
    if (!status.ok()) return status;
    // More than what fits into buffers of the system, so that both must read and write.
    const std::string mine(64 << 20, static_cast<char>(rank));
    std::string theirs(mine.size(), 9);
    const auto size = static_cast<int64_t>(mine.size());
    const auto arrival = mesh.Receive(1 - rank, 7, &theirs[0], size, Delivery::kWhenExpected);
    const auto sent = mesh.Send(1 - rank, 7, mine.data(), size, Delivery::kWhenExpected);
    const absl::Time end = absl::Now() + absl::Seconds(30);
    while (theirs.back() != 1 - rank && absl::Now() < end) mesh.Glance();
    if (theirs != std::string(mine.size(), static_cast<char>(1 - rank))) return absl::InternalError("other bytes");
    status = mesh.Wait(*arrival, &KeepWaiting);
    return status.ok() ? mesh.Wait(*sent, &KeepWaiting) : status;
  });
  EXPECT_THAT(said, Each("OK"));
}

TEST(MeshTest, LetsSeveralThreadsWait) {
  const auto meshes = MakeMeshes(2);
  const std::vector<std::string> peers = AddressesOf(meshes);
  const auto said = OnAll(meshes, [&](Mesh& mesh, int rank) -> absl::Status {
    absl::Status status = ConnectWithin(mesh, peers, absl::Seconds(30));
    if (!status.ok()) return status;
    std::vector<std::thread> threads;
    std::vector<absl::Status> ends(4);
    for (uint64_t t = 0; t < 4; ++t) {
      threads.emplace_back([&, t] {
        for (uint64_t i = 0; i < 300 && ends[t].ok(); ++i) {
          int64_t theirs = 0;
          const int64_t mine = static_cast<int64_t>(i);
          const auto arrival = mesh.Receive(1 - rank, 1 + t * 1000 + i, &theirs, sizeof(theirs), Delivery::kAtOnce);
          const auto sent = mesh.Send(1 - rank, 1 + t * 1000 + i, &mine, sizeof(mine), Delivery::kAtOnce);
          ends[t] = mesh.Wait(*arrival, &KeepWaiting);
          if (ends[t].ok()) ends[t] = mesh.Wait(*sent, &KeepWaiting);
          if (ends[t].ok() && theirs != mine) ends[t] = absl::InternalError("another number");
        }
      });
    }
    for (std::thread& thread : threads) thread.join();
    for (const absl::Status& end : ends) status.Update(end);
    return status;
  });
  EXPECT_THAT(said, Each("OK"));
}

}  // namespace
}  // namespace transport
}  // namespace xla
