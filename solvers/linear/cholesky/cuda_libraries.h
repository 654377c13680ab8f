#pragma once
/// NVIDIA's libraries beside the runtime, opened when they are first needed: a machine that has only a driver
/// starts the program and runs every scene that needs none of them.
#include "device/backend.h"

MERGANSER_BEGIN

/// Handle (dlopen) of a CUDA library such as "cusolver", opened when first needed; throws DeviceError with
/// where it looked and the remedy.
void* open_cuda_library(const char* name);

/// Address of a function in such a library; throws DeviceError where the library has none of that name.
void* cuda_function_address(void* library, const char* name);

/// The same as a pointer of the type that the toolkit declares:
/// cuda_function<decltype(&cublasCreate_v2)>(library, "cublasCreate_v2").
template <class Pointer>
Pointer cuda_function(void* library, const char* name) {
  return reinterpret_cast<Pointer>(cuda_function_address(library, name));
}

MERGANSER_END
