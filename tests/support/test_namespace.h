#pragma once
/// Names of merganser::test in the backend's namespace `test`, which hides them.
#include "device/backend.h"

namespace merganser::test {}

MERGANSER_BEGIN
namespace test {
using namespace merganser::test;
}
MERGANSER_END
