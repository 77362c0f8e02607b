#include "builders/stablehlo/lowering/program_lowering.h"

#include <algorithm>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "builders/stablehlo/lowering/attribute_reader.h"
#include "builders/stablehlo/lowering/computation_lowering.h"
#include "builders/stablehlo/lowering/function_signature.h"
#include "builders/stablehlo/lowering/operation_call.h"
#include "builders/stablehlo/lowering/replica_groups.h"
#include "xla_core/support/edit_distance.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace stablehlo {
namespace {

template <typename Map>
std::string DidYouMeanOneOf(absl::string_view name, const Map& map) {
  std::vector<absl::string_view> known;
  for (const auto& entry : map) known.push_back(entry.first);
  std::sort(known.begin(), known.end());
  return DidYouMean(name, known);
}

std::string KeyOf(absl::string_view symbol, absl::Span<const Shape> arguments,
                  absl::Span<const absl::optional<DimensionVector>> known) {
  std::string key(symbol);
  for (const Shape& shape : arguments) absl::StrAppend(&key, "\n", shape.ToFullString());
  for (const auto& integers : known) {
    absl::StrAppend(&key, "\n", integers.has_value() ? absl::StrCat("=", absl::StrJoin(*integers, ",")) : "?");
  }
  return key;
}

}  // namespace

ProgramLowering::ProgramLowering(const Module& module, std::string source_name, const ResourceContext* resources)
    : module_(module),
      source_name_(std::move(source_name)),
      shapes_(module),
      locations_(module),
      resources_(resources),
      poll_(resources) {}

// ---- Symbols

absl::Status ProgramLowering::AddSymbols(const Operation& module_operation) {
  if (module_operation.regions.size() != 1) {
    return AtPlace(module_operation, absl::InvalidArgumentError("a module has one region"));
  }
  for (const BlockId block : module_.region(module_operation.regions[0]).blocks) {
    for (const OperationId id : module_.block(block).operations) {
      const Operation& operation = module_.operation(id);
      RETURN_IF_ERROR(CheckLimits());
      if (operation.name == "func.func") {
        RETURN_IF_ERROR(AtPlace(operation, AddFunction(operation)));
      } else if (operation.name == "sdy.mesh") {
        const AttributeReader attributes(module_, operation.attributes);
        ASSIGN_OR_RETURN(const std::string name, attributes.TextOr("sym_name", ""));
        const AttributeId mesh = operation.attribute("mesh");
        if (mesh.ok()) RETURN_IF_ERROR(AtPlace(operation, CheckMesh(*this, module_.attribute(mesh))));
        if (!meshes_.emplace(name, mesh).second) {
          return AtPlace(operation, absl::InvalidArgumentError(absl::StrCat("there is another mesh @", name)));
        }
      }
    }
  }
  return absl::OkStatus();
}

absl::Status ProgramLowering::AddFunction(const Operation& operation) {
  const AttributeReader attributes(module_, operation.attributes);
  ASSIGN_OR_RETURN(const std::string name, attributes.TextOr("sym_name", ""));
  const Attribute* const type = attributes.Find("function_type");
  if (type == nullptr || type->kind != AttributeKind::kType || module_.type(type->type).kind != TypeKind::kFunction) {
    return absl::InvalidArgumentError("requires attribute 'function_type', a function type");
  }
  FunctionParts parts;
  parts.operation = &operation;
  const Type& signature = module_.type(type->type);
  parts.argument_types.assign(signature.types.begin(), signature.types.end());
  parts.result_types.assign(signature.results.begin(), signature.results.end());
  const bool has_body = operation.regions.size() == 1 && !module_.region(operation.regions[0]).blocks.empty();
  if (has_body) {
    const Region& region = module_.region(operation.regions[0]);
    if (region.blocks.size() != 1) {
      return absl::UnimplementedError("a function of several blocks has control flow that HLO does not have");
    }
    parts.body = &module_.block(region.blocks[0]);
    if (parts.body->arguments.size() != parts.argument_types.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the type of @", name, " has ", parts.argument_types.size(),
                                                     " arguments, its body ", parts.body->arguments.size()));
    }
    for (size_t i = 0; i < parts.argument_types.size(); ++i) {
      if (module_.value(parts.body->arguments[i]).type == parts.argument_types[i]) continue;
      return absl::InvalidArgumentError(absl::StrCat("argument ", i, " of @", name, " has another type in its body"));
    }
  }
  ASSIGN_OR_RETURN(const std::string visibility, attributes.TextOr("sym_visibility", "public"));
  if (has_body && visibility == "public") public_functions_.push_back(name);
  function_names_.push_back(name);
  if (!functions_.emplace(name, std::move(parts)).second) {
    return absl::InvalidArgumentError(absl::StrCat("there is another function @", name));
  }
  return absl::OkStatus();
}

absl::StatusOr<const FunctionParts*> ProgramLowering::FindFunction(absl::string_view symbol) const {
  const auto found = functions_.find(symbol);
  if (found != functions_.end()) return &found->second;
  return absl::InvalidArgumentError(
      absl::StrCat("'", symbol, "' does not reference a valid function", DidYouMeanOneOf(symbol, functions_)));
}

absl::StatusOr<const Attribute*> ProgramLowering::FindMesh(absl::string_view symbol) const {
  const auto found = meshes_.find(symbol);
  if (found != meshes_.end() && found->second.ok()) return &module_.attribute(found->second);
  return absl::InvalidArgumentError(absl::StrCat("unknown mesh: @", symbol, DidYouMeanOneOf(symbol, meshes_)));
}

// ---- Functions

absl::Status ProgramLowering::Begin(absl::string_view symbol) {
  if (active_.insert(std::string(symbol)).second) return absl::OkStatus();
  return absl::InvalidArgumentError(absl::StrCat("@", symbol, " calls itself, which HLO does not allow"));
}

bool ProgramLowering::DependsOnCall(absl::string_view symbol) const {
  const auto found = functions_.find(symbol);
  if (found == functions_.end()) return false;
  const auto is_open = [this](TypeId type) {
    const absl::StatusOr<Shape>& shape = shapes_.Of(type);
    return shape.ok() && shape->IsUnboundedDynamic();
  };
  const FunctionParts& function = found->second;
  return std::any_of(function.argument_types.begin(), function.argument_types.end(), is_open) ||
         std::any_of(function.result_types.begin(), function.result_types.end(), is_open);
}

absl::StatusOr<XlaComputation> ProgramLowering::Function(absl::string_view symbol, absl::Span<const Shape> arguments,
                                                         absl::Span<const absl::optional<DimensionVector>> known) {
  ASSIGN_OR_RETURN(const FunctionParts* const function, FindFunction(symbol));
  const std::string key = DependsOnCall(symbol) ? KeyOf(symbol, arguments, known) : std::string(symbol);
  const auto found = computations_.find(key);
  if (found != computations_.end()) return found->second;
  if (function->body == nullptr) {
    return absl::UnimplementedError(
        absl::StrCat("@", symbol, " is a declaration without a body; give the module the function that it stands for"));
  }
  RETURN_IF_ERROR(Begin(symbol));
  absl::StatusOr<XlaComputation> computation = LowerFunction(*function, symbol, arguments, known);
  End(symbol);
  if (computation.ok()) computations_.emplace(key, *computation);
  return computation;
}

absl::StatusOr<XlaComputation> ProgramLowering::LowerFunction(const FunctionParts& function, absl::string_view symbol,
                                                              absl::Span<const Shape> arguments,
                                                              absl::Span<const absl::optional<DimensionVector>> known) {
  const Level level(*this);
  RETURN_IF_ERROR(level.status());
  ComputationLowering scope(*this, symbol);
  RETURN_IF_ERROR(AddParameters(*this, function, arguments, &scope));
  for (size_t i = 0; i < known.size(); ++i) {
    if (known[i].has_value()) scope.SetKnownIntegers(function.body->arguments[i], *known[i]);
  }
  ASSIGN_OR_RETURN(const std::vector<XlaOp> results, scope.LowerBlock(*function.body));
  RETURN_IF_ERROR(CheckReturned(*this, function, symbol, scope, results));
  const ComputationLowering::At at(scope, scope.TerminatorOf(*function.body));
  return scope.builder().Build(Bundle(scope.builder(), results));
}

absl::Status ProgramLowering::CheckUncalledFunctions(absl::Span<const std::string> entries) {
  for (const std::string& name : function_names_) {
    const FunctionParts& function = functions_.at(name);
    const bool is_entry = std::find(entries.begin(), entries.end(), name) != entries.end();
    if (is_entry || function.body == nullptr || DependsOnCall(name) || computations_.contains(name)) continue;
    const absl::StatusOr<std::vector<Shape>> arguments = DeclaredArguments(*this, function);
    absl::Status written = arguments.status();
    if (written.ok()) written = Function(name, *arguments).status();
    if (!written.ok() && !absl::IsUnimplemented(written)) return AtPlace(*function.operation, written);
    is_placed_ = false;
  }
  return absl::OkStatus();
}

// ---- Limits and places

absl::Status ProgramLowering::Level::status() const {
  if (program_.depth_ <= kMaxDepth) return absl::OkStatus();
  return absl::InvalidArgumentError(
      absl::StrCat("calls and regions nest more than ", kMaxDepth, " deep; split the program or inline functions"));
}

std::string ProgramLowering::FileOf(const Operation& operation) const {
  if (operation.line > 0 || !operation.location.ok()) return source_name_;
  const OpMetadata& metadata = locations_.Of(operation.location);
  return metadata.source_file.empty() ? source_name_ : metadata.source_file.str();
}

int ProgramLowering::LineOf(const Operation& operation) const {
  if (operation.line > 0 || !operation.location.ok()) return operation.line;
  return locations_.Of(operation.location).source_line;
}

absl::Status ProgramLowering::AtPlace(const Operation& operation, const absl::Status& error) {
  if (error.ok() || is_placed_) return error;
  is_placed_ = true;
  std::string place = FileOf(operation);
  if (LineOf(operation) > 0) absl::StrAppend(&place, ":", LineOf(operation));
  if (operation.line > 0) absl::StrAppend(&place, ":", operation.column);
  std::string origin;
  if (operation.line > 0 && operation.location.ok()) {
    const OpMetadata& metadata = locations_.Of(operation.location);
    if (!metadata.source_file.empty()) {
      origin = absl::StrCat(" (from ", metadata.source_file.view(), ":", metadata.source_line, ")");
    }
  }
  return absl::Status(error.code(), absl::StrCat(place, ": ", operation.name, ": ", error.message(), origin));
}

}  // namespace stablehlo
}  // namespace xla
