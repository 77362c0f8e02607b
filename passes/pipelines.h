// Pipelines: the lists of passes that programs run, by name. They are data: none needs a backend to be looked at or
// run.
#ifndef PASSES_PIPELINES_H_
#define PASSES_PIPELINES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "passes/pass_runner.h"

namespace xla {

// A row of the list of pipelines. Strings are static.
struct NamedPipeline {
  const char* name;
  const char* summary;  // one line
  Pipeline steps;
};

// In the order in which they are listed to people:
// - prepare: what every other pipeline begins with, so that programs have one form;
// - simplify: makes a program smaller and faster on any device;
// - fuse: the same, and joins operations into fusions;
// - cpu: what the CPU backend runs, in memory that is planned;
// - vulkan, vulkan-without-f64: likewise for the backend of that name, on devices with f64 and without.
const std::vector<NamedPipeline>& AllPipelines();

// InvalidArgument names the nearest one if there is none of that name.
absl::StatusOr<Pipeline> PipelineByName(absl::string_view name);

// The steps, one per line, groups indented, each with the reason for its place.
std::string DescribePipeline(const Pipeline& pipeline);

}  // namespace xla

#endif  // PASSES_PIPELINES_H_
