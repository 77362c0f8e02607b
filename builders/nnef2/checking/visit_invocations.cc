#include "builders/nnef2/checking/visit_invocations.h"

namespace xla {
namespace nnef2 {
namespace {

void VisitCallable(const Callable& callable, InvocationVisitor visit) {
  if (callable.kind == Callable::Kind::kInvocation) visit(callable.invocation);
  if (callable.region != nullptr) VisitInvocations(callable.region->components, visit);
}

}  // namespace

void VisitInvocations(const std::vector<Component>& components, InvocationVisitor visit) {
  for (const Component& component : components) {
    switch (component.kind) {
      case Component::Kind::kCallable:
        VisitCallable(component.callable, visit);
        break;
      case Component::Kind::kBranch:
        for (const Callable& callable : component.branch.conditions) VisitCallable(callable, visit);
        for (const Callable& callable : component.branch.consequents) VisitCallable(callable, visit);
        break;
      case Component::Kind::kLoop:
        if (component.loop.condition.has_value()) VisitCallable(*component.loop.condition, visit);
        VisitCallable(component.loop.body, visit);
        break;
    }
  }
}

void VisitInvocations(const Definition& definition, InvocationVisitor visit) {
  VisitInvocations(definition.components, visit);
  VisitInvocations(definition.updates, visit);
}

}  // namespace nnef2
}  // namespace xla
