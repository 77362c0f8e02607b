// Lowers the instructions of programs to kernels, and compares what the kernels compute with the evaluator.
#include <cstdio>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "passes/base/pass_context.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "re2/re2.h"
#include "tests/conformance/conformance_case.h"
#include "tests/kernels/check_kernel.h"
#include "tests/random_modules/random_module.h"
#include "tools/shared/command_line.h"
#include "tools/shared/exit_codes.h"
#include "tools/shared/flag_table.h"
#include "tools/testing/user_path.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/support/files.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

// What Vulkan promises of every device.
constexpr int64_t kVulkanInvocations = 128;
constexpr int64_t kVulkanSharedBytes = 16 * 1024;

struct Flags {
  uint64_t seed = 0;
  int64_t count = 100;
  std::string pipeline = "cpu";
  std::string corpus;
  std::string filter;
  std::string file;
  std::string only;
  std::string target = "cpu";
  int64_t max_findings = 10;
  int64_t max_elements = 1 << 16;
  int64_t tile_cost = 500;
  bool print = false;
};

FlagTable MakeFlagTable(Flags& flags) {
  FlagTable table("check_kernels [FLAGS]",
                  "Runs passes on programs, lowers each instruction that is left to a kernel, runs the kernel on its "
                  "interpreter and compares it with the evaluator. Exit status: 0 nothing found, 1 something found, 2 "
                  "bad usage.");
  table.Topic("flags", "all of them");
  table.Seed("seed", &flags.seed, "of the first random module; the others follow");
  table.Number("count", "N", &flags.count, 1, "random modules");
  table.Text("pipeline", "NAME", &flags.pipeline, "passes to run first (none: 'none')");
  table.Text("corpus", "DIR", &flags.corpus, "check the programs of this conformance corpus instead");
  table.Text("filter", "RE", &flags.filter, "only cases of the corpus whose GROUP/NAME matches somewhere");
  table.Text("file", "FILE", &flags.file, "check the module of this file instead");
  table.Text("only", "RE", &flags.only, "only instructions whose name matches somewhere");
  table.Text(
      "target", "NAME", &flags.target,
      "device to lower for: cpu, or vulkan with what each such device can do; the bits must be those of the other");
  table.Number("max-findings", "N", &flags.max_findings, 1, "stop printing after this many");
  table.Number("max-elements", "N", &flags.max_elements, 1, "kernels that touch more are lowered and not run");
  table.Number("tile-cost", "N", &flags.tile_cost, 1,
               "work of a tile, and of a part of a sum; small, so that small arrays have several");
  table.Switch("print", &flags.print, "print every kernel");
  return table;
}

// What makes no kernel of its own wherever it stands: what moves no data, control flow, and what is not for one device.
bool IsNoWork(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return HasTrait(opcode, opcode_trait::kGiven | opcode_trait::kBundles | opcode_trait::kControlFlow) ||
         opcode == HloOpcode::kBitcast || opcode == HloOpcode::kOptBarrier;
}

class Checker {
 public:
  explicit Checker(const Flags& flags) : flags_(flags) {}

  void CheckModule(const std::string& title, HloModule& module) {
    if (flags_.pipeline != "none") {
      auto pipeline = PipelineByName(flags_.pipeline);
      PassContext context;
      const auto changed = RunPasses(*pipeline, PassRunnerOptions(), context, module);
      if (!changed.ok()) {
        std::printf("%s: %s\n", title.c_str(), std::string(changed.status().message()).c_str());
        return;
      }
    }
    // What runs: not the bodies of fusions, nor functions of scalars.
    absl::flat_hash_set<const HloComputation*> seen = {module.entry()};
    std::vector<const HloComputation*> pending = {module.entry()};
    while (!pending.empty()) {
      const HloComputation& computation = *pending.back();
      pending.pop_back();
      for (const auto& instruction : computation.instructions()) {
        const HloOpcode opcode = instruction->opcode();
        if (opcode == HloOpcode::kWhile || opcode == HloOpcode::kConditional || opcode == HloOpcode::kCall) {
          for (const HloComputation* callee : instruction->called_computations()) {
            if (seen.insert(callee).second) pending.push_back(callee);
          }
        }
        if (IsNoWork(*instruction)) continue;
        if (!flags_.only.empty() && !RE2::PartialMatch(instruction->name(), flags_.only)) continue;
        CheckInstruction(title, *instruction);
      }
    }
  }

  int Summarize() const {
    for (const auto& [why, reasons] : not_lowered_) {
      std::printf("  %6lld  not lowered: %s (%s)\n", static_cast<long long>(reasons.first), why.c_str(),
                  reasons.second.c_str());
    }
    std::printf(
        "%lld kernels agree, %lld too large to run, %lld the evaluator refuses, %lld not lowered: %lld differ\n",
        static_cast<long long>(agree_), static_cast<long long>(large_), static_cast<long long>(failed_),
        static_cast<long long>(refused_), static_cast<long long>(differ_));
    return differ_ > 0 ? kExitResultsDiffer : kExitFine;
  }

 private:
  void CheckInstruction(const std::string& title, const HloInstruction& instruction) {
    KernelCheckOptions options;
    options.seed = flags_.seed;
    options.max_elements = flags_.max_elements;
    const LoweringTarget vulkan = LoweringTarget::Workgroups(kVulkanInvocations, kVulkanSharedBytes);
    const bool is_vulkan = flags_.target == "vulkan";
    options.target = is_vulkan ? vulkan : LoweringTarget();
    options.target.tile_cost = flags_.tile_cost;
    options.order.part_work = flags_.tile_cost;
    options.other_target = is_vulkan ? LoweringTarget() : vulkan;
    options.keep_text = flags_.print;
    const KernelCheck check = CheckKernel(instruction, options);
    using Outcome = KernelCheck::Outcome;
    if (flags_.print) std::printf("%s\n%s\n", InstructionToString(instruction).c_str(), check.kernel.c_str());
    if (check.outcome == Outcome::kAgrees) {
      ++agree_;
    } else if (check.outcome == Outcome::kTooLarge) {
      ++large_;
    } else if (check.outcome == Outcome::kEvaluatorFails) {
      ++failed_;
    } else if (check.outcome == Outcome::kNotLowered) {
      ++refused_;
      // Without the name in front.
      auto& reasons = not_lowered_[check.what.substr(std::min(check.what.size(), check.what.find(": ") + 2))];
      ++reasons.first;
      if (reasons.second.empty()) reasons.second = absl::StrCat(title, " ", instruction.name());
    } else if (++differ_ <= flags_.max_findings) {
      std::printf("FOUND %s: %s: %s\n%s\n", title.c_str(), instruction.ToShortString().c_str(), check.what.c_str(),
                  check.kernel.substr(0, 6000).c_str());
      if (instruction.opcode() == HloOpcode::kFusion) {
        std::printf("%s\n", ComputationToString(*instruction.called_computation(0)).c_str());
      }
      std::fflush(stdout);
    }
  }

  const Flags& flags_;
  int64_t agree_ = 0;
  int64_t large_ = 0;
  int64_t failed_ = 0;
  int64_t refused_ = 0;
  int64_t differ_ = 0;
  std::map<std::string, std::pair<int64_t, std::string>> not_lowered_;
};

int CheckFile(const std::string& path, const std::string& title, Checker& checker) {
  const auto text = ReadFile(path);
  if (!text.ok()) return BadUsage("check_kernels", text.status().message());
  auto module = ParseHloModule(text->data());
  if (!module.ok()) return BadUsage("check_kernels", absl::StrCat(title, ": ", module.status().message()));
  const absl::Status valid = VerifyModule(**module);
  if (!valid.ok()) return BadUsage("check_kernels", absl::StrCat(title, ": ", valid.message()));
  checker.CheckModule(title, **module);
  return kExitFine;
}

int Main(int argc, char** argv) {
  Flags flags;
  FlagTable table = MakeFlagTable(flags);
  const absl::optional<int> ended = ReadCommandLine("check_kernels", argc, argv, table);
  if (ended.has_value()) return *ended;
  if (flags.target != "cpu" && flags.target != "vulkan") {
    return BadUsage("check_kernels", absl::StrCat("--target is cpu or vulkan, not '", flags.target, "'"));
  }
  Checker checker(flags);
  if (!flags.file.empty()) {
    if (const int code = CheckFile(UserPath(flags.file), flags.file, checker); code != kExitFine) return code;
  } else if (!flags.corpus.empty()) {
    const auto cases = ListCases(UserPath(flags.corpus));
    if (!cases.ok()) return BadUsage("check_kernels", cases.status().message());
    for (const ConformanceCase& c : *cases) {
      if (c.group == "invalid" || c.group == "collective") continue;
      if (!flags.filter.empty() && !RE2::PartialMatch(c.title(), flags.filter)) continue;
      CheckFile(c.path("module.hlo"), c.title(), checker);
    }
  } else {
    for (int64_t i = 0; i < flags.count; ++i) {
      const RandomModule random = GenerateRandomModule(flags.seed + i);
      checker.CheckModule(absl::StrCat("seed ", flags.seed + i), *random.module);
    }
  }
  return checker.Summarize();
}

}  // namespace
}  // namespace xla

int main(int argc, char** argv) { return xla::Main(argc, argv); }
