#include "tests/kernels/expect_kernels.h"

#include <memory>

#include "absl/strings/str_cat.h"
#include "gmock/gmock.h"
#include "passes/base/pass_context.h"
#include "passes/pass_runner.h"
#include "passes/pipelines.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/text/parser.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

bool IsChecked(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return opcode != HloOpcode::kParameter && opcode != HloOpcode::kConstant && opcode != HloOpcode::kTuple &&
         opcode != HloOpcode::kGetTupleElement;
}

}  // namespace

KernelCheckOptions SmallTiles() {
  KernelCheckOptions options;
  options.target.tile_cost = 300;
  options.target.sorts = true;
  options.order.part_work = 300;
  options.other_target = LoweringTarget::Workgroups(/*invocations=*/64, /*shared_bytes=*/16 * 1024);
  options.other_target->sorts = true;
  return options;
}

int ExpectKernels(absl::string_view text, bool fuse, const KernelCheckOptions& options) {
  auto module = ParseHloModule(text);
  EXPECT_TRUE(module.ok()) << module.status() << "\n" << text;
  if (!module.ok()) return 0;
  const absl::Status valid = VerifyModule(**module);
  EXPECT_TRUE(valid.ok()) << valid << "\n" << text;
  if (!valid.ok()) return 0;
  if (fuse) {
    PassContext context;
    const auto changed = RunPasses(*PipelineByName("fuse"), PassRunnerOptions(), context, **module);
    EXPECT_TRUE(changed.ok()) << changed.status();
  }
  int phases = 0;
  for (const auto& instruction : (*module)->entry()->instructions()) {
    if (!IsChecked(*instruction)) continue;
    const KernelCheck check = CheckKernel(*instruction, options);
    EXPECT_EQ(static_cast<int>(check.outcome), static_cast<int>(KernelCheck::Outcome::kAgrees))
        << instruction->ToShortString() << ": " << check.what << "\n"
        << check.kernel;
    phases = check.phases;
  }
  return phases;
}

std::string Entry(absl::string_view body, absl::string_view before) {
  return absl::StrCat("HloModule m\n", before, "\nENTRY e {\n", body, "\n}\n");
}

}  // namespace xla
