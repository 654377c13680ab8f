#pragma once
/// The line on stderr that renews itself on a terminal, and durations in it.
#include <string>

namespace merganser {

/// "1:02:03", "2:03" or "12 s"; "unknown" where it is negative.
std::string duration_text(double seconds);

bool stderr_is_terminal();
/// Replaces the line by the text, cut to the terminal's width: a line that wraps could not be renewed.
void renew_line(std::string text);
void clear_line();

}  // namespace merganser
