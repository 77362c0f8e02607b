#include "tools/hlo_run_flags.h"

#include <algorithm>
#include <set>
#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "tools/loadable_backends.h"
#include "tools/shared/version_text.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace {

// What else frontends write results to: "; to ... if PATH ends in ...".
std::string OutputHelp(const FrontendSet& frontends) {
  std::string help;
  for (const auto& frontend : frontends.all()) {
    const std::string& more = frontend->description().output_help;
    if (!more.empty()) absl::StrAppend(&help, "; ", more);
  }
  return help;
}

// What else they read arguments from: ". A ... also takes ...".
std::string InputHelp(const FrontendSet& frontends) {
  std::string help;
  for (const auto& frontend : frontends.all()) {
    const std::string& more = frontend->description().input_help;
    if (!more.empty()) absl::StrAppend(&help, ". ", more);
  }
  return help;
}

std::string WeightsHelp(const FrontendSet& frontends) {
  std::string help;
  std::set<std::string> told;
  for (const Frontend* frontend : frontends.with_weights()) {
    const FrontendDescription& description = frontend->description();
    const std::string& topic = description.help_topic.empty() ? description.name : description.help_topic;
    if (told.insert(topic).second) absl::StrAppend(&help, ". For ", description.program, " see --help ", topic);
  }
  return help;
}

std::string Summary(const FrontendSet& frontends) {
  return absl::StrCat(
      "Runs a program and prints its results, writes them to a file, compares them with expected ones or measures it. "
      "FILE is ",
      frontends.Files(),
      ", recognized by its content; - is standard input. Without flags for them, inputs are pseudo-random and the same "
      "every time.\n\n"
      "  hlo-run model.hlo --input x.npy --input w.npy --output results.npz\n"
      "  hlo-run model.hlo --inputs-json case.json --compare-with expected.npz\n"
      "  hlo-run model.hlo --benchmark --threads 2\n\n"
      "Exit status: 0 fine, 1 results differ, 2 bad usage, 3 bad input, 4 failure.");
}

// Platforms as XLA names them, in lower case, and the backends that are these.
constexpr struct {
  absl::string_view platform;
  const char* backend;
} kPlatforms[] = {{"cpu", "cpu"}, {"host", "cpu"}, {"interpreter", "interpreter"}};

absl::Status SetPlatform(absl::string_view value, std::string* backend) {
  const std::string platform = absl::AsciiStrToLower(value);
  std::vector<absl::string_view> known;
  for (const auto& row : kPlatforms) {
    if (row.platform == platform) {
      *backend = row.backend;
      return absl::OkStatus();
    }
    known.push_back(row.platform);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("'", value, "' is none of ", absl::StrJoin(known, ", "), DidYouMean(platform, known)));
}

}  // namespace

FlagTable HloRunFlagTable(HloRunFlags& flags, FrontendSet& frontends) {
  FlagTable table("hlo-run FILE [FLAGS]", Summary(frontends));

  table.Topic("running", "backend, threads, limits");
  table.Choice("backend", NamesOfLinkedAndLoadableBackends(), &flags.backend, "run the program on this backend");
  table.Value(
      "platform", "NAME", [&flags](absl::string_view value) { return SetPlatform(value, &flags.backend); },
      "XLA's spelling of --backend: CPU, Host, Interpreter");
  table.Number("threads", "N", &flags.threads, 1,
               "compute with N threads (default: one per CPU); results do not depend on it");
  frontends.AddFrontendFlag(&table);
  table.Switch("list-devices", &flags.list_devices, "print the machine's Vulkan devices with their limits");
  table.Text("device", "NAME|K", &flags.device,
             "run on this device of vulkan: a part of its name, or its number in --list-devices");
  table.List("client-setting", "NAME=VALUE", &flags.client_settings,
             "set an option of the backend's devices, such as profile=lowest of vulkan; may be repeated");
  table.Text("module", "NAME|K", &flags.module, "choose a module of a file with several: by name, or by number from 0");
  table.Switch("strict", &flags.strict, "refuse a program that is odd, though it has a meaning");
  table.Number("max-steps", "N", &flags.max_steps, 1, "stop a device after N instructions (default: never)");
  table.Bytes("max-memory", "SIZE", &flags.max_memory,
              "stop rather than hold more than this: 512M, 2G, ... (default: values may take 80 % of the memory)");
  table.Duration("timeout", "TIME", &flags.timeout,
                 "stop this long after the start: 10, 1.5s, 2m, ... (default: never)");

  table.Topic("devices", "several devices, processes, hosts");
  table.Number("replicas", "N", &flags.replicas, 1, "run N copies of the program, each on its own thread");
  table.Number("partitions", "M", &flags.partitions, 1, "run M partitions of each replica");
  table.Switch("spmd", &flags.spmd, "cut a program on whole arrays by its shardings");
  table.Number("processes", "P", &flags.processes, 1,
               "start P processes here and divide the devices evenly among them");
  table.Switch("distributed", &flags.distributed,
               "be one of the processes that torchrun, mpirun or srun has started, as its variables say; a variable "
               "HALO_LAUNCH_TOKEN, if set, keeps jobs apart");
  table.Text("rendezvous", "PLACE", &flags.rendezvous,
             "meet the other processes at file:DIR or tcp:HOST:PORT (default: a temporary folder; with --distributed, "
             "MASTER_ADDR and MASTER_PORT)");
  table.Text("host", "NAME", &flags.host,
             "be reached by the other processes at this name, address or network interface (eth0) of this host");
  table.Duration("collective-timeout", "TIME", &flags.collective_timeout,
                 "fail when a device waits longer at a collective, or a process for the others at the start: 10, 1.5s, "
                 "... (default: 60s between processes, never "
                 "in one)");
  table.Note(
      "Device d is replica d / M, partition d mod M. Without --replicas and --partitions their "
      "numbers are those in the file of --inputs-json, else those in the module's header. Limits and threads are those "
      "of each process. The first one prints, writes and compares the results of all.");

  table.Topic("compiling", "how --backend cpu or vulkan compiles a program");
  table.Text("dump", "DIR", &flags.dump,
             "write the HLO after its passes, the memory plan, kernels, and LLVM IR with assembly, or SPIR-V");
  table.Text("cache", "DIR", &flags.cache, "keep compiled code in DIR for later runs, which trust it");
  table.Choice("optimization-level", {"0", "1", "2"}, &flags.optimization_level,
               "compile quickly, with the usual effort (default), or with the most effort; results do not "
               "depend on it");
  table.List("fast-math", "LIST", &flags.fast_math,
             "allow what can change a NaN, an infinity, the sign of a zero or the last bit: reassociate, no-nans, "
             "no-signed-zeros, approximate, contract (round a product and a sum in a loop-carried chain once where "
             "the processor can, so that results depend on it) or all; without it elementwise results equal the "
             "interpreter's");
  table.List("setting", "NAME=VALUE", &flags.settings,
             "set an option of the backend; may be repeated. flush-denormals=true: treat denormal numbers as zeros, "
             "as XLA does. contract-recurrences=true: as --fast-math contract. verify-plan=true, poison-memory=true, "
             "tile-cost=N: look for faults of the compiler");

  table.Topic("inputs", "where the arguments come from");
  table.List("input", "FILE", &flags.inputs,
             absl::StrCat("read the next argument from a .npy file, or several from a .npz file; may be repeated",
                          InputHelp(frontends)));
  table.Text("inputs-json", "FILE", &flags.inputs_json,
             "compute arguments by the formulas in a JSON file: a list \"inputs\" of specs");
  table.Seed("seed", &flags.seed, "seed pseudo-random arguments and the rng instruction (default 0)");
  table.Text("infeed", "FILE", &flags.infeed, "read what infeed instructions return from a .npz file, in order");
  table.Text("weights", "RANGE|role", &flags.weights,
             absl::StrCat("declare parameters the same in all runs, as 3-160 or 0,2,5-7, or those with \"role\": "
                          "\"weight\" in the file of --inputs-json: a backend computes once what depends on them alone",
                          WeightsHelp(frontends)));
  table.Note(
      "A tuple counts as its leaves, in order. Files or specs for one device serve all devices; those "
      "for all devices come device by device (r0_..., r1_... in a .npz, a list for each in JSON). "
      "Random argument k of device d has seed S + k + 1000 d: floats in [-1, 1), signed integers in "
      "[-8, 8], unsigned ones in [0, 8]. bf16, f8 and 4-bit arrays are unsigned integers of their width. "
      "Open dimensions (?) get their sizes from the inputs. "
      "A HloSnapshot contains its arguments, and the result to compare with. If the inputs of a program have names and "
      "an .npz file has arrays of all these names, hlo-run reads them by name.");

  frontends.AddFlags(Tool::kHloRun, &table);

  table.Topic("output", "where results go");
  table.Text("output", "PATH", &flags.output,
             absl::StrCat("write the results to PATH.npz under their names, or as out0, out1, ... (r0_out0, ... of "
                          "several devices) if they have none, or as .npy files to the folder PATH",
                          OutputHelp(frontends)));
  table.Alias("-o");
  table.Text("outfeed", "FILE", &flags.outfeed, "write the operands of outfeed instructions to a .npz file");
  table.Switch("print-module", &flags.print_module, "print the module as HLO text before running it");
  table.Switch("verbose", &flags.verbose,
               "report what was read and what is odd about it, and the time and memory of each stage");
  table.Note("Without --output, --compare-with, --benchmark and --json results are printed, long ones abbreviated.");

  table.Topic("comparing", "checking results against expected ones");
  table.Text("compare-with", "FILE", &flags.compare_with,
             "compare with the results in a .npz file, as --output writes it; or with those of \"interpreter\"");
  table.Text(
      "autopsy", "DIR", &flags.autopsy,
      "find out which pass, or which step of the compiled program, makes results of --backend (cpu without it) differ "
      "from the interpreter's, or whether rounding does; print the verdict, and write it to DIR with the smallest "
      "program "
      "that shows it, its inputs and kernels. Exit status 0: no difference; 1: there is one");
  table.Real("rtol", "X", &flags.rtol, "set the tolerance relative to the expected element");
  table.Real("atol", "X", &flags.atol, "set the tolerance relative to the largest expected element of the array");
  table.Real("ulp", "X", &flags.ulp, "set the tolerance in units in the last place");
  table.Note(
      "An element passes if |got - expected| <= atol * scale + rtol * |expected|, or within ulp units. "
      "Defaults (rtol, atol, ulp): f64 1e-12 1e-14 4, f32 1e-5 1e-6 4, f16 2e-3 2e-3 2, "
      "bf16 1.6e-2 8e-3 2, narrower floats 1 ulp, integers and pred exact. NaN matches NaN. A file of "
      "--inputs-json that states a \"tolerance\" replaces these defaults (its atol is absolute).");

  table.Topic("measuring", "time and memory");
  table.Switch("benchmark", &flags.benchmark, "run repeatedly (after a warm-up) and print how long it takes");
  table.Switch(
      "json", &flags.json,
      "print measurements as one JSON object: compile_ms, first_run_ms, run_ms {min, median, p90, n}, peak_rss_bytes");
  table.Switch("report", &flags.report,
               "run a second longer and print where the time goes: step by step, with the share of what this machine "
               "can do, what the interpreter evaluates, and the memory plan; with --json, as member \"report\"");
  table.Text("profile", "FILE", &flags.profile,
             "write a trace with one slice per step, for chrome://tracing or ui.perfetto.dev");
  table.Note(
      "A benchmark warms up with 3 runs and for 0.5 s, then takes at least 10 runs and 1.5 s; only 3 "
      "runs in all if one takes more than a second. Its threads are bound to CPUs of their own where there "
      "are enough.");
  table.Version(VersionText("hlo-run", NamesOfLinkedAndLoadableBackends()),
                "print the version of Halo and its backends");
  return table;
}

absl::Status TakePositionalArguments(const std::vector<std::string>& arguments, const FrontendSet& frontends,
                                     HloRunFlags& flags) {
  std::vector<std::string> array_names = {"*.npy", "*.npz"};
  for (const auto& frontend : frontends.all()) {
    const std::string& suffix = frontend->description().array_suffix;
    const std::string name = absl::StrCat("*", suffix);
    const bool is_new = std::find(array_names.begin(), array_names.end(), name) == array_names.end();
    if (!suffix.empty() && is_new) array_names.push_back(name);
  }
  for (const std::string& argument : arguments) {
    const bool is_array = absl::EndsWith(argument, ".npy") || absl::EndsWith(argument, ".npz");
    if (is_array || frontends.FrontendOfArrays(argument) != nullptr) {
      flags.inputs.push_back(argument);
    } else if (flags.file.empty()) {
      flags.file = argument;
    } else {
      return absl::InvalidArgumentError(absl::StrCat("expected one program, got '", flags.file, "' and '", argument,
                                                     "'; arrays are named ", JoinedByOr(array_names)));
    }
  }
  return flags.file.empty()
             ? absl::InvalidArgumentError("no program given; usage: hlo-run FILE [FLAGS]; --help says more")
             : absl::OkStatus();
}

}  // namespace xla
