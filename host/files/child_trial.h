#pragma once
/// Work that may crash within a library, tried first where a crash does no harm.
#include <functional>

namespace merganser {

/// Runs `work` in a child process. False where that did not end well: a crash, or no end within a
/// minute. Exceptions of `work` count as an end. True where no child can be made.
bool survives_in_child(const std::function<void()>& work);

}  // namespace merganser
