// Trip counts, costs, value ranges and dataflow against what a run of the interpreter shows: how often each instruction
// was evaluated, and which values the instructions of the entry had.
#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "passes/analyses/call_graph.h"
#include "passes/analyses/cost.h"
#include "passes/analyses/dataflow.h"
#include "passes/analyses/trip_counts.h"
#include "passes/analyses/value_ranges.h"
#include "tests/random_modules/check_analyses.h"
#include "tests/random_modules/random_module.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ops/convert_elements.h"

namespace xla {
namespace {

using Counts = std::map<const HloInstruction*, int64_t>;

// How often the instructions were evaluated on device 0.
class Counter : public ProfileSink {
 public:
  void OnInstruction(const HloInstruction& instruction, int64_t device, absl::Time, absl::Time) override {
    const std::lock_guard<std::mutex> lock(mutex_);
    if (device == 0) ++counts_[&instruction];
  }
  const Counts& counts() const { return counts_; }

 private:
  std::mutex mutex_;
  Counts counts_;
};

EvaluatorOptions Options(const HloModule& module) {
  EvaluatorOptions options;
  options.max_steps = 300'000;
  options.timeout = absl::Seconds(20);
  options.replica_count = module.config().replica_count;
  options.partition_count = module.config().num_partitions;
  return options;
}

// Results of device 0; nullopt if a limit was reached.
absl::optional<Literal> Run(const HloModule& module, EvaluatorOptions options, uint64_t seed) {
  const auto evaluator = Evaluator::Create(module, std::move(options));
  if (!evaluator.ok()) return absl::nullopt;
  FeedQueues queues;
  queues.infeed = RandomInfeeds(module, seed);
  auto results = (*evaluator)->Run(RandomInputs(module, seed), &queues);
  if (!results.ok()) return absl::nullopt;
  (*results)[0].LeaveBudget();
  return std::move((*results)[0]);
}

int64_t CountOf(const Counts& counts, const HloInstruction& instruction) {
  const auto found = counts.find(&instruction);
  return found == counts.end() ? 0 : found->second;
}

// Of the instruction that was evaluated most often; 0 if all only pass values on.
int64_t RunsOf(const Counts& counts, const HloComputation& computation) {
  int64_t runs = 0;
  for (const auto& instruction : computation.instructions()) runs = std::max(runs, CountOf(counts, *instruction));
  return runs;
}

// ---- How often

// The values of a counter are checked by apply-value-ranges, which decides comparisons with them.
void CheckTripCounts(const HloModule& module, const Counts& counts, AnalysisFindings* findings) {
  std::string expected;
  for (const auto& computation : module.computations()) {
    for (const auto& loop : computation->instructions()) {
      if (loop->opcode() != HloOpcode::kWhile) continue;
      const absl::optional<int64_t> count = TripCount(*loop);
      absl::StrAppend(&expected, PlaceOf(*loop), ": ",
                      count.has_value() ? absl::StrCat(*count, " iterations") : "unknown", "\n");
      const int64_t runs = CountOf(counts, *loop);
      const int64_t body = RunsOf(counts, *loop->called_computation(1));
      // Bodies are of one loop each, in random modules.
      if (count.has_value() && body != 0 && body != *count * runs) {
        findings->Add("trip-counts", PlaceOf(*loop), " has ", *count, " iterations, but its body runs ", body,
                      " times in ", runs, " runs");
      }
      if (count.has_value() && EstimatedTripCount(*loop) != count) {
        findings->Add("trip-counts", PlaceOf(*loop), " is estimated otherwise than it is");
      }
    }
  }
  // Lines go on with what is known beside the number.
  const std::vector<std::string> printed = absl::StrSplit(PrintTripCounts(module), '\n');
  const std::vector<std::string> wanted = absl::StrSplit(expected, '\n');
  for (size_t i = 0; i < std::max(printed.size(), wanted.size()); ++i) {
    if (i >= printed.size() || i >= wanted.size() || printed[i].compare(0, wanted[i].size(), wanted[i]) != 0) {
      findings->Add("trip-counts", "line ", i, " is printed otherwise: ", i < wanted.size() ? wanted[i] : "none");
      return;
    }
  }
}

// Whether the number of its runs is told, not estimated: no branch and no loop of unknown length leads there, and no
// call that the interpreter leaves out because its result is unused.
bool HasCertainRuns(const HloComputation& computation, const CallGraph& graph, const Counts& counts) {
  if (&computation == computation.parent()->entry()) return true;
  for (const CallSite& site : graph.CallSites(computation)) {
    if (!graph.IsReachable(*site.caller->parent())) continue;
    if (site.context != CallContext::kControl || site.caller->opcode() == HloOpcode::kConditional) return false;
    if (site.caller->opcode() == HloOpcode::kWhile && !TripCount(*site.caller).has_value()) return false;
    if (CountOf(counts, *site.caller) == 0 || !HasCertainRuns(*site.caller->parent(), graph, counts)) return false;
  }
  return true;
}

double AllBytes(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() ? static_cast<double>(shape.ByteSize()) : 0;
  double bytes = 0;
  for (const Shape& element : shape.tuple_shapes()) bytes += AllBytes(element);
  return bytes;
}

// What is read and written beyond doubt.
void CheckElementwiseCost(const HloInstruction& instruction, AnalysisFindings* findings) {
  const Cost cost = OwnCost(instruction);
  const double result = AllBytes(instruction.shape());
  double operands = 0;
  for (const HloInstruction* operand : instruction.operands()) operands += AllBytes(operand->shape());
  if (cost.flops < 0 || cost.transcendentals < 0 || cost.bytes_read < 0 || cost.bytes_written < 0 ||
      cost.bytes() != cost.bytes_read + cost.bytes_written) {
    findings->Add("cost", PlaceOf(instruction), " costs less than nothing");
  }
  const bool is_complex = instruction.shape().IsArray() && IsComplex(instruction.shape().element_type());
  const HloOpcode opcode = instruction.opcode();
  double flops;
  if (opcode == HloOpcode::kAdd || opcode == HloOpcode::kMaximum) {
    flops = static_cast<double>(instruction.shape().ElementCount()) * (is_complex ? 2 : 1);
  } else if (opcode == HloOpcode::kCopy || opcode == HloOpcode::kConcatenate || opcode == HloOpcode::kReverse) {
    flops = 0;
  } else if (opcode == HloOpcode::kDot) {
    flops = static_cast<double>(instruction.shape().ElementCount()) * (is_complex ? 8 : 2);
    for (const int64_t d : instruction.attributes<DotAttributes>().lhs_contracting_dims) {
      flops *= static_cast<double>(instruction.operand(0)->shape().dimension(static_cast<int>(d)));
    }
  } else {
    return;
  }
  if (cost.flops != flops) findings->Add("cost", PlaceOf(instruction), " has ", flops, " flops, not ", cost.flops);
  if (cost.bytes_read != operands || cost.bytes_written != result || PlainBytes(instruction) != operands + result) {
    findings->Add("cost", PlaceOf(instruction), " reads ", operands, " and writes ", result, " bytes");
  }
}

void CheckCost(const HloModule& module, const Counts& counts, AnalysisFindings* findings) {
  const CostAnalysis analysis(module);
  const CallGraph graph(module);
  bool all_certain = analysis.UnknownLoops() == 0;
  Cost total;
  double plain = 0;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) CheckElementwiseCost(*instruction, findings);
    if (!graph.IsReachable(*computation)) continue;
    const bool is_control = graph.Context(*computation) == CallContext::kControl;
    const bool certain = is_control && HasCertainRuns(*computation, graph, counts);
    all_certain = all_certain && (certain || !is_control);
    if (!certain) continue;
    const double runs = analysis.Runs(*computation);
    for (const auto& instruction : computation->instructions()) {
      const auto found = counts.find(instruction.get());
      if (found != counts.end() && static_cast<double>(found->second) != runs) {
        findings->Add("cost", computation->name(), " runs ", found->second, " times, not ", runs);
      }
      // What is called as control flow counts by itself.
      const bool is_call = ContextOfCallees(instruction->opcode()) == CallContext::kControl;
      total += (is_call ? OwnCost(*instruction) : analysis.Of(*instruction)) * runs;
      plain += PlainBytes(*instruction) * runs;
    }
  }
  const auto close = [](double a, double b) { return std::max(a, b) - std::min(a, b) <= 1e-9 * std::max(a, b); };
  const Cost& found = analysis.Total();
  if (all_certain && (!close(total.flops, found.flops) || !close(total.transcendentals, found.transcendentals) ||
                      !close(total.bytes(), found.bytes()) || !close(plain, analysis.TotalPlainBytes()))) {
    findings->Add("cost", "another sum than ", found.flops, " flops, ", found.transcendentals, " transcendentals, ",
                  found.bytes(), " bytes, ", analysis.TotalPlainBytes(), " plain bytes");
  }
  const std::vector<std::string> lines = absl::StrSplit(PrintCost(module), '\n');
  if (lines[0] != absl::StrFormat("a run: %.6g flops, %.6g transcendentals, %.6g bytes read, %.6g bytes written; "
                                  "operands and results %.6g bytes",
                                  found.flops, found.transcendentals, found.bytes_read, found.bytes_written,
                                  analysis.TotalPlainBytes())) {
    findings->Add("cost", "prints other totals: ", lines[0]);
  }
}

// ---- Which values

// Arrays of the entry.
std::vector<int> ShownInstructions(const HloComputation& entry) {
  std::vector<int> shown;
  for (size_t i = 0; i < entry.instructions().size(); ++i) {
    const Shape& shape = entry.instructions()[i]->shape();
    if (shape.IsArray() && !shape.IsDynamic()) shown.push_back(static_cast<int>(i));
  }
  return shown;
}

// The module with all arrays of its entry as its result.
std::unique_ptr<HloModule> ShowingAll(const HloModule& module, const std::vector<int>& shown) {
  std::unique_ptr<HloModule> copy = CloneModule(module);
  HloComputation* const entry = copy->entry();
  std::vector<Shape> shapes;
  std::vector<HloInstruction*> values;
  for (const int i : shown) {
    values.push_back(entry->instructions()[i].get());
    shapes.push_back(values.back()->shape());
  }
  auto tuple = std::make_unique<HloInstruction>(HloOpcode::kTuple, "", Shape::Tuple(shapes));
  for (HloInstruction* value : values) tuple->AddOperand(value);
  entry->set_root(entry->AddInstruction(std::move(tuple)));
  HloModuleConfig& config = copy->mutable_config();
  config.entry_computation_layout->result = entry->root()->shape();
  config.input_output_alias.clear();
  config.buffer_donors.clear();
  return copy;
}

void CheckRange(const HloInstruction& instruction, const Literal& value, ValueRanges* ranges,
                AnalysisFindings* findings) {
  const PrimitiveType type = instruction.shape().element_type();
  if (!IsInt(type) && type != PRED) return;
  const absl::optional<ValueRange> range = ranges->Of(instruction);
  if (!range.has_value()) return;
  for (int64_t i = 0; i < value.element_count(); ++i) {
    int64_t element = 0;
    const char* const stored = value.data<char>() + i * ByteWidth(type);
    ConvertElements(type, S64, 1, stored, &element);
    // What is above the range of s64 wraps around in it.
    if (element < range->low || element > range->high || (type == U64 && element < 0)) {
      findings->Add("value-ranges", PlaceOf(instruction), " is ", element, ", not within ", range->low, " and ",
                    range->high);
      return;
    }
  }
}

void CheckValues(const HloModule& module, uint64_t seed, AnalysisFindings* findings) {
  const std::vector<int> shown = ShownInstructions(*module.entry());
  const absl::optional<Literal> values = Run(*ShowingAll(module, shown), Options(module), seed);
  if (!values.has_value()) return;
  ValueRanges ranges(module);
  const Dataflow dataflow(module);
  // The first instruction that has each value of the dataflow; small constants, which may be duplicated, stay apart.
  std::map<Dataflow::Value, int> first;
  for (size_t k = 0; k < shown.size(); ++k) {
    const HloInstruction& instruction = *module.entry()->instructions()[shown[k]];
    const Literal& value = values->element(static_cast<int>(k));
    CheckRange(instruction, value, &ranges, findings);
    const auto [at, is_new] = first.insert({dataflow.ValueAt(instruction), static_cast<int>(k)});
    const Literal& other = values->element(at->second);
    if (!is_new && other.shape().Equal(value.shape(), Shape::kIgnoreLayout) && !other.BitwiseEquals(value)) {
      findings->Add("dataflow", PlaceOf(instruction), " is not the value that it is said to be");
    }
    const std::vector<Dataflow::Value> possible = dataflow.PossibleValues(dataflow.FirstPosition(instruction));
    if (possible.empty() || !std::is_sorted(possible.begin(), possible.end())) {
      findings->Add("dataflow", PlaceOf(instruction), " has no possible values");
    }
  }
}

// Each position stands in the text once, as a value or as another place of one.
void CheckPrintedDataflow(const HloModule& module, AnalysisFindings* findings) {
  const Dataflow dataflow(module);
  int64_t definitions = 0;
  for (Dataflow::Position position = 0; position < dataflow.position_count(); ++position) {
    definitions += dataflow.IsDefinition(position);
    if (dataflow.ValueAt(dataflow.ValueAt(position)) != dataflow.ValueAt(position)) {
      findings->Add("dataflow", dataflow.PositionName(position), " has a value that nothing defines");
    }
  }
  const std::string text = PrintDataflow(module);
  if (std::count(text.begin(), text.end(), '\n') != definitions) {
    findings->Add("dataflow", "another number of lines than ", definitions);
  }
}

void CheckPrintedRanges(const HloModule& module, AnalysisFindings* findings) {
  ValueRanges ranges(module);
  std::string expected;
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      const Shape& shape = instruction->shape();
      if (!shape.IsArray() || (!IsInt(shape.element_type()) && shape.element_type() != PRED)) continue;
      const absl::optional<ValueRange> range = ranges.Of(*instruction);
      const absl::optional<ValueRange> all = RangeOfType(shape.element_type());
      if (!range.has_value() || range == all) continue;
      absl::StrAppend(&expected, PlaceOf(*instruction), ": ", range->low);
      if (range->low != range->high) absl::StrAppend(&expected, " to ", range->high);
      expected += '\n';
      if (all.has_value() && !range->Within(all->low, all->high)) {
        findings->Add("value-ranges", PlaceOf(*instruction), " leaves its type");
      }
    }
  }
  if (PrintValueRanges(module) != expected) findings->Add("value-ranges", "prints others than ", expected);
}

}  // namespace

void CheckAnalysesOfRuns(const HloModule& module, uint64_t seed, AnalysisFindings* findings) {
  Counter counter;
  EvaluatorOptions options = Options(module);
  options.profile = &counter;
  if (Run(module, std::move(options), seed).has_value()) {
    CheckTripCounts(module, counter.counts(), findings);
    CheckCost(module, counter.counts(), findings);
  }
  CheckValues(module, seed, findings);
  CheckPrintedDataflow(module, findings);
  CheckPrintedRanges(module, findings);
}

}  // namespace xla
