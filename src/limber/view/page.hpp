#pragma once  // internal
/// The files of the viewer's page, which are part of the program.

#include <span>
#include <string_view>

namespace limber {

struct PageFile {
  std::string_view path;  // "/viewer.js"
  std::string_view type;  // for Content-Type
  std::string_view gzip;  // its content, compressed; the page itself has LIMBER_KEY where the server's key is to stand
};

/// Empty where Limber was built without the page.
std::span<const PageFile> page_files();

}  // namespace limber
