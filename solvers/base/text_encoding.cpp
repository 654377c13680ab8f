#include "solvers/base/text_encoding.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>

#include "device/errors.h"

namespace merganser {

namespace {

constexpr std::string_view utf8_mark = "\xEF\xBB\xBF", little_mark = "\xFF\xFE", big_mark = "\xFE\xFF";

bool is_ascii_text(char c) { return (c >= ' ' && c <= '~') || c == '\n' || c == '\r' || c == '\t'; }
bool is_little(std::string_view bytes) {
  return bytes.starts_with(little_mark) || (bytes.size() > 1 && is_ascii_text(bytes[0]) && bytes[1] == '\0');
}
bool is_big(std::string_view bytes) {
  return bytes.starts_with(big_mark) || (bytes.size() > 1 && bytes[0] == '\0' && is_ascii_text(bytes[1]));
}

/// RFC 3629, sec. 3.
void append_utf8(std::string& text, std::uint32_t code) {
  const auto byte = [&](std::uint32_t value) { text += static_cast<char>(value); };
  if (code < 0x80) {
    byte(code);
  } else if (code < 0x800) {
    byte(0xc0 | code >> 6), byte(0x80 | (code & 0x3f));
  } else if (code < 0x10000) {
    byte(0xe0 | code >> 12), byte(0x80 | (code >> 6 & 0x3f)), byte(0x80 | (code & 0x3f));
  } else {
    byte(0xf0 | code >> 18), byte(0x80 | (code >> 12 & 0x3f)), byte(0x80 | (code >> 6 & 0x3f)),
        byte(0x80 | (code & 0x3f));
  }
}

/// RFC 2781, sec. 2.2; a lone surrogate becomes U+FFFD.
std::string from_utf16(std::string_view bytes, bool big, const std::string& file) {
  if (bytes.size() % 2 != 0)
    throw InputError(file + ": is UTF-16 text that ends within a character; save it again as UTF-8");
  const auto unit = [&](size_t at) {
    const auto first = static_cast<unsigned char>(bytes[at]),
               second = static_cast<unsigned char>(bytes[at + 1]);
    return static_cast<std::uint32_t>(big ? first << 8 | second : second << 8 | first);
  };
  std::string text;
  for (size_t at = 0; at < bytes.size(); at += 2) {
    std::uint32_t code = unit(at);
    const bool high = code >= 0xd800 && code < 0xdc00, low = code >= 0xdc00 && code < 0xe000;
    const std::uint32_t next = high && at + 2 < bytes.size() ? unit(at + 2) : 0;
    if (next >= 0xdc00 && next < 0xe000) {
      code = 0x10000 + ((code - 0xd800) << 10) + (next - 0xdc00);
      at += 2;
    } else if (high || low) {
      code = 0xfffd;
    }
    append_utf8(text, code);
  }
  return text;
}

/// Bytes of the printable UTF-8 character at a place, 0 where there is none.
size_t printable_length(std::string_view text, size_t at) {
  const auto byte = [&](size_t k) { return static_cast<unsigned char>(text[at + k]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return first >= 0x20 && first != 0x7f ? 1 : 0;
  const size_t length = first >= 0xf0 && first < 0xf5 ? 4 : first >= 0xe0 ? 3 : first >= 0xc2 ? 2 : 0;
  if (length == 0 || first >= 0xf5 || at + length > text.size()) return 0;
  for (size_t k = 1; k < length; ++k)
    if ((byte(k) & 0xc0) != 0x80) return 0;
  const bool control = (first == 0xc2 && byte(1) < 0xa0) ||
                       (first == 0xe2 && byte(1) == 0x80 && byte(2) >= 0xa8 && byte(2) <= 0xae) ||
                       (first == 0xe2 && byte(1) == 0x81 && byte(2) >= 0xa6 && byte(2) <= 0xa9);
  return control ? 0 : length;  // C1, line separators and marks that turn the direction of writing
}

void append_printable(std::string& shown, std::string_view text, size_t& at) {
  const size_t length = printable_length(text, at);
  char escaped[8];
  std::snprintf(escaped, sizeof escaped, "\\x%02x", static_cast<unsigned char>(text[at]));
  shown += length > 0 ? std::string(text.substr(at, length)) : escaped;
  at += std::max<size_t>(length, 1);
}

}  // namespace

bool needs_conversion(std::string_view bytes) {
  return bytes.starts_with(utf8_mark) || is_little(bytes) || is_big(bytes);
}

std::string utf8_of(std::string_view bytes, const std::string& file) {
  if (bytes.starts_with(std::string_view("\xFF\xFE\0\0", 4)) ||
      bytes.starts_with(std::string_view("\0\0\xFE\xFF", 4)))
    throw InputError(file + ": is UTF-32 text, which is not read; save it again as UTF-8");
  if (bytes.starts_with(utf8_mark)) return std::string(bytes.substr(utf8_mark.size()));
  const bool little = is_little(bytes);
  if (!little && !is_big(bytes)) return std::string(bytes);
  const bool marked = bytes.starts_with(little_mark) || bytes.starts_with(big_mark);
  return from_utf16(bytes.substr(marked ? 2 : 0), !little, file);
}

std::string printable(std::string_view text, size_t longest) {
  std::string shown;
  size_t count = 0;
  for (size_t at = 0; at < text.size(); ++count) {
    if (count == longest) return shown + "...";
    append_printable(shown, text, at);
  }
  return shown;
}

std::string printable_lines(std::string_view text) {
  std::string shown;
  for (size_t at = 0; at < text.size();)
    if (text[at] == '\n')
      shown += text[at++];
    else
      append_printable(shown, text, at);
  return shown;
}

std::string without_tag(std::string_view said) {
  const size_t end = said.starts_with('[') ? said.find("] ") : said.npos;
  return std::string(end == said.npos ? said : said.substr(end + 2));
}

}  // namespace merganser
