#include "limber/mesh/fill/tetgen_fill.hpp"

#include <fmt/format.h>

#include <cmath>
#include <new>

#ifdef LIMBER_HAS_TETGEN
#define TETLIBRARY
#include <tetgen.h>
#endif

namespace limber {

#ifdef LIMBER_HAS_TETGEN
namespace {

/// A power of two, so that no digit is lost: TetGen is given volumes as text, and has tolerances.
double unit_for(double max_volume) { return std::exp2(std::round(std::log2(max_volume) / 3)); }

/// Coordinates in `unit`. tetgenio frees its arrays with delete[].
void put(const TriMesh& surface, double unit, tetgenio& in) {
  in.firstnumber = 0;
  in.numberofpoints = static_cast<int>(surface.nodes.size());
  in.pointlist = new REAL[3 * surface.nodes.size()];
  for (std::size_t i = 0; i < surface.nodes.size(); ++i)
    for (int k = 0; k < 3; ++k) in.pointlist[3 * i + static_cast<std::size_t>(k)] = surface.nodes[i][k] / unit;
  in.numberoffacets = static_cast<int>(surface.triangles.size());
  in.facetlist = new tetgenio::facet[surface.triangles.size()];
  for (std::size_t t = 0; t < surface.triangles.size(); ++t) {
    tetgenio::facet& f = in.facetlist[t];
    tetgenio::init(&f);
    f.numberofpolygons = 1;
    f.polygonlist = new tetgenio::polygon[1];
    tetgenio::init(f.polygonlist);
    f.polygonlist->numberofvertices = 3;
    f.polygonlist->vertexlist = new int[3];
    for (int k = 0; k < 3; ++k) f.polygonlist->vertexlist[k] = surface.triangles[t][k];
  }
}

TetMesh taken(const tetgenio& out, double unit) {
  TetMesh mesh;
  for (int i = 0; i < out.numberofpoints; ++i)
    mesh.nodes.emplace_back(unit * Eigen::Map<const Vec3>(out.pointlist + 3 * i));
  for (int t = 0; t < out.numberoftetrahedra; ++t) {
    const int* n = out.tetrahedronlist + out.numberofcorners * t;
    mesh.tets.push_back({n[0], n[1], n[2], n[3]});
  }
  return mesh;
}

}  // namespace

bool has_tetgen() { return true; }

std::optional<TetMesh> fill_with_tetgen(const TriMesh& surface, double max_volume, std::string& why) {
  tetgenio in, out;
  const double unit = unit_for(max_volume);
  put(surface, unit, in);
  // Radius to shortest edge up to 1.3, dihedral angles of 14° or more where the surface allows it.
  std::string switches = fmt::format("pq1.3/14a{:.6f}Q", max_volume / std::pow(unit, 3));
  try {
    ::tetrahedralize(switches.data(), &in, &out);
  } catch (int code) {
    why = fmt::format("TetGen gave up (its error {})", code);
    return std::nullopt;
  } catch (const std::bad_alloc&) {
    why = "TetGen ran out of memory";
    return std::nullopt;
  }
  if (out.numberoftetrahedra == 0) {
    why = "TetGen made no tetrahedra";
    return std::nullopt;
  }
  return taken(out, unit);
}

#else

bool has_tetgen() { return false; }

std::optional<TetMesh> fill_with_tetgen(const TriMesh&, double, std::string& why) {
  why = "Limber was built without TetGen";
  return std::nullopt;
}

#endif

}  // namespace limber
