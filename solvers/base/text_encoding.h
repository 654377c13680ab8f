#pragma once
/// Text that users hand in: its encoding, and how it is shown.
#include <string>
#include <string_view>

namespace merganser {

/// The text as UTF-8 without a byte order mark: UTF-16 of either byte order, with a mark or begun by an ASCII
/// character, is converted; anything else stays. Throws InputError, beginning with `file`, for UTF-32 and for
/// UTF-16 that ends within a character.
std::string utf8_of(std::string_view bytes, const std::string& file);

/// Begins as text in UTF-16, or with a byte order mark.
bool needs_conversion(std::string_view bytes);

/// Text for messages, cut after so many characters: bytes that are no printable UTF-8 (control characters,
/// with which terminals are steered, marks that turn the direction of writing, broken characters) as \\xNN.
std::string printable(std::string_view text, size_t longest = 60);
/// The same of texts of any length, whose ends of lines stay.
std::string printable_lines(std::string_view text);

/// What the exception of a library says, without the tag in brackets that it begins with.
std::string without_tag(std::string_view said);

}  // namespace merganser
