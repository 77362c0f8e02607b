// Index maps against the interpreter. An instruction is taken out of its module and run by itself:
//
// - what only moves elements, in s64, on operands whose elements are all different: each element of the result is the
//   one that the first map with satisfied conditions names;
// - what combines elements, in its own types: an element of an operand is changed, and no element of the result
//   changes unless a map leads there. Of a dot of odd integers, exactly those change.
#include <memory>
#include <utility>
#include <vector>

#include "absl/types/optional.h"
#include "passes/analyses/index_maps.h"
#include "tests/random_modules/check_analyses.h"
#include "tests/random_modules/random_module.h"
#include "xla_core/evaluator/evaluator.h"
#include "xla_core/ir/clone_module.h"
#include "xla_core/ir/opcode_traits.h"
#include "xla_core/ops/elementwise_table.h"
#include "xla_core/support/random_source.h"

namespace xla {
namespace {

// Beyond this many reads of elements an instruction is not looked at.
constexpr int64_t kMostReads = 20'000;
// Elements of each operand that are changed.
constexpr int kChanges = 3;

bool MovesElementsOnly(const HloInstruction& instruction) {
  const HloOpcode opcode = instruction.opcode();
  return HasTrait(opcode, opcode_trait::kPicksElements) || opcode == HloOpcode::kPad ||
         opcode == HloOpcode::kConcatenate;
}

Shape WithType(Shape shape, PrimitiveType type) {
  shape.set_element_type(type);
  return shape;
}

// One instruction as a program of its own, in s64 or in the types that it has.
class Probe {
 public:
  // `module` gets another entry.
  Probe(HloModule* module, const HloInstruction& instruction, bool in_s64) {
    HloComputation* const entry = module->AddComputation(std::make_unique<HloComputation>(""));
    std::vector<HloInstruction*> parameters;
    ProgramShape layout;
    for (const HloInstruction* operand : instruction.operands()) {
      const Shape shape = in_s64 ? WithType(operand->shape(), S64) : operand->shape();
      auto parameter = std::make_unique<HloInstruction>(HloOpcode::kParameter, "", shape);
      auto attributes = std::make_unique<ParameterAttributes>();
      attributes->number = static_cast<int64_t>(parameters.size());
      parameter->set_attributes(std::move(attributes));
      parameters.push_back(entry->AddInstruction(std::move(parameter)));
      // RandomInputs reads in the name what values it takes.
      parameters.back()->set_name(absl::StrCat(parameters.back()->name(), "_small"));
      layout.parameters.push_back(shape);
    }
    HloInstruction* const copy = AddClone(instruction, parameters, entry);
    if (in_s64) copy->mutable_shape() = WithType(copy->shape(), S64);
    layout.result = copy->shape();
    entry->set_root(copy);
    module->set_entry(entry);
    HloModuleConfig& config = module->mutable_config();
    config.entry_computation_layout = std::move(layout);
    config.input_output_alias.clear();
    config.buffer_donors.clear();
    config.replica_count = config.num_partitions = 1;
    auto evaluator = Evaluator::Create(*module);
    if (evaluator.ok()) evaluator_ = *std::move(evaluator);
  }

  absl::optional<Literal> Run(const std::vector<Literal>& arguments) const {
    if (evaluator_ == nullptr) return absl::nullopt;
    auto result = evaluator_->RunOne(arguments);
    if (!result.ok()) return absl::nullopt;
    return *std::move(result);
  }

 private:
  std::unique_ptr<Evaluator> evaluator_;
};

// ---- What the maps say

// Calls visit(values of the variables) for all values of variables `first` and following.
template <typename Visit>
void ForEachValue(const std::vector<int64_t>& sizes, size_t first, std::vector<int64_t>* values, const Visit& visit) {
  if (first == sizes.size()) return visit(*values);
  for (int64_t value = 0; value < sizes[first]; ++value) {
    (*values)[first] = value;
    ForEachValue(sizes, first + 1, values, visit);
  }
}

bool Holds(const IndexMap& map, const std::vector<int64_t>& values) {
  for (const IndexCondition& condition : map.conditions) {
    const int64_t value = condition.expression.ValueAt(values);
    if (value < condition.low || value > condition.high) return false;
  }
  return true;
}

int64_t Position(absl::Span<const int64_t> sizes, const std::vector<int64_t>& index) {
  int64_t position = 0;
  for (size_t d = 0; d < index.size(); ++d) position = position * sizes[d] + index[d];
  return position;
}

// The position in the operand, -1 if it is not within.
int64_t ReadPosition(const IndexMap& map, const Shape& operand, const std::vector<int64_t>& values) {
  std::vector<int64_t> index;
  for (size_t d = 0; d < map.index.size(); ++d) {
    index.push_back(map.index[d].ValueAt(values));
    if (index.back() < 0 || index.back() >= operand.dimension(static_cast<int>(d))) return -1;
  }
  return Position(operand.dimensions(), index);
}

int64_t ReadCount(const IndexMap& map) {
  int64_t count = 1;
  for (const int64_t size : map.variable_sizes) {
    if (__builtin_mul_overflow(count, size, &count)) return kMostReads + 1;
  }
  return count;
}

class MapChecker {
 public:
  MapChecker(const HloInstruction& instruction, const std::vector<IndexMap>& maps, uint64_t seed,
             AnalysisFindings* findings)
      : instruction_(instruction), maps_(maps), random_(seed), findings_(findings) {}

  // `module` is a copy in which `twin` is the instruction; it gets other entries.
  void Check(HloModule* module, const HloInstruction& twin) {
    for (const IndexMap& map : maps_) {
      if (ReadCount(map) > kMostReads) return;
      CheckIdentity(map);
    }
    if (MovesElementsOnly(instruction_)) return CheckMovement(Probe(module, twin, /*in_s64=*/true));
    if (instruction_.opcode() == HloOpcode::kDot) {
      return CheckCombination(Probe(module, twin, /*in_s64=*/true), OddArguments(), /*exactly=*/true);
    }
    Probe probe(module, twin, /*in_s64=*/false);
    CheckCombination(probe, RandomInputs(*module, 0)[0], /*exactly=*/false);
  }

 private:
  template <typename... Parts>
  void Add(const Parts&... parts) {
    findings_->Add("index-maps", PlaceOf(instruction_), ": ", parts...);
  }

  const Shape& OperandShape(int operand) const { return instruction_.operand(operand)->shape(); }

  void CheckIdentity(const IndexMap& map) {
    bool same = map.conditions.empty() && map.index.size() == static_cast<size_t>(map.result_rank) &&
                map.result_rank == instruction_.shape().rank();
    std::vector<int64_t> values(map.variable_sizes.size(), 0);
    ForEachValue(map.variable_sizes, 0, &values, [&](const std::vector<int64_t>& at) {
      for (size_t d = 0; same && d < map.index.size(); ++d) same = map.index[d].ValueAt(at) == at[d];
    });
    // Where nothing is read, nothing can be told by looking.
    if (map.IsIdentity() != same && ReadCount(map) > 0) Add("identity or not: ", map.ToString());
  }

  // All elements of all operands differ.
  std::vector<Literal> DistinctArguments() const {
    std::vector<Literal> arguments;
    int64_t next = 1;
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      std::vector<int64_t> numbers(OperandShape(i).ElementCount());
      for (int64_t& number : numbers) number = next++;
      arguments.push_back(Literal::FromValues<int64_t>(OperandShape(i).dimensions(), numbers));
    }
    return arguments;
  }

  std::vector<Literal> OddArguments() {
    std::vector<Literal> arguments = DistinctArguments();
    for (Literal& argument : arguments) {
      for (int64_t i = 0; i < argument.element_count(); ++i) argument.mutable_data<int64_t>()[i] = random_.Next() | 1;
    }
    return arguments;
  }

  void CheckMovement(const Probe& probe) {
    const std::vector<Literal> arguments = DistinctArguments();
    const absl::optional<Literal> result = probe.Run(arguments);
    if (!result.has_value()) return Add("does not run by itself");
    const std::vector<int64_t> sizes(result->shape().dimensions().begin(), result->shape().dimensions().end());
    std::vector<int64_t> values(sizes.size(), 0);
    ForEachValue(sizes, 0, &values, [&](const std::vector<int64_t>& at) {
      const int64_t got = result->data<int64_t>()[Position(sizes, at)];
      for (const IndexMap& map : maps_) {
        if (!Holds(map, at)) continue;
        const int64_t position = ReadPosition(map, OperandShape(map.operand), at);
        if (position < 0 || arguments[map.operand].data<int64_t>()[position] != got) {
          Add(map.ToString(), " is wrong at ", Position(sizes, at));
        }
        return;
      }
      Add("no map for ", Position(sizes, at));
    });
  }

  // By element of the result: whether some map reads that element of the operand.
  std::vector<bool> ReadersOf(int operand, int64_t position) {
    const Shape& shape = instruction_.shape();
    std::vector<bool> readers(shape.ElementCount(), false);
    for (const IndexMap& map : maps_) {
      if (map.operand != operand) continue;
      std::vector<int64_t> values(map.variable_sizes.size(), 0);
      ForEachValue(map.variable_sizes, 0, &values, [&](const std::vector<int64_t>& at) {
        if (!Holds(map, at)) return;
        const int64_t read = ReadPosition(map, OperandShape(operand), at);
        if (read < 0) return Add(map.ToString(), " leads out of the operand");
        const std::vector<int64_t> index(at.begin(), at.begin() + shape.rank());
        if (read == position) readers[Position(shape.dimensions(), index)] = true;
      });
    }
    return readers;
  }

  void CheckCombination(const Probe& probe, std::vector<Literal> arguments, bool exactly) {
    const absl::optional<Literal> before = probe.Run(arguments);
    if (!before.has_value()) return;
    for (int i = 0; i < instruction_.operand_count(); ++i) {
      const int64_t count = OperandShape(i).ElementCount();
      for (int change = 0; change < kChanges && count > 0; ++change) {
        CheckChange(probe, &arguments, *before, i, random_.Below(count), exactly);
      }
    }
  }

  void CheckChange(const Probe& probe, std::vector<Literal>* arguments, const Literal& before, int operand,
                   int64_t position, bool exactly) {
    Literal& argument = (*arguments)[operand];
    const int64_t width = ByteWidth(argument.shape().element_type());
    char* const element = argument.mutable_data<char>() + position * width;
    const std::vector<char> old(element, element + width);
    // 0 and 1 are values of all types in their lowest byte, and so is what differs from a number in its lowest bit.
    element[0] = static_cast<char>(element[0] ^ 1);
    const absl::optional<Literal> after = probe.Run(*arguments);
    std::copy(old.begin(), old.end(), argument.mutable_data<char>() + position * width);
    if (!after.has_value()) return;
    const std::vector<bool> readers = ReadersOf(operand, position);
    const int64_t result_width = ByteWidth(before.shape().element_type());
    for (int64_t i = 0; i < before.element_count(); ++i) {
      const char* const a = before.data<char>() + i * result_width;
      const char* const b = after->data<char>() + i * result_width;
      const bool changed = !std::equal(a, a + result_width, b);
      if (changed ? !readers[i] : exactly && readers[i]) {
        Add("element ", i, changed ? " depends on" : " does not depend on", " element ", position, " of operand ",
            operand);
        return;
      }
    }
  }

  const HloInstruction& instruction_;
  const std::vector<IndexMap>& maps_;
  RandomSource random_;
  AnalysisFindings* const findings_;
};

}  // namespace

void CheckIndexMaps(const HloModule& module, uint64_t seed, AnalysisFindings* findings) {
  const std::unique_ptr<HloModule> copy = CloneModule(module);
  const std::string text = PrintIndexMaps(module);
  for (size_t c = 0; c < module.computations().size(); ++c) {
    const HloComputation& computation = *module.computations()[c];
    for (size_t i = 0; i < computation.instructions().size(); ++i) {
      const HloInstruction& instruction = *computation.instructions()[i];
      const absl::optional<std::vector<IndexMap>> maps = IndexMapsOf(instruction);
      if (!maps.has_value() || maps->empty()) continue;
      // The copy has the same order of computations, and the entries of probes behind them.
      const HloInstruction& twin = *copy->computations()[c]->instructions()[i];
      MapChecker(instruction, *maps, seed + i, findings).Check(copy.get(), twin);
      if (computation.is_fusion_computation() || IsElementwise(instruction.opcode())) continue;
      for (const IndexMap& map : *maps) {
        if (text.find(absl::StrCat(PlaceOf(instruction), ": ", map.ToString(), "\n")) == std::string::npos) {
          findings->Add("index-maps", "does not print ", map.ToString());
        }
      }
    }
  }
}

}  // namespace xla
