// How long the tools take to start, and how much memory: on --help, and on a program of four elements.
//
// Prints, for each command, the median time of a process and the largest resident size of any, each beside its goal;
// ends with 1 if one is missed. The least time and the median CPU time tell a busy machine from a slow program. The
// first process of each command only fills the page cache. This program uses nothing but the C++ library:
// what the system reports as a process's largest size is at least that of the process that started it.
#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

namespace {

constexpr int kProcesses = 30;
constexpr char kProgram[] = "tests/benchmarks/four_elements.hlo";

struct Command {
  std::vector<std::string> words;
  double most_ms;
  double most_mb;  // 0: any
};

const std::vector<Command>& Commands() {
  static const auto* const commands = new std::vector<Command>{
      {{"tools/hlo-run", "--help"}, 20, 30},
      {{"tools/hlo-run", kProgram}, 20, 30},
      {{"tools/hlo-run", kProgram, "--backend", "cpu"}, 60, 0},
      {{"tools/hlo-opt", "--help"}, 20, 30},
  };
  return *commands;
}

struct Process {
  bool succeeded = false;
  double ms = 0;
  double cpu_ms = 0;
  double mb = 0;
};

double Milliseconds(const timeval& time) {
  return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
}

Process RunProcess(const std::vector<std::string>& words) {
  std::vector<char*> arguments;
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int stream : {STDOUT_FILENO, STDERR_FILENO}) {
    posix_spawn_file_actions_addopen(&actions, stream, "/dev/null", O_WRONLY, 0);
  }
  Process process;
  const auto start = std::chrono::steady_clock::now();
  pid_t id = 0;
  int status = 0;
  rusage usage = {};
  if (posix_spawn(&id, arguments[0], &actions, nullptr, arguments.data(), environ) == 0 &&
      wait4(id, &status, 0, &usage) == id) {
    process.succeeded = WIFEXITED(status) && WEXITSTATUS(status) == 0;
  }
  process.ms = std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - start).count();
  process.cpu_ms = Milliseconds(usage.ru_utime) + Milliseconds(usage.ru_stime);
  process.mb = static_cast<double>(usage.ru_maxrss) / 1024;
  posix_spawn_file_actions_destroy(&actions);
  return process;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const size_t half = values.size() / 2;
  return values.size() % 2 == 1 ? values[half] : (values[half - 1] + values[half]) / 2;
}

// Whether the goals are met.
bool Measure(const Command& command) {
  std::string line;
  for (const std::string& word : command.words) line += word.substr(word.rfind('/') + 1) + " ";
  std::vector<double> times, cpu_times;
  double mb = 0;
  for (int i = 0; i <= kProcesses; ++i) {
    const Process process = RunProcess(command.words);
    if (!process.succeeded) {
      std::printf("%-42s failed\n", line.c_str());
      return false;
    }
    if (i == 0) continue;
    times.push_back(process.ms);
    cpu_times.push_back(process.cpu_ms);
    mb = std::max(mb, process.mb);
  }
  const double median = Median(times);
  const bool met = median <= command.most_ms && (command.most_mb == 0 || mb <= command.most_mb);
  const std::string most_mb = command.most_mb == 0 ? "" : "<= " + std::to_string(static_cast<int>(command.most_mb));
  const double least = *std::min_element(times.begin(), times.end());
  std::printf("%-42s %7.1f   <= %-4.0f %7.1f %7.1f %7.1f   %-6s%s\n", line.c_str(), median, command.most_ms, least,
              Median(cpu_times), mb, most_mb.c_str(), met ? "" : " MISSED");
  std::fflush(stdout);
  return met;
}

}  // namespace

int main() {
  std::printf("%-42s %7s   %-7s %7s %7s %7s   %s\n", "command", "ms", "wanted", "least", "CPU ms", "MB", "wanted");
  bool all_met = true;
  for (const Command& command : Commands()) all_met &= Measure(command);
  return all_met ? 0 : 1;
}
