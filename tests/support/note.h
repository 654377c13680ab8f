#pragma once
/// Measurements of a test, printed only where they help.

namespace merganser {

/// As printf. Printed after the test where it fails, or where MERGANSER_TEST_NOTES=1 asks for it.
__attribute__((format(printf, 1, 2))) void note(const char* format, ...);

}  // namespace merganser
