// The smallest program: builds 2 x + y for four numbers at once, compiles it, runs it and prints what came out.
#include <iostream>
#include <memory>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "builders/computation_builder/computation_builder.h"
#include "xla_core/literal_io/format_literal.h"
#include "xla_core/support/status_macros.h"
#include "xla_core/text/printer.h"

namespace xla {

absl::Status SayHello() {
  // Write down what is to be computed. Nothing runs yet; mistakes are kept, and are the result of BuildModule.
  ComputationBuilder b("hello");
  const XlaOp x = b.Parameter(0, Shape::Array(F32, {4}), "x");
  const XlaOp y = b.Parameter(1, Shape::Array(F32, {4}), "y");
  ASSIGN_OR_RETURN(std::unique_ptr<HloModule> module, b.BuildModule(2 * x + y));
  std::cout << ModuleToString(*module, PrintOptions::Short());

  // Compile it for a backend, once, and run it, as often as you like.
  ASSIGN_OR_RETURN(std::shared_ptr<Client> client, GetClient("interpreter"));
  ASSIGN_OR_RETURN(std::unique_ptr<Executable> program, client->Compile(std::move(module)));
  const Literal ones = Literal::Vector<float>({1, 2, 3, 4}), tens = Literal::Vector<float>({10, 20, 30, 40});
  ASSIGN_OR_RETURN(Literal result, ExecuteOnLiterals(*program, {ones, tens}));
  std::cout << "2 x + y = " << FormatLiteral(result) << "\n";
  return absl::OkStatus();
}

}  // namespace xla

int main() {
  const absl::Status status = xla::SayHello();
  if (!status.ok()) std::cerr << status << "\n";
  return status.ok() ? 0 : 1;
}
