// Errors of a ComputationBuilder: the first one is kept, with the call that made it.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "builders/computation_builder/computation_builder.h"

namespace xla {
namespace {

// A message shows no more than this of a long list of operands, or of the shape of a large tuple.
constexpr size_t kMaxShownOperands = 8;
constexpr size_t kMaxShownShape = 200;

std::string ShortShape(const Shape& shape) {
  std::string text = shape.ToString(Shape::LayoutPrinting::kWithout, /*index_comments=*/false);
  if (text.size() > kMaxShownShape) text = absl::StrCat(text.substr(0, kMaxShownShape), "...");
  return text;
}

}  // namespace

ComputationBuilder::ActiveCall::ActiveCall(ComputationBuilder* builder, const char* name, SourceLocation loc,
                                           ArraySlice<XlaOp> operands)
    : builder_(builder), outer_(builder->call_), name_(name), loc_(loc), operands_(operands.begin(), operands.end()) {
  builder_->call_ = this;
  ok_ = builder_->CheckUsable(operands_);
}

ComputationBuilder::ActiveCall::~ActiveCall() { builder_->call_ = outer_; }

OperationScope::OperationScope(ComputationBuilder* builder, absl::string_view name, ArraySlice<XlaOp> operands,
                               SourceLocation loc)
    : builder_(builder), name_(name), loc_(loc), operands_(operands.begin(), operands.end()) {
  if (builder_ != nullptr && builder_->scope_ != nullptr) builder_ = nullptr;
  if (builder_ != nullptr) builder_->scope_ = this;
}

OperationScope::~OperationScope() {
  if (builder_ != nullptr) builder_->scope_ = nullptr;
}

SourceLocation ComputationBuilder::CallLocation() const {
  if (scope_ != nullptr) return scope_->loc_;
  const ActiveCall* call = call_;
  while (call->outer_ != nullptr) call = call->outer_;
  return call->loc_;
}

// "model.cc:42: Softmax(f32[3]): Reduce(f32[3], s32[])"
std::string ComputationBuilder::DescribeCall() const {
  const auto shape_of = [this](XlaOp op) {
    if (Owns(op)) return ShortShape(op.instruction_->shape());
    return std::string(op.valid() ? "a value of another builder" : "an invalid XlaOp");
  };
  const auto append = [&](std::string* text, absl::string_view name, ArraySlice<XlaOp> operands) {
    absl::StrAppend(text, ": ", name, "(");
    for (size_t i = 0; i < std::min(operands.size(), kMaxShownOperands); ++i) {
      absl::StrAppend(text, i == 0 ? "" : ", ", shape_of(operands[i]));
    }
    if (operands.size() > kMaxShownOperands) {
      absl::StrAppend(text, ", and ", operands.size() - kMaxShownOperands, " more");
    }
    text->append(")");
  };
  std::string text = CallLocation().ToString();
  if (scope_ != nullptr) append(&text, scope_->name_, scope_->operands_);
  const ActiveCall* call = call_;
  while (call != nullptr && call->outer_ != nullptr) call = call->outer_;
  if (call != nullptr) append(&text, call->name_, call->operands_);
  return text;
}

XlaOp ComputationBuilder::Fail(const absl::Status& error) {
  if (first_error_.ok()) {
    first_error_ = absl::Status(error.code(), absl::StrCat(DescribeCall(), ": ", error.message()));
  }
  return Invalid();
}

XlaOp ComputationBuilder::ReportError(const absl::Status& error, SourceLocation loc) {
  if (error.ok() || !first_error_.ok()) return Invalid();
  if (scope_ != nullptr || call_ != nullptr) return Fail(error);
  first_error_ = absl::Status(error.code(), absl::StrCat(loc.ToString(), ": ", error.message()));
  return Invalid();
}

bool ComputationBuilder::CheckUsable(ArraySlice<XlaOp> operands) {
  if (!first_error_.ok()) return false;
  if (finished_) {
    FailInvalid(absl::StrCat("the computation ", name_,
                             " is finished, because Build() was called; add operations before, or to a new builder"));
    return false;
  }
  for (size_t i = 0; i < operands.size(); ++i) {
    if (Owns(operands[i])) continue;
    if (!operands[i].valid()) {
      FailInvalid(absl::StrCat("operand ", i,
                               " is an invalid XlaOp, default-constructed or from a builder that failed; ",
                               "expected a value of the builder ", name_));
    } else {
      FailInvalid(absl::StrCat("operand ", i, " is a value of another builder, expected one of the builder ", name_,
                               "; hand values to a computation as arguments"));
    }
    return false;
  }
  return true;
}

bool ComputationBuilder::CheckCalled(ArraySlice<XlaComputation> called) {
  for (const XlaComputation& computation : called) {
    if (computation.valid()) continue;
    Fail(computation.status());
    return false;
  }
  return true;
}

bool ComputationBuilder::CheckArray(absl::string_view what, const Shape& shape) {
  if (shape.IsArray()) return true;
  FailInvalid(absl::StrCat(what, " must be an array, got ", ShortShape(shape)));
  return false;
}

bool ComputationBuilder::CheckDimension(absl::string_view what, int64_t dimension, const Shape& shape) {
  if (dimension >= 0 && dimension < shape.rank()) return true;
  FailInvalid(absl::StrCat(what, " must be a dimension of ", ShortShape(shape), ", that is at least 0 and less than ",
                           shape.rank(), ", got ", dimension));
  return false;
}

bool ComputationBuilder::CheckCount(absl::string_view what, size_t count, absl::string_view of_what, size_t expected) {
  if (count == expected) return true;
  FailInvalid(absl::StrCat(what, " must have one entry for each ", of_what, ": expected ", expected, ", got ", count));
  return false;
}

bool ComputationBuilder::CheckMutable(XlaOp op, const char* what, SourceLocation loc) {
  if (!op.valid() || !ok()) return false;
  ActiveCall call(this, what, loc, {op});
  return static_cast<bool>(call);
}

}  // namespace xla
