#include "builders/nnef2/checking/check_program.h"

#include "absl/strings/str_cat.h"
#include "builders/nnef2/checking/definition_checker.h"

namespace xla {
namespace nnef2 {

void DefinitionChecker::Run() {
  CheckBlocks();
  DeclareTypes();
  for (const Parameter& output : definition_.outputs) outputs_.emplace(output.name.text, &output);
  for (const Parameter& variable : definition_.variables) variables_.insert(variable.name.text);
  DeclareAttributes();
  for (const int i : signature_.input_order) DeclareInput(definition_.inputs[i]);
  for (const Parameter& attribute : definition_.attributes) DeclareAttributeLength(attribute);
  for (const Parameter& attribute : definition_.attributes) CheckDefault(attribute);
  for (const Parameter& input : definition_.inputs) CheckDefault(input);
  for (const Using& helper : definition_.helpers) DeclareHelper(helper);
  for (const Parameter& constant : definition_.constants) {
    DeclareTensor(constant, "2.7");
    CheckConstant(constant);
  }
  for (const Parameter& variable : definition_.variables) {
    DeclareTensor(variable, "2.7");
    if (variable.value != nullptr) {
      Fail(ErrorClass::kVariable, variable.name.span,
           absl::StrCat("variable '", variable.name.text, "' must not have a value"), "2.7",
           "variables are read from files; use @constant");
    }
  }
  for (const Parameter& output : definition_.outputs) DeclareTensor(output, "2.6");
  for (const Assertion& assertion : definition_.assertions) CheckAssertion(assertion);
  CheckLowerings();
  CheckComposition();
  CheckQuantizations();
}

void DefinitionChecker::CheckBlocks() {
  const bool has_lower = definition_.Has(BlockKind::kLower);
  const bool has_compose = definition_.Has(BlockKind::kCompose);
  if (definition_.is_graph && has_lower) {
    Fail(ErrorClass::kGraph, definition_.name.span, "a graph is composed of operators and has no @lower", "2.10",
         "define an operator");
  } else if (has_lower && has_compose) {
    Fail(ErrorClass::kLower, definition_.name.span,
         absl::StrCat("operator '", definition_.name.text, "' has both @lower and @compose"), "2.12");
  }
  if (definition_.is_graph && !has_compose) {
    Fail(ErrorClass::kGraph, definition_.name.span, absl::StrCat("graph '", definition_.name.text, "' has no @compose"),
         "2.10");
  }
}

void DefinitionChecker::CheckQuantizations() {
  for (const Quantization& entry : definition_.quantizations) {
    ResolvedInvocation resolved;
    const Name& name = entry.algorithm.target;
    resolved.callee = program_.Find(definition_, name, ErrorClass::kQuantize, &workspace_.diagnostics());
    if (resolved.callee == nullptr) continue;
    const Definition& callee = *resolved.callee;
    const bool is_unary = callee.inputs.size() == 1 && callee.outputs.size() == 1 && !callee.inputs[0].pack.is_pack &&
                          !callee.outputs[0].pack.is_pack;
    if (!is_unary) {
      Fail(ErrorClass::kQuantize, name.span,
           absl::StrCat("operator '", name.text, "' does not have one input and one output"), "2.14");
      continue;
    }
    const InvocationContext context{&program_, &definition_, &workspace_, &evaluator_, ErrorClass::kQuantize};
    ResolveAttributes(context, entry.algorithm, &resolved);
  }
}

const Signature& Signatures::at(const Definition* definition) const {
  const auto found = signatures_.find(definition);
  if (found != signatures_.end()) return found->second;
  Diagnostics ignored;
  return signatures_.emplace(definition, FindSignature(*definition, &ignored)).first->second;
}

Signatures CheckProgram(const Program& program, Diagnostics* diagnostics, const TrustedModules& is_trusted) {
  Signatures signatures;
  for (const auto& entry : program.modules()) {
    if (is_trusted != nullptr && is_trusted(entry.first)) continue;
    for (const auto& definition : entry.second.module->definitions) {
      if (diagnostics->IsOver()) return signatures;
      signatures.Add(definition.get(), FindSignature(*definition, diagnostics));
      const Signature& signature = signatures.at(definition.get());
      // What cannot be bound has no extents to check the rest with.
      if (signature.input_order.size() != definition->inputs.size()) continue;
      DefinitionChecker(program, *definition, signature, diagnostics).Run();
    }
  }
  return signatures;
}

}  // namespace nnef2
}  // namespace xla
