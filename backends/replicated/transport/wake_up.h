// WakeUp: what one thread wakes another one by that waits for descriptors.
#ifndef BACKENDS_REPLICATED_TRANSPORT_WAKE_UP_H_
#define BACKENDS_REPLICATED_TRANSPORT_WAKE_UP_H_

#include <sys/eventfd.h>
#include <unistd.h>

#include <cstdint>

namespace xla {
namespace transport {

class WakeUp {
 public:
  WakeUp() : descriptor_(eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {}
  ~WakeUp() {
    if (descriptor_ >= 0) close(descriptor_);
  }
  WakeUp(const WakeUp&) = delete;
  WakeUp& operator=(const WakeUp&) = delete;

  // To be waited for; -1 if the system gives none, and then waiting ends by its timeout only.
  int descriptor() const { return descriptor_; }
  void Wake() const {
    const uint64_t one = 1;
    // It fails if very many wait to be read: then it is awake.
    if (write(descriptor_, &one, sizeof(one)) < 0) return;
  }
  void Clear() const {
    uint64_t count;
    while (read(descriptor_, &count, sizeof(count)) > 0) {
    }
  }

 private:
  const int descriptor_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_WAKE_UP_H_
