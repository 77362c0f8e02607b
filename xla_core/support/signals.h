// What must happen when the user presses Ctrl-C: unfinished files disappear, the progress line is wiped, and the
// process ends at once, whatever its threads are doing. Everything a signal handler touches lives here.
#ifndef XLA_CORE_SUPPORT_SIGNALS_H_
#define XLA_CORE_SUPPORT_SIGNALS_H_

#include <atomic>
#include <string>

namespace xla {

// From now on SIGINT, SIGTERM and SIGHUP remove the registered temporary files and end the process with 128 + the
// signal's number (130 for Ctrl-C). A signal that was ignored when the process started, as under nohup, stays ignored.
// A broken pipe (SIGPIPE) keeps its usual effect. Called by programs, once, before they start threads; libraries never
// call it.
void InstallInterruptHandlers();

// Does what an interrupt does, from any thread: removes the registered temporary files, wipes the progress line and
// ends the process at once with this exit status.
[[noreturn]] void EndProcess(int exit_status);

// A temporary file that an interrupt removes, for as long as this object lives. Register before creating the file.
class TemporaryFileRegistration {
 public:
  explicit TemporaryFileRegistration(const std::string& path);
  ~TemporaryFileRegistration();
  TemporaryFileRegistration(const TemporaryFileRegistration&) = delete;
  TemporaryFileRegistration& operator=(const TemporaryFileRegistration&) = delete;

 private:
  std::atomic<char*>* slot_ = nullptr;
};

// Whether an unfinished progress line stands on the terminal, so that an interrupt wipes it.
void SetProgressLineVisible(bool visible);

}  // namespace xla

#endif  // XLA_CORE_SUPPORT_SIGNALS_H_
