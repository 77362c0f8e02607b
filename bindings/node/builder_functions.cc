// MLGraphBuilder. All operators go through one function.
#include <utility>

#include "bindings/node/descriptor_arguments.h"
#include "bindings/node/environment.h"
#include "bindings/node/functions.h"
#include "bindings/node/handles.h"
#include "bindings/node/js_values.h"
#include "builders/webnn/graph_builder.h"
#include "xla_core/support/status_macros.h"

namespace xla {
namespace node_addon {
namespace {

using webnn::ArrayBufferView;
using webnn::MLContext;
using webnn::MLGraph;
using webnn::MLGraphBuilder;
using webnn::MLOperand;
using webnn::MLOperandDescriptor;
using webnn::MLValue;

// [handle, data type, shape]. `bytes`: memory that the operand brings with it.
absl::StatusOr<napi_value> FromOperand(napi_env env, const MLOperand& operand, int64_t bytes = 0) {
  ASSIGN_OR_RETURN(napi_value handle, NewHandle(env, std::make_shared<MLOperand>(operand), bytes));
  ASSIGN_OR_RETURN(napi_value type, NewString(env, webnn::ToString(operand.dataType())));
  ASSIGN_OR_RETURN(napi_value shape, NewNumbers(env, operand.shape()));
  return NewList(env, {handle, type, shape});
}

absl::StatusOr<napi_value> FromConstant(napi_env env, const MLOperand& operand) {
  return FromOperand(env, operand, webnn::ByteLengthOf(operand.descriptor()).value_or(0));
}

// (context): a builder.
absl::StatusOr<napi_value> CreateBuilder(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(auto context, FromHandle<MLContext>(env, arguments[0]));
  return NewHandle(env, std::make_shared<MLGraphBuilder>(std::move(context)));
}

// (builder, name, data type, shape)
absl::StatusOr<napi_value> Input(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  ASSIGN_OR_RETURN(const std::string name, ToStdString(env, arguments[1]));
  ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, ToDescriptor(env, arguments[2], arguments[3]));
  ASSIGN_OR_RETURN(const MLOperand operand, builder->input(name, descriptor));
  return FromOperand(env, operand);
}

// (builder, data type, shape, view)
absl::StatusOr<napi_value> Constant(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  ASSIGN_OR_RETURN(const MLOperandDescriptor descriptor, ToDescriptor(env, arguments[1], arguments[2]));
  ASSIGN_OR_RETURN(const ArrayBufferView view, ToView(env, arguments[3], descriptor.dataType));
  ASSIGN_OR_RETURN(const MLOperand operand, builder->constant(descriptor, view));
  return FromConstant(env, operand);
}

// (builder, data type, number or bigint)
absl::StatusOr<napi_value> ScalarConstant(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  ASSIGN_OR_RETURN(const webnn::MLOperandDataType type, ToDataType(env, arguments[1]));
  ASSIGN_OR_RETURN(const MLValue value, ToMLValue(env, arguments[2]));
  // A double, not a float, under the draft as well.
  webnn::MLNumber number;
  if (const auto* integer = value.As<int64_t>()) {
    number = *integer;
  } else if (const auto* natural = value.As<uint64_t>()) {
    number = *natural;
  } else {
    ASSIGN_OR_RETURN(number, webnn::ToJsNumber(value, "value"));
  }
  ASSIGN_OR_RETURN(const MLOperand operand, builder->constant(type, number));
  return FromConstant(env, operand);
}

// (builder, tensor)
absl::StatusOr<napi_value> TensorConstant(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  ASSIGN_OR_RETURN(const auto tensor, FromHandle<webnn::MLTensor>(env, arguments[1]));
  ASSIGN_OR_RETURN(const MLOperand operand, builder->constant(tensor));
  return FromOperand(env, operand);
}

// (builder, operator, argument names, arguments, option names, options): the list of results.
absl::StatusOr<napi_value> CallOperator(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  ASSIGN_OR_RETURN(const std::string op, ToStdString(env, arguments[1]));
  ASSIGN_OR_RETURN(const auto args, ToNamedValues(env, arguments[2], arguments[3]));
  ASSIGN_OR_RETURN(const auto options, ToNamedValues(env, arguments[4], arguments[5]));
  ASSIGN_OR_RETURN(const std::vector<MLOperand> results, builder->call(op, args, options));
  std::vector<napi_value> operands;
  operands.reserve(results.size());
  for (const MLOperand& result : results) {
    ASSIGN_OR_RETURN(napi_value operand, FromOperand(env, result));
    operands.push_back(operand);
  }
  return NewList(env, operands);
}

// (builder, operator, option names, options)
absl::StatusOr<napi_value> Activation(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  ASSIGN_OR_RETURN(const std::string op, ToStdString(env, arguments[1]));
  ASSIGN_OR_RETURN(const auto options, ToNamedValues(env, arguments[2], arguments[3]));
  ASSIGN_OR_RETURN(webnn::MLActivation activation, builder->activation(op, options));
  return NewHandle(env, std::make_shared<webnn::MLActivation>(std::move(activation)));
}

// About what a compiled graph takes: its constants, and code. Without it the garbage collector would let thousands of
// graphs pile up.
int64_t MemoryOf(const MLGraph& graph) {
  constexpr int64_t kCode = 1 << 20;
  int64_t bytes = kCode;
  for (const webnn::OperandNode* constant : graph.definition().constants) {
    bytes += webnn::ByteLengthOf(constant->descriptor).value_or(0);
  }
  return bytes;
}

// (builder, output names, operands): a promise for the graph.
absl::StatusOr<napi_value> Build(napi_env env, const Arguments& arguments) {
  ASSIGN_OR_RETURN(const auto builder, FromHandle<MLGraphBuilder>(env, arguments[0]));
  const auto to_operand = [](napi_env env, napi_value value) -> absl::StatusOr<MLOperand> {
    ASSIGN_OR_RETURN(const auto operand, FromHandle<MLOperand>(env, value));
    return *operand;
  };
  ASSIGN_OR_RETURN(const auto outputs, ToNamed<MLOperand>(env, arguments[1], arguments[2], to_operand));
  PromiseOptions options;
  options.holds_environment = true;
  const Future<std::shared_ptr<MLGraph>> graph = builder->buildAsync(outputs);
  return Environment::Of(env)->PromiseFor(
      graph.event(),
      [graph](napi_env env, napi_value) -> absl::StatusOr<napi_value> {
        ASSIGN_OR_RETURN(auto built, graph.Await());
        const int64_t bytes = MemoryOf(*built);
        return NewHandle(env, std::move(built), bytes);
      },
      options);
}

}  // namespace

std::vector<Function> BuilderFunctions() {
  return {
      {"createBuilder", Entry<CreateBuilder>},
      {"input", Entry<Input>},
      {"constant", Entry<Constant>},
      {"scalarConstant", Entry<ScalarConstant>},
      {"tensorConstant", Entry<TensorConstant>},
      {"callOperator", Entry<CallOperator>},
      {"activation", Entry<Activation>},
      {"build", Entry<Build>},
  };
}

}  // namespace node_addon
}  // namespace xla
