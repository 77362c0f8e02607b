#include "tests/fuzz/fuzz_targets.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/match.h"
#include "absl/time/time.h"
#include "builders/webnn/graph_builder.h"
#include "builders/webnn/read_graph_json.h"
#include "builders/webnn/write_graph_json.h"
#include "tests/fuzz/input_limits.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/literal_io/input_spec.h"
#include "xla_core/literal_io/npy.h"
#include "xla_core/literal_io/npz.h"
#include "xla_core/literal_io/safetensors.h"
#include "xla_core/proto/hlo_proto.h"
#include "xla_core/support/checked_math.h"
#include "xla_core/support/json.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/testing/printed_form.h"
#include "xla_core/text/parser.h"
#include "xla_core/text/printer.h"
#include "xla_core/verifier/verifier.h"

namespace xla {
namespace {

[[noreturn]] void Fail(absl::string_view what, absl::string_view first, absl::string_view second = "") {
  std::fprintf(stderr, "%.*s\n---- first:\n%.*s\n---- second:\n%.*s\n", static_cast<int>(what.size()), what.data(),
               static_cast<int>(first.size()), first.data(), static_cast<int>(second.size()), second.data());
  std::abort();
}

void MustEndEarlyOrAs(absl::string_view what, const absl::Status& status, const absl::Status& otherwise) {
  if (!EndsEarlyOrAs(status, otherwise)) Fail(what, status.ToString(), otherwise.ToString());
}

std::unique_ptr<HloModule> MustParse(absl::string_view what, const std::string& text) {
  ParseOptions options;
  options.fill_missing_layouts = false;  // the text has those that there are
  auto module = ParseHloModule(text, options);
  if (!module.ok()) Fail(what, text, module.status().message());
  return *std::move(module);
}

void MustBeEqual(absl::string_view what, const std::string& first, const std::string& second) {
  if (first != second) Fail(what, first, second);
}

// Printing what was printed and read again changes nothing.
void CheckTextRoundTrip(const HloModule& module, const PrintOptions& options, bool valid) {
  const std::string first = ModuleToString(module, options);
  const auto again = MustParse("a printed module cannot be read", first);
  MustBeEqual("a module changes when it is printed and read", first, ModuleToString(*again, options));
  const absl::Status status = VerifyModule(*again);
  if (valid && !status.ok()) Fail("a valid module is not valid any more once printed", first, status.message());
}

void CheckProtoRoundTrip(const HloModule& module) {
  const std::string text = ModuleToString(module);
  const auto written = WriteHloProto(module, ProtoEncoding::kBinary);
  // Strings of text are bytes, those of protobuf UTF-8.
  if (!written.ok() && absl::StrContains(written.status().message(), "UTF-8")) return;
  if (!written.ok()) Fail("a valid module cannot be written as protobuf", text, written.status().message());
  const auto again = ReadHloProto(*written);
  if (!again.ok()) Fail("a written protobuf cannot be read", text, again.status().message());
  MustBeEqual("a module changes on its way through protobuf", text, ModuleToString(*again->module));
}

absl::Status Verify(const HloModule& module, const ResourceContext* resources) {
  VerifierOptions options;
  options.resources = resources;
  return VerifyModule(module, options);
}

int64_t EntryParameterBytes(const HloModule& module) {
  int64_t bytes = 0;
  for (const HloInstruction* parameter : module.entry()->parameters()) {
    if (parameter->shape().IsUnboundedDynamic() || !CheckedAdd(bytes, parameter->shape().ByteSize(), &bytes)) {
      return -1;
    }
  }
  return bytes;
}

absl::StatusOr<std::vector<Literal>> Run(const HloModule& module, int threads, const ResourceContext* resources) {
  EvaluatorOptions options;
  options.resources = resources;
  options.threads = threads;
  options.max_steps = 2000;
  options.max_memory_bytes = int64_t{32} << 20;
  options.timeout = absl::Seconds(2);
  options.replica_count = std::min<int64_t>(4, module.config().replica_count);
  options.partition_count = std::min<int64_t>(2, module.config().num_partitions);
  auto evaluator = Evaluator::Create(module, options);
  if (!evaluator.ok()) return evaluator.status();
  std::vector<std::vector<Literal>> arguments(options.replica_count * options.partition_count);
  for (std::vector<Literal>& device : arguments) {
    for (const HloInstruction* parameter : module.entry()->parameters()) {
      auto argument = Literal::Zeros(parameter->shape());
      if (!argument.ok()) return argument.status();
      device.push_back(*std::move(argument));
    }
  }
  FeedQueues queues;
  return (*evaluator)->Run(std::move(arguments), &queues);
}

// Where a run ends that was cut short by the clock, or by memory that threads share, is a matter of chance.
bool IsMatterOfChance(const absl::Status& status) {
  return status.code() == absl::StatusCode::kDeadlineExceeded ||
         status.code() == absl::StatusCode::kResourceExhausted || status.code() == absl::StatusCode::kAborted;
}

}  // namespace

void FuzzText(absl::string_view text) {
  const InputLimits limits;
  ParseOptions options;
  options.resources = limits.resources();
  const auto modules = ParseHloModules(text, options);
  options.resources = limits.cancelled();
  MustEndEarlyOrAs("cancelled reading ends otherwise", ParseHloModules(text, options).status(), modules.status());
  if (!modules.ok()) {
    if (modules.status().message().empty()) Fail("an error says nothing", text);
    return;
  }
  for (const auto& module : *modules) {
    const absl::Status verified = Verify(*module, limits.resources());
    MustEndEarlyOrAs("cancelled verifying ends otherwise", Verify(*module, limits.cancelled()), verified);
    MustEndEarlyOrAs("cancelled printing ends otherwise",
                     PrintModule(*module, PrintOptions::Long(), limits.cancelled()).status(), absl::OkStatus());
    CheckTextRoundTrip(*module, PrintOptions::Long(), verified.ok());
    CheckTextRoundTrip(*module, PrintOptions::Short(), verified.ok());
    // Canonical names are not those of the module, so that only a second round must change nothing.
    const auto canonical =
        MustParse("a module printed canonically cannot be read", ModuleToString(*module, PrintOptions::Canonical()));
    CheckTextRoundTrip(*canonical, PrintOptions::Canonical(), verified.ok());
    if (!verified.ok()) continue;
    for (const PrintOptions& form : {PrintOptions::Short(), PrintOptions::Canonical()}) {
      const absl::Status same = CheckPrintedForm(*module, form);
      if (!same.ok()) Fail("the text of a module is not the whole program", text, same.message());
    }
    CheckProtoRoundTrip(*module);
  }
}

void FuzzProto(absl::string_view bytes) {
  const InputLimits limits;
  const auto contents = ReadHloProto(bytes, limits.resources());
  MustEndEarlyOrAs("cancelled reading ends otherwise", ReadHloProto(bytes, limits.cancelled()).status(),
                   contents.status());
  if (!contents.ok()) {
    if (contents.status().message().empty()) Fail("an error says nothing", "");
    return;
  }
  const HloModule& module = *contents->module;
  const bool valid = Verify(module, limits.resources()).ok();
  // Whatever was read can be printed, and written or refused.
  ModuleToString(module);
  const auto written = WriteHloProto(module, ProtoEncoding::kText, HloProtoKind::kModule, limits.resources());
  MustEndEarlyOrAs("cancelled writing ends otherwise",
                   WriteHloProto(module, ProtoEncoding::kText, HloProtoKind::kModule, limits.cancelled()).status(),
                   written.status());
  if (!valid) return;
  CheckProtoRoundTrip(module);
  CheckTextRoundTrip(module, PrintOptions::Long(), valid);
}

void FuzzEvaluator(absl::string_view text) {
  const InputLimits limits;
  ParseOptions options;
  options.resources = limits.resources();
  const auto module = ParseHloModule(text, options);
  if (!module.ok() || !Verify(**module, limits.resources()).ok()) return;
  const int64_t bytes = EntryParameterBytes(**module);
  if (bytes < 0 || bytes > 1 << 20) return;
  const auto one = Run(**module, 1, limits.resources());
  const auto two = Run(**module, 2, limits.resources());
  const absl::Status stopped = Run(**module, 1, limits.cancelled()).status();
  if (IsMatterOfChance(one.status()) || IsMatterOfChance(two.status())) return;
  MustEndEarlyOrAs("a cancelled run ends otherwise", stopped, one.status());
  if (one.status() != two.status()) {
    Fail("the number of threads decides on errors", one.status().ToString(), two.status().ToString());
  }
  for (size_t d = 0; one.ok() && d < one->size(); ++d) {
    if (!(*one)[d].BitwiseEquals((*two)[d])) Fail("the number of threads changes a result", text);
  }
}

void FuzzArrays(absl::string_view bytes) {
  const auto array = ReadNpy(bytes, "fuzz.npy");
  if (array.ok()) {
    if (!MakeNpy(*array).ok()) Fail("an array that was read cannot be written", array->shape().ToString());
    FormatLiteral(*array);
  }
  const auto archive = NpzReader::FromBytes(bytes, "fuzz.npz");
  for (int i = 0; archive.ok() && i < archive->size(); ++i) (void)archive->Read(i);
  const auto tensors = SafetensorsReader::FromBytes(bytes, "fuzz.safetensors");
  for (int i = 0; tensors.ok() && i < tensors->size(); ++i) (void)tensors->Read(i);
  const auto json = ParseJson(bytes, "fuzz.json");
  if (!json.ok()) return;
  const auto specs = ParseInputSpecs(*json, "fuzz.json");
  if (!specs.ok()) return;
  const InputLimits limits;
  MemoryBudget budget(int64_t{16} << 20);
  for (const auto& device : specs->devices) {
    for (const InputSpec& spec : device) {
      const absl::Status made = MakeInput(spec, nullptr, &budget, limits.resources()).status();
      MustEndEarlyOrAs("a cancelled input ends otherwise",
                       MakeInput(spec, nullptr, &budget, limits.cancelled()).status(), made);
    }
  }
}

namespace {

constexpr int64_t kMaxGraphBytes = int64_t{16} << 20;

absl::StatusOr<webnn::GraphDefinition> ReadGraph(absl::string_view text, const ResourceContext* resources) {
  ASSIGN_OR_RETURN(const JsonValue json, ParseJson(text, "fuzz.json"));
  ASSIGN_OR_RETURN(const webnn::MLEdition edition, webnn::EditionOfJson(json, "fuzz.json"));
  webnn::MLGraphBuilder builder(webnn::MLContext::WithoutDevice(edition));
  ASSIGN_OR_RETURN(const webnn::JsonGraph graph,
                   webnn::ReadGraphJson(json, "fuzz.json", builder, kMaxGraphBytes, resources));
  return builder.Define(graph.outputs);
}

}  // namespace

void FuzzWebnn(absl::string_view text) {
  const InputLimits limits;
  const auto graph = ReadGraph(text, limits.resources());
  MustEndEarlyOrAs("cancelled reading ends otherwise", ReadGraph(text, limits.cancelled()).status(), graph.status());
  if (!graph.ok()) {
    if (graph.status().message().empty()) Fail("an error says nothing", text);
    return;
  }
  const std::string written = webnn::WriteWebnn(*graph);
  const auto again = ReadGraph(written, limits.resources());
  // Bytes of names that are not UTF-8 come back as others, which may be the same.
  if (!again.ok() && absl::StrContains(written, "\\ufffd")) return;
  if (!again.ok()) Fail("a written graph cannot be read", written, again.status().message());
  MustBeEqual("a graph changes when it is written and read", written, webnn::WriteWebnn(*again));
  const auto module = webnn::LowerToHlo(*graph);
  if (!module.ok()) return;
  const absl::Status status = VerifyModule(**module);
  if (!status.ok()) Fail("a graph becomes HLO that is not valid", written, status.message());
  CheckTextRoundTrip(**module, PrintOptions::Long(), true);
}

}  // namespace xla
