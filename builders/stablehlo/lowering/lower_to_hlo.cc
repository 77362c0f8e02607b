#include "builders/stablehlo/lowering/lower_to_hlo.h"

#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "builders/stablehlo/lowering/attribute_reader.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/constant_literals.h"
#include "builders/stablehlo/lowering/function_signature.h"
#include "builders/stablehlo/lowering/module_attributes.h"
#include "builders/stablehlo/lowering/operation_annotations.h"
#include "builders/stablehlo/lowering/program_lowering.h"
#include "builders/stablehlo/text/attribute_text.h"
#include "xla_core/support/large_stack.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

// For ProgramLowering::kMaxDepth levels of calls and regions.
constexpr size_t kStackBytes = size_t{64} << 20;

// More programs than this are not wanted from one module, whose functions each of them has.
constexpr size_t kMostEntries = 100;

// Characters that names of HLO do not have become `_`.
std::string ModuleName(std::string name) {
  for (char& c : name) {
    if (!absl::ascii_isalnum(static_cast<unsigned char>(c)) && c != '_' && c != '-' && c != '.') c = '_';
  }
  return name;
}

// The functions that are programs of their own.
absl::StatusOr<std::vector<std::string>> Entries(const ProgramLowering& program, const std::string& wanted) {
  if (!wanted.empty()) {
    RETURN_IF_ERROR(program.FindFunction(wanted).status());
    return std::vector<std::string>{wanted};
  }
  if (program.FindFunction("main").ok()) return std::vector<std::string>{"main"};
  const std::vector<std::string>& entries = program.PublicFunctions();
  if (entries.empty()) {
    return absl::InvalidArgumentError("the module has no function @main and no public function");
  }
  if (entries.size() <= kMostEntries) return entries;
  return absl::InvalidArgumentError(absl::StrCat("the module has no function @main, but ", entries.size(),
                                                 " public ones; say which of them is the program"));
}

// What a result's attributes say of its sharding.
absl::StatusOr<XlaOp> MarkResult(const ProgramLowering& program, const FunctionParts& entry, size_t i,
                                 ComputationBuilder& builder, XlaOp result, absl::optional<Sharding>* sharding) {
  ASSIGN_OR_RETURN(const AttributeReader attributes, AttributesOf(program.module(), *entry.operation, "res_attrs", i));
  ASSIGN_OR_RETURN(OperationAnnotations annotations, AnnotationsOf(program, attributes.all()));
  *sharding = annotations.sharding;
  if (annotations.frontend_attributes.count("xla.sdy.sharding") == 0) return result;
  CustomCallOptions options;
  options.has_side_effect = true;
  const XlaOp marked = builder.CustomCall("xla.sdy.FuncResultSharding", {result},
                                          builder.ShapeOrInvalid(result).WithoutLayout(), options);
  builder.SetInstructionFrontendAttribute(
      marked, "xla.sdy.sharding",
      absl::StrCat("#sdy.sharding_per_value<[", ShardingText(program.module(), attributes.FindId("sdy.sharding")),
                   "]>"));
  return marked;
}

// "result['loss'][0]" as "result_loss_0".
std::string NameOfResult(absl::string_view info) {
  std::string name;
  for (const char c : info) {
    const bool is_kept = absl::ascii_isalnum(static_cast<unsigned char>(c)) || c == '_';
    if (is_kept) {
      name.push_back(c);
    } else if (!name.empty() && name.back() != '_') {
      name.push_back('_');
    }
  }
  while (!name.empty() && name.back() == '_') name.pop_back();
  return name;
}

// What JAX calls a result is the name of the instruction that gives it, unless the text has a name for that one.
void NameResults(const ProgramLowering& program, const FunctionParts& entry, ComputationBuilder& builder,
                 absl::Span<const XlaOp> results) {
  const Module& module = program.module();
  const Operation& terminator = module.operation(entry.body->operations.back());
  for (size_t i = 0; i < results.size() && i < terminator.operands.size(); ++i) {
    const Value& value = module.value(terminator.operands[i]);
    const bool is_named = !value.name.empty() && !absl::ascii_isdigit(static_cast<unsigned char>(value.name[0]));
    const absl::StatusOr<AttributeReader> attributes = AttributesOf(module, *entry.operation, "res_attrs", i);
    if (is_named || !value.operation.ok() || !attributes.ok()) continue;
    const std::string name = NameOfResult(attributes->TextOr("jax.result_info", "").value_or(""));
    if (!name.empty()) builder.SetInstructionName(results[i], name);
  }
}

absl::StatusOr<XlaOp> RootOf(const ProgramLowering& program, const FunctionParts& entry, ComputationLowering& scope,
                             std::vector<XlaOp> results) {
  const ComputationLowering::At at(scope, scope.TerminatorOf(*entry.body));
  ComputationBuilder& builder = scope.builder();
  Sharding whole;
  whole.type = Sharding::Type::kTuple;
  bool has_sharding = false;
  for (size_t i = 0; i < results.size(); ++i) {
    absl::optional<Sharding> sharding;
    ASSIGN_OR_RETURN(results[i], MarkResult(program, entry, i, builder, results[i], &sharding));
    has_sharding = has_sharding || sharding.has_value();
    whole.tuple.push_back(sharding.value_or(Sharding()));
  }
  NameResults(program, entry, builder, results);
  const XlaOp root = Bundle(builder, results);
  if (has_sharding) builder.SetInstructionSharding(root, results.size() == 1 ? whole.tuple[0] : whole);
  return root;
}

absl::StatusOr<std::unique_ptr<HloModule>> LowerEntry(ProgramLowering& program, const std::string& name,
                                                      const ResourceContext* resources) {
  const Operation& root = program.module().operation(program.module().root());
  ASSIGN_OR_RETURN(const FunctionParts* const entry, program.FindFunction(name));
  ComputationLowering scope(program, name);
  const auto lower = [&]() -> absl::StatusOr<XlaOp> {
    if (entry->body == nullptr) return absl::InvalidArgumentError("the entry is a declaration without a body");
    RETURN_IF_ERROR(program.Begin(name));
    ASSIGN_OR_RETURN(const std::vector<Shape> arguments, DeclaredArguments(program, *entry));
    RETURN_IF_ERROR(AddParameters(program, *entry, arguments, &scope));
    ASSIGN_OR_RETURN(const std::vector<XlaOp> results, scope.LowerBlock(*entry->body));
    RETURN_IF_ERROR(CheckReturned(program, *entry, name, scope, results));
    std::vector<Shape> shapes;
    for (const XlaOp result : results) shapes.push_back(scope.ShapeOf(result));
    HloModuleConfig& config = scope.builder().mutable_module_config();
    RETURN_IF_ERROR(ReadModuleAttributes(program, root, &config));
    RETURN_IF_ERROR(ReadEntryAttributes(program, *entry, arguments, shapes, &config));
    program.End(name);
    return RootOf(program, *entry, scope, results);
  };
  const absl::StatusOr<XlaOp> result = lower();
  if (!result.ok()) return program.AtPlace(*entry->operation, result.status());
  ASSIGN_OR_RETURN(const XlaComputation computation, scope.builder().Build(*result));
  return computation.ToModule(resources);
}

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LowerOnThisStack(const Module& module,
                                                                         const LoweringOptions& options) {
  if (!module.root().ok()) return absl::InvalidArgumentError("there is no module");
  const Operation& root = module.operation(module.root());
  ProgramLowering program(module, options.source_name, options.resources);
  program.shared_constants().on_copied = options.on_copied;
  if (options.on_copied != nullptr) FindOwnElements(module, &program.shared_constants());
  RETURN_IF_ERROR(program.AtPlace(root, ReadDeviceCounts(root, &program)));
  RETURN_IF_ERROR(program.AddSymbols(root));
  const absl::StatusOr<std::vector<std::string>> entries = Entries(program, options.entry);
  if (!entries.ok()) return program.AtPlace(root, entries.status());
  std::vector<std::unique_ptr<HloModule>> modules;
  for (const std::string& entry : *entries) {
    ASSIGN_OR_RETURN(std::unique_ptr<HloModule> hlo, LowerEntry(program, entry, options.resources));
    modules.push_back(std::move(hlo));
  }
  RETURN_IF_ERROR(program.CheckUncalledFunctions(*entries));
  const absl::StatusOr<std::string> name = AttributeReader(module, root.attributes).TextOr("sym_name", "");
  if (modules.size() == 1 && name.ok() && !name->empty()) modules[0]->set_name(ModuleName(*name));
  return modules;
}

}  // namespace

absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> LowerToHlo(const Module& module,
                                                                   const LoweringOptions& options) {
  absl::StatusOr<std::vector<std::unique_ptr<HloModule>>> modules;
  RETURN_IF_ERROR(RunWithLargeStack(kStackBytes, [&] { modules = LowerOnThisStack(module, options); }));
  return modules;
}

}  // namespace stablehlo
}  // namespace xla
