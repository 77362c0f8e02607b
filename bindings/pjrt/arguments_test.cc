// Arguments that are wrong: each function answers with an error, and none ends the process.
#include <string>

#include "bindings/pjrt/test_client.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace xla {
namespace pjrt {
namespace {

using ::testing::HasSubstr;

// Calls a function, whatever it returns, and returns its error.
template <typename Args>
absl::Status CallAny(PJRT_Error* (*function)(Args*), Args* args) {
  return StatusOfAnswer(function(args));
}
template <typename Args>
absl::Status CallAny(void (*function)(Args*), Args* args) {
  function(args);
  return absl::InvalidArgumentError("has no error to return: args is NULL, struct_size is 8");
}

// Functions that answer without looking at a handle.
bool NeedsNoArguments(absl::string_view name) { return name == "Error_GetCode" || name == "Error_ForEachPayload"; }

template <typename Args>
void CheckFunction(absl::string_view name, absl::Status (*call)(Args*)) {
  if (NeedsNoArguments(name)) return;
  EXPECT_THAT(std::string(call(nullptr).message()), HasSubstr("args is NULL")) << name;
  Args args = {};
  args.struct_size = 8;
  EXPECT_THAT(std::string(call(&args).message()), HasSubstr("struct_size is 8")) << name;
}

TEST(Arguments, NullAndTooShortOnesAreErrorsOfEveryFunction) {
#define PJRT_FUNCTION(Result, Name, minor, size, required) \
  CheckFunction<PJRT_##Name##_Args>(#Name,                 \
                                    [](PJRT_##Name##_Args* args) { return CallAny(TestedApi().PJRT_##Name, args); });
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION
}

// Null handles: functions that free accept them, functions that make what needs none succeed, all others fail.
template <typename Args>
void CheckNullHandles(absl::string_view name, absl::Status (*call)(Args*)) {
  if (name == "Event_Create" || name == "ExecuteContext_Create" || name == "Client_Create" ||
      name == "TopologyDescription_Create") {
    return;  // would leave what they make
  }
  Args args = {};
  args.struct_size = sizeof(args);
  const absl::Status status = call(&args);
  const std::string as_text(name);
  const bool frees = as_text.size() > 8 && as_text.substr(as_text.size() - 8) == "_Destroy";
  const bool needs_nothing = NeedsNoArguments(name) || name == "Plugin_Initialize" || name == "Plugin_Attributes";
  if (status.code() == absl::StatusCode::kUnimplemented) return;
  if (frees || needs_nothing) {
    EXPECT_TRUE(status.ok() || name == "Error_Destroy") << name << ": " << status;
  } else {
    EXPECT_EQ(status.code(), absl::StatusCode::kInvalidArgument) << name << ": " << status;
  }
}

TEST(Arguments, NullHandlesAreErrors) {
#define PJRT_FUNCTION(Result, Name, minor, size, required) \
  CheckNullHandles<PJRT_##Name##_Args>(                    \
      #Name, [](PJRT_##Name##_Args* args) { return CallAny(TestedApi().PJRT_##Name, args); });
#include "bindings/pjrt/pjrt_functions.inc"
#undef PJRT_FUNCTION
}

TEST(Arguments, HandlesOfAnotherKindAreErrors) {
  TestClient client;
  auto name = client.Make<PJRT_Client_PlatformName_Args>();
  name->client = reinterpret_cast<PJRT_Client*>(client.device());
  EXPECT_EQ(client.Call(client.api().PJRT_Client_PlatformName, name).message(),
            "PJRT_Client_PlatformName: client is no PJRT_Client, or was freed");
}

TEST(Arguments, UnimplementedFunctionsSayTheirName) {
  PJRT_Client_DmaMap_Args args = {};
  args.struct_size = sizeof(args);
  const absl::Status status = StatusOfAnswer(TestedApi().PJRT_Client_DmaMap(&args));
  EXPECT_EQ(status.code(), absl::StatusCode::kUnimplemented);
  EXPECT_THAT(std::string(status.message()), HasSubstr("PJRT_Client_DmaMap"));
}

TEST(Error, OfNothingIsFreed) {
  PJRT_Error_Destroy_Args destroy = {sizeof(destroy), nullptr, nullptr};
  TestedApi().PJRT_Error_Destroy(&destroy);
}

// Newer clients read errors by the table of functions in front of them.
TEST(Error, HasAFunctionTable) {
  PJRT_Client_Devices_Args args = {};
  args.struct_size = sizeof(args);
  PJRT_Error* const error = TestedApi().PJRT_Client_Devices(&args);
  ASSERT_NE(error, nullptr);
  const char* text = nullptr;
  size_t size = 0;
  error->functions->message(error, &text, &size);
  EXPECT_EQ(absl::string_view(text, size), "PJRT_Client_Devices: client is NULL");
  EXPECT_EQ(error->functions->get_code(error), PJRT_Error_Code_INVALID_ARGUMENT);
  error->functions->destroy(error);
}

}  // namespace
}  // namespace pjrt
}  // namespace xla
