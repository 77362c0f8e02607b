#include "tests/partitioning/ideal_share.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/liveness.h"
#include "passes/partitioning/annotated_shardings.h"
#include "passes/partitioning/array_tiling.h"
#include "passes/pass_runner.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace {

absl::Status Run(const std::string& passes, HloModule& module) {
  ASSIGN_OR_RETURN(const Pipeline pipeline, ParsePasses(passes));
  PassContext context;
  return RunPasses(pipeline, PassRunnerOptions(), context, module).status();
}

Shape ShardOf(const Shape& shape, const std::vector<ArraySharding>& leaves, size_t* leaf) {
  if (!shape.IsTuple()) return ShardShape(shape, leaves[(*leaf)++].tiling);
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(ShardOf(element, leaves, leaf));
  return Shape::Tuple(std::move(elements));
}

// Between programs on whole arrays and those of a device a value is the same memory, as on both sides of a constraint.
void PassOperandsThrough(HloInstruction& custom_call) {
  if (!custom_call.shape().IsTuple()) return custom_call.ReplaceAllUsesWith(custom_call.operand(0));
  const std::vector<HloInstruction*> users(custom_call.users().begin(), custom_call.users().end());
  for (HloInstruction* user : users) {
    if (user->opcode() != HloOpcode::kGetTupleElement) continue;
    user->ReplaceAllUsesWith(custom_call.operand(user->attributes<GetTupleElementAttributes>().index));
  }
}

}  // namespace

absl::StatusOr<double> IdealShareOf(const HloModule& module, int64_t devices) {
  const std::unique_ptr<HloModule> shards = CloneModule(module);
  RETURN_IF_ERROR(Run(absl::StrCat("propagate-shardings:partitions=", devices), *shards));
  ASSIGN_OR_RETURN(const AnnotatedShardings shardings, AnnotatedShardings::Of(*shards, devices));
  for (const auto& computation : shards->computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->shape().IsDynamic()) continue;
      ASSIGN_OR_RETURN(const auto leaves, shardings.OfResult(*instruction));
      size_t leaf = 0;
      if (leaves.has_value()) instruction->mutable_shape() = ShardOf(instruction->shape(), *leaves, &leaf);
    }
    for (const auto& instruction : computation->instructions()) {
      if (IsShardingConstraint(*instruction) || BeginsManual(*instruction) || EndsManual(*instruction)) {
        PassOperandsThrough(*instruction);
      }
    }
  }
  // Without the runner, which verifies: broadcasts and slices, for example, still say what whole arrays have.
  shards->Tidy();
  PassContext context;
  for (const char* const name : {"remove-dead-code", "flatten-call-graph", "schedule-for-memory"}) {
    ASSIGN_OR_RETURN(const Pass* const pass, PassByName(name));
    RETURN_IF_ERROR(pass->run(*shards, context).status());
    shards->Tidy();
  }
  return PeakBytesOf(*shards);
}

absl::StatusOr<double> PeakBytesOf(const HloModule& module) {
  ASSIGN_OR_RETURN(const Dataflow dataflow, Dataflow::Create(module, nullptr));
  ASSIGN_OR_RETURN(const Liveness liveness, Liveness::Create(module, dataflow));
  const std::vector<double> bytes = liveness.LiveBytes();
  return bytes.empty() ? 0 : *std::max_element(bytes.begin(), bytes.end());
}

}  // namespace xla
