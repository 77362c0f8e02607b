#include "backends/cpu/thunk_makers.h"

#include "backends/cpu/plan/copy_thunks.h"

namespace xla {

std::vector<ThunkMaker> CpuThunkMakers() {
  return {
      {"copy", &MakeCopyThunk},
      {"update", &MakeUpdateThunk},
  };
}

}  // namespace xla
