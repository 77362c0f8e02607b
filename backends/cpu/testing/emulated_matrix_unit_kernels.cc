// matrix_unit_kernels_amx.cc once more, on emulated tiles. Compiled with flags of its own, like that.
#include "backends/cpu/testing/emulated_tiles.h"

#define AmxMatrixUnitKernels EmulatedMatrixUnitKernels
#include "backends/cpu/library/product/matrix_unit_kernels_amx.cc"
