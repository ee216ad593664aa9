#include <fmt/format.h>

#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/surface_formats.hpp"

namespace limber {

/// Geomview's OFF: counts, vertices, polygons.
SurfaceMesh read_off(const std::string& path, std::string_view text) {
  Cursor in(path, text);
  if (const std::string_view w = in.word("OFF"); w != "OFF")
    in.fail(fmt::format("found {}, expected OFF", in_quotes(w)));
  const std::size_t vertices = in.count("a number of vertices", 6), faces = in.count("a number of faces", 8);
  in.word("a number of edges");
  SurfaceMesh surface;
  for (std::size_t i = 0; i < vertices; ++i) {
    Vec3 x;
    for (double& c : x) c = in.real("a coordinate");
    surface.positions.push_back(x);
  }
  for (std::size_t f = 0; f < faces; ++f) {
    const auto corners = in.integer("a number of corners");
    if (corners < 3) in.fail(fmt::format("a face has {} corners", corners));
    for (long long k = 0; k < corners; ++k)
      surface.corners.push_back(in.index(in.integer("a corner"), 0, vertices, "vertex"));
    in.rest_of_line();  // colours
    close_polygon(surface, label_number(surface, {}));
  }
  return surface;
}

}  // namespace limber
