// A program outside of Halo's tree: writes a computation with the builder, runs it on the interpreter, prints a table.
#include <cstdio>
#include <memory>

#include "backends/backend.h"
#include "backends/literal_execution.h"
#include "builders/computation_builder/computation_builder.h"
#include "xla_core/support/status_macros.h"

namespace {

absl::Status PrintTemperatures() {
  // What is to be computed: fahrenheit = celsius * 9 / 5 + 32, for eight temperatures at once.
  xla::ComputationBuilder b("to_fahrenheit");
  const xla::XlaOp celsius = b.Parameter(0, xla::Shape::Array(xla::F32, {8}), "celsius");
  ASSIGN_OR_RETURN(std::unique_ptr<xla::HloModule> module, b.BuildModule(celsius * 9 / 5 + 32));

  ASSIGN_OR_RETURN(std::shared_ptr<xla::Client> client, xla::GetClient("interpreter"));
  ASSIGN_OR_RETURN(std::unique_ptr<xla::Executable> to_fahrenheit, client->Compile(std::move(module)));

  const xla::Literal from = xla::Literal::Vector<float>({-273.15f, -40, 0, 20, 37, 100, 1538, 5505});
  ASSIGN_OR_RETURN(const xla::Literal to, xla::ExecuteOnLiterals(*to_fahrenheit, {from}));

  std::printf("    Celsius  Fahrenheit\n");
  for (int i = 0; i < 8; ++i) std::printf("%11.2f %11.2f\n", from.data<float>()[i], to.data<float>()[i]);
  return absl::OkStatus();
}

}  // namespace

int main() {
  const absl::Status status = PrintTemperatures();
  if (!status.ok()) std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return status.ok() ? 0 : 1;
}
