#include "tests/faults/faults.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/time/clock.h"
#include "absl/time/time.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

// A process that dies is noticed within it.
constexpr absl::Duration kNoticed = absl::Seconds(2);
// Beyond a timeout: for rank 0 to say who is to blame, and for the process to start and to end.
constexpr absl::Duration kAfterTimeout = absl::Seconds(4);
// --processes lets the others find out, then tells the rest to end, then kills them.
constexpr absl::Duration kLauncherWaits = absl::Seconds(6);
// What is found out as soon as all have come and compiled.
constexpr absl::Duration kSoon = absl::Seconds(10);
constexpr absl::Duration kStrangersBreak = absl::Milliseconds(20);

// That a message names the rank, also among others ("ranks 1, 2").
std::string Names(int rank) { return absl::StrCat("(\\brank ", rank, "\\b|\\branks [0-9, ]*\\b", rank, "\\b)"); }

absl::Duration Within(const FaultRun& run, absl::Duration time) {
  return time + (run.has_launcher() ? kLauncherWaits : absl::ZeroDuration());
}

// That the rank has not come, from a process that has waited for it.
NamedError HasNotCome(const FaultRun& run, int rank) {
  const std::string pattern =
      rank == 0 ? "rank 0 was not found at .* within" : absl::StrCat(Names(rank), ".* not come within");
  return {pattern, Within(run, run.collective_timeout() + kAfterTimeout), /*since_start=*/true};
}

void ErrorsOf(Participant& participant, std::vector<NamedError> errors) {
  participant.ending = Participant::Ending::kError;
  participant.errors = std::move(errors);
}

void AllEndWith(FaultRun& run, const std::vector<NamedError>& errors) {
  for (Participant& participant : run.participants()) ErrorsOf(participant, errors);
}

// ---- A process

void VictimIsNotAwaited(FaultRun& run) {
  if (!run.has_launcher()) run.participants()[run.victim()].ending = Participant::Ending::kKilled;
}

void PrepareKill(FaultRun& run) {
  const int victim = run.victim();
  VictimIsNotAwaited(run);
  // A rank that dies before all have come may be started again: the others wait for it.
  run.OthersEndWith({{run.has_launcher() ? absl::StrCat(Names(victim), ".* killed by signal 9")
                                         : absl::StrCat(Names(victim), " .* has died"),
                      kNoticed},
                     HasNotCome(run, victim)});
  run.Strike([&run, victim] { return run.Signal(victim, SIGKILL); });
}

void PrepareStop(FaultRun& run) {
  const int victim = run.victim();
  VictimIsNotAwaited(run);
  run.OthersEndWith({{absl::StrCat(Names(victim), ".*(not been heard of|does not answer|not come|not begun)"),
                      Within(run, run.collective_timeout() + kAfterTimeout)},
                     HasNotCome(run, victim)});
  run.Strike([&run, victim] { return run.Signal(victim, SIGSTOP); });
}

void PreparePause(FaultRun& run) {
  const int victim = run.victim();
  const absl::Duration pause = absl::Milliseconds(run.random().Between(100, 2500));
  run.Strike([&run, victim, pause] {
    if (!run.Signal(victim, SIGSTOP)) return false;
    run.At(run.strike_time() + pause, [&run, victim] { return run.Signal(victim, SIGCONT); });
    return true;
  });
}

void PrepareInterrupt(FaultRun& run) {
  const int signal = run.random().Chance(50) ? SIGINT : SIGTERM;
  AllEndWith(run, {{"", kNoticed + kNoticed}});
  run.participants()[0].exit_code = 128 + signal;
  run.Strike([&run, signal] { return run.SignalLauncher(signal); });
}

void PrepareLauncherKilled(FaultRun& run) {
  run.participants()[0].ending = Participant::Ending::kKilled;
  run.Strike([&run] { return run.SignalLauncher(SIGKILL); });
}

// ---- Who comes

void PrepareMissing(FaultRun& run) {
  Participant& victim = run.participants()[run.victim()];
  victim.starts = false;
  run.OthersEndWith({HasNotCome(run, run.victim())});
}

void PrepareTwice(FaultRun& run) {
  Participant& first = run.participants()[run.victim()];
  // Whoever comes when all is over is alone.
  const absl::Duration within = run.collective_timeout() + kAfterTimeout;
  first.ending = Participant::Ending::kEither;
  first.errors = {{"already|is taken|another run|not come within|was not found at", within, /*since_start=*/true}};
  Participant second = first;
  second.output = run.NewPath("results_of_second.npz");
  second.start_after += absl::Milliseconds(run.random().Between(100, 600));
  run.participants().push_back(std::move(second));
}

void PrepareWrongCount(FaultRun& run) {
  Participant& victim = run.participants()[run.victim()];
  ++victim.process_count;
  // Its devices may not divide evenly, so that it does not even come.
  AllEndWith(run, {{"was started as one of|cannot be divided evenly", kSoon, /*since_start=*/true},
                   HasNotCome(run, run.victim()),
                   HasNotCome(run, 0)});
}

// ---- What they run

void ExpectDifferentPrograms(FaultRun& run) {
  AllEndWith(run, {{absl::StrCat(Names(run.victim()), ".*run different programs"), kSoon, /*since_start=*/true}});
}

void PrepareWrongModule(FaultRun& run) {
  run.participants()[run.victim()].module = run.OtherModule();
  ExpectDifferentPrograms(run);
}

void PrepareWrongFlags(FaultRun& run) {
  run.participants()[run.victim()].flags = {
      run.random().Chance(50) ? std::string("--seed=1234567")
                              : absl::StrCat("--backend=", run.backend() == "cpu" ? "interpreter" : "cpu")};
  ExpectDifferentPrograms(run);
}

void PrepareTrips(FaultRun& run) {
  run.program().extra_trip = run.victim() * run.program().devices / run.process_count();
  const NamedError deadlock = {"deadlock: no device can go on.*has ended", Within(run, kSoon), /*since_start=*/true};
  // The devices of the others have ended right, but not all results are there.
  AllEndWith(run, {deadlock, {absl::StrCat(Names(run.victim()), ".* has left"), kSoon, /*since_start=*/true}});
  run.participants()[run.has_launcher() ? 0 : run.victim()].errors = {deadlock};
}

// ---- Where they meet

sockaddr_in LoopbackAt(int port) {
  sockaddr_in address = {};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(static_cast<uint16_t>(port));
  return address;
}

// Listens at the port, for something else.
void PreparePortTaken(FaultRun& run) {
  const int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const sockaddr_in address = LoopbackAt(run.port());
  const bool listens = listener >= 0 &&
                       bind(listener, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) == 0 &&
                       listen(listener, 16) == 0;
  CHECK(listens);
  const bool answers = run.random().Chance(50);
  run.processes().StartWork([listener, answers] {
    static constexpr char kAnswer[] = "HTTP/1.1 400 Bad Request\r\n\r\n";
    while (true) {
      const int client = accept(listener, nullptr, nullptr);
      if (client < 0 || !answers) continue;
      send(client, kAnswer, sizeof(kAnswer) - 1, MSG_NOSIGNAL);
      close(client);
    }
  });
  close(listener);
  for (Participant& participant : run.participants()) {
    if (participant.rank == 0) {
      ErrorsOf(participant, {{"the port of .* is taken by another process", Within(run, kSoon), /*since_start=*/true}});
    } else {
      ErrorsOf(participant, {HasNotCome(run, 0)});
    }
  }
}

// Rank 0, which keeps the store, dies or the folder goes before the last rank has come.
void PrepareStoreGone(FaultRun& run) {
  run.ChooseVictim(std::max(1, run.victim()));
  Participant& late = run.participants()[run.victim()];
  const absl::Duration timeout = run.collective_timeout() + kAfterTimeout;
  AllEndWith(run, {HasNotCome(run, 0),
                   HasNotCome(run, run.victim()),
                   {absl::StrCat(Names(0), ".*(has died|does not answer|not been heard of|was not found)"), timeout}});
  if (!run.meets_in_folder()) {
    late.starts = false;
    run.participants()[0].ending = Participant::Ending::kKilled;
    run.Strike([&run] { return run.Signal(0, SIGKILL); });
    return;
  }
  late.start_after = absl::InfiniteDuration();
  run.Strike([&run, &late] {
    // Before rank 0 has written its address, the folder could go without harm.
    std::error_code error;
    if (std::filesystem::is_empty(run.rendezvous_folder(), error) || error) return false;
    if (std::filesystem::remove_all(run.rendezvous_folder(), error) == 0 || error) return false;
    late.start_after = run.strike_time();  // it starts now
    return true;
  });
}

// Sends bytes without a meaning to all ports at which the processes of the run listen, for as long as it does.
[[noreturn]] void SpeakAsStranger(pid_t watcher, RandomSource random) {
  while (true) {
    std::vector<int> calls;
    for (const int port : ListeningPorts(watcher)) {
      const int descriptor = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
      calls.push_back(descriptor);
      const sockaddr_in address = LoopbackAt(port);
      if (connect(descriptor, reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) continue;
      // Some begin as processes of a group do.
      static constexpr const char* kOpenings[] = {"", "haloctl1", "halomesh"};
      std::string bytes = random.Pick(kOpenings);
      for (int64_t left = random.Below(3000); left > 0; --left) bytes.push_back(static_cast<char>(random.Below(256)));
      send(descriptor, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    }
    absl::SleepFor(kStrangersBreak);
    for (const int descriptor : calls) close(descriptor);
  }
}

void PrepareStranger(FaultRun& run) {
  const RandomSource random(run.random().Next());
  run.Strike([&run, random] {
    const pid_t watcher = getpid();
    run.processes().StartWork([random, watcher] { SpeakAsStranger(watcher, random); });
    return true;
  });
}

// ---- The network between them

void PrepareLinkDown(FaultRun& run) {
  const int victim = run.victim();
  const absl::Duration timeout = run.collective_timeout() + kAfterTimeout;
  const std::string silence = ".*(not been heard of|does not answer|not come|not begun|has died)";
  run.OthersEndWith({{Names(victim) + silence, timeout}, HasNotCome(run, victim)});
  // It sees the others go.
  ErrorsOf(run.participants()[victim],
           {{(victim == 0 ? "rank [1-9]" : "rank 0") + silence, timeout}, HasNotCome(run, victim == 0 ? 1 : 0)});
  run.Strike([&run, victim] { return run.network().CutOff(victim).ok(); });
}

using Starter = Fault::Starter;
using Meeting = Fault::Meeting;

constexpr Fault kFaults[] = {
    {"kill", "kill -9 of a process", false, Need::kNothing, Starter::kAny, Meeting::kAny, 30000, kEndless,
     &PrepareKill},
    {"stop", "SIGSTOP of a process for ever", false, Need::kNothing, Starter::kAny, Meeting::kAny, 30000, kEndless,
     &PrepareStop},
    {"interrupt", "SIGINT or SIGTERM for hlo-run --processes", false, Need::kNothing, Starter::kLauncher, Meeting::kAny,
     30000, kEndless, &PrepareInterrupt},
    {"launcher-killed", "kill -9 of hlo-run --processes, after which no process and no file may be left", false,
     Need::kNothing, Starter::kLauncher, Meeting::kAny, 30000, kEndless, &PrepareLauncherKilled},
    {"link-down", "the cable of a host is out", false, Need::kHosts, Starter::kRanks, Meeting::kPort, 30000, kEndless,
     &PrepareLinkDown},
    {"wrong-module", "one rank has another program", false, Need::kNothing, Starter::kRanks, Meeting::kAny, 3000,
     kEndless, &PrepareWrongModule},
    {"wrong-flags", "one rank has other flags", false, Need::kNothing, Starter::kRanks, Meeting::kAny, 3000, kEndless,
     &PrepareWrongFlags},
    {"wrong-count", "one rank is told of one process more", false, Need::kNothing, Starter::kRanks, Meeting::kAny, 3000,
     kEndless, &PrepareWrongCount},
    {"trips", "a device goes round a loop once more than the others", false, Need::kNothing, Starter::kAny,
     Meeting::kAny, 3000, 100, &PrepareTrips},
    {"missing", "a rank is not started", false, Need::kNothing, Starter::kRanks, Meeting::kAny, 3000, kEndless,
     &PrepareMissing},
    {"port-taken", "another program listens at the port", false, Need::kNothing, Starter::kAny, Meeting::kPort, 3000,
     kEndless, &PreparePortTaken},
    {"store-gone", "rank 0 or the folder goes before all have come", false, Need::kNothing, Starter::kRanks,
     Meeting::kAny, 3000, kEndless, &PrepareStoreGone},
    {"twice", "two processes have the same rank, and one is refused", true, Need::kNothing, Starter::kRanks,
     Meeting::kAny, 3000, 500, &PrepareTwice},
    {"none", "nothing happens", true, Need::kNothing, Starter::kAny, Meeting::kAny, 30000, 300, nullptr},
    {"pause", "SIGSTOP of a process, and SIGCONT before the deadline", true, Need::kNothing, Starter::kAny,
     Meeting::kAny, 3000, 1500, &PreparePause},
    {"stranger", "another program sends random bytes to all ports of the processes", true, Need::kNothing,
     Starter::kAny, Meeting::kPort, 3000, 1000, &PrepareStranger},
    {"loss", "5 % of the packets are lost", true, Need::kLoss, Starter::kRanks, Meeting::kPort, 3000, 25, nullptr},
    {"delay", "200 ms for each way between hosts", true, Need::kDelay, Starter::kRanks, Meeting::kPort, 30000, 4,
     nullptr},
    {"slow", "100 Mbit/s between hosts", true, Need::kRate, Starter::kRanks, Meeting::kPort, 500000, 4, nullptr},
};

}  // namespace

absl::Span<const Fault> AllFaults() { return kFaults; }

}  // namespace xla
