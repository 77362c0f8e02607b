#include "backends/replicated/transport/mesh_use.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>

#include "absl/time/clock.h"
#include "xla_core/support/mix_hash.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace transport {
namespace {

constexpr auto kTick = std::chrono::milliseconds(10);
constexpr int64_t kGatherMessage = 4 << 20;

// Each of these numbers is the key of one message.
uint64_t GatherSlot(int64_t number, int64_t rank, int64_t message) {
  return MixHash(MixHash(MixHash(0x6174686572, number), rank), message) >> 1;
}

// action(begin, count, slot) for each message.
template <typename Action>
absl::Status ForEachMessage(int64_t number, int64_t rank, int64_t size, const Action& action) {
  for (int64_t begin = 0; begin < size; begin += kGatherMessage) {
    RETURN_IF_ERROR(action(begin, std::min(kGatherMessage, size - begin), GatherSlot(number, rank, begin)));
  }
  return absl::OkStatus();
}

}  // namespace

// On a thread, because that does not ask whether to go on.
absl::Status ConnectMesh(Mesh& mesh, const std::vector<std::string>& peers, absl::Time deadline,
                         absl::FunctionRef<absl::Status()> go_on) {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;
  absl::Status status;
  std::thread connecting([&] {
    absl::Status connected = mesh.Connect(peers, std::max(absl::Seconds(1), deadline - absl::Now()));
    std::lock_guard<std::mutex> lock(mutex);
    status = std::move(connected);
    done = true;
    changed.notify_all();
  });
  absl::Status going;
  {
    std::unique_lock<std::mutex> lock(mutex);
    while (!changed.wait_for(lock, kTick, [&] { return done; }) && going.ok()) {
      lock.unlock();
      going = go_on();
      lock.lock();
    }
  }
  if (!going.ok()) mesh.Close();
  connecting.join();
  return going.ok() ? status : going;
}

absl::Status SendGathered(Mesh& mesh, int64_t number, int64_t rank, const std::string& bytes,
                          absl::FunctionRef<absl::Status()> go_on) {
  const auto size = static_cast<int64_t>(bytes.size());
  return ForEachMessage(number, rank, size, [&](int64_t begin, int64_t count, uint64_t slot) -> absl::Status {
    ASSIGN_OR_RETURN(const std::unique_ptr<Mesh::Transfer> transfer, mesh.Send(0, slot, bytes.data() + begin, count));
    return mesh.Wait(*transfer, go_on);
  });
}

absl::Status ReceiveGathered(Mesh& mesh, int64_t number, int64_t rank, std::string* bytes,
                             absl::FunctionRef<absl::Status()> go_on) {
  const auto size = static_cast<int64_t>(bytes->size());
  return ForEachMessage(number, rank, size, [&](int64_t begin, int64_t count, uint64_t slot) -> absl::Status {
    ASSIGN_OR_RETURN(const std::unique_ptr<Mesh::Transfer> transfer,
                     mesh.Receive(static_cast<int>(rank), slot, &(*bytes)[begin], count));
    return mesh.Wait(*transfer, go_on);
  });
}

}  // namespace transport
}  // namespace xla
