// Attributes of instructions and of the header: groups, aliases, layouts, configurations.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

constexpr int64_t kDevices = 1000000;

// n negations of f32[1000000] with this text behind them.
void Negations(ProgramText& program, int64_t n, absl::FunctionRef<std::string(int64_t i)> attributes) {
  std::string x = program.Parameter("f32[1000000]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[1000000] negate(", x, "), ", attributes(i));
  program.Result(x);
}

void AllReducesOver(ProgramText& program, int64_t n, int64_t replicas, const std::string& groups) {
  program.Attribute(absl::StrCat("replica_count=", replicas));
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    x = program.Add("f32[4] all-reduce(", x, "), replica_groups=", groups, ", to_apply=", program.Adder());
  }
  program.Result(x);
}

std::string Numbers(int64_t n, int64_t first = 0) {
  return Listed(n, [first](int64_t i) { return absl::StrCat(first + i); });
}

std::string GroupsOfTwo(int64_t n) {
  return absl::StrCat("{", Listed(n, [](int64_t i) { return absl::StrCat("{", 2 * i, ",", 2 * i + 1, "}"); }), "}");
}

void ManyGroups(ProgramText& program, int64_t n) { AllReducesOver(program, 1, 2 * n, GroupsOfTwo(n)); }

void LargeGroup(ProgramText& program, int64_t n) {
  AllReducesOver(program, 1, n, absl::StrCat("{{", Numbers(n), "}}"));
}

void GroupsOfManyInstructions(ProgramText& program, int64_t n) { AllReducesOver(program, n, 16, GroupsOfTwo(8)); }

void IotaGroups(ProgramText& program, int64_t n) { AllReducesOver(program, n, kDevices, "[1000000,1]<=[1000000]"); }

void TransposedGroups(ProgramText& program, int64_t n) {
  AllReducesOver(program, n, kDevices, "[1000,1000]<=[1000,1000]T(1,0)");
}

void GroupsOfMeshes(ProgramText& program, int64_t n) {
  AllReducesOver(program, n, kDevices, "mesh['x'=1000,'y'=1000] {'x'}");
}

// An all-gather for each, of which the result has to be as large as its group.
void GathersOverIotaGroups(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("replica_count=", kDevices));
  const std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    program.Result(program.Add("f32[4000] all-gather(", x, "), replica_groups=[1000,1000]<=[1000000], dimensions={0}"));
  }
}

void TransfersOverIotaGroups(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("replica_count=", kDevices));
  std::string x = program.Parameter("f32[1000]");
  for (int64_t i = 0; i < n; ++i) {
    x = program.Add("f32[1000] all-to-all(", x, "), replica_groups=[1000,1000]<=[1000000], dimensions={0}");
  }
  program.Result(x);
}

void SourceTargetPairs(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("replica_count=", n));
  const std::string x = program.Parameter("f32[4]");
  const std::string pairs = Listed(n, [n](int64_t i) { return absl::StrCat("{", i, ",", (i + 1) % n, "}"); });
  program.Result(program.Add("f32[4] collective-permute(", x, "), source_target_pairs={", pairs, "}"));
}

void IotaShardings(ProgramText& program, int64_t n) {
  Negations(program, n, [](int64_t) { return "sharding={devices=[1000000]<=[1000000]}"; });
}

void TransposedShardings(ProgramText& program, int64_t n) {
  Negations(program, n,
            [](int64_t) { return "sharding={devices=[1000,1000]<=[1000,1000]T(1,0) last_tile_dim_replicate}"; });
}

void MeshShardings(ProgramText& program, int64_t n) {
  Negations(program, n, [](int64_t) { return "sharding={mesh['x'=1000,'y'=1000], [{'x','y'}]}"; });
}

void SimpleShardings(ProgramText& program, int64_t n) {
  static constexpr const char* kForms[] = {"{replicated}", "{manual}", "{maximal device=3}", "{unreduced}"};
  Negations(program, n, [](int64_t i) { return absl::StrCat("sharding=", kForms[i % 4]); });
}

void LongDeviceList(ProgramText& program, int64_t n) {
  Negations(program, 1, [n](int64_t) { return absl::StrCat("sharding={devices=[", n, "]", Numbers(n), "}"); });
}

void ManyDeviceLists(ProgramText& program, int64_t n) {
  Negations(program, n, [](int64_t) { return absl::StrCat("sharding={devices=[16]", Numbers(16), "}"); });
}

void ShardingOfATuple(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  program.Result(program.Add("(", Repeated(n, "f32[4]"), ") tuple(", Repeated(n, x), "), sharding={",
                             Repeated(n, "{devices=[4]<=[4]}"), "}"));
}

// One sharding for all n parts of a tuple, on each of 20 instructions.
void OneShardingForATuple(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  std::string tuple = program.Add("tuple(", Repeated(n, x), ")");
  for (int i = 0; i < 20; ++i) tuple = program.Add("opt-barrier(", tuple, "), sharding={replicated}");
  program.Result(tuple);
}

void ResultAliases(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("input_output_alias={ ",
                                 Listed(n,
                                        [&program](int64_t i) {
                                          return absl::StrCat("{", i, "}: (", program.parameter_count() + i,
                                                              ", {}, may-alias)");
                                        }),
                                 " }"));
  const std::string parameters = Listed(n, [&](int64_t) { return program.Parameter("f32[]"); });
  program.Result(program.Add("(", Repeated(n, "f32[]"), ") tuple(", parameters, ")"));
}

// Aliases of the elements of one parameter.
void ResultAliasesOfATuple(ProgramText& program, int64_t n) {
  program.Attribute(
      absl::StrCat("input_output_alias={ ",
                   Listed(n, [](int64_t i) { return absl::StrCat("{", i, "}: (0, {", i, "}, may-alias)"); }), " }"));
  const std::string tuple = program.Parameter(absl::StrCat("(", Repeated(n, "f32[]"), ")"));
  program.Result(program.Add("(", Repeated(n, "f32[]"), ") copy(", tuple, ")"));
}

void Donors(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat(
      "buffer_donor={ ",
      Listed(n, [&program](int64_t i) { return absl::StrCat("(", program.parameter_count() + i, ", {})"); }), " }"));
  std::string sum = program.Parameter("f32[]");
  for (int64_t i = 1; i < n; ++i) sum = program.Add("f32[] add(", sum, ", ", program.Parameter("f32[]"), ")");
  program.Result(sum);
}

void OperandAliases(ProgramText& program, int64_t n) {
  const std::string operands = Listed(n, [&](int64_t) { return program.Parameter("f32[4]"); });
  program.Result(program.Add("(", Repeated(n, "f32[4]"), ") custom-call(", operands,
                             "), custom_call_target=\"unknown\", output_to_operand_aliasing={",
                             Listed(n, [](int64_t i) { return absl::StrCat("{", i, "}: (", i, ", {})"); }), "}"));
}

void OperandAliasesOfATuple(ProgramText& program, int64_t n) {
  const std::string shape = absl::StrCat("(", Repeated(n, "f32[4]"), ")");
  program.Result(program.Add(shape, " custom-call(", program.Parameter(shape),
                             "), custom_call_target=\"unknown\", output_to_operand_aliasing={",
                             Listed(n, [](int64_t i) { return absl::StrCat("{", i, "}: (0, {", i, "})"); }), "}"));
}

void EntryLayout(ProgramText& program, int64_t n) {
  const std::string shapes = Repeated(n, "f32[2,3]{0,1}");
  program.Attribute(absl::StrCat("entry_computation_layout={(", shapes, ")->(", shapes, ")}"));
  const std::string parameters = Listed(n, [&](int64_t) { return program.Parameter("f32[2,3]{0,1}"); });
  program.Result(program.Add("(", shapes, ") tuple(", parameters, ")"));
}

void Layouts(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4,8]{1,0}");
  for (int64_t i = 0; i < n; ++i) {
    x = program.Add(i % 2 == 0 ? "f32[4,8]{0,1:T(8,128)(2,1)}" : "f32[4,8]{1,0:S(1)}", " copy(", x, ")");
  }
  program.Result(x);
}

void ControlPredecessors(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  std::string last = program.Add("f32[4] sine(", x, ")");
  for (int64_t i = 0; i < n; ++i) last = program.Add("f32[4] sine(", x, "), control-predecessors={", last, "}");
  program.Result(last);
}

void ManyPredecessorsOfOne(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  const std::string predecessors = Listed(n, [&](int64_t) { return program.Add("f32[4] sine(", x, ")"); });
  program.Result(program.Add("f32[4] negate(", x, "), control-predecessors={", predecessors, "}"));
}

void CustomCallConfigurations(ProgramText& program, int64_t n) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) {
    x = program.Add("f32[4] custom-call(", x, "), custom_call_target=\"Sharding\", api_version=API_VERSION_TYPED_FFI, ",
                    "backend_config={dimensions = [", i, ", 1], mode = \"a\"}");
  }
  program.Result(x);
}

void LongConfiguration(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  program.Result(program.Add("f32[4] custom-call(", x, "), custom_call_target=\"Sharding\", backend_config=\"",
                             std::string(n, 'c'), "\""));
}

void OperandLayouts(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[2,2]");
  program.Result(program.Add("f32[2,2] custom-call(", Repeated(n, x),
                             "), custom_call_target=\"unknown\", operand_layout_constraints={",
                             Repeated(n, "f32[2,2]{1,0}"), "}"));
}

}  // namespace

absl::Span<const Construct> AttributeConstructs() {
  static constexpr Construct kConstructs[] = {
      {"many-groups", "an all-reduce in n groups of two", 2000, ManyGroups},
      {"large-group", "an all-reduce in one group of n", 5000, LargeGroup},
      {"groups-of-many-instructions", "n all-reduces in 8 groups", 300, GroupsOfManyInstructions},
      {"iota-groups", "n all-reduces of a million replicas", 500, IotaGroups},
      {"transposed-groups", "n all-reduces in a thousand groups of a thousand", 500, TransposedGroups},
      {"groups-of-meshes", "n all-reduces along an axis of a mesh", 500, GroupsOfMeshes},
      {"gathers-over-iota-groups", "n all-gathers in a thousand groups", 500, GathersOverIotaGroups},
      {"transfers-over-iota-groups", "n all-to-alls in a thousand groups", 100, TransfersOverIotaGroups},
      {"source-target-pairs", "a collective-permute of n pairs", 5000, SourceTargetPairs},
      {"iota-shardings", "n shardings over a million devices", 1000, IotaShardings},
      {"transposed-shardings", "n shardings over a transposed million", 1000, TransposedShardings},
      {"mesh-shardings", "n shardings over a mesh", 1000, MeshShardings},
      {"simple-shardings", "n replicated, manual, maximal and unreduced ones", 1000, SimpleShardings},
      {"long-device-list", "a sharding that lists n devices", 10000, LongDeviceList},
      {"many-device-lists", "n shardings that list 16 devices", 500, ManyDeviceLists},
      {"sharding-of-a-tuple", "a tuple with n shardings", 2000, ShardingOfATuple},
      {"one-sharding-for-a-tuple", "one sharding for tuples of n elements", 1000, OneShardingForATuple},
      {"result-aliases", "n results that alias parameters", 2000, ResultAliases},
      {"result-aliases-of-a-tuple", "n results that alias elements of a parameter", 1000, ResultAliasesOfATuple},
      {"donors", "n donated parameters", 1000, Donors},
      {"operand-aliases", "a custom call whose n results alias operands", 1000, OperandAliases},
      {"operand-aliases-of-a-tuple", "... alias elements of one operand", 1000, OperandAliasesOfATuple},
      {"entry-layout", "an entry with layouts for n parameters and results", 1000, EntryLayout},
      {"layouts", "n copies from one layout to another", 500, Layouts},
      {"control-predecessors", "n instructions after each other", 1000, ControlPredecessors},
      {"many-predecessors-of-one", "an instruction with n control predecessors", 1000, ManyPredecessorsOfOne},
      {"custom-call-configurations", "n custom calls with a configuration", 500, CustomCallConfigurations},
      {"long-configuration", "a configuration of n characters", 200000, LongConfiguration},
      {"operand-layouts", "layout constraints for n operands", 2000, OperandLayouts},
  };
  return kConstructs;
}

}  // namespace xla
