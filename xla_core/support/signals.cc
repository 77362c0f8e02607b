#include "xla_core/support/signals.h"

#include <signal.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

namespace xla {
namespace {

// A handler may not take locks or allocate, hence an array of atomic pointers. Sixty-four files open for writing at
// once are more than any tool has; a file beyond that is written all the same but would survive an interrupt.
constexpr int kMaxTemporaryFiles = 64;
std::atomic<char*> temporary_files[kMaxTemporaryFiles];
std::atomic<bool> progress_line_visible{false};

constexpr int kSignals[] = {SIGINT, SIGTERM, SIGHUP};

void EndByInterrupt(int signal_number) { EndProcess(128 + signal_number); }

}  // namespace

void EndProcess(int exit_status) {
  for (std::atomic<char*>& slot : temporary_files) {
    const char* path = slot.exchange(nullptr);
    if (path != nullptr) unlink(path);
  }
  if (progress_line_visible.load()) {
    constexpr char kWipeLine[] = "\r\033[K";
    // Nothing sensible is left to do if the terminal is gone.
    [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, kWipeLine, sizeof(kWipeLine) - 1);
  }
  _exit(exit_status);
}

void InstallInterruptHandlers() {
  struct sigaction action = {};
  action.sa_handler = EndByInterrupt;
  sigemptyset(&action.sa_mask);
  for (int number : kSignals) sigaddset(&action.sa_mask, number);
  for (int number : kSignals) {
    struct sigaction before;
    if (sigaction(number, nullptr, &before) == 0 && before.sa_handler == SIG_IGN) continue;
    sigaction(number, &action, nullptr);
  }
}

TemporaryFileRegistration::TemporaryFileRegistration(const std::string& path) {
  char* copy = strdup(path.c_str());
  for (std::atomic<char*>& slot : temporary_files) {
    char* expected = nullptr;
    if (slot.compare_exchange_strong(expected, copy)) {
      slot_ = &slot;
      return;
    }
  }
  std::free(copy);
}

TemporaryFileRegistration::~TemporaryFileRegistration() {
  // The handler, if it is running on another thread, has taken the string and still reads it: then it is left alone.
  if (slot_ != nullptr) std::free(slot_->exchange(nullptr));
}

void SetProgressLineVisible(bool visible) { progress_line_visible.store(visible); }

}  // namespace xla
