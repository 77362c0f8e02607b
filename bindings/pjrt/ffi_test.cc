// Handlers of clients: registered before there is a client, called with operands, attributes and user data.
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "bindings/pjrt/ffi_api.h"
#include "bindings/pjrt/ffi_dictionary.h"
#include "bindings/pjrt/test_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace pjrt {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

TEST(FfiDictionary, HoldsScalarsTextsArraysAndDictionaries) {
  const auto read = FfiDictionary::Parse(
      R"({index = 3 : ui64, b = true, name = "a\"b", sizes = array<i64: 1, -2>, more = {scale = 1.5 : f32}, flag})");
  ASSERT_TRUE(read.ok()) << read.status();
  const XLA_FFI_Attrs& attrs = (*read)->attrs();
  std::vector<std::string> names;
  for (int64_t i = 0; i < attrs.size; ++i) names.emplace_back(attrs.names[i]->ptr, attrs.names[i]->len);
  EXPECT_THAT(names, ElementsAre("b", "flag", "index", "more", "name", "sizes"));
  const auto* const index = static_cast<const XLA_FFI_Scalar*>(attrs.attrs[2]);
  EXPECT_EQ(index->dtype, 9);
  EXPECT_EQ(*static_cast<const uint64_t*>(index->value), 3);
  const auto* const more = static_cast<const XLA_FFI_Attrs*>(attrs.attrs[3]);
  EXPECT_EQ(*static_cast<const float*>(static_cast<const XLA_FFI_Scalar*>(more->attrs[0])->value), 1.5f);
  const auto* const name = static_cast<const XLA_FFI_ByteSpan*>(attrs.attrs[4]);
  EXPECT_EQ(std::string(name->ptr, name->len), "a\"b");
  const auto* const sizes = static_cast<const XLA_FFI_Array*>(attrs.attrs[5]);
  ASSERT_EQ(sizes->size, 2);
  EXPECT_EQ(static_cast<const int64_t*>(sizes->data)[1], -2);
}

TEST(FfiDictionary, NamesThePlaceOfWhatItCannotRead) {
  EXPECT_EQ(FfiDictionary::Parse("{a = }").status().message(),
            "backend_config: expected a number of type s64 before at byte 5 of {a = }");
  EXPECT_EQ(FfiDictionary::Parse("{a = 1 : i32").status().message(),
            "backend_config: expected , or } at byte 12 of {a = 1 : i32");
  std::string deep;
  for (int i = 0; i < 100; ++i) deep += "{a = ";
  EXPECT_THAT(std::string(FfiDictionary::Parse(deep).status().message()), HasSubstr("64 dictionaries"));
}

int64_t type_of_user_data = 0;

// result = operand * scale + user data
XLA_FFI_Error* Scale(XLA_FFI_CallFrame* frame) {
  if (frame->struct_size != 168 || frame->stage != XLA_FFI_ExecutionStage_EXECUTE) return nullptr;
  const auto& operand = *static_cast<const XLA_FFI_Buffer*>(frame->args.values[0]);
  const auto& result = *static_cast<const XLA_FFI_Buffer*>(frame->rets.values[0]);
  const auto& scale = *static_cast<const XLA_FFI_Scalar*>(frame->attrs.attrs[0]);
  XLA_FFI_TypeId type = {type_of_user_data};
  XLA_FFI_ExecutionContext_Get_Args get = {sizeof(get), nullptr, frame->ctx, &type, nullptr};
  if (XLA_FFI_Error* const error = frame->api->execution_context_get(&get); error != nullptr) return error;
  for (int64_t i = 0; i < operand.dims[0]; ++i) {
    static_cast<float*>(result.data)[i] =
        static_cast<const float*>(operand.data)[i] * *static_cast<const float*>(scale.value) +
        *static_cast<const float*>(get.data);
  }
  return nullptr;
}

XLA_FFI_Error* Fail(XLA_FFI_CallFrame* frame) {
  XLA_FFI_Error_Create_Args create = {sizeof(create), nullptr, "the handler is tired", 13};
  return frame->api->error_create(&create);
}

const PJRT_FFI_Extension& Ffi() {
  const PJRT_Extension_Base* base = TestedApi().extension_start;
  while (base->type != PJRT_Extension_Type_FFI) base = base->next;
  return *reinterpret_cast<const PJRT_FFI_Extension*>(base);
}

absl::Status Register(const std::string& name, XLA_FFI_Handler* handler) {
  PJRT_FFI_Register_Handler_Args args = {
      sizeof(args), name.data(), name.size(), reinterpret_cast<void*>(handler), "halo", 4, 0};
  return StatusOfAnswer(Ffi().register_handler(&args));
}

std::string Program(const std::string& target) {
  return absl::StrCat(
      R"(
module @calls {
  func.func public @main(%arg0: tensor<2xf32>) -> (tensor<2xf32>) {
    %0 = stablehlo.custom_call @)",
      target,
      R"((%arg0) {api_version = 4 : i32, backend_config = {scale = 2.0 : f32}} : (tensor<2xf32>) -> tensor<2xf32>
    return %0 : tensor<2xf32>
  }
})");
}

TEST(Ffi, CallsHandlersWithAttributesAndUserData) {
  ASSERT_TRUE(Register("ffi_test_scale", &Scale).ok());
  ASSERT_TRUE(Register("ffi_test_scale", &Scale).ok());  // once more changes nothing
  EXPECT_EQ(Register("ffi_test_scale", &Fail).code(), absl::StatusCode::kAlreadyExists);
  const std::string type_name = "ffi_test_type";
  PJRT_FFI_Type_Register_Args type = {sizeof(type), nullptr, type_name.data(), type_name.size(), 0, nullptr};
  ASSERT_TRUE(StatusOfAnswer(Ffi().type_register(&type)).ok());
  type_of_user_data = type.type_id;
  TestClient client;
  TestProgram program;
  const absl::Status compiled = client.Compile(Program("ffi_test_scale"), "mlir", "", &program);
  ASSERT_TRUE(compiled.ok()) << compiled;
  PJRT_Buffer* const x = client.BufferOf({1, 2}, {2});
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  EXPECT_THAT(std::string(client.Execute(program, {{x}}, &outputs).message()), HasSubstr("no user data"));
  client.Destroy(outputs[0][0]);
  auto context = client.Make<PJRT_ExecuteContext_Create_Args>();
  ASSERT_TRUE(client.Call(client.api().PJRT_ExecuteContext_Create, context).ok());
  float offset = 10;
  PJRT_FFI_UserData_Add_Args add = {sizeof(add), nullptr, context->context, {type.type_id, &offset}};
  ASSERT_TRUE(StatusOfAnswer(Ffi().user_data_add(&add)).ok());
  client.set_context(context->context);
  const absl::Status run = client.Execute(program, {{x}}, &outputs);
  ASSERT_TRUE(run.ok()) << run;
  EXPECT_THAT(*client.ToHost(outputs[0][0]), ElementsAre(12, 14));
  auto destroy = client.Make<PJRT_ExecuteContext_Destroy_Args>();
  destroy->context = context->context;
  ASSERT_TRUE(client.Call(client.api().PJRT_ExecuteContext_Destroy, destroy).ok());
  client.Destroy(outputs[0][0]);
  client.Destroy(x);
  client.Destroy(program);
}

TEST(Ffi, TellsWhatAHandlerSays) {
  ASSERT_TRUE(Register("ffi_test_fail", &Fail).ok());
  TestClient client;
  TestProgram program;
  ASSERT_TRUE(client.Compile(Program("ffi_test_fail"), "mlir", "", &program).ok());
  PJRT_Buffer* const x = client.BufferOf({1, 2}, {2});
  std::vector<std::vector<PJRT_Buffer*>> outputs;
  const absl::Status status = client.Execute(program, {{x}}, &outputs);
  EXPECT_EQ(status.code(), absl::StatusCode::kInternal);
  EXPECT_THAT(std::string(status.message()), HasSubstr("the handler is tired"));
  client.Destroy(outputs[0][0]);
  client.Destroy(x);
  client.Destroy(program);
}

// What blocks a handler, and what tells that it has ended.
struct Gate {
  EventSource may_go;
  EventSource has_gone;
};
std::shared_ptr<Gate> gate;

XLA_FFI_Error* WaitAtGate(XLA_FFI_CallFrame*) {
  const std::shared_ptr<Gate> here = gate;
  here->may_go.event().Await().IgnoreError();
  here->has_gone.Set(absl::OkStatus());
  return nullptr;
}

// jaxlib frees handles with Python's lock held, for which a handler may wait.
TEST(Ffi, FreeingHandlesDoesNotWaitForHandlers) {
  ASSERT_TRUE(Register("ffi_test_wait", &WaitAtGate).ok());
  gate = std::make_shared<Gate>();
  {
    TestClient client;
    TestProgram program;
    ASSERT_TRUE(client.Compile(Program("ffi_test_wait"), "mlir", "", &program).ok());
    PJRT_Buffer* const x = client.BufferOf({1, 2}, {2});
    std::vector<std::vector<PJRT_Buffer*>> outputs;
    client.set_awaits(false);
    ASSERT_TRUE(client.Execute(program, {{x}}, &outputs).ok());
    auto visible = client.Make<PJRT_Buffer_IsOnCpu_Args>();
    visible->buffer = outputs[0][0];
    ASSERT_TRUE(client.Call(client.api().PJRT_Buffer_IsOnCpu, visible).ok());
    EXPECT_FALSE(visible->is_on_cpu);  // there is no value yet
    client.Destroy(outputs[0][0]);
    client.Destroy(x);
    client.Destroy(program);
  }
  gate->may_go.Set(absl::OkStatus());
  EXPECT_TRUE(gate->has_gone.event().Await().ok());
}

TEST(Ffi, RefusesToSerializeCallsOfPython) {
  ASSERT_TRUE(Register("halo_python_callback", &Scale).ok());
  TestClient client;
  TestProgram program;
  ASSERT_TRUE(client.Compile(Program("halo_python_callback"), "mlir", "", &program).ok());
  auto serialize = client.Make<PJRT_Executable_Serialize_Args>();
  serialize->executable = program.executable;
  const absl::Status status = client.Call(client.api().PJRT_Executable_Serialize, serialize);
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_EQ(status.message(), "calls calls functions of Python, which another process does not have");
  client.Destroy(program);
}

}  // namespace
}  // namespace pjrt
}  // namespace xla
