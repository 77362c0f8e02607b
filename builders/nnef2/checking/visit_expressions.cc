#include "builders/nnef2/checking/visit_expressions.h"

#include <vector>

namespace xla {
namespace nnef2 {
namespace {

class ExpressionVisitor {
 public:
  explicit ExpressionVisitor(absl::FunctionRef<void(const Expression&)> visit) : visit_(visit) {}

  void VisitParameters(const std::vector<Parameter>& parameters) {
    for (const Parameter& parameter : parameters) {
      Visit(parameter.shape);
      Visit(parameter.pack.length);
      Visit(parameter.pack.bound);
      Visit(parameter.value);
      Visit(parameter.bounds);
    }
  }

  void VisitHelper(const Using& helper) {
    for (const UsingItem& item : helper.items) Visit(item.length);
    Visit(helper.value);
  }

  void VisitAssertion(const Assertion& assertion) {
    Visit(assertion.condition);
    Visit(assertion.message);
    for (const Assertion::Argument& argument : assertion.arguments) {
      Visit(argument.label);
      Visit(argument.value);
    }
  }

  void VisitLowering(const Lowering& lowering) {
    Visit(lowering.unroll_count);
    for (const Lowering::Local& local : lowering.locals) Visit(local.value);
    Visit(lowering.target);
    Visit(lowering.value);
    Visit(lowering.bounds);
    Visit(lowering.condition);
  }

  void VisitComponents(const std::vector<Component>& components) {
    for (const Component& component : components) {
      for (const Result& result : component.results) VisitResult(result);
      switch (component.kind) {
        case Component::Kind::kCallable:
          VisitCallable(component.callable);
          break;
        case Component::Kind::kBranch:
          for (const Callable& callable : component.branch.conditions) VisitCallable(callable);
          for (const Callable& callable : component.branch.consequents) VisitCallable(callable);
          break;
        case Component::Kind::kLoop:
          VisitLoop(component.loop);
          break;
      }
    }
  }

  void VisitInvocation(const Invocation& invocation) {
    for (const AttributeValue& attribute : invocation.attributes) Visit(attribute.value);
    for (const ExpressionPtr& argument : invocation.arguments) Visit(argument);
  }

 private:
  void Visit(const ExpressionPtr& expression) {
    if (expression != nullptr) visit_(*expression);
  }

  void Visit(const std::vector<Extent>& shape) {
    for (const Extent& extent : shape) {
      Visit(extent.value);
      Visit(extent.bound);
      Visit(extent.length);
    }
  }

  void Visit(const std::vector<IndexBound>& bounds) {
    for (const IndexBound& bound : bounds) Visit(bound.bound);
  }

  void VisitResult(const Result& result) {
    for (const ResultItem& item : result.items) {
      Visit(item.shape);
      Visit(item.length);
    }
  }

  void VisitCallable(const Callable& callable) {
    Visit(callable.expression);
    VisitInvocation(callable.invocation);
    if (callable.region == nullptr) return;
    VisitComponents(callable.region->components);
    for (const ExpressionPtr& yielded : callable.region->yields) Visit(yielded);
  }

  void VisitLoop(const Loop& loop) {
    for (const Carried& carried : loop.carried) {
      Visit(carried.shape);
      Visit(carried.value);
    }
    for (const Scan& scan : loop.scans) Visit(scan.value);
    if (loop.condition.has_value()) VisitCallable(*loop.condition);
    Visit(loop.count);
    VisitCallable(loop.body);
  }

  const absl::FunctionRef<void(const Expression&)> visit_;
};

}  // namespace

void VisitExpressions(const Definition& definition, absl::FunctionRef<void(const Expression& expression)> visit) {
  ExpressionVisitor visitor(visit);
  visitor.VisitParameters(definition.attributes);
  visitor.VisitParameters(definition.inputs);
  visitor.VisitParameters(definition.outputs);
  visitor.VisitParameters(definition.constants);
  visitor.VisitParameters(definition.variables);
  for (const Using& helper : definition.helpers) visitor.VisitHelper(helper);
  for (const Assertion& assertion : definition.assertions) visitor.VisitAssertion(assertion);
  for (const Lowering& lowering : definition.lowerings) visitor.VisitLowering(lowering);
  visitor.VisitComponents(definition.components);
  visitor.VisitComponents(definition.updates);
  for (const Quantization& entry : definition.quantizations) visitor.VisitInvocation(entry.algorithm);
}

}  // namespace nnef2
}  // namespace xla
