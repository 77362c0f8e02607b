// Prints modules as HLO text that XLA (jaxlib 0.10.2) reads back.
#ifndef XLA_CORE_TEXT_PRINTER_H_
#define XLA_CORE_TEXT_PRINTER_H_

#include <string>

#include "absl/status/statusor.h"
#include "xla_core/ir/hlo_module.h"
#include "xla_core/support/resource_context.h"
#include "xla_core/types/literal.h"

namespace xla {

// How a module is spelled. The defaults are XLA's long form with constants in full.
struct PrintOptions {
  bool percent = true;          // % before names
  bool signatures = true;       // (p: f32[4]) -> f32[4] after the name of a computation
  bool operand_shapes = false;  // add(f32[4]{0} %a, f32[4]{0} %b)
  bool result_layouts = true;   // {1,0} after shapes
  bool metadata = true;         // metadata=, origin= and the stack-frame tables
  bool backend_config = true;
  bool elide_large_constants = false;  // {...} for more than ten elements; such a text cannot be run
  bool index_comments = true;          // /*index=5*/ before every fifth operand
  bool control_predecessors = true;
  bool async_sugar = false;          // custom-call-start(...) instead of async-start(...), calls=...
  // Called computations in braces where they are called, and nowhere else; but computation_0, ... for large ones with
  // several callers, for each hundredth level of calls, and for those with an execution thread of their own.
  bool nested_bodies = false;
  bool canonical_names = false;      // tmp_0, tmp_1, ... for instructions
  bool full_replica_groups = false;  // {{0,1},{2,3}} whatever form they were written in
  bool inline_stack_frames = false;  // source_file= and source_line= on each line instead of tables
  bool ids = false;                  // a comment with the id after each instruction
  // The next two write what jaxlib 0.10.2 refuses.
  bool compact_tuple_elements = false;  // %while#1#0 instead of get-tuple-element instructions
  bool newest_attributes = false;       // debug_attributes=

  // What hlo-opt prints unless told otherwise: XLA's long form, constants in full.
  static PrintOptions Long() { return PrintOptions(); }
  // XLA's ShortParsable: no percent signs, signatures, metadata, comments.
  static PrintOptions Short();
  // Independent of names: nested bodies, tmp_N, operand shapes.
  static PrintOptions Canonical();
};

std::string ModuleToString(const HloModule& module, const PrintOptions& options = {});
// The same within limits, of which reaching one is an error; nullptr: none.
absl::StatusOr<std::string> PrintModule(const HloModule& module, const PrintOptions& options,
                                        const ResourceContext* resources);
std::string ComputationToString(const HloComputation& computation, const PrintOptions& options = {});
// One line without indentation or ROOT.
std::string InstructionToString(const HloInstruction& instruction, const PrintOptions& options = {});

// Whether each row of an array gets a line of its own.
enum class LiteralStyle { kOneLine, kMultiLine };
// With its shape in front: "f32[2]{0} {1, 2}", as literal files have it.
std::string LiteralToString(const Literal& literal, LiteralStyle style = LiteralStyle::kOneLine);
// The value alone: "{1, 2}".
std::string LiteralValueToString(const Literal& literal, LiteralStyle style = LiteralStyle::kOneLine);

std::string ShardingToString(const Sharding& sharding);
std::string ReplicaGroupsToString(const ReplicaGroups& groups);
std::string WindowToString(const Window& window);
std::string DimLabelsToString(const ConvolutionDimensionNumbers& labels);
std::string PaddingToString(const PaddingConfig& padding);

}  // namespace xla

#endif  // XLA_CORE_TEXT_PRINTER_H_
