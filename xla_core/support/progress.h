// A line on the terminal that says how far a long piece of work has come: "running: 41 % (820 of 2000), 12 s left".
#ifndef XLA_CORE_SUPPORT_PROGRESS_H_
#define XLA_CORE_SUPPORT_PROGRESS_H_

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>

#include "absl/strings/string_view.h"

namespace xla {

// Shows itself on standard error if that is a terminal, after the first second, ten times a second at most, and wipes
// itself when destroyed. Thread-safe; an Update costs about a clock reading.
class ProgressLine {
 public:
  // What a test replaces.
  struct Terminal {
    std::function<double()> seconds;               // a clock
    std::function<void(absl::string_view)> write;  // empty: there is no terminal
  };

  // `label` names the work. `total` is in the units of Update; 0 if unknown, then the line has no percentage and no
  // ETA.
  ProgressLine(std::string label, int64_t total);
  ProgressLine(std::string label, int64_t total, Terminal terminal);
  ~ProgressLine();
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  // `done` units are finished. Numbers that go backwards or beyond the total do no harm.
  void Update(int64_t done);

  // Wipes the line, so that other output can be written; a later Update draws it again.
  void Wipe();

 private:
  std::string Text(int64_t done, double elapsed_seconds) const;

  const std::string label_;
  const int64_t total_;
  const Terminal terminal_;
  const double start_;
  std::atomic<double> next_draw_;
  std::mutex mutex_;  // guards the terminal and `visible_`
  bool visible_ = false;
};

// "41 s", "3 min 20 s" or "2 h 5 min": a duration for people.
std::string FormatDuration(double seconds);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_PROGRESS_H_
