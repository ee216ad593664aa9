#include <fmt/format.h>

#include <cstdint>

#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/surface_formats.hpp"
#include "limber/mesh/welder.hpp"

namespace limber {
namespace {

constexpr std::size_t stl_header = 80, stl_facet = 50;

SurfaceMesh read_stl_ascii(const std::string& path, std::string_view text) {
  Cursor in(path, text);
  const auto keyword = [&](std::string_view wanted) {
    const std::string_view w = in.word(wanted);
    if (lower(w) != wanted) in.fail(fmt::format("found {}, expected {}", in_quotes(w), wanted));
  };
  SurfaceMesh surface;
  Welder weld;
  while (!in.done()) {
    keyword("solid");
    in.rest_of_line();
    while (lower(in.peek()) == "facet") {
      keyword("facet");
      keyword("normal");
      for (int k = 0; k < 3; ++k) in.word("a normal's component");  // often wrong, even nan: the vertices decide
      keyword("outer");
      keyword("loop");
      for (int k = 0; k < 3; ++k) {
        keyword("vertex");
        Vec3 x;
        for (double& c : x) c = in.real("a coordinate");
        surface.corners.push_back(weld(x, surface.positions));
      }
      close_polygon(surface, label_number(surface, {}));
      keyword("endloop");
      keyword("endfacet");
    }
    keyword("endsolid");
    in.rest_of_line();
  }
  return surface;
}

/// The number of facets that a binary file announces.
std::size_t stl_facets(const std::string& path, std::string_view bytes) {
  Cursor in(path, bytes);
  in.places_by(Place::byte);
  in.byte_order(little_endian);
  in.bytes(stl_header, "the header, 80 bytes");
  return in.raw<std::uint32_t>("the number of triangles");
}

bool is_binary_stl(const std::string& path, std::string_view bytes) {
  if (bytes.size() < stl_header + 4) return false;
  return bytes.size() == stl_header + 4 + stl_facet * stl_facets(path, bytes);
}

SurfaceMesh read_stl_binary(const std::string& path, std::string_view bytes) {
  const std::size_t n = stl_facets(path, bytes);
  Cursor in(path, bytes);
  in.places_by(Place::byte);
  in.byte_order(little_endian);
  in.bytes(stl_header + 4, "the header");
  if (in.left() != n * stl_facet)
    in.fail(fmt::format("{} triangles take {} bytes, but {} follow", n, n * stl_facet, in.left()));
  SurfaceMesh surface;
  Welder weld;
  for (std::size_t t = 0; t < n; ++t) {
    in.bytes(12, "a normal");
    for (int k = 0; k < 3; ++k) {
      Vec3 x;
      for (double& c : x) c = in.finite(in.raw<float>("a coordinate"), "a coordinate");
      surface.corners.push_back(weld(x, surface.positions));
    }
    close_polygon(surface, label_number(surface, {}));
    in.bytes(2, "an attribute");
  }
  return surface;
}

}  // namespace

SurfaceMesh read_stl(const std::string& path, std::string_view bytes) {
  const bool binary = is_binary_stl(path, bytes) || lower(bytes.substr(0, 5)) != "solid";
  return binary ? read_stl_binary(path, bytes) : read_stl_ascii(path, bytes);
}

}  // namespace limber
