#include "builders/computation_builder/lib/loops.h"

#include <string>
#include <utility>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/lib/finish.h"
#include "builders/computation_builder/lib/lib_call.h"

namespace xla {
namespace {

std::vector<XlaOp> Unpack(ComputationBuilder* b, XlaOp tuple, size_t count) {
  std::vector<XlaOp> elements;
  for (size_t i = 0; i < count; ++i) elements.push_back(b->GetTupleElement(tuple, static_cast<int64_t>(i)));
  return elements;
}

XlaComputation BuildCondition(const WhileLoopHelperConditionFunction& condition, const Shape& state,
                              const std::string& name) {
  ComputationBuilder b(name);
  const XlaOp values = b.Parameter(0, state, "values");
  const absl::StatusOr<XlaOp> goes_on = condition(Unpack(&b, values, state.tuple_size()), &b);
  if (!goes_on.ok()) return XlaComputation::FromError(goes_on.status());
  return Finish(b, *goes_on);
}

XlaComputation BuildBody(const WhileLoopHelperBodyFunction& body, const Shape& state, const std::string& name) {
  ComputationBuilder b(name);
  const XlaOp values = b.Parameter(0, state, "values");
  const absl::StatusOr<std::vector<XlaOp>> next = body(Unpack(&b, values, state.tuple_size()), &b);
  if (!next.ok()) return XlaComputation::FromError(next.status());
  return Finish(b, b.Tuple(*next));
}

std::vector<XlaOp> Loop(LibCall& call, const WhileLoopHelperConditionFunction& condition,
                        const WhileLoopHelperBodyFunction& body, ArraySlice<XlaOp> initial_values,
                        absl::string_view name) {
  if (!call.ok()) return {};
  const XlaOp initial = call->Tuple(initial_values);
  if (!call.ok()) return {};
  const Shape state = call.shape(initial);
  const XlaOp final_state = call->While(BuildCondition(condition, state, absl::StrCat(name, "_condition")),
                                        BuildBody(body, state, absl::StrCat(name, "_body")), initial);
  return call.ok() ? Unpack(call.builder(), final_state, initial_values.size()) : std::vector<XlaOp>();
}

}  // namespace

std::vector<XlaOp> WhileLoopHelper(const WhileLoopHelperConditionFunction& condition,
                                   const WhileLoopHelperBodyFunction& body, ArraySlice<XlaOp> initial_values,
                                   absl::string_view name, ComputationBuilder* builder, SourceLocation loc) {
  LibCall call(builder, "WhileLoopHelper", initial_values, loc);
  return Loop(call, condition, body, initial_values, name);
}

// A loop that passes the index and the values to `body`. The counter is an element of the state in front of the
// values.
std::vector<XlaOp> ForEachIndex(int64_t num_iterations, PrimitiveType num_iterations_type,
                                const ForEachIndexBodyFunction& body, ArraySlice<XlaOp> initial_values,
                                absl::string_view name, ComputationBuilder* builder, SourceLocation loc) {
  LibCall call(builder, "ForEachIndex", initial_values, loc);
  if (!call.ok()) return {};
  if (num_iterations < 0 || !IsInt(num_iterations_type)) {
    call.Fail(absl::StrCat("num_iterations must be at least 0 and of an integer type, got ", num_iterations, " of ",
                           PrimitiveTypeName(num_iterations_type)));
    return {};
  }
  if (num_iterations == 0) return std::vector<XlaOp>(initial_values.begin(), initial_values.end());
  const PrimitiveType type = num_iterations_type;
  std::vector<XlaOp> values = {call.Integer(type, 0)};
  values.insert(values.end(), initial_values.begin(), initial_values.end());
  const auto goes_on = [&](ArraySlice<XlaOp> values, ComputationBuilder* b) {
    return b->Lt(values[0], b->ConstantLiteral(LiteralUtil::Number(type, num_iterations)));
  };
  const auto step = [&](ArraySlice<XlaOp> values, ComputationBuilder* b) -> absl::StatusOr<std::vector<XlaOp>> {
    absl::StatusOr<std::vector<XlaOp>> next = body(values[0], values.subspan(1), b);
    if (next.ok()) {
      next->insert(next->begin(), b->Add(values[0], b->ConstantLiteral(LiteralUtil::Number(type, int64_t{1}))));
    }
    return next;
  };
  std::vector<XlaOp> results = Loop(call, goes_on, step, values, name);
  if (!results.empty()) results.erase(results.begin());
  return results;
}

}  // namespace xla
