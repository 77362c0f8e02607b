#include "passes/mesh_cost/mesh_cost_text.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "passes/mesh_cost/chosen_mesh.h"
#include "xla_core/support/json.h"

namespace xla {
namespace {

// Collectives that DescribeMeshCost names.
constexpr size_t kShownCollectives = 10;
// Sums of times differ by so much, though all is waited for.
constexpr double kRounding = 1e-9;

// "12.3 us": three digits in the largest unit that leaves one before the point.
std::string SecondsText(double seconds) {
  if (seconds == 0) return "0 s";
  if (seconds < 0.9995e-6) return absl::StrFormat("%.3g ns", seconds * 1e9);
  if (seconds < 0.9995e-3) return absl::StrFormat("%.3g us", seconds * 1e6);
  if (seconds < 0.9995) return absl::StrFormat("%.3g ms", seconds * 1e3);
  return seconds < 999.5 ? absl::StrFormat("%.3g s", seconds) : absl::StrFormat("%.0f s", seconds);
}

std::string MemoryText(double bytes) {
  if (bytes < 10e3) return absl::StrFormat("%.0f bytes", bytes);
  if (bytes < 1e6) return absl::StrFormat("%.1f KB", bytes / 1e3);
  return bytes < 1e9 ? absl::StrFormat("%.1f MB", bytes / 1e6) : absl::StrFormat("%.1f GB", bytes / 1e9);
}

std::string CountText(int64_t count, absl::string_view noun) {
  return absl::StrCat(count, " ", noun, count == 1 ? "" : "s");
}

std::string PartLine(absl::string_view name, double seconds, double of, absl::string_view more) {
  const double share = of > 0 ? 100 * seconds / of : 0;
  return absl::StrFormat("  %-24s %9s %4.0f %%%s%s\n", name, SecondsText(seconds), share, more.empty() ? "" : "  ",
                         more);
}

std::string AxisLine(const StepCost::Axis& axis, double of) {
  const double hidden = axis.seconds - axis.waited;
  const std::string more = absl::StrCat(
      CountText(axis.collectives, "collective"), ", ", MemoryText(axis.bytes),
      hidden > kRounding * axis.seconds ? absl::StrCat(", ", SecondsText(hidden), " beside other work") : "");
  return PartLine(absl::StrCat("along ", axis.along), axis.waited, of, more);
}

std::string CollectiveLine(const StepCost::Collective& collective) {
  const std::string runs = collective.runs == 1 ? "" : absl::StrFormat(", %.6g times", collective.runs);
  return absl::StrCat("  ", collective.instruction, ": ", collective.opcode, " of ", MemoryText(collective.bytes),
                      " along ", collective.along, runs, ": ", SecondsText(collective.seconds), "\n");
}

std::string MemoryLine(const MeshCost& cost, const Topology& topology) {
  const StepMemory& memory = cost.step.memory;
  const std::string available = topology.memory > 0 ? absl::StrCat(" of ", MemoryText(topology.memory)) : "";
  return absl::StrCat("memory of a device: ", MemoryText(memory.total()), available,
                      NeedsTooMuchMemory(cost, topology) ? ", which is too little" : "", ": arguments ",
                      MemoryText(memory.arguments), ", constants ", MemoryText(memory.constants), ", values ",
                      MemoryText(memory.values), "\n");
}

std::string BottleneckText(const StepCost& step) { return absl::StrCat("most of it is ", step.Bottleneck()); }

// ---- JSON

void WriteMemory(const StepMemory& memory, JsonWriter& json) {
  json.BeginObject();
  json.Key("arguments").Double(memory.arguments);
  json.Key("constants").Double(memory.constants);
  json.Key("values").Double(memory.values);
  json.Key("total").Double(memory.total());
  json.EndObject();
}

void WriteStep(const MeshCost& cost, const Topology& topology, JsonWriter& json) {
  const StepCost& step = cost.step;
  json.Key("devices").Int(step.devices);
  json.Key("mesh").String(cost.devices);
  json.Key("partitioned").Bool(cost.is_partitioned);
  json.Key("seconds").Double(step.seconds());
  json.Key("arithmetic_seconds").Double(step.arithmetic_seconds);
  json.Key("memory_seconds").Double(step.memory_seconds);
  json.Key("waited_seconds").Double(step.waited());
  json.Key("bottleneck").String(step.Bottleneck());
  json.Key("axes").BeginArray();
  for (const StepCost::Axis& axis : step.axes) {
    json.BeginObject();
    json.Key("along").String(axis.along);
    json.Key("collectives").Int(axis.collectives);
    json.Key("bytes").Double(axis.bytes);
    json.Key("seconds").Double(axis.seconds);
    json.Key("waited_seconds").Double(axis.waited);
    json.EndObject();
  }
  json.EndArray();
  json.Key("memory");
  WriteMemory(step.memory, json);
  json.Key("fits_in_memory").Bool(!NeedsTooMuchMemory(cost, topology));
  json.Key("unknown_loops").Int(step.unknown_loops);
}

void WriteCollectives(const std::vector<StepCost::Collective>& collectives, JsonWriter& json) {
  json.Key("collectives").BeginArray();
  for (const StepCost::Collective& collective : collectives) {
    json.BeginObject();
    json.Key("instruction").String(collective.instruction);
    json.Key("opcode").String(collective.opcode);
    json.Key("along").String(collective.along);
    json.Key("runs").Double(collective.runs);
    json.Key("bytes").Double(collective.bytes);
    json.Key("seconds").Double(collective.seconds);
    json.Key("waited_seconds").Double(collective.waited);
    json.EndObject();
  }
  json.EndArray();
}

}  // namespace

std::string DescribeMeshCost(const HloModule& module, const MeshCost& cost, const Topology& topology) {
  const StepCost& step = cost.step;
  const double seconds = step.seconds();
  std::string text =
      absl::StrCat(module.name(), " on ", cost.devices, cost.is_partitioned ? ", partitioned" : "", "; ",
                   topology.ToString(), "\npredicted step: ", SecondsText(seconds), ", ", BottleneckText(step), "\n",
                   PartLine("arithmetic", step.arithmetic_seconds, seconds, ""),
                   PartLine("memory", step.memory_seconds, seconds, ""));
  for (const StepCost::Axis& axis : step.axes) text += AxisLine(axis, seconds);
  text += MemoryLine(cost, topology);
  if (step.unknown_loops > 0) {
    absl::StrAppend(&text, CountText(step.unknown_loops, "loop"), " of unknown length: one iteration is counted\n");
  }
  std::vector<const StepCost::Collective*> longest;
  for (const StepCost::Collective& collective : step.collectives) {
    if (collective.seconds > 0) longest.push_back(&collective);
  }
  if (longest.empty()) return text;
  std::stable_sort(longest.begin(), longest.end(),
                   [](const auto* a, const auto* b) { return a->seconds > b->seconds; });
  longest.resize(std::min(longest.size(), kShownCollectives));
  text += "collectives that take longest:\n";
  for (const StepCost::Collective* collective : longest) text += CollectiveLine(*collective);
  return text;
}

std::string MeshCostToJson(const HloModule& module, const MeshCost& cost, const Topology& topology) {
  JsonWriter json;
  json.BeginObject();
  json.Key("program").String(module.name());
  json.Key("topology").String(topology.ToString());
  WriteStep(cost, topology, json);
  WriteCollectives(cost.step.collectives, json);
  json.EndObject();
  return json.TakeText() + "\n";
}

std::string DescribeTrials(const HloModule& module, const std::vector<MeshTrial>& trials, const Topology& topology) {
  std::string text =
      absl::StrFormat("%s on %s\n%9s %11s  %s\n", module.name(), topology.ToString(), "step", "memory", "mesh");
  for (const MeshTrial& trial : trials) {
    if (!trial.status.ok()) {
      absl::StrAppend(&text, "  not possible: ", MeshText(trial.axes), ": ", trial.status.message(), "\n");
      continue;
    }
    absl::StrAppendFormat(&text, "%9s %11s  %s; %s%s\n", SecondsText(trial.cost.step.seconds()),
                          MemoryText(trial.cost.step.memory.total()), MeshText(trial.axes),
                          BottleneckText(trial.cost.step),
                          NeedsTooMuchMemory(trial.cost, topology) ? "; a device has too little memory" : "");
  }
  return text;
}

std::string TrialsToJson(const HloModule& module, const std::vector<MeshTrial>& trials, const Topology& topology) {
  JsonWriter json;
  json.BeginObject();
  json.Key("program").String(module.name());
  json.Key("topology").String(topology.ToString());
  json.Key("meshes").BeginArray();
  for (const MeshTrial& trial : trials) {
    json.BeginObject();
    json.Key("axes").BeginObject();
    for (const MeshAxis& axis : trial.axes) json.Key(axis.name).Int(axis.size);
    json.EndObject();
    if (trial.status.ok()) {
      WriteStep(trial.cost, topology, json);
    } else {
      json.Key("not_possible").String(trial.status.message());
    }
    json.EndObject();
  }
  json.EndArray();
  json.EndObject();
  return json.TakeText() + "\n";
}

}  // namespace xla
