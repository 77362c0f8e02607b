// The frontends of a program. A frontend registers itself when it is linked, so a program gets exactly those that it
// depends on.
#ifndef TOOLS_FRONTENDS_REGISTRY_H_
#define TOOLS_FRONTENDS_REGISTRY_H_

#include <functional>
#include <memory>
#include <vector>

#include "tools/frontends/frontend.h"

namespace xla {

using FrontendFactory = std::function<std::unique_ptr<Frontend>()>;

// To be called before main, by the frontend's own source. It costs each start of a tool, so a frontend must load
// nothing when it is made.
void RegisterFrontend(FrontendFactory factory);

// A new one of each that is linked, in the order of their names, which must differ.
std::vector<std::unique_ptr<Frontend>> MakeFrontends();

}  // namespace xla

#endif  // TOOLS_FRONTENDS_REGISTRY_H_
