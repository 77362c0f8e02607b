// What does not change what a program computes: metadata, origins, statistics, frontend attributes.
#include "tests/scaling/constructs.h"

namespace xla {
namespace {

// n sines with this text behind them.
void Sines(ProgramText& program, int64_t n, absl::FunctionRef<std::string(int64_t i)> annotation) {
  std::string x = program.Parameter("f32[4]");
  for (int64_t i = 0; i < n; ++i) x = program.Add("f32[4] sine(", x, "), ", annotation(i));
  program.Result(x);
}

void Metadata(ProgramText& program, int64_t n) {
  Sines(program, n, [](int64_t i) {
    return absl::StrCat("metadata={op_type=\"sin\" op_name=\"jit(f)/layer_", i, "/sin\" source_file=\"model_", i % 10,
                        ".py\" source_line=", i + 1, "}");
  });
}

void StackFrames(ProgramText& program, int64_t n) {
  std::string files = "\nFileNames\n", functions = "\nFunctionNames\n", locations = "\nFileLocations\n",
              frames = "\nStackFrames\n";
  for (int64_t i = 1; i <= n; ++i) {
    absl::StrAppend(&files, i, " \"file", i, ".py\"\n");
    absl::StrAppend(&functions, i, " \"function", i, "\"\n");
    absl::StrAppend(&locations, i, " {file_name_id=", i, " function_name_id=", i, " line=", i, " end_line=", i,
                    " column=1 end_column=9}\n");
    absl::StrAppend(&frames, i, " {file_location_id=", i, " parent_frame_id=", i == 1 ? 1 : i - 1, "}\n");
  }
  program.Table(absl::StrCat(files, functions, locations, frames));
  Sines(program, n, [](int64_t i) { return absl::StrCat("metadata={op_name=\"s\" stack_frame_id=", i + 1, "}"); });
}

void Origins(ProgramText& program, int64_t n) {
  Sines(program, n, [](int64_t i) { return absl::StrCat("origin={{\"sine.", i, "\" {0}}}"); });
}

void OriginOfATuple(ProgramText& program, int64_t n) {
  const std::string x = program.Parameter("f32[4]");
  program.Result(program.Add("tuple(", Repeated(n, x), "), origin={(",
                             Listed(n, [](int64_t i) { return absl::StrCat("{\"o", i, "\"}"); }), ")}"));
}

void OriginRecoveries(ProgramText& program, int64_t n) {
  std::string table = "origin_recovery_table={\n";
  for (int64_t i = 0; i < n; ++i) absl::StrAppend(&table, "  {\"old", i, "\" {0}} : {\"new", i, "\"}\n");
  program.Attribute(table + "}");
  program.Result(program.Parameter("f32[4]"));
}

void FrontendAttributes(ProgramText& program, int64_t n) {
  Sines(program, n, [](int64_t i) { return absl::StrCat("frontend_attributes={layer=\"", i, "\",kind=\"a\"}"); });
}

void ManyFrontendAttributes(ProgramText& program, int64_t n) {
  Sines(program, 1, [n](int64_t) {
    return absl::StrCat("frontend_attributes={",
                        Listed(n, [](int64_t i) { return absl::StrCat("a", i, "=\"", i, "\""); }), "}");
  });
}

void FrontendAttributesOfTheModule(ProgramText& program, int64_t n) {
  program.Attribute(absl::StrCat("frontend_attributes={",
                                 Listed(n, [](int64_t i) { return absl::StrCat("a", i, "=\"", i, "\""); }), "}"));
  program.Result(program.Parameter("f32[4]"));
}

void Statistics(ProgramText& program, int64_t n) {
  Sines(program, n, [](int64_t i) { return absl::StrCat("statistics={visualizing_index=0,mean=", i, "}"); });
}

void BackendConfigurations(ProgramText& program, int64_t n) {
  Sines(program, n,
        [](int64_t i) { return absl::StrCat("backend_config={\"outer_dimension_partitions\":[\"", i, "\"]}"); });
}

}  // namespace

absl::Span<const Construct> AnnotationConstructs() {
  static constexpr Construct kConstructs[] = {
      {"metadata", "n instructions with metadata", 1000, Metadata},
      {"stack-frames", "tables of n stack frames", 1000, StackFrames},
      {"origins", "n instructions with an origin", 1000, Origins},
      {"origin-of-a-tuple", "the origins of n elements", 5000, OriginOfATuple},
      {"origin-recoveries", "a recovery table of n origins", 3000, OriginRecoveries},
      {"frontend-attributes", "n instructions with frontend attributes", 1000, FrontendAttributes},
      {"many-frontend-attributes", "an instruction with n frontend attributes", 5000, ManyFrontendAttributes},
      {"frontend-attributes-of-the-module", "n frontend attributes of the module", 5000, FrontendAttributesOfTheModule},
      {"statistics", "n instructions with statistics", 1000, Statistics},
      {"backend-configurations", "n instructions with a backend's configuration", 1000, BackendConfigurations},
  };
  return kConstructs;
}

}  // namespace xla
