#include "tools/shared/run_report.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/parser.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr char kTwoSteps[] = R"(HloModule m
ENTRY e {
  x = f32[1000] parameter(0)
  a = f32[1000] negate(x)
  ROOT b = f32[1000] exponential(a)
})";

// A run of the module in which `a` is done twice, for 1 ms each time, and `b` once, for 6 ms.
absl::StatusOr<RunReport> Observed(const HloModule& module, std::vector<PlannedStep> steps,
                                   const CompileReport& compile_report, const MeasuresDeviceRoof* device = nullptr) {
  StepTimer timer;
  ReportedProgram program;
  program.module = &module;
  program.steps = std::move(steps);
  program.compile_report = &compile_report;
  program.device = device;
  return ObserveRuns(program, timer, [&] {
    const absl::Time start = absl::UnixEpoch();
    const HloInstruction& b = *module.entry()->root();
    for (int i = 0; i < 2; ++i) timer.OnInstruction(*b.operand(0), 0, start, start + absl::Milliseconds(1));
    timer.OnInstruction(b, 0, start, start + absl::Milliseconds(6));
    return absl::OkStatus();
  });
}

TEST(RunReport, AddsUpWhatEachStepTakes) {
  const auto module = *ParseHloModule(kTwoSteps);
  const HloInstruction& b = *module->entry()->root();
  const std::vector<PlannedStep> steps = {{b.operand(0), "kernel", false, 1000, 8000}, {&b, "evaluator", true, 0, 0}};
  CompileReport compile_report;
  compile_report.AddFallback("exponential", "there is no code for it", "b");
  const absl::StatusOr<RunReport> report = Observed(*module, steps, compile_report);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->rows.size(), 2u);
  EXPECT_EQ(report->rows[0].step.instruction, &b);
  EXPECT_EQ(report->rows[0].calls, 1);
  EXPECT_NEAR(report->rows[0].seconds, 6e-3, 1e-9);
  EXPECT_EQ(report->rows[0].share_of_roof, 0);
  EXPECT_EQ(report->rows[1].calls, 2);
  EXPECT_NEAR(report->rows[1].seconds, 2e-3, 1e-9);
  EXPECT_GT(report->rows[1].share_of_roof, 0);
  EXPECT_TRUE(report->has_plan);
  const std::string text = DescribeRunReport(*report);
  EXPECT_THAT(text, AllOf(HasSubstr("6.000 ms        1"), HasSubstr("kernel       a f32[1000]"),
                          HasSubstr("1 exponential: there is no code for it (b)")));
}

class KnownDevice : public MeasuresDeviceRoof {
 public:
  absl::StatusOr<DeviceRoof> MeasureDeviceRoof() const override { return DeviceRoof{"known device", 8e6, 1e12}; }
};

TEST(RunReport, ComparesWithTheDeviceThatRunsTheProgram) {
  const auto module = *ParseHloModule(kTwoSteps);
  const HloInstruction& b = *module->entry()->root();
  CompileReport compile_report;
  const KnownDevice device;
  const auto report = Observed(*module, {{&b, "kernel", false, 1000, 8000}}, compile_report, &device);
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_NEAR(report->rows[0].share_of_roof, 1.0 / 6, 1e-3) << "1 ms of 6";
  EXPECT_THAT(DescribeRunReport(*report), HasSubstr("device: known device, 0.0 GB/s to memory, 1000.0 GFLOP/s (f32)"));
  JsonWriter json;
  WriteRunReport(*report, json);
  EXPECT_THAT(json.text(), HasSubstr("known device"));
}

TEST(RunReport, TakesInstructionsWhereNothingIsPlanned) {
  const auto module = *ParseHloModule(kTwoSteps);
  CompileReport compile_report;
  const absl::StatusOr<RunReport> report = Observed(*module, {}, compile_report);
  ASSERT_TRUE(report.ok()) << report.status();
  ASSERT_EQ(report->rows.size(), 2u);
  EXPECT_EQ(report->rows[1].step.instruction->name(), "a");
  EXPECT_FALSE(report->has_plan);
  JsonWriter json;
  WriteRunReport(*report, json);
  const absl::StatusOr<JsonValue> parsed = ParseJson(json.text(), "report");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->Find("steps")->AsArray()->size(), 2u);
}

TEST(RunReport, SaysWhatCollectivesCostADevice) {
  const auto module = *ParseHloModule(kTwoSteps);
  CollectiveCost cost;
  cost.instruction = module->entry()->root();
  cost.calls = 4;
  cost.bytes = 8'000'000;
  cost.waiting = absl::Milliseconds(20);
  cost.transfer = absl::Milliseconds(4);
  CollectiveTotals totals;
  totals.Add(std::vector<CollectiveCost>{cost});
  totals.Add(totals.all()[0]);  // as of another process
  RunReport report;
  report.runs = 1;
  report.device_count = 8;
  report.collectives = totals.all();
  ASSERT_EQ(report.collectives.size(), 1u);
  EXPECT_EQ(report.collectives[0].calls, 8);
  EXPECT_THAT(DescribeRunReport(report), HasSubstr("collectives, on a device in a run (mean of 8 devices):\n"
                                                   "    waiting    transfer    calls     GB/s  instruction\n"
                                                   "   5.000 ms    1.000 ms        1      2.0  b f32[1000]\n"));
  JsonWriter json;
  WriteRunReport(report, json);
  const absl::StatusOr<JsonValue> parsed = ParseJson(json.text(), "report");
  ASSERT_TRUE(parsed.ok()) << parsed.status();
  EXPECT_EQ(parsed->Find("collectives")->AsArray()->size(), 1u);
}

TEST(RunReport, RunsAsOftenAsAllAgree) {
  const auto module = *ParseHloModule(kTwoSteps);
  CompileReport compile_report;
  ReportedProgram program;
  program.module = module.get();
  program.compile_report = &compile_report;
  int asked = 0;
  const auto report = ObserveRuns(
      program, StepTimer(), [] { return absl::OkStatus(); },
      [&](bool) -> absl::StatusOr<bool> { return ++asked <= 2; });
  ASSERT_TRUE(report.ok()) << report.status();
  EXPECT_EQ(report->runs, 2);
}

// All at once would share what each of them claims to have.
TEST(RunReport, MeasuresTheMachineInTheFirstProcessAlone) {
  const auto module = *ParseHloModule(kTwoSteps);
  CompileReport compile_report;
  ReportedProgram program;
  program.module = module.get();
  program.compile_report = &compile_report;
  program.process_count = 4;
  for (const int64_t process : {0, 1}) {
    program.process_index = process;
    const auto report = ObserveRuns(program, StepTimer(), [] { return absl::OkStatus(); });
    ASSERT_TRUE(report.ok()) << report.status();
    EXPECT_EQ(report->roof.flops_per_second > 0, process == 0);
    EXPECT_THAT(DescribeRunReport(*report), HasSubstr(" GFLOP/s (f32), by rank 0 of 4 alone\n"));
  }
}

TEST(MachineRoof, LeastTimeIsThatOfTheScarcerThing) {
  MachineRoof roof;
  roof.bytes_per_second = 10;
  roof.flops_per_second = 100;
  EXPECT_EQ(roof.LeastSeconds(20, 100), 2);
  EXPECT_EQ(roof.LeastSeconds(20, 1000), 10);
  EXPECT_EQ(MachineRoof().LeastSeconds(20, 1000), 0);
}

}  // namespace
}  // namespace xla
