#include "passes/pipelines.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace {

// Rounds of a group that ordinary programs need are two or three; a program that needs more is left as it is then.
constexpr int kMaxRounds = 8;

// A meeting costs as much as moving some hundred kilobytes; from some megabytes on, joining two saves nothing, and what
// is there early would wait for what comes late.
constexpr char kCombinedBytes[] = "4194304";

PipelineStep Step(const char* pass, const char* why, PassOptionValues options = {}) {
  PipelineStep step;
  step.pass = pass;
  step.options = std::move(options);
  step.why = why;
  return step;
}

PipelineStep Group(const char* name, const char* why, Pipeline steps) {
  PipelineStep group;
  group.pass = name;
  group.group = std::move(steps);
  group.max_rounds = kMaxRounds;
  group.why = why;
  return group;
}

Pipeline operator+(Pipeline a, const Pipeline& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

Pipeline Prepare() {
  return {
      Step("standardize-forms", "first, so that no other pass meets odd forms"),
      Step("inline-calls", "early, so that the other passes see through calls"),
  };
}

// Passes over collectives keep the order in which values of devices are added, and so every bit, unless fast math
// allows reassociate: results are those of any other number of processes, and of the interpreter.
Pipeline CleanAndSimplify() {
  return {
      Group("cleaning, algebra and loops", "each uncovers work for the others",
            {
                Step("simplify-tuples", "so that the others see the values behind tuples"),
                Step("remove-zero-sized", "so that the others need not treat empty arrays"),
                Step("remove-no-ops", "so that rules see what is behind copies that do nothing"),
                Step("remove-dead-collectives", "collectives that do nothing for this number of devices"),
                Step("form-reduce-scatter", "before hoist-loop-invariants, which passes offsets of parts to loops",
                     {{"keep-order", "true"}}),
                Step("sink-collectives", "after simplify-tuples; what leaves a loop may be joined outside",
                     {{"keep-order", "true"}}),
                Step("simplify-conditionals", "before the rules, which then see the inlined branches"),
                Step("hoist-common-code", "from the branches that are left"),
                Step("simplify-loops", "the same for loops of one iteration; invariant state becomes known"),
                Step("hoist-loop-invariants", "after simplify-loops has found invariant state"),
                Step("apply-value-ranges", "so that the rules see which clamps and comparisons loop counters decide"),
                Step("simplify-algebra", "before folding, because it does not need the values of large constants"),
                Step("fold-constants", "instructions that the rules gave constant operands"),
                Step("merge-equal", "instructions that became equal"),
                Step("remove-dead-code", "last, because the others leave instructions without users"),
            }),
  };
}

Pipeline Simplify() {
  return Prepare() + CleanAndSimplify() + Pipeline{Step("unroll-loops", "when bodies are small")} + CleanAndSimplify();
}

// Few meetings of several arrays rather than many.
Pipeline MeetSeldom() {
  return {
      Step("combine-collectives", "before fusing, so that what waits for one meeting can be one fusion",
           {{"max-bytes", kCombinedBytes}}),
      Step("remove-dead-code", "elements of tuples that combine-collectives leaves unused"),
  };
}

Pipeline OpenFusions() {
  return {
      Step("remove-barriers", "after the last pass that they must stop from merging or moving"),
      Step("dissolve-small-fusions", "so that their operations can join other fusions"),
  };
}

Pipeline JoinIntoFusions() {
  return {
      Step("fuse", "last, because other passes do not look into fusions"),
  };
}

Pipeline JoinAttention() {
  return {
      Step("fuse-attention", "before the softmax is a fusion of its own"),
  };
}

Pipeline Fuse() { return Simplify() + OpenFusions() + JoinIntoFusions(); }

// What compiling backends have no code for. `wide`: options for what the interpreter computes in f64.
Pipeline ExpandForKernels(const PassOptionValues& wide = {}) {
  return {
      Step("expand-dynamic-dimensions", "first, because other passes leave dynamic dimensions alone"),
      Step("split-async", "because thunks run one after the other, except for what other devices do meanwhile",
           {{"keep-collectives", "true"}}),
      Step("expand-rng-bit-generator", "before simplifying, which folds keys that are constants"),
      Step("expand-batch-norm", "to sums and elementwise operations, which fuse", wide),
      Step("expand-map", "to elementwise operations, which fuse"),
      Step("expand-ragged-dot", "to dots"),
      Step("expand-select-and-scatter", "to select, or reduce-window and scatter, which have kernels"),
      Step("expand-scan", "to a loop of operations that have kernels"),
      Step("expand-topk", "calls with other comparators to sorts, some of which become topk",
           {{"comparators-only", "true"}}),
      Step("expand-total-order", "to comparisons of integers, which processors have"),
      Step("upcast-integer-dots", "because there are no products of less than a byte", {{"sub-byte-only", "true"}}),
      Step("widen-sub-byte", "because there are no instructions for less than a byte"),
  };
}

// What devices with Vulkan have code for, without f64.
Pipeline ExpandForCpu() {
  return {
      Step("expand-stochastic-convert", "to arithmetic, which runs in vectors"),
  };
}

// What is worth memory where products of a few rows wait for memory anyway.
Pipeline BatchForCpu() {
  return {
      Step("batch-loop-products", "after loops are simplified, before canonicalize-dots"),
      Step("remove-dead-code", "slices that batch-loop-products leaves unused"),
  };
}

// The form of products that library calls want.
Pipeline ArrangeForCpu() {
  return {
      Step("canonicalize-convolutions", "after the algebra, which folds transposes into convolutions again",
           {{"strided-kernels", "true"}}),
      Step("place-transposes", "so that transposes of neighbouring convolutions cancel"),
      Step("canonicalize-dots", "when the dimension order of their operands is final", {{"strided", "true"}}),
      Step("merge-equal", "transposes that several products need"),
      Step("remove-dead-code", "instructions that the previous two leave unused"),
  };
}

Pipeline Schedule() {
  return {
      Step("assign-layouts", "after passes that match reshapes, before passes that insert copies"),
      Step("flatten-call-graph", "so that each body has its own buffers"),
      Step("share-constants", "so that equal constants are in memory once"),
      Step("schedule-for-memory", "before the copies, which depend on the order"),
  };
}

// Devices compute while they exchange values.
Pipeline SplitMeetings() {
  return {
      Step("rematerialize", "with a limit: what is gathered again, while collectives are in one piece"),
      Step("split-collectives", "when the order says what runs meanwhile"),
  };
}

Pipeline PlanMemory() {
  return {
      Step("rematerialize", "only with a limit, where the order alone exceeds it"),
      Step("insert-copies", "last, because any other pass could change which copies are needed"),
  };
}

Pipeline Cpu() {
  return Prepare() + ExpandForKernels() + ExpandForCpu() + Simplify() + BatchForCpu() + ArrangeForCpu() + MeetSeldom() +
         OpenFusions() + JoinAttention() + JoinIntoFusions() + Schedule() + SplitMeetings() + PlanMemory();
}

// What the CPU has library code for, and devices with Vulkan have not.
Pipeline ExpandForVulkan(const PassOptionValues& wide) {
  return {
      Step("expand-cholesky", "to a loop of operations that have kernels", wide),
      Step("expand-triangular-solve", "likewise", wide),
      Step("expand-fft", "to products with small matrices"),
  };
}

Pipeline SortForTopk() {
  return {
      Step("expand-topk", "after the rules that make topk of sorts, because sorts have kernels"),
      Step("remove-dead-code", "positions that nothing reads"),
  };
}

Pipeline JoinIntoSmallFusions() {
  return {
      Step("fuse", "in small fusions, because drivers take long to compile large kernels", {{"max-members", "32"}}),
  };
}

// Products are kernels like any other, so that their operands need no order.
Pipeline Vulkan(const PassOptionValues& wide) {
  return Prepare() + ExpandForKernels(wide) + ExpandForVulkan(wide) + Simplify() + SortForTopk() + OpenFusions() +
         JoinIntoSmallFusions() + Schedule() + PlanMemory();
}

void Describe(const Pipeline& pipeline, const std::string& indent, std::string* text) {
  for (const PipelineStep& step : pipeline) {
    std::string name = step.pass;
    for (const auto& [option, value] : step.options) absl::StrAppend(&name, ":", option, "=", value);
    if (!step.group.empty()) name = absl::StrCat(name, ", up to ", step.max_rounds, " rounds");
    absl::StrAppendFormat(text, "%s%-*s  %s\n", indent, static_cast<int>(40 - indent.size()), name, step.why);
    Describe(step.group, indent + "  ", text);
  }
}

}  // namespace

const std::vector<NamedPipeline>& AllPipelines() {
  static const auto* const pipelines = new std::vector<NamedPipeline>{
      {"prepare", "Convert programs to the form that the other passes expect", Prepare()},
      {"simplify", "Make a program smaller and faster on any device", Simplify()},
      {"fuse", "Simplify, then join operations into fusions", Fuse()},
      {"cpu", "Prepare a program for the backend cpu, including copies and schedule", Cpu()},
      {"vulkan", "Prepare a program for the backend vulkan, including copies and schedule", Vulkan({})},
      {"vulkan-without-f64", "The same for devices that lack f64", Vulkan({{"arithmetic", "f32-pairs"}})},
  };
  return *pipelines;
}

absl::StatusOr<Pipeline> PipelineByName(absl::string_view name) {
  std::vector<absl::string_view> known;
  for (const NamedPipeline& pipeline : AllPipelines()) {
    if (pipeline.name == name) return pipeline.steps;
    known.push_back(pipeline.name);
  }
  return absl::InvalidArgumentError(
      absl::StrCat("unknown pipeline '", name, "'", DidYouMean(name, known), "; --list-pipelines lists them"));
}

std::string DescribePipeline(const Pipeline& pipeline) {
  std::string text;
  Describe(pipeline, "", &text);
  return text;
}

}  // namespace xla
