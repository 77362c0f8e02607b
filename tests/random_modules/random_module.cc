#include "tests/random_modules/random_module.h"

#include <algorithm>
#include <utility>

#include "tests/random_modules/aliases.h"
#include "tests/random_modules/data_class.h"
#include "tests/random_modules/effects.h"
#include "tests/random_modules/moves.h"
#include "tests/random_modules/scope.h"
#include "xla_core/support/check.h"

namespace xla {
namespace {

// What a module is made of: each has its own emphasis, and does without some of the moves.
struct Theme {
  std::vector<std::pair<const Move*, int64_t>> moves;  // with weights
  int64_t total = 0;
};

Theme MakeTheme(RandomSource& random) {
  Theme theme;
  for (const absl::Span<const Move> family :
       {ElementwiseMoves(), DataMovementMoves(), IndexedMoves(), DynamicMoves(), ReductionMoves(), LinearAlgebraMoves(),
        ControlFlowMoves(), OtherMoves(), CollectiveMoves(), AlgebraIdioms(), MovementIdioms(), ProductIdioms(),
        StructureIdioms(), LoopIdioms(), AliasingIdioms(), LibraryIdioms(), AttentionIdioms(), SolverIdioms(),
        LargeArrayIdioms(), LayoutIdioms(), FoldingIdioms(), OddFormMoves()}) {
    static constexpr int64_t kFamilyEmphasis[] = {1, 2, 2, 4, 8};
    const int64_t family_emphasis = random.Pick(kFamilyEmphasis);
    for (const Move& move : family) {
      static constexpr int64_t kEmphasis[] = {0, 1, 2, 2, 3, 8};
      const int64_t weight = move.weight * family_emphasis * random.Pick(kEmphasis);
      if (weight == 0) continue;
      theme.moves.push_back({&move, weight});
      theme.total += weight;
    }
  }
  return theme;
}

int ReachOf(Scope::Kind kind) { return kind == Scope::Kind::kEntry ? 0 : kind == Scope::Kind::kNested ? 1 : 2; }

// Elements of the result: mostly what has no users, so that little is dead; some of it stays dead on purpose.
std::vector<Value> ChooseResults(Scope& scope) {
  std::vector<Value> candidates = scope.Outputs();
  if (candidates.empty()) candidates.push_back(scope.Array());
  const bool keep_all = scope.random().Chance(60);
  std::vector<Value> results;
  for (const Value& candidate : candidates) {
    const bool unused = candidate.instruction->users().empty();
    if (!scope.random().Chance(unused ? (keep_all ? 95 : 50) : 8)) continue;
    results.push_back(candidate);
  }
  if (results.empty()) results.push_back(candidates[0]);
  return results;
}

// The random numbers that would be drawn next, if any are drawn at all: they say how many were drawn before.
void AddNextRandomNumbers(Scope& scope, std::vector<Value>* results) {
  if (!scope.state().draws_numbers) return;
  if (scope.random().Chance(60)) results->push_back(DrawNumbers(scope, ArrayShape(S32, {8})));
  results->push_back(scope.Add(HloOpcode::kRngGetAndUpdateState, {}, Facts::Exact(),
                               {MakeAttributes<RngGetAndUpdateStateAttributes>([](auto& a) { a.delta = 1; })}));
}

// The results, in tuples within the tuple by chance.
Value Root(Scope& scope, const std::vector<Value>& results) {
  if (results.size() == 1 && scope.random().Chance(80)) return results[0];
  std::vector<Value> elements = results;
  if (scope.random().Chance(12)) {
    const int64_t n = static_cast<int64_t>(results.size());
    const int64_t first = scope.random().Below(n), end = scope.random().Between(first, n);
    const std::vector<Value> inner(results.begin() + first, results.begin() + end);
    elements.erase(elements.begin() + first, elements.begin() + end);
    elements.insert(elements.begin() + first, scope.Tuple(inner));
  }
  return scope.Tuple(elements);
}

// Arrays of a class, or tuples of such.
Literal MakeArgument(const Shape& shape, DataClass data_class, bool special_values, RandomSource& random) {
  if (!shape.IsTuple()) return MakeData(shape, data_class, special_values, random);
  std::vector<Literal> elements;
  for (const Shape& element : shape.tuple_shapes()) {
    elements.push_back(MakeArgument(element, data_class, special_values, random));
  }
  return Literal::Tuple(std::move(elements));
}

// Of all infeeds; they are of one shape.
const HloInstruction* FindInfeed(const HloModule& module) {
  for (const auto& computation : module.computations()) {
    for (const auto& instruction : computation->instructions()) {
      if (instruction->opcode() == HloOpcode::kInfeed) return instruction.get();
    }
  }
  return nullptr;
}

void ChooseDevices(ModuleState& state, int64_t max_devices) {
  if (max_devices < 2 || !state.random.Chance(20)) return;
  state.replicas = state.random.Between(1, std::min<int64_t>(4, max_devices));
  state.partitions = state.random.Between(1, std::min<int64_t>(2, max_devices / state.replicas));
}

// What a reader of text fills in.
void SetEntryLayout(HloModule& module) {
  ProgramShape layout;
  for (const HloInstruction* parameter : module.entry()->parameters()) layout.parameters.push_back(parameter->shape());
  layout.result = module.entry()->root()->shape();
  module.mutable_config().entry_computation_layout = std::move(layout);
}

}  // namespace

void MakeMoves(Scope& scope, int64_t instructions) {
  const Theme theme = MakeTheme(scope.random());
  const int64_t target = scope.instruction_count() + instructions;
  for (int attempts = 0; scope.instruction_count() < target && attempts < 20 * instructions; ++attempts) {
    int64_t choice = theme.total == 0 ? 0 : scope.random().Below(theme.total);
    for (const auto& [move, weight] : theme.moves) {
      if ((choice -= weight) >= 0) continue;
      if (move->reach >= ReachOf(scope.kind())) move->make(scope);
      break;
    }
  }
}

RandomModule GenerateRandomModule(uint64_t seed, const RandomModuleOptions& options) {
  RandomModule result;
  result.module = std::make_unique<HloModule>("random");
  ModuleState state(seed);
  state.functions_are_rounded = options.functions_are_rounded;
  state.module = result.module.get();
  ChooseDevices(state, options.max_devices);
  result.module->mutable_config().replica_count = state.replicas;
  result.module->mutable_config().num_partitions = state.partitions;

  Scope entry(&state, "entry", Scope::Kind::kEntry, 0);
  MakeMoves(entry, state.random.Between(options.min_instructions, options.max_instructions));
  std::vector<Value> results = ChooseResults(entry);
  AddNextRandomNumbers(entry, &results);
  for (const Value& value : results) result.exact_leaves.push_back(value.facts.exact);
  result.module->set_entry(entry.Finish(Root(entry, results)));
  SetEntryLayout(*result.module);
  if (state.random.Chance(40)) ChooseAliases(state.random, *result.module);
  return result;
}

std::vector<std::vector<Literal>> RandomInputs(const HloModule& module, uint64_t seed) {
  RandomSource random(seed ^ 0x5DEECE66D);
  const bool special_values = seed % 3 != 0;
  std::vector<std::vector<Literal>> devices(module.config().replica_count * module.config().num_partitions);
  for (std::vector<Literal>& arguments : devices) {
    for (const HloInstruction* parameter : module.entry()->parameters()) {
      arguments.push_back(MakeArgument(parameter->shape(), DataClassOfName(parameter->name()), special_values, random));
    }
  }
  return devices;
}

std::vector<std::vector<Literal>> RandomInfeeds(const HloModule& module, uint64_t seed) {
  RandomSource random(seed ^ 0x2545F4914F6CDD1D);
  std::vector<std::vector<Literal>> devices(module.config().replica_count * module.config().num_partitions);
  const HloInstruction* const infeed = FindInfeed(module);
  if (infeed == nullptr) return devices;
  const Shape shape = infeed->shape().tuple_shape(0).WithoutLayout();
  for (std::vector<Literal>& queue : devices) {
    for (int i = 0; i < kInfeedLength; ++i) queue.push_back(MakeData(shape, DataClass::kSmall, false, random));
  }
  return devices;
}

}  // namespace xla
