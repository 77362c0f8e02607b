#include "tools/optimizing/pass_flags.h"

namespace xla {
namespace {

void AddRunning(FlagTable* table, PassFlags* flags) {
  table->Topic("passes", "which passes run");
  table->Text("passes", "LIST", &flags->passes,
              "run these passes in order, options after colons: fold-constants:max-bytes=64,simplify-algebra; XLA's "
              "names work too: constant_folding,algsimp");
  table->Text("pipeline", "NAME", &flags->pipeline, "run the passes of a named list: simplify, fuse, cpu ...");
  table->Switch("list-passes", &flags->list_passes,
                "print the names of all passes; hlo-opt --list-passes NAME prints all about one");
  table->Switch("list-pipelines", &flags->list_pipelines,
                "print the names of all pipelines; hlo-opt --list-pipelines NAME prints the steps of one");
  table->List("disable-pass", "LIST", &flags->disabled_passes, "do not run these passes");
  table->List("disable-rule", "LIST", &flags->disabled_rules, "do not apply these rewrite rules (see --stats)");
  table->List("fast-math", "LIST", &flags->fast_math,
              "allow rewrites that can change a NaN, an infinity, the sign of a zero or the last bit: reassociate, "
              "no-nans, no-signed-zeros, approximate, contract (which only the backend cpu does) or all");
  table->Number("stop-after", "N", &flags->stop_after, 0,
                "run at most N passes, counting each run of a repeated group");
  table->Duration("pass-time-limit", "TIME", &flags->time_limit, "give up if the passes take longer");
  table->Bytes("memory-limit", "SIZE", &flags->memory_limit,
               "recompute cheap values where that keeps the peak of live values below this: the option of the pass "
               "rematerialize, which must be among those that run");
}

void AddWatching(FlagTable* table, PassFlags* flags) {
  table->Topic("watching", "reports of passes, on standard error");
  table->Switch("stats", &flags->stats, "print instructions before and after each pass, and how often each rule fired");
  table->Switch("time-passes", &flags->time_passes, "print how long each pass took");
  table->Switch("explain-fusion", &flags->explain_fusion,
                "explain what is, and is not, in a fusion and why; as --explain=fusion");
  table->List("explain", "TOPIC", &flags->explain,
              "explain decisions of passes: fusion, match (why rules do not match)");
  table->Text("print-analysis", "NAME", &flags->print_analysis,
              "print the result of an analysis instead of the module; 'list' prints their names");
  table->Text(
      "explain-sharding", "NAME", &flags->explain_sharding,
      "print, instead of the module, how an instruction is cut for the devices of the program, why, and what is "
      "moved for it; --print-analysis shardings says so of all");
  table->Text("dump-each-pass", "DIR", &flags->dump_folder,
              "write the module before the first pass, and after each pass that changes it, to files in order");
  table->Text("dump-filter", "RE", &flags->dump_filter, "dump only after passes whose name contains a match of RE");
}

void AddChecking(FlagTable* table, PassFlags* flags) {
  table->Topic("checking", "whether passes keep what a program computes");
  table->Switch("check-each-pass", &flags->check_each_pass,
                "run the program before and after each pass on the interpreter, with ordinary, whole-number and "
                "edge-valued arguments, and with your own; report a difference with the rewrite that made it, and exit "
                "with status 1");
  table->List("input", "FILE", &flags->inputs,
              "run it with arguments from a .npy file, or several from a .npz file, too; may be repeated");
  table->Text("inputs-json", "FILE", &flags->inputs_json,
              "the same with arguments by the formulas in a JSON file, as hlo-run takes it");
  table->Seed("check-seed", &flags->check_seed, "seed the arguments");
  table->Number("check-sets", "N", &flags->check_sets, 0,
                "run N sets of arguments of each kind (default 1); 0: your own arguments only");
  table->Number("check-max-steps", "N", &flags->check_max_steps, 1,
                "limit the instructions that a run evaluates; a program that needs more is reported, not compared");
  table->Bytes("check-max-memory", "SIZE", &flags->check_max_memory,
               "limit the memory for the values of a run in the same way");
  table->Text("check-output", "DIR", &flags->check_output,
              "write the modules before and after a wrong pass to files in DIR; without it they are not kept");
}

void AddXlaSpellings(FlagTable* table, PassFlags* flags) {
  table->Topic("xla-passes", "spellings of XLA's own flags for passes");
  table->List("xla_disable_hlo_passes", "LIST", &flags->disabled_passes, "do as --disable-pass");
  table->Switch("xla_disable_all_hlo_passes", &flags->xla_disable_all, "run no pass at all");
  table->Number("xla_backend_optimization_level", "N", &flags->xla_optimization_level, 0,
                "run no pass if N is 0; other values change nothing");
  table->Switch("xla_cpu_enable_fast_math", &flags->xla_fast_math, "do as --fast-math=all");
  table->Topic("xla-dumps", "spellings of XLA's own flags for dumps");
  table->Text("xla_dump_to", "DIR", &flags->xla_dump_to,
              "write the module before the first and after the last pass, to files named as XLA names them");
  table->Text("xla_dump_hlo_pass_re", "RE", &flags->xla_dump_pass_re, "with it, dump also after passes that match RE");
  table->Switch("xla_dump_hlo_as_text", &flags->xla_dump_text, "dump text (the default)");
  table->Switch("xla_dump_hlo_as_long_text", &flags->xla_dump_long_text, "the same");
  table->Switch("xla_dump_hlo_as_proto", &flags->xla_dump_proto, "dump HloModuleProto too");
  table->Switch("xla_dump_hlo_as_dot", &flags->xla_dump_dot, "dump a graph for Graphviz too");
  table->Switch("xla_dump_hlo_as_html", &flags->xla_dump_html, "dump a page for a browser too");
  table->Switch("xla_dump_disable_metadata", &flags->xla_dump_without_metadata, "leave metadata out of dumped text");
  table->Switch("xla_dump_large_constants", &flags->xla_dump_large_constants,
                "dump constants in full; without it text has {...} for those of more than ten elements");
}

}  // namespace

void AddPassFlags(FlagTable* table, PassFlags* flags) {
  AddRunning(table, flags);
  AddWatching(table, flags);
  AddChecking(table, flags);
  AddXlaSpellings(table, flags);
}

absl::Status ApplyXlaPassSpellings(PassFlags* flags) {
  if (flags->xla_fast_math) flags->fast_math.push_back("all");
  if (flags->xla_disable_all || flags->xla_optimization_level == 0) {
    flags->passes.clear();
    flags->pipeline.clear();
  }
  if (flags->xla_dump_to.empty() && !flags->xla_dump_pass_re.empty()) {
    return absl::InvalidArgumentError("--xla_dump_hlo_pass_re needs --xla_dump_to=DIR");
  }
  if (!flags->xla_dump_to.empty() && !flags->dump_folder.empty()) {
    return absl::InvalidArgumentError("--dump-each-pass and --xla_dump_to contradict each other: leave one out");
  }
  return absl::OkStatus();
}

}  // namespace xla
