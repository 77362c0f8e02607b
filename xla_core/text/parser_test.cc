// Accepted texts with what they print as, and refused texts with their whole messages.
#include "xla_core/text/parser.h"

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "xla_core/text/literal_printer.h"
#include "xla_core/text/printer.h"

namespace xla {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;

// What `text` prints as, having checked that this is a fixed point; the error message if it is refused.
std::string Print(absl::string_view text, const PrintOptions& options = {}) {
  const auto module = ParseHloModule(text);
  if (!module.ok()) return std::string(module.status().message());
  const std::string printed = ModuleToString(**module, options);
  const auto again = ParseHloModule(printed);
  if (!again.ok()) return absl::StrCat("does not read back: ", again.status().message(), "\n", printed);
  EXPECT_EQ(ModuleToString(**again, options), printed);
  return printed;
}

std::string Error(absl::string_view text) {
  const auto module = ParseHloModule(text);
  return module.ok() ? "accepted" : std::string(module.status().message());
}

// Operands and computations for the instructions of the tables below.
constexpr absl::string_view kBefore = R"(HloModule m

%sum (a: f32[], b: f32[]) -> f32[] {
  %a = f32[] parameter(0)
  %b = f32[] parameter(1)
  ROOT %c = f32[] add(%a, %b)
}

%less (l: f32[], r: f32[]) -> pred[] {
  %l = f32[] parameter(0)
  %r = f32[] parameter(1)
  ROOT %lt = pred[] compare(%l, %r), direction=LT
}

%state (s: (s32[], f32[4])) -> (s32[], f32[4]) {
  ROOT %s = (s32[], f32[4]{0}) parameter(0)
}

%again (q: (s32[], f32[4])) -> pred[] {
  %q = (s32[], f32[4]{0}) parameter(0)
  ROOT %no = pred[] constant(false)
}

%same (i: f32[4]) -> f32[4] {
  ROOT %i = f32[4]{0} parameter(0)
}

ENTRY %e {
  %x = f32[4]{0} parameter(0)
  %y = f32[4]{0} parameter(1)
  %m = f32[8,4]{1,0} parameter(2)
  %v = f32[1,5,6,3]{3,2,1,0} parameter(3)
  %k = f32[3,3,3,4]{3,2,1,0} parameter(4)
  %n = s32[] parameter(5)
  %p = pred[] parameter(6)
  %t = (s32[], f32[4]{0}) parameter(7)
  %f = f32[] parameter(8)
  %z = c64[4]{0} parameter(9)
  %tok = token[] after-all()
)";

// Lines that print as they are written.
const char* const kInstructions[] = {
    "%o = f32[4]{0} abs(%x)",
    "%o = f32[4]{0} exponential(%x), result_accuracy={mode=highest}",
    "%o = f32[4]{0} tanh(%x), result_accuracy={tolerance={atol=0,rtol=0.001,ulps=2}}",
    "%o = f32[4]{0} add(%x, %y), sharding={replicated}, metadata={op_type=\"add\" op_name=\"jit(f)/add\" "
    "source_file=\"/a \\\"b\\\".py\" source_line=3 source_end_line=3 source_column=4 source_end_column=9 "
    "profile_type={1,2} deduplicated_name=\"d\" scheduling_name=\"s\" stack_frame_id=4 metadata_payload=\"q\"}",
    "%o = f32[4]{0} add(%x, %y), frontend_attributes={a=\"1\",b={\"json\":{\"n\":\"}\"}}}, "
    "control-predecessors={%x, %y}",
    "%o = f32[4]{0} add(%x, %y), statistics={visualizing_index=0,count_nan=100,x=0.5}",
    "%o = f32[4]{0} add(%x, %y), origin={{\"add\" {1}}}",
    "%o = (f32[4]{0}, f32[4]{0}) tuple(%x, %y), origin={({\"a\"}, ({\"b\" {0}}, {}))}",
    "%o = f32[4]{0} call(%x), to_apply=%same, origin={[synthetic_call]}",
    "%o = f32[4]{0} call(%x), to_apply=%same, is_composite=true",
    "%o = pred[4]{0} compare(%x, %y), direction=EQ",
    "%o = pred[4]{0} compare(%x, %y), direction=GE, type=TOTALORDER",
    "%o = f32[2,4]{1,0:T(8,128)(2,1)S(1)} broadcast(%x), dimensions={1}",
    "%o = f32[4]{0} broadcast(%f), dimensions={}",
    "%o = f32[4]{0:T(*,4)L(2)E(4)S(5)M(8)} copy(%x)",
    "%o = f32[4]{0:#(u32)*(u64)SC(0:1,2)(1:3)} copy(%x)",
    "%o = f32[<=4]{0} copy(%x)",
    "%o = b(f32[4]{0}) custom-call(%x), custom_call_target=\"Pin\"",
    "%o = f32[2,2]{1,0} reshape(%x)",
    "%o = f32[2,2]{1,0} reshape(%x), inferred_dimension=1",
    "%o = f32[4,8]{1,0} transpose(%m), dimensions={1,0}",
    "%o = f32[8,4]{1,0} reverse(%m), dimensions={0,1}",
    "%o = f32[8]{0} concatenate(%x, %y), dimensions={0}",
    "%o = f32[4]{0} map(%x, %y), dimensions={0}, to_apply=%sum",
    "%o = f32[8]{0} reduce(%m, %f), dimensions={1}, to_apply=%sum",
    "%o = f32[4]{0} sort(%x), dimensions={0}, is_stable=true, to_apply=%less",
    "%o = (f32[2]{0}, s32[2]{0}) topk(%x), k=2, largest=false",
    "%o = f32[4,4]{1,0} reduce-window(%m, %f), window={size=2x1 stride=2x1}, to_apply=%sum",
    "%o = f32[] reduce-window(%f, %f), to_apply=%sum",
    "%o = f32[8,4]{1,0} select-and-scatter(%m, %m, %f), window={size=2x1 pad=0_1x0_0}, select=%less, scatter=%sum",
    "%o = f32[4]{0} reduce-precision(%x), exponent_bits=5, mantissa_bits=10",
    "%o = f32[5]{0} pad(%x, %f), padding=-1_2",
    "%o = f32[11,5]{1,0} pad(%m, %f), padding=1_2_0x0_-2_1",
    "%o = f32[] pad(%f, %f)",
    "%o = f32[2]{0} slice(%x), slice={[0:4:2]}",
    "%o = f32[2,4]{1,0} slice(%m), slice={[1:3], [0:4]}",
    "%o = f32[] slice(%f), slice={}",
    "%o = f32[2]{0} dynamic-slice(%x, %n), dynamic_slice_sizes={2}",
    "%o = f32[4]{0} dynamic-update-slice(%x, %y, %n)",
    "%o = f32[4]{0} gather(%m, %n), offset_dims={0}, collapsed_slice_dims={0}, start_index_map={0}, "
    "operand_batching_dims={1}, start_indices_batching_dims={0}, index_vector_dim=0, slice_sizes={1,4}, "
    "indices_are_sorted=true",
    "%o = f32[8,4]{1,0} scatter(%m, %n, %x), update_window_dims={0}, inserted_window_dims={0}, "
    "scatter_dims_to_operand_dims={0}, index_vector_dim=0, indices_are_sorted=true, unique_indices=true, "
    "to_apply=%sum",
    "%o = f32[8,8]{1,0} dot(%m, %m), lhs_batch_dims={0}, lhs_contracting_dims={1}, rhs_batch_dims={0}, "
    "rhs_contracting_dims={1}, operand_precision={high,default}, algorithm=dot_bf16_bf16_f32_x3",
    "%o = f32[8,8]{1,0} ragged-dot(%m, %m, %x), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
    "lhs_ragged_dims={0}, rhs_group_dims={0}",
    "%o = f32[8,8]{1,0} scaled-dot(%m, %m, %m, %m), lhs_contracting_dims={1}, rhs_contracting_dims={1}",
    "%o = f32[1,3,2,4]{3,2,1,0} convolution(%v, %k), window={size=3x3 stride=1x2 pad=0_0x-1_1 lhs_dilate=1x2 "
    "rhs_dilate=2x1 rhs_reversal=1x0}, dim_labels=b01f_01io->b01f, feature_group_count=3, batch_group_count=2, "
    "operand_precision={highest,highest}",
    "%o = f32[1,3,2,4]{3,2,1,0} convolution(%v, %k), window={size=3x3}, dim_labels=b01f_01io->b01f, "
    "convolution_kind=dgrad, algorithm=dot_f32_f32_f32, "
    "sparsity_config={lhs={sparsity=2x4 dimension=1 stride=1},rhs={sparsity=1x2 dimension=0 stride=3}}",
    "%o = f32[8,8]{1,0} convolution(%m, %m), dim_labels=bf_oi->bf",
    "%o = c64[4]{0} fft(%z), fft_type=IFFT, fft_length={4}",
    "%o = f32[8,4]{1,0} triangular-solve(%m, %m), left_side=true, lower=true, unit_diagonal=true, "
    "transpose_a=NO_TRANSPOSE",
    "%o = f32[8,4]{1,0} cholesky(%m), lower=true",
    "%o = (f32[8,4]{1,0}, f32[4]{0}, f32[4]{0}) batch-norm-training(%m, %x, %y), epsilon=0.001, feature_index=1",
    "%o = f32[8,4]{1,0} batch-norm-inference(%m, %x, %x, %x, %x), epsilon=1e-05, feature_index=1",
    "%o = (f32[8,4]{1,0}, f32[4]{0}, f32[4]{0}) batch-norm-grad(%m, %x, %x, %x, %m), epsilon=1, feature_index=1",
    "%o = f32[4]{0} rng(%f, %f), distribution=rng_uniform",
    "%o = (u64[2]{0}, u32[4]{0}) rng-bit-generator(%t), algorithm=rng_three_fry",
    "%o = u64[2]{0} rng-get-and-update-state(), delta=3",
    "%o = f32[4]{0} get-tuple-element(%t), index=1",
    "%o = s32[] get-dimension-size(%m), dimensions={1}",
    "%o = f32[<=8,4]{1,0} set-dimension-size(%m, %n), dimensions={0}",
    "%o = f32[<=4]{0} dynamic-reshape(%x, %n)",
    "%o = (s32[], f32[4]{0}) while(%t), condition=%again, body=%state, "
    "backend_config={\"known_trip_count\":{\"n\":\"10\"}}",
    "%o = f32[4]{0} conditional(%p, %x, %y), true_computation=%same, false_computation=%same",
    "%o = f32[4]{0} conditional(%n, %x, %y, %x), branch_computations={%same, %same, %same}",
    "%o = f32[4]{0} fusion(%x), kind=kLoop, output_to_operand_aliasing={{}: (0, {})}, calls=%same",
    "%o = (f32[4]{0}) custom-call(%x), custom_call_target=\"x\\\"\\n\", operand_layout_constraints={f32[4]{0}}, "
    "custom_call_has_side_effect=true, literal=s32[2]{0} {1, 2}, output_to_operand_aliasing={{0}: (0, {})}, "
    "schedule=SCHEDULE_LATEST, api_version=API_VERSION_TYPED_FFI, called_computations={%sum, %same}, "
    "backend_config=\"opaque \\\"bytes\\\"\"",
    "%o = f32[4]{0} custom-call(%x), window={size=2}, dim_labels=b0f_0io->b0f, padding_type=PADDING_SAME, "
    "custom_call_target=\"conv\", literal=( s32[] 1, pred[] true )",
    "%o = (f32[4]{0}, token[]) infeed(%tok), infeed_config=\"i\"",
    "%o = token[] outfeed(%x, %tok), outfeed_shape=f32[4]{0}, outfeed_config=\"o\"",
    "%o = (f32[4]{0}, u32[], token[]) send(%x, %tok), channel_id=3, is_host_transfer=true",
    "%o = (f32[4]{0}, u32[], token[]) recv(%tok), channel_id=3",
    "%o = f32[4]{0} opt-barrier(%x)",
    "%o = f32[4]{0} add-dependency(%x, %tok)",
    "%o = u32[] replica-id()",
    "%o = f32[4]{0} domain(%x), domain={kind=\"sharding\", entry={maximal device=0}, exit={}}",
    "%o = (f32[4]{0}, f32[4]{0}, u32[]) copy-start(%x), cross_program_prefetch_index=1",
    "%o = f32[4]{0} all-reduce(%x), channel_id=1, replica_groups={{0,1},{2,3}}, constrain_layout=true, "
    "use_global_device_ids=true, to_apply=%sum",
    "%o = f32[4]{0} all-reduce(%x), replica_groups=[2,4]<=[8], to_apply=%sum",
    "%o = f32[4]{0} all-reduce(%x), replica_groups=[4,2]<=[2,4]T(1,0), to_apply=%sum",
    "%o = f32[4]{0} all-reduce(%x), replica_groups=mesh['x'=2,'y'=4] {'y':(2)2,'x'}, to_apply=%sum",
    "%o = f32[4]{0} all-reduce(%x), replica_groups=mesh['x'=2,'y'=2], device_ids=([2,2]T(1,0)) {'x'}, to_apply=%sum",
    "%o = f32[4]{0} all-reduce(%x), replica_groups=mesh['x'=2], device_ids=(1,0) {}, to_apply=%sum",
    "%o = f32[4]{0} all-reduce(%x), replica_groups=maximal_mesh[device_id=3] {}, to_apply=%sum",
    "%o = f32[2]{0} reduce-scatter(%x), replica_groups={}, dimensions={0}, to_apply=%sum",
    "%o = f32[8]{0} all-gather(%x), channel_id=1, replica_groups={{0,1}}, dimensions={0}, use_global_device_ids=true",
    "%o = f32[4]{0} all-to-all(%x), replica_groups={{0,1}}, dimensions={0}",
    "%o = (f32[4]{0}, f32[4]{0}) all-to-all(%x, %y), replica_groups={{0,1}}",
    "%o = f32[4]{0} ragged-all-to-all(%x, %y, %n, %n, %n, /*index=5*/%n), replica_groups={{0,1}}",
    "%o = f32[4]{0} collective-broadcast(%x), replica_groups={{0,1}}",
    "%o = f32[4]{0} collective-permute(%x), channel_id=2, source_target_pairs={{0,1},{1,0}}",
    "%o = f32[4]{0} collective-permute(%x, %y, %n, %n), source_target_pairs={{0,1}}, slice_sizes={{1},{2}}",
    "%o = (f32[4]{0}, f32[4]{0}) scan(%x, %f), dimensions={0}, num_carries=1, is_reverse=true, "
    "is_associative=true, to_apply=%sum",
    "%o = f32[4]{0} copy(%x), sharding={devices=[2,1,2]0,1,2,3 last_tile_dim_replicate}",
    "%o = f32[4]{0} copy(%x), sharding={devices=[1,2,2]<=[4] last_tile_dims={manual, replicated} shard_as 1}",
    "%o = f32[4]{0} copy(%x), sharding={devices=[4,2]<=[2,4]T(1,0) metadata={op_name=\"x\"}}",
    "%o = f32[4]{0} copy(%x), sharding={unreduced shard_like 2 metadata={{op_name=\"x\"}, {op_name=\"y\"}}}",
    "%o = (f32[4]{0}, f32[4]{0}) tuple(%x, %y), sharding={{replicated}, {maximal device=3}}",
    "%o = () tuple(), sharding={}",
    "%o = f32[4]{0} copy(%x), sharding={mesh['x'=2,'y'=4,'z'=2,'w'=2], [{'x'}, {}, {'y':(2)2, ?}, {?}], "
    "replicated={'z'}, unreduced=max{'y':(1)2}, manual={'w'}, metadata={op_name=\"x\"}}",
    "%o = f32[4]{0} copy(%x), sharding={mesh['x'=2,'y'=4], replicated}",
    "%o = f32[4]{0} copy(%x), sharding={mesh['x'=2,'y'=4], manual}",
    "%o = f32[4]{0} copy(%x), sharding={mesh['x'=2,'y'=4], unreduced=min}",
    "%o = f32[4]{0} copy(%x), sharding={maximal_mesh[device_id=1]}",
    "%o = f32[4]{0} constant({1, -2.5, inf, nan(0x1)})",
    "%o = (s32[], (f32[2]{0}, pred[])) constant(( 1, ( {2.5, -0.0}, true ) ))",
    "%o = f32[100]{0} constant({...})",
    "%o = f32[] constant({...})",
    "%o = (s32[], f32[2]{0}) constant({...})",
};

TEST(Parser, InstructionsPrintAsTheyAreWritten) {
  for (const char* line : kInstructions) {
    PrintOptions options;
    const std::string printed = Print(absl::StrCat(kBefore, "  ROOT ", line, "\n}\n"), options);
    EXPECT_THAT(printed, HasSubstr(absl::StrCat("\n  ROOT ", line, "\n}\n")));
    for (PrintOptions other : {PrintOptions::Short(), PrintOptions::Canonical()}) {
      EXPECT_THAT(Print(printed, other), HasSubstr("HloModule m,")) << line;
    }
  }
}

struct Spelling {
  const char* written;
  const char* printed;
};

TEST(Parser, OtherSpellingsPrintInOneWay) {
  constexpr Spelling kSpellings[] = {
      {"%o = add(x, y)", "%o = f32[4]{0} add(%x, %y)"},
      {"o: = f32[4] add(x, y:)", "%o = f32[4]{0} add(%x, %y)"},
      {"%o=f32[4]{0} add(f32[4]{0:T(8)} %x, f32[4] y)", "%o = f32[4]{0} add(%x, %y)"},
      {"o = f32[4] add(, x,, /*index=1*/ y,) // comment", "%o = f32[4]{0} add(%x, %y)"},
      {"o = f32[4] negate(add(multiply(x, x), f32[4] copy(y)))", "%o = f32[4]{0} negate(%add.anon)"},
      {"o = f32[4] negate(t#1)", "%o = f32[4]{0} negate(%t_1)"},
      {"o = f32[4] custom-call(x), custom_call_target='a', to_apply=sum",
       "%o = f32[4]{0} custom-call(%x), custom_call_target=\"a\", called_computations={%sum}"},
      {"o = f32[4] custom-call(x), custom_call_target=\"a\", opaque=\"b\", api_version=API_VERSION_ORIGINAL, "
       "schedule=schedule_none",
       "%o = f32[4]{0} custom-call(%x), custom_call_target=\"a\", backend_config=\"b\""},
      {"o = f32[4] all-reduce(x), to_apply=sum, barrier=\"\", all_reduce_id=3, mode=cross_replica",
       "%o = f32[4]{0} all-reduce(%x), replica_groups={}, to_apply=%sum"},
      {"o = f32[4] all-reduce(x), channel_id=-1, replica_groups={}, to_apply=sum",
       "%o = f32[4]{0} all-reduce(%x), replica_groups={}, to_apply=%sum"},
      {"o = f32[4] copy-start(x), is_cross_program_prefetch=true",
       "%o = f32[4]{0} copy-start(%x), cross_program_prefetch_index=0"},
      {"o = f32[4] copy(x), metadata={op_name=\"a\", preserve_layout=true creation_pass_id=3}",
       "%o = f32[4]{0} copy(%x), metadata={op_name=\"a\"}"},
      {"o = f32[4] copy(x), origin={}", "%o = f32[4]{0} copy(%x), origin={()}"},
      {"o = f32[4] exponential(x), result_accuracy={mode=HIGHEST}",
       "%o = f32[4]{0} exponential(%x), result_accuracy={mode=highest}"},
      {"o = f32[4] copy(x), sharding={maximal device=1 device=2}",
       "%o = f32[4]{0} copy(%x), sharding={maximal device=2}"},
      {"o = f32[8,8] dot(m, m), rhs_contracting_dims={1}, lhs_contracting_dims={1}, operand_precision={HIGH,Default}, "
       "algorithm=UNSET",
       "%o = f32[8,8]{1,0} dot(%m, %m), lhs_contracting_dims={1}, rhs_contracting_dims={1}, "
       "operand_precision={high,default}"},
      {"o = f32[4] map(x, y), to_apply=sum", "%o = f32[4]{0} map(%x, %y), dimensions={0}, to_apply=%sum"},
      {"o = f32[4]{0:D(D)T(4)} copy(x)", "%o = f32[4]{0:T(4)} copy(%x)"},
      {"o = pred[4] compare(x, y), type=FLOAT, direction=NE", "%o = pred[4]{0} compare(%x, %y), direction=NE"},
      {"o = f32[4] reduce-window(m, f), window={pad=0_0x1_1 size=2x1 rhs_reversal=0x0}, to_apply=sum",
       "%o = f32[4]{0} reduce-window(%m, %f), window={size=2x1 pad=0_0x1_1}, to_apply=%sum"},
      {"o = f32[4] ragged-all-to-all(x, y, n, n, n, n), replica_groups={{0, 1}}, dimensions={0}",
       "%o = f32[4]{0} ragged-all-to-all(%x, %y, %n, %n, %n, /*index=5*/%n), replica_groups={{0,1}}"},
      {"o = f32[2,3] constant({{1 2 3},{4,,5,6,},})", "%o = f32[2,3]{1,0} constant({ { 1, 2, 3 }, { 4, 5, 6 } })"},
      {"o = f32[2] constant(7)", "%o = f32[2]{0} constant({7, 0})"},
      {"o = f32[9] constant({1, ...})", "%o = f32[9]{0} constant({...})"},
      {"o = pred[3] constant({true, 0, 5})", "%o = pred[3]{0} constant({1, 0, 1})"},
      {"o = f32[2,0] constant({{},{}})", "%o = f32[2,0]{1,0} constant({ {}, {} })"},
      {"o = f32[] constant(-0)", "%o = f32[] constant(-0.0)"},
  };
  for (const Spelling& s : kSpellings) {
    EXPECT_THAT(Print(absl::StrCat(kBefore, "  ROOT ", s.written, "\n}\n")),
                HasSubstr(absl::StrCat("\n  ROOT ", s.printed, "\n}\n")));
  }
}

struct Refusal {
  const char* written;
  const char* message;  // of the error at `caret`
  int column;           // of the caret, from 1, in the written line
};

TEST(Parser, RefusesWithPlaceAndReason) {
  constexpr Refusal kRefusals[] = {
      {"o = f32[4] addd(x, y)", "unknown opcode 'addd'; did you mean 'add'?", 12},
      {"o = f32[4] add(x y)", "expected ',' or ')' after an operand, found 'y'", 18},
      {"o = f32[4] add(x, )", "expects 2 operands, but has 1 operands", 15},
      {"o = f32[4] add(x, xx)", "instruction 'xx' does not exist", 19},
      {"o = f32[4] add(x, f32[5] y)", "operand y is written as f32[5], but defined as f32[4]", 19},
      {"o = f32[4] add(x, ...(+1))",
       "this text was printed with compact operands, which leaves operands out; print it again without", 19},
      {"o = f32[4] negate(t#2)", "there is no element 2 of (s32[], f32[4])", 21},
      {"o = f32[4] negate(x#0)", "there is no element 0 of f32[4]", 21},
      {"a=f32[4] negate(x)", "expected the name of an instruction, found the attribute 'a='; write a blank before '='",
       1},
      {"%f32 = f32[4] negate(x)", "illegal instruction name 'f32', it is an element type; suggest renaming to f32_", 1},
      {"s64 = f32[4] negate(x)", "illegal instruction name 's64', it is an element type; suggest renaming to s64_", 1},
      {"x = f32[4] negate(x)", "instruction 'x' already exists", 1},
      {"o = negate(x), colour={0}",
       "unexpected attribute 'colour' of negate; allowed are sharding, frontend_attributes, control-predecessors, "
       "statistics, origin, metadata, backend_config",
       16},
      {"o = f32[8,4] transpose(m), dimension={1,0}",
       "unexpected attribute 'dimension' of transpose; did you mean 'dimensions'?; allowed are dimensions, sharding, "
       "frontend_attributes, control-predecessors, statistics, origin, metadata, backend_config",
       28},
      {"o = f32[8,4] transpose(m)", "attribute dimensions is expected but not seen: transpose needs dimensions=", 1},
      {"o = f32[8] reduce(m, f), dimensions={1}",
       "attribute to_apply is expected but not seen: reduce needs to_apply=", 1},
      {"o = f32[8,4] transpose(m), dimensions={1,0}, dimensions={1,0}", "attribute dimensions already exists", 46},
      {"o = f32[4] concatenate(x, y), dimensions={0,1}", "expected exactly one dimension, found 2", 42},
      {"o = convert(x)", "cannot infer shape for opcode convert; write it before the opcode", 1},
      {"o = f32[4] call(x), to_apply=sam",
       "computation does not exist: 'sam'; did you mean 'same'?; computations are "
       "defined before they are used",
       30},
      {"o = f32[4] negate(x), control-predecessors={}", "control-predecessors= needs at least one name", 44},
      {"o = f32[4] negate(x), control-predecessors={o}", "instruction 'o' is not defined before this one", 45},
      {"o = f32[4] negate(x), result_accuracy={mode=highest}",
       "unexpected attribute 'result_accuracy' of negate; allowed are sharding, frontend_attributes, "
       "control-predecessors, statistics, origin, metadata, backend_config",
       23},
      {"o = f32[4] negate(x), frontend_attributes={a=\"1\",a=\"2\"}", "frontend attribute 'a' is given twice", 50},
      {"o = f32[4] negate(x), metadata={op_nam=\"a\"}", "unknown field of metadata 'op_nam='; did you mean 'op_name'?",
       33},
      {"o = f32[4] negate(x), metadata={op_name=\"a\" op_name=\"b\"}", "field 'op_name' of metadata already exists",
       45},
      {"o = f32[4] negate(x), metadata={op_name=\"a\\q\"}",
       "this string has an escape that does not exist; write \\\\ for a backslash", 41},
      {"o = f32[4] negate(x), metadata={op_name=\"a", "this string is not closed", 41},
      {"o = pred[4] compare(x, y), direction=Lt", "unknown direction 'Lt'; did you mean 'LT'?", 38},
      {"o = f32[4] conditional(f, x, x), branch_computations={same, same}",
       "the first operand of conditional must be pred[] or s32[], found f32[]", 23},
      {"o = f32[4] conditional(n, x), branch_computations={same, same}",
       "conditional with 2 branches needs 3 operands, found 2", 1},
      {"o = f32[4] all-reduce(x), use_global_device_ids=true, to_apply=sum",
       "use_global_device_ids= needs channel_id=", 1},
      {"o = f32[4] all-reduce(x), replica_groups=[8]<=[8], to_apply=sum",
       "expected [groups,size] before the '<=' of iota replica groups", 42},
      {"o = f32[4] all-reduce(x), replica_groups=[2,4]<=[2,4]T(1,1), to_apply=sum",
       "T(...) must be a permutation of the dimensions 0 to 1", 58},
      {"o = f32[4] all-reduce(x), replica_groups=mesh['x'=2] {'z'}, to_apply=sum", "the mesh has no axis 'z'", 55},
      {"o = f32[4] collective-permute(x, y), source_target_pairs={{0,1}}, slice_sizes={{1}}",
       "slice_sizes= needs 4 operands, found 2", 1},
      {"o = f32[4] copy(x), sharding={devices=[2,2]0,1,2}", "the sharding has 4 tiles, but names 3 devices", 31},
      {"o = f32[4] copy(x), sharding={devices=[1]0}",
       "a sharding with tiles needs at least two devices; write maximal device=", 31},
      {"o = f32[4] copy(x), sharding={mesh['x'=2], [{'x'}, {'x'}]}", "a mesh axis is used twice in this sharding", 31},
      {"o = f32[9223372036854775808] copy(x)", "integer '9223372036854775808' does not fit in 64 bits with a sign", 9},
      {"o = f32[4] tanh(x), result_accuracy={tolerance={atol=-1}}", "tolerances must not be negative", 48},
      {"o = f32[4] copy(x), sharding={maximal}", "a maximal sharding needs device=", 31},
      {"o = f32[4] copy(x), sharding={shard_as 1}",
       "a sharding needs devices=[...] or one of replicated, maximal, manual, unknown, unreduced", 31},
      {"o = f32[4] copy(x), sharding={replicatd}", "unknown word in a sharding 'replicatd'; did you mean 'replicated'?",
       31},
      {"o = f32[8,4] reduce-window(m, f), window={size=2x1 stride=2}, to_apply=sum",
       "field stride of the window has 1 entries, its size has 2", 42},
      {"o = f32[8,4] reduce-window(m, f), window={size=2x1 pad=0_0_1x0_0}, to_apply=sum",
       "the padding of a window has no interior part", 56},
      {"o = f32[8,4] reduce-window(m, f), to_apply=sum", "reduce-window of an array needs window=", 1},
      {"o = f32[8,8] convolution(m, m), dim_labels=bf3_io3->bf3", "the digits of labels bf3 must count from 0 to 0",
       44},
      {"o = f32[8,8] convolution(m, m), dim_labels=bb_io->bf", "label 'b' occurs twice in bb", 44},
      {"o = f32[2,3]{0} copy(x)", "the shape has 2 dimensions, but its layout names 1", 13},
      {"o = f32[9999999999999,9999999999999] copy(x)",
       "array f32[9999999999999,9999999999999] is too large: its size in bytes does not fit in 63 bits", 5},
      {"o = f32[-1] copy(x)", "the size of a dimension must be between 0 and 2^63 - 1", 9},
      {"o = f31[4] copy(x)", "unknown element type 'f31'; did you mean 'f32'?", 5},
      {"o = f32[] constant(true)", "expected a number for f32, found 'true'", 20},
      {"o = f32[] constant(1e99)", "value 1e99 is out of range for f32, which holds -3.40282e+38 to 3.40282e+38", 20},
      {"o = s8[] constant(-129)", "value -129 is out of range for s8, which holds -128 to 127", 19},
      {"o = u8[] constant(-1)", "value -1 is out of range for u8, which holds 0 to 255", 19},
      {"o = s32[] constant(1.5)", "expected an integer for s32, found '1.5'", 20},
      {"o = f8e8m0fnu[] constant(0)", "value 0 is out of range for f8e8m0fnu, which holds 5.87747e-39 to 1.70141e+38",
       26},
      {"o = f8e4m3fn[] constant(465)", "value 465 is out of range for f8e4m3fn, which holds -448 to 448", 25},
      {"o = f8e4m3fn[] constant(nan(0x1))", "f8e4m3fn has no NaN with the payload of nan(0x1)", 25},
      {"o = c64[] constant(1)", "expected '(' before a complex number, found '1'", 20},
      {"o = f32[2] constant({1, 2, 3})", "expects 2 elements on the minor-most dimension, but sees more", 28},
      {"o = f32[2,2] constant({{1, 2}, {3}})", "expects 2 elements in the [1]th element, but sees 1", 34},
      {"o = f32[2,2] constant({1, 2})", "expects nested array in rank 2, but sees 1", 24},
      {"o = f32[2] constant({{1, 2}})", "expects nested array in rank 1, but sees larger", 22},
      {"o = f32[1000000000000] constant({1})", "expects 1000000000000 elements in the []th element, but sees 1", 35},
      {"o = (s32[], s32[]) constant((1))", "the tuple (s32[], s32[]) has 2 elements, found 1", 32},
      {"o = f32[4] add-done(x)", "async-update and async-done expect a single async op as their operand", 20},
      {"o = f32[4] add-start(x, y)", "an async start has the shape ((operands), result, ...), found f32[4]", 1},
      {"o = f32[4] domain(x), domain={kind=\"other\", entry={}, exit={}}",
       "the kind of a domain must be \"sharding\", found 'other'", 36},
      {"o = f32[4] negate(x), /* never closed", "this comment is not closed by '*/'", 23},
      {"o = f32[4] dot(x, y), sparsity=L.0@2:4",
       "sparse dots are gone from HLO; this module needs an older release of XLA", 32},
  };
  const auto line = 1 + std::count(kBefore.begin(), kBefore.end(), '\n');
  for (const Refusal& r : kRefusals) {
    const std::string error = Error(absl::StrCat(kBefore, r.written, "\n}\n"));
    const std::string where = absl::StrCat(line, ":", r.column, ": error: ", r.message, "\n");
    EXPECT_EQ(error.substr(0, where.size()), where) << r.written;
  }
}

TEST(Parser, ShowsLineAndCaret) {
  EXPECT_EQ(Error("HloModule m\nENTRY e {\n\tp = f32[2] parameter(0)\n\tROOT r = f32[2] ad(p, p)\n}"),
            "4:18: error: unknown opcode 'ad'; did you mean 'add'?\n"
            " ROOT r = f32[2] ad(p, p)\n"
            "                 ^");
}

TEST(Parser, NamesTheFileAndShowsAWindowOfALongLine) {
  ParseOptions options;
  options.file_name = "a.hlo";
  const std::string blanks(300, ' ');
  const auto module = ParseHloModule(absl::StrCat("HloModule m, ", blanks, "shiny=1", blanks, "\n"), options);
  const std::string message(module.status().message());
  EXPECT_THAT(message, HasSubstr("a.hlo:1:314: error: unexpected attribute 'shiny' of a module"));
  const std::string half(60, ' ');
  EXPECT_THAT(message, HasSubstr(absl::StrCat("\n...", half, "shiny=1", std::string(53, ' '), "...\n   ", half, "^")));
}

TEST(Parser, ReportsSeveralMistakesButNotTheirConsequences) {
  EXPECT_EQ(Error("HloModule m\nENTRY e {\n  a = f32[] constant(x)\n  b = f32[] negat(a)\n  c = f32[] add(a, b)\n"
                  "  ROOT d = f32[] abs(e)\n}"),
            "3:22: error: expected a number for f32, found 'x'\n  a = f32[] constant(x)\n                     ^\n"
            "4:13: error: unknown opcode 'negat'; did you mean 'negate'?\n  b = f32[] negat(a)\n            ^\n"
            "6:22: error: instruction 'e' does not exist\n  ROOT d = f32[] abs(e)\n                     ^");
}

TEST(Parser, FindsTheEndOfAComputationAfterAMistakeInItsLastInstruction) {
  EXPECT_EQ(Error("HloModule m\na {\n  x = f32[] parameter(0)\n  ROOT y = f32[] call(x), to_apply=zzz\n}\n"
                  "ENTRY e {\n  x = f32[] parameter(0)\n  ROOT y = f32[] negate(x)\n}"),
            "4:36: error: computation does not exist: 'zzz'; computations are defined before they are used\n"
            "  ROOT y = f32[] call(x), to_apply=zzz\n                                   ^");
}

TEST(Parser, NamesByteOrderMarks) {
  EXPECT_THAT(Error("\xEF\xBB\xBFHloModule m\nENTRY e { ROOT a = f32[] constant(1) }"),
              HasSubstr("1:1: error: this is a byte-order mark"));
}

TEST(Parser, PointsAtTheFirstDefinition) {
  EXPECT_EQ(Error("HloModule m\nENTRY e {\n  a = f32[] constant(1)\n  a = f32[] constant(2)\n}"),
            "4:3: error: instruction 'a' already exists\n  a = f32[] constant(2)\n  ^\n"
            "3:3: note: previously defined here\n  a = f32[] constant(1)\n  ^");
}

TEST(Parser, RefusesWrongModules) {
  const auto first_line = [](absl::string_view text) {
    const std::string error = Error(text);
    return error.substr(0, error.find('\n'));
  };
  EXPECT_EQ(first_line(""), "1:1: error: there is no module here, only blanks and comments");
  EXPECT_EQ(first_line(" // nothing\n"), "2:1: error: there is no module here, only blanks and comments");
  EXPECT_EQ(first_line("HloModule m\n"), "2:1: error: expected the name of a computation, found the end of the text");
  EXPECT_EQ(first_line("HloModule m, is_scheduld=true\n"),
            "1:14: error: unexpected attribute 'is_scheduld' of a module; did you mean 'is_scheduled'?; allowed are "
            "is_scheduled, replica_count, num_partitions, input_output_alias, buffer_donor, alias_passthrough_params, "
            "entry_computation_layout, frontend_attributes, allow_spmd_sharding_propagation_to_parameters, "
            "allow_spmd_sharding_propagation_to_output, origin_recovery_table, debug_attributes, "
            "dynamic_parameter_binding, cross_program_prefetches, cross_program_prefetch_index");
  EXPECT_EQ(first_line("HloModule m\ne {\n}\n"), "2:3: error: a computation needs at least one instruction");
  EXPECT_EQ(first_line("HloModule m\nENTRY e { a = f32[] constant(1) }\nENTRY f { b = f32[] constant(1) }"),
            "3:1: error: expects only one ENTRY");
  EXPECT_EQ(first_line("HloModule m\ne { ROOT a = f32[] constant(1)\n ROOT b = f32[] constant(1) }"),
            "3:2: error: one computation should have only one ROOT");
  EXPECT_EQ(first_line("HloModule m\ne { a = f32[] constant(1) }\ne { b = f32[] constant(1) }"),
            "3:1: error: computation 'e' already exists");
  EXPECT_EQ(first_line("HloModule m\ne (p: f32[]) -> s32[] { a = f32[] constant(1) }"),
            "2:17: error: shape of computation e, s32[], is not compatible with that of its root instruction a, f32[]");
  EXPECT_EQ(first_line("HloModule m, replica_count=0\n"), "1:28: error: expected a positive number, found 0");
  EXPECT_EQ(first_line("HloModule m, input_output_alias={ {}: (0, {}), {}: (1, {}) }\n"),
            "1:48: error: output {} is aliased twice");
  EXPECT_EQ(first_line(std::string("HloModule m\0", 12)), "1:12: error: a NUL byte is not text");
}

TEST(Parser, LetsEqualAttributesBeShared) {
  const auto module = ParseHloModule(R"(HloModule m
ENTRY e {
  x = f32[2,3] parameter(0)
  a = f32[3,2] transpose(x), dimensions={1,0}
  b = f32[2,3] transpose(x), dimensions={0,1}
  c = f32[2,3] transpose(a), dimensions={1,0}
  s = f32[3] parameter(1)
  n = (f32[2,3], f32[3], f32[3]) batch-norm-training(x, s, s), epsilon=0, feature_index=1
  o = (f32[2,3], f32[3], f32[3]) batch-norm-training(x, s, s), epsilon=-0, feature_index=1
  ROOT t = (f32[2,3], f32[2,3], (f32[2,3], f32[3], f32[3]), (f32[2,3], f32[3], f32[3])) tuple(b, c, n, o)
})");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto attributes = [&](int i) { return (*module)->entry()->instructions()[i]->raw_attributes(); };
  EXPECT_EQ(attributes(1), attributes(3));
  EXPECT_NE(attributes(1), attributes(2));
  EXPECT_NE(attributes(5), attributes(6)) << "the sign of a zero differs";
}

TEST(Parser, ReadsTheWholeHeader) {
  const std::string text =
      R"(HloModule m, is_scheduled=true, input_output_alias={ {0}: (0, {}, may-alias), {1}: (2, {1}, must-alias) }, buffer_donor={ (1, {}) }, alias_passthrough_params=true, entry_computation_layout={(f32[4]{0}, f32[4]{0}, (s32[], f32[4]{0}))->(f32[4]{0}, f32[4]{0})}, allow_spmd_sharding_propagation_to_parameters={true,false,true}, allow_spmd_sharding_propagation_to_output={true}, replica_count=2, num_partitions=4, frontend_attributes={a="1",b={"c":"d"}}, origin_recovery_table={
  {"old" {0}} : {"new"},
  "HloModule r\n\nENTRY e {\n}"
  {"o"} : {"n" {1}}
}

FileNames
1 "/home/u/a.py"

FunctionNames
1 "f"
2 "<module>"

FileLocations
1 {file_name_id=1 function_name_id=1 line=8 end_line=8 column=7 end_column=29}
2 {file_name_id=1 function_name_id=2 line=30 end_line=30 column=0 end_column=12}

StackFrames
1 {file_location_id=2 parent_frame_id=1}
2 {file_location_id=1 parent_frame_id=2}


ENTRY %e (x: f32[4], y: f32[4], t: (s32[], f32[4])) -> (f32[4], f32[4]) {
  %x = f32[4]{0} parameter(0)
  %y = f32[4]{0} parameter(1), metadata={op_name="y" stack_frame_id=2}
  %t = (s32[], f32[4]{0}) parameter(2), parameter_replication={true,false}
  ROOT %r = (f32[4]{0}, f32[4]{0}) tuple(%x, %y)
}, execution_thread="host"

)";
  EXPECT_EQ(Print(text), text);
  const auto module = ParseHloModule(text);
  ASSERT_TRUE(module.ok());
  const StackFrameIndex& frames = (*module)->config().stack_frames;
  EXPECT_EQ(frames.stack_frames[0].parent_frame_id, 0);
  EXPECT_EQ(frames.stack_frames[1].parent_frame_id, 1);

  PrintOptions inline_frames;
  inline_frames.inline_stack_frames = true;
  EXPECT_THAT(ModuleToString(**module, inline_frames),
              HasSubstr("metadata={op_name=\"y\" source_file=\"/home/u/a.py\" source_line=8 source_end_line=8 "
                        "source_column=7 source_end_column=29}"));
}

TEST(Parser, TakesOldHeaderNamesAndBareBools) {
  EXPECT_THAT(Print("HloModule m, dynamic_parameter_binding={ {}: 0 }, "
                    "allow_spmd_sharding_propagation_to_output=true, alias_passthrough_params=false, "
                    "input_output_alias={ {}: (0, {}), }\nENTRY e { p = f32[] parameter(0) }"),
              HasSubstr("HloModule m, input_output_alias={ {}: (0, {}, may-alias) }, "
                        "entry_computation_layout={(f32[])->f32[]}, "
                        "allow_spmd_sharding_propagation_to_output={true}\n"));
}

TEST(Parser, PrintsDebugAttributesOnRequest) {
  const std::string text =
      "HloModule m, debug_attributes={ {\"a\" {0}}:({log_mode=default,op_id=1}) }\nENTRY e { p = f32[] parameter(0) }";
  EXPECT_EQ(Print(text).find("debug_attributes"), std::string::npos);
  PrintOptions newest;
  newest.newest_attributes = true;
  EXPECT_THAT(Print(text, newest), HasSubstr("debug_attributes={ {\"a\" {0}}:({log_mode=default,op_id=1}) }"));
}

TEST(Parser, ReadsInlineComputations) {
  const std::string printed = Print(R"(HloModule m
    ENTRY e {
      p = f32[4] parameter(0)
      z = f32[] constant(0)
      ROOT r = f32[] reduce(p, z), dimensions={0}, to_apply={
        a = f32[] parameter(0)
        b = f32[] parameter(1)
        ROOT m = f32[] maximum(a, b) }
    })");
  EXPECT_THAT(printed, HasSubstr("%_ (a: f32[], b: f32[]) -> f32[] {"));
  EXPECT_THAT(printed, HasSubstr("to_apply=%_\n"));
  EXPECT_THAT(Print(printed, PrintOptions::Canonical()),
              HasSubstr("  ROOT tmp_2 = f32[] reduce(f32[4]{0} tmp_0, f32[] tmp_1), dimensions={0}, to_apply={\n"
                        "    tmp_0 = f32[] parameter(0)\n"));
}

// A chain of computations, each of which calls the one before it so many times; the first has a fusion.
std::string ChainOfCalls(int depth, int calls) {
  std::string text = R"(HloModule m
    fused { p = f32[4] parameter(0) ROOT n = f32[4] negate(p) }
    level0 { p = f32[4] parameter(0) ROOT f = f32[4] fusion(p), kind=kLoop, calls=fused }
)";
  for (int i = 1; i <= depth; ++i) {
    absl::StrAppend(&text, "level", i, " { v0 = f32[4] parameter(0)\n");
    for (int k = 0; k < calls; ++k) {
      absl::StrAppend(&text, "v", k + 1, " = f32[4] call(v", k, "), to_apply=level", i - 1, "\n");
    }
    absl::StrAppend(&text, "}\n");
  }
  absl::StrAppend(&text, "ENTRY e { p = f32[4] parameter(0) ROOT r = f32[4] call(p), to_apply=level", depth, " }\n");
  return text;
}

std::string PrintCanonically(const std::string& text) {
  const std::string printed = Print(text, PrintOptions::Canonical());
  EXPECT_THAT(printed, StartsWith("HloModule m,"));
  return printed;
}

TEST(Parser, ReadsCanonicalTextOfAnyDepth) {
  for (const int depth : {1, 10, 97}) {
    EXPECT_THAT(PrintCanonically(ChainOfCalls(depth, 1)), testing::Not(HasSubstr("=computation_"))) << depth;
  }
  const std::string deep = PrintCanonically(ChainOfCalls(500, 1));
  EXPECT_THAT(deep, HasSubstr("computation_0 {\n  tmp_0 = f32[4]{0} parameter(0)\n"));
  EXPECT_THAT(deep, HasSubstr("to_apply=computation_4\n"));
  EXPECT_THAT(deep, testing::Not(HasSubstr("computation_5")));
}

TEST(Parser, RepeatsOnlySmallBodiesInCanonicalText) {
  EXPECT_THAT(PrintCanonically(ChainOfCalls(3, 2)), testing::Not(HasSubstr("=computation_")));
  const std::string large = PrintCanonically(ChainOfCalls(500, 2));
  EXPECT_LT(large.size(), 3'000'000u);
  // The one fusion of a body that has a name, which is called by that body alone.
  EXPECT_THAT(
      PrintCanonically("HloModule m\nfused { ROOT c = f32[] constant(1) }, execution_thread=\"t\"\n"
                       "a { ROOT f = f32[] fusion(), kind=kLoop, calls=fused }\n"
                       "ENTRY computation_0 { x = f32[] call(), to_apply=a  ROOT y = f32[] call(), to_apply=a }"),
      AllOf(HasSubstr("computation_1 {\n  ROOT tmp_0 = f32[] constant(1)\n}, execution_thread=\"t\"\n"),
            HasSubstr("computation_2 {\n  ROOT tmp_0 = f32[] fusion(), kind=kLoop, calls=computation_1\n}"),
            HasSubstr("tmp_0 = f32[] call(), to_apply=computation_2\n")));
}

TEST(Parser, ReadsAModuleWithoutHeader) {
  for (const char* text : {"ENTRY e { ROOT p = f32[] parameter(0) }", "e { ROOT p = f32[] parameter(0) }",
                           "%e (p: f32[]) -> f32[] { ROOT p = f32[] parameter(0) }"}) {
    EXPECT_THAT(Print(text), HasSubstr("HloModule module_e, ")) << text;
  }
}

TEST(Parser, ReadsASingleInstruction) {
  const std::string expected =
      "HloModule a, is_scheduled=true, "
      "entry_computation_layout={(f32[8]{0}, f32[8]{0})->f32[8]{0}}\n\n"
      "ENTRY %a (x: f32[8], y: f32[8]) -> f32[8] {\n"
      "  %x = f32[8]{0} parameter(0)\n  %y = f32[8]{0} parameter(1)\n"
      "  ROOT %a = f32[8]{0} add(%x, %y)\n}\n\n";
  EXPECT_EQ(Print("a = f32[8] add(f32[8] x, f32[8] y)"), expected);
  EXPECT_EQ(Print("ROOT a = f32[8] add(f32[8] x, f32[8] y)"), expected);
  EXPECT_THAT(Print("f32[8] add(f32[8], f32[8])"),
              HasSubstr("ROOT %add.anon = f32[8]{0} add(%parameter.0, %parameter.1)"));
  EXPECT_THAT(Print("add(f32[8], f32[8])"), HasSubstr("f32[8]{0} add(%parameter.0, %parameter.1)"));
  EXPECT_THAT(Print("r = f32[] reduce(f32[8] x, f32[] z), dimensions={0}, to_apply={ a = f32[] parameter(0)\n"
                    "b = f32[] parameter(1)\n ROOT c = f32[] add(a, b) }"),
              HasSubstr("ROOT %r = f32[] reduce(%x, %z), dimensions={0}, to_apply=%_\n"));
  EXPECT_THAT(Error("a = f32[8] add(x, y)"), HasSubstr("operand 'x' is not defined; write its shape before it"));
}

TEST(Parser, ReadsSeveralModulesAndCountsLinesOfTheFile) {
  const std::string one = "HloModule a\nENTRY e { p = f32[] parameter(0) }\n";
  const auto modules = ParseHloModules(absl::StrCat(one, "// -----\n", one, "// -----\n\n"));
  ASSERT_TRUE(modules.ok()) << modules.status();
  EXPECT_EQ(modules->size(), 2);
  EXPECT_THAT(std::string(ParseHloModules(absl::StrCat(one, "// -----\nHloModule b\nx")).status().message()),
              HasSubstr("5:2: error: expected '{' at the beginning of the instructions of a computation"));
  EXPECT_FALSE(ParseHloModules("// -----\n\n").ok());
}

TEST(Parser, StripsLogHeaders) {
  EXPECT_THAT(Print("I0521 12:04:45.883483    1509 service.cc:186] HloModule a\n"
                    "I0521 12:04:45.883484    1509 service.cc:186] ENTRY e { p = f32[] parameter(0) }\n"),
              HasSubstr("HloModule a, "));
}

TEST(Parser, ReadsAsyncSugar) {
  const std::string text = R"(HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

%async_wrapped (async_param: f32[4]) -> f32[4] {
  %async_param = f32[4]{0} parameter(0)
  ROOT %async_op = f32[4]{0} custom-call(%async_param), custom_call_target="x", metadata={op_name="n"}
}, execution_thread="host"

ENTRY %e (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  %s = ((f32[4]{0}), f32[4]{0}, u32[]) async-start(%p), async_execution_thread="host", calls=%async_wrapped, metadata={op_name="n"}
  %u = ((f32[4]{0}), f32[4]{0}, u32[]) async-update(%s), async_execution_thread="host"
  ROOT %d = f32[4]{0} async-done(%u), async_execution_thread="host"
}

)";
  EXPECT_EQ(Print(text), text);
  PrintOptions sugar;
  sugar.async_sugar = true;
  const std::string sugared = R"(HloModule m, entry_computation_layout={(f32[4]{0})->f32[4]{0}}

ENTRY %e (p: f32[4]) -> f32[4] {
  %p = f32[4]{0} parameter(0)
  %s = ((f32[4]{0}), f32[4]{0}, u32[]) custom-call-start(%p), async_execution_thread="host", custom_call_target="x", metadata={op_name="n"}
  %u = ((f32[4]{0}), f32[4]{0}, u32[]) custom-call-update(%s), async_execution_thread="host"
  ROOT %d = f32[4]{0} custom-call-done(%u), async_execution_thread="host"
}

)";
  EXPECT_EQ(Print(text, sugar), sugared);
  EXPECT_EQ(Print(sugared), text);
}

TEST(Parser, ChecksAsyncChains) {
  const auto with = [](absl::string_view lines) {
    return Error(
        absl::StrCat("HloModule m\nw { a = f32[4] parameter(0)\n ROOT n = f32[4] negate(a) }\nENTRY e {\n"
                     " p = f32[4] parameter(0)\n s = ((f32[4]), f32[4]) negate-start(p)\n",
                     lines, "}"));
  };
  EXPECT_EQ(with("ROOT d = f32[4] negate-done(s)"), "accepted");
  EXPECT_EQ(with("ROOT d = f32[4] async-done(s)"), "accepted");
  EXPECT_THAT(with("ROOT d = f32[4] abs-done(s)"), HasSubstr("continues an asynchronous abs, but s starts negate"));
  EXPECT_THAT(with("ROOT d = f32[4] negate-done(s), async_execution_thread=\"x\""),
              HasSubstr("async_execution_thread must be that of s, which is \"main\""));
  EXPECT_THAT(with("ROOT d = f32[4] negate-done(s), calls=w"), HasSubstr("unexpected attribute 'calls'"));
  EXPECT_THAT(with("ROOT d = f32[4] async-done(s), calls=w"), HasSubstr("calls= must name the computation of s"));
  EXPECT_THAT(
      with("t = ((f32[4]), f32[4]) async-start(p), calls=w\nROOT u = ((f32[4]), f32[4]) async-start(p), calls=w"),
      HasSubstr("computation w is called by more than one async op"));
  EXPECT_THAT(with("u = ((f32[5]), f32[4]) negate-update(s)"),
              HasSubstr("an async update must have the shape of its operand"));
}

TEST(Parser, SharesTupleElementsOfEqualSuffixes) {
  const std::string text = R"(HloModule m
ENTRY e {
  t = (f32[4], (s32[], f32[4])) parameter(0)
  a = f32[4] add(t#1#1, t#0)
  ROOT b = f32[4] add(t#1#1, a)
})";
  PrintOptions compact;
  compact.compact_tuple_elements = true;
  EXPECT_THAT(Print(text, compact),
              HasSubstr("  %a = f32[4]{0} add(%t#1#1, %t#0)\n  ROOT %b = f32[4]{0} add(%t#1#1, %a)\n"));
  const auto module = ParseHloModule(text);
  ASSERT_TRUE(module.ok());
  EXPECT_EQ((*module)->entry()->instruction_count(), 6);
}

// `t1 = tuple(t0, t0)`, `t2 = tuple(t1, t1)` and so on: each line doubles the leaves.
std::string DoublingTuples(int lines, const char* first) {
  std::string text = absl::StrCat("HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  t0 = ", first, "\n");
  for (int i = 1; i <= lines; ++i) absl::StrAppend(&text, "  t", i, " = tuple(t", i - 1, ", t", i - 1, ")\n");
  return text + "  ROOT r = f32[] negate(p)\n}\n";
}

TEST(Parser, LimitsTheShapesThatAreLeftOut) {
  EXPECT_TRUE(ParseHloModule(DoublingTuples(14, "tuple(p)")).ok());
  for (const char* first : {"tuple(p)", "() tuple()"}) {
    for (const int lines : {20, 100}) {
      const absl::Status status = ParseHloModule(DoublingTuples(lines, first)).status();
      EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument);
      EXPECT_THAT(std::string(status.message()),
                  HasSubstr("the shapes that this text leaves out, up to this one, have"));
      EXPECT_THAT(std::string(status.message()), HasSubstr("write shapes before the opcodes"));
    }
  }
}

TEST(Parser, RefusesDeepNestingWithoutOverflow) {
  const auto repeat = [](const char* piece, int n) {
    std::string text;
    for (int i = 0; i < n; ++i) text += piece;
    return text;
  };
  constexpr int kDeep = 100000;
  const std::string head = "HloModule m\nENTRY e {\n  p = f32[] parameter(0)\n  ROOT r = ";
  EXPECT_THAT(Error(head + repeat("(", kDeep)), HasSubstr("nested deeper than 1000 levels"));
  EXPECT_THAT(Error(head + "f32[] " + repeat("negate(", kDeep)),
              HasSubstr("instructions nested deeper than 200 levels"));
  EXPECT_THAT(Error(head + "f32[] " + repeat("call(), to_apply={ ROOT r = f32[] ", kDeep)),
              HasSubstr("instructions nested deeper than 200 levels"));
  EXPECT_THAT(Error(head + "f32[] constant(" + repeat("{", kDeep)), HasSubstr("expects nested array in rank 0"));
  EXPECT_THAT(Error(head + "f32[] negate(p), origin={" + repeat("(", kDeep)),
              HasSubstr("nested deeper than 1000 levels"));
  EXPECT_THAT(Error(head + "f32[] negate(p), sharding={" + repeat("{", kDeep)),
              HasSubstr("unknown word in a sharding"));
  EXPECT_THAT(Error(head + "f32[] negate(p), backend_config=" + repeat("{", kDeep)), HasSubstr("is not closed"));
}

TEST(Parser, LeavesLayoutsOutOnRequest) {
  ParseOptions options;
  options.fill_missing_layouts = false;
  const auto module = ParseHloModule("HloModule m\nENTRY e { ROOT p = f32[2,3] parameter(0) }", options);
  ASSERT_TRUE(module.ok());
  EXPECT_FALSE((*module)->entry()->root()->shape().has_layout());
}

TEST(Parser, MarksFusionComputations) {
  const auto module = ParseHloModule(
      "HloModule m\nf { ROOT p = f32[] parameter(0) }\nENTRY e { p = f32[] parameter(0)\n ROOT r = f32[] fusion(p), "
      "kind=kLoop, calls=f }");
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_TRUE((*module)->computations()[0]->is_fusion_computation());
  EXPECT_FALSE((*module)->entry()->is_fusion_computation());
}

TEST(Parser, ReadsValuesOnTheirOwn) {
  EXPECT_EQ(ParseShapeText("(f32[2,<=3]{0,1}, token[], b(s4[2]))")->ToString(Shape::LayoutPrinting::kWith),
            "(f32[2,<=3]{0,1}, token[], b(s4[2]))");
  EXPECT_EQ(LiteralToString(*ParseLiteralText("s32[2]{0} {1, 2}")), "s32[2]{0} {1, 2}");
  EXPECT_EQ(LiteralToString(*ParseLiteralText("( s32[] 1, pred[] true )")), "( s32[] 1, pred[] true )");
  EXPECT_EQ(LiteralToString(*ParseLiteralText("f32[<=4]{0}(2) {1, 2}")), "f32[<=4]{0}(2) {1, 2}");
  EXPECT_FALSE(ParseLiteralText("s32[2] {1,2}").ok());  // {1,2} is read as a layout
  EXPECT_FALSE(ParseLiteralText("f32[2]{0} {...}").ok());
  EXPECT_EQ(ShardingToString(*ParseShardingText("{devices=[2,2]<=[4]}")), "{devices=[2,2]<=[4]}");
  EXPECT_EQ(ReplicaGroupsToString(*ParseReplicaGroupsText("[2,4]<=[8]")), "[2,4]<=[8]");
  EXPECT_EQ(WindowToString(*ParseWindowText("{size=3 pad=1_1}")), "{size=3 pad=1_1}");
  EXPECT_EQ(DimLabelsToString(*ParseDimLabelsText("bf01_oi01->0bf1")), "bf01_oi01->0bf1");
  EXPECT_EQ(PaddingToString(*ParsePaddingText("0_1x2_3_1")), "0_1_0x2_3_1");
  EXPECT_EQ(std::string(ParseShapeText("f32[2] x").status().message()),
            "1:8: error: expected the end of the text, found 'x'\nf32[2] x\n       ^");
}

// A program of many lines, each of which calls what is defined before it.
std::string LongText() {
  std::string text = "HloModule m\nENTRY e {\n  x0 = f32[2] parameter(0)\n";
  for (int i = 0; i < 500; ++i) absl::StrAppend(&text, "  x", i + 1, " = f32[2] negate(x", i, ")\n");
  return text + "}\n";
}

TEST(Parser, EndsAtALimit) {
  const auto cancellation = std::make_shared<Cancellation>();
  cancellation->Cancel();
  ResourceLimits limits;
  limits.cancellation = cancellation;
  const ResourceContext stopped(limits, "working");
  ParseOptions options;
  options.resources = &stopped;
  const absl::Status cancelled = absl::CancelledError("cancelled while reading the program");
  // Between two computations, a text may also end.
  const std::string with_a_literal =
      absl::StrCat("HloModule m\nc { ROOT k = s32[100000] constant({", absl::StrJoin(std::vector<int>(100'000, 1), ","),
                   "}) }\nENTRY e { ROOT k = s32[] constant(1) }");
  for (const std::string& text : {LongText(), with_a_literal, std::string("HloModule m, nonsense")}) {
    EXPECT_EQ(ParseHloModule(text, options).status(), cancelled);
    EXPECT_EQ(ParseHloModules(text, options).status(), cancelled);
  }
}

TEST(Printer, EndsAtALimit) {
  const auto module = ParseHloModule(LongText());
  ASSERT_TRUE(module.ok()) << module.status();
  EXPECT_EQ(*PrintModule(**module, PrintOptions(), nullptr), ModuleToString(**module));
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext late(limits, "working");
  EXPECT_EQ(PrintModule(**module, PrintOptions(), &late).status(),
            absl::DeadlineExceededError("the deadline passed while writing the program"));
}

TEST(Printer, EndsAConstantAtALimit) {
  const Literal long_row = Literal::FromValues<int32_t>({10000}, std::vector<int32_t>(10000, 7));
  const Literal rows = Literal::FromValues<int32_t>({100, 100}, std::vector<int32_t>(10000, 7));
  ResourceLimits limits;
  limits.deadline = absl::InfinitePast();
  const ResourceContext late(limits, "working");
  for (const Literal& literal : {long_row, rows}) {
    LiteralPrintOptions options;
    std::string all, little;
    AppendLiteral(literal, options, &all);
    EXPECT_EQ(std::count(all.begin(), all.end(), '7'), 10000);
    options.resources = &late;
    AppendLiteral(literal, options, &little);
    EXPECT_EQ(std::count(little.begin(), little.end(), '7'), 0);
  }
}

}  // namespace
}  // namespace xla
