#include "tools/frontends/registry.h"

#include <algorithm>
#include <utility>

#include "xla_core/support/check.h"

namespace xla {
namespace {

// Constructed by whoever registers first: the order of initialization across files is not known.
std::vector<FrontendFactory>& Factories() {
  static auto* const factories = new std::vector<FrontendFactory>;
  return *factories;
}

}  // namespace

void RegisterFrontend(FrontendFactory factory) { Factories().push_back(std::move(factory)); }

std::vector<std::unique_ptr<Frontend>> MakeFrontends() {
  const auto name = [](const std::unique_ptr<Frontend>& frontend) -> const std::string& {
    return frontend->description().name;
  };
  std::vector<std::unique_ptr<Frontend>> frontends;
  for (const FrontendFactory& make : Factories()) frontends.push_back(make());
  std::sort(frontends.begin(), frontends.end(), [&](const auto& a, const auto& b) { return name(a) < name(b); });
  for (size_t i = 1; i < frontends.size(); ++i) CHECK(name(frontends[i - 1]) != name(frontends[i]));
  return frontends;
}

}  // namespace xla
