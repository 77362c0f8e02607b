// Background: threads for what no device waits for yet.
//
// A device that begins a collective mostly waits for it at once, and then does its work itself: that is fastest. Only
// if it computes meanwhile is the work done here, a moment later. So most jobs find that there is nothing left to do,
// and giving one must cost next to nothing: threads look at what they were given when they wake up by themselves, and
// are woken only if all of them sleep.
#ifndef BACKENDS_REPLICATED_TRANSPORT_BACKGROUND_H_
#define BACKENDS_REPLICATED_TRANSPORT_BACKGROUND_H_

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace xla {
namespace transport {

class Background {
 public:
  Background() = default;
  // Waits for the jobs that have begun, and drops the others.
  ~Background();
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  // Runs the job a millisecond later, at the same time as others as far as there are threads.
  void Post(std::function<void()> job);

 private:
  struct Job {
    std::chrono::steady_clock::time_point due;
    std::function<void()> run;
  };

  void Run();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Job> jobs_;
  int asleep_ = 0;    // threads without anything to look at
  int watching_ = 0;  // those that will look at the next job
  bool stopping_ = false;
  std::vector<std::thread> threads_;
};

}  // namespace transport
}  // namespace xla

#endif  // BACKENDS_REPLICATED_TRANSPORT_BACKGROUND_H_
