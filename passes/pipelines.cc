#include "passes/pipelines.h"

#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "xla_core/support/edit_distance.h"

namespace xla {
namespace {

// Rounds of a group that ordinary programs need are two or three; a program that wants more is left as it is then.
constexpr int kMaxRounds = 8;

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
      Step("standardize-forms", "before everybody, so that nobody else meets odd forms"),
      Step("inline-calls", "early, so that the other passes see through calls"),
  };
}

Pipeline CleanAndSimplify() {
  return {
      Group(
          "cleaning, algebra and loops", "each uncovers work for the others",
          {
              Step("simplify-tuples", "elements of tuples are taken where they come from, so that the others see them"),
              Step("remove-zero-sized", "before anybody thinks about arrays that hold nothing"),
              Step("remove-no-ops", "so that rules see what is behind copies that do nothing"),
              Step("remove-dead-collectives", "those that only this program's number of devices makes idle"),
              Step("simplify-conditionals", "before the rules, which see what was in the branches then"),
              Step("hoist-common-code", "of the branches that are left"),
              Step("simplify-loops", "the same for loops of one turn; state that never changes becomes known"),
              Step("hoist-loop-invariants", "once it is known what never changes"),
              Step("apply-value-ranges", "so that the rules see which clamps and comparisons loop counters decide"),
              Step("simplify-algebra", "before folding, because it does not need the values of large constants"),
              Step("fold-constants", "what the rules brought together with constants"),
              Step("merge-equal", "what has become equal by then"),
              Step("remove-dead-code", "last, for it takes away what the others left without users"),
          }),
  };
}

Pipeline Simplify() {
  return Prepare() + CleanAndSimplify() + Pipeline{Step("unroll-loops", "once bodies are as small as they get")} +
         CleanAndSimplify();
}

Pipeline OpenFusions() {
  return {
      Step("remove-barriers", "when nothing is merged or moved any more that they should keep apart"),
      Step("dissolve-small-fusions", "so that what is left of the program's own fusions can be joined with others"),
  };
}

Pipeline JoinIntoFusions() {
  return {
      Step("fuse", "last, because what is in a fusion is hidden from other passes"),
  };
}

Pipeline JoinAttention() {
  return {
      Step("fuse-attention", "before the softmax is a fusion of its own"),
  };
}

Pipeline Fuse() { return Simplify() + OpenFusions() + JoinIntoFusions(); }

// What the CPU backend has no code for.
Pipeline ExpandForCpu() {
  return {
      Step("expand-dynamic-dimensions", "first, because other passes leave dynamic dimensions alone"),
      Step("split-async", "nothing runs beside a thunk, so that a start and its end are one operation"),
      Step("expand-rng-bit-generator", "before simplifying, which folds keys that are constants"),
      Step("expand-stochastic-convert", "to arithmetic, which fuses"),
      Step("expand-batch-norm", "to sums and elementwise operations, which fuse"),
      Step("expand-map", "to elementwise operations, which fuse"),
      Step("expand-ragged-dot", "to dots"),
      Step("expand-select-and-scatter", "to selections, or reduce-window and scatter, which there is code for"),
      Step("expand-scan", "to a loop of operations that there is code for"),
      Step("expand-topk", "calls with comparators of their own to sorts, some of which become topk",
           {{"comparators-only", "true"}}),
      Step("expand-total-order", "to comparisons of integers, which there are instructions for"),
      Step("upcast-integer-dots", "there are no products of less than a byte", {{"sub-byte-only", "true"}}),
      Step("widen-sub-byte", "there are no instructions for less than a byte"),
  };
}

// What is worth memory where products of a few rows wait for memory anyway.
Pipeline BatchForCpu() {
  return {
      Step("batch-loop-products", "when loops are as simple as they get, and before products are arranged"),
      Step("remove-dead-code", "slices that nobody multiplies any more"),
  };
}

// The form of products that library calls want.
Pipeline ArrangeForCpu() {
  return {
      Step("canonicalize-convolutions", "after the algebra, which folds transposes into convolutions again",
           {{"strided-kernels", "true"}}),
      Step("place-transposes", "those of neighbouring convolutions meet and are gone"),
      Step("canonicalize-dots", "when it is settled in which order their operands are", {{"strided", "true"}}),
      Step("merge-equal", "transposes that several products asked for"),
      Step("remove-dead-code", "what the two left without users"),
  };
}

Pipeline PlanMemory() {
  return {
      Step("assign-layouts",
           "behind all that knows reshapes better than bitcasts, and before copies have other reasons"),
      Step("flatten-call-graph", "so that each body has buffers of its own"),
      Step("share-constants", "equal constants are in memory once"),
      Step("schedule-for-memory", "before the copies, which depend on the order"),
      Step("rematerialize", "does nothing without a limit; where the order alone was not enough"),
      Step("insert-copies", "last, because any other pass could make a copy useless or needed"),
  };
}

Pipeline Cpu() {
  return Prepare() + ExpandForCpu() + Simplify() + BatchForCpu() + ArrangeForCpu() + OpenFusions() + JoinAttention() +
         JoinIntoFusions() + PlanMemory();
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
      {"prepare", "brings programs into one form that the other passes expect", Prepare()},
      {"simplify", "makes a program smaller and faster on any device", Simplify()},
      {"fuse", "simplify, and joins operations into fusions", Fuse()},
      {"cpu", "all that the CPU backend wants, down to the plan of its memory", Cpu()},
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
