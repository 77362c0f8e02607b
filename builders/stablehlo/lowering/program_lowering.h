// ProgramLowering: what the computations of one program share while they are written.
#ifndef BUILDERS_STABLEHLO_LOWERING_PROGRAM_LOWERING_H_
#define BUILDERS_STABLEHLO_LOWERING_PROGRAM_LOWERING_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/optional.h"
#include "absl/types/span.h"
#include "builders/computation_builder/computation_builder.h"
#include "builders/stablehlo/ir/module.h"
#include "builders/stablehlo/lowering/location_metadata.h"
#include "builders/stablehlo/lowering/type_shapes.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/support/resource_poll.h"
#include "xla_core/types/literal.h"

namespace xla {
namespace stablehlo {

class ComputationLowering;

// The parts of a func.func.
struct FunctionParts {
  const Operation* operation = nullptr;
  const Block* body = nullptr;  // nullptr: a declaration
  std::vector<TypeId> argument_types;
  std::vector<TypeId> result_types;
};

// The constants that are copied once, however many operations have them (constant_literals.h).
struct SharedConstants {
  absl::flat_hash_map<int32_t, std::shared_ptr<const Literal>> literals;  // by the numbers of their attributes
  std::function<void(absl::string_view)> on_copied;                       // LoweringOptions
  std::vector<bool> is_own;  // by the numbers of attributes, if there is on_copied
};

class ProgramLowering {
 public:
  // `module` outlives it. `source_name` is what messages call the program.
  ProgramLowering(const Module& module, std::string source_name, const ResourceContext* resources);

  const Module& module() const { return module_; }
  const TypeShapes& shapes() const { return shapes_; }
  const LocationMetadata& locations() const { return locations_; }
  SharedConstants& shared_constants() { return shared_constants_; }

  int64_t replica_count() const { return replica_count_; }
  int64_t partition_count() const { return partition_count_; }
  void set_device_counts(int64_t replicas, int64_t partitions) {
    replica_count_ = replicas;
    partition_count_ = partitions;
  }

  // Notes the functions and meshes of a module. Errors: two of one name, a function whose type does not fit.
  absl::Status AddSymbols(const Operation& module_operation);
  // Errors: there is none of this name.
  absl::StatusOr<const FunctionParts*> FindFunction(absl::string_view symbol) const;
  // Those that are neither private nor declarations, in the order of the module.
  const std::vector<std::string>& PublicFunctions() const { return public_functions_; }
  // The struct "sdy.mesh", or "stablehlo.mesh". Errors: there is none of this name.
  absl::StatusOr<const Attribute*> FindMesh(absl::string_view symbol) const;

  // The function as a computation with a parameter for each argument, whose result is one value or a tuple of several;
  // written once for all calls with the same shapes and the same integers known. `known`: of each argument; may be
  // empty. Errors: a declaration, a function that calls itself, what is wrong within.
  absl::StatusOr<XlaComputation> Function(absl::string_view symbol, absl::Span<const Shape> arguments,
                                          absl::Span<const absl::optional<DimensionVector>> known = {});

  // Writes the functions that nothing has called so far and drops what they become, for what is wrong in them: a module
  // is right as a whole. Those of `entries` have been written. What HLO cannot say is no error here.
  absl::Status CheckUncalledFunctions(absl::Span<const std::string> entries);

  // A function is being written from now on. Errors: it is already, so that it calls itself.
  absl::Status Begin(absl::string_view symbol);
  void End(absl::string_view symbol) { active_.erase(std::string(symbol)); }
  // Whether a function leaves sizes open, so that it is another one for each kind of call. False for unknown ones.
  bool DependsOnCall(absl::string_view symbol) const;

  // A look at the limits, before each operation. Their errors have no place.
  absl::Status CheckLimits() {
    absl::Status status = poll_.Check();
    if (!status.ok()) NotePlaced();
    return status;
  }
  // What constants count against while they are made; nullptr: nothing.
  MemoryBudget* memory_budget() const { return resources_ == nullptr ? nullptr : &resources_->memory(); }

  // Calls and regions nest at most this deep.
  static constexpr int kMaxDepth = 500;
  // One level of them, as long as it lives.
  class Level {
   public:
    explicit Level(ProgramLowering& program) : program_(program) { ++program_.depth_; }
    ~Level() { --program_.depth_; }
    Level(const Level&) = delete;
    Level& operator=(const Level&) = delete;
    absl::Status status() const;

   private:
    ProgramLowering& program_;
  };

  // ---- Places, for messages

  // The error with the place and the name of the innermost operation that it passes through in front.
  absl::Status AtPlace(const Operation& operation, const absl::Status& error);
  // An error has its place in front already.
  void NotePlaced() { is_placed_ = true; }
  // Where it is in the text or, without one, in the program that it comes from.
  std::string FileOf(const Operation& operation) const;
  int LineOf(const Operation& operation) const;

 private:
  absl::Status AddFunction(const Operation& operation);
  absl::StatusOr<XlaComputation> LowerFunction(const FunctionParts& function, absl::string_view symbol,
                                               absl::Span<const Shape> arguments,
                                               absl::Span<const absl::optional<DimensionVector>> known);

  const Module& module_;
  const std::string source_name_;
  const TypeShapes shapes_;
  const LocationMetadata locations_;
  const ResourceContext* const resources_;
  ResourcePoll poll_;
  int64_t replica_count_ = 1;
  int64_t partition_count_ = 1;
  absl::flat_hash_map<std::string, FunctionParts> functions_;
  std::vector<std::string> function_names_;  // in the order of the module
  std::vector<std::string> public_functions_;
  absl::flat_hash_map<std::string, AttributeId> meshes_;
  absl::flat_hash_map<std::string, XlaComputation> computations_;  // by symbol and what is known of the arguments
  absl::flat_hash_set<std::string> active_;                        // functions that are being written
  SharedConstants shared_constants_;
  int depth_ = 0;
  bool is_placed_ = false;
};

}  // namespace stablehlo
}  // namespace xla

#endif  // BUILDERS_STABLEHLO_LOWERING_PROGRAM_LOWERING_H_
