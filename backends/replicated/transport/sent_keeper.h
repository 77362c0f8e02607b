// SentKeeper: what has been sent to other processes and not been taken yet, with its memory.
#ifndef BACKENDS_REPLICATED_TRANSPORT_SENT_KEEPER_H_
#define BACKENDS_REPLICATED_TRANSPORT_SENT_KEEPER_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

#include "backends/replicated/transport/exchange.h"
#include "backends/replicated/transport/mesh.h"

namespace xla {
namespace transport {

class SentKeeper {
 public:
  // Waits a little for what is left.
  ~SentKeeper();

  // `taken` is called when it is not needed any more.
  void Keep(std::shared_ptr<Mesh> mesh, std::unique_ptr<Exchange::Sent> sent, std::function<void()> taken);

 private:
  struct Kept {
    std::shared_ptr<Mesh> mesh;
    std::unique_ptr<Exchange::Sent> sent;
    std::function<void()> taken;
  };

  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Kept> kept_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_SENT_KEEPER_H_
