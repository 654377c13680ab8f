#pragma once
/// MERGANSER_NOT_INLINED: what only a few scenes need of a kernel. Inlined it would cost registers in every
/// launch on the GPU, and room in the loops of the CPU.
#include "device/backend.h"

#if MERGANSER_COMPILED_BY_NVCC
#define MERGANSER_NOT_INLINED __noinline__
#else
#define MERGANSER_NOT_INLINED __attribute__((noinline))
#endif
