#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "limber/exchange/formats.hpp"
#include "limber/exchange/output_file.hpp"
#include "limber/exchange/parts.hpp"

namespace limber {
namespace {

/// Letters, digits and underscores, not a digit first; none twice.
class Identifiers {
 public:
  std::string operator()(const std::string& name) {
    std::string plain;
    for (const char c : name) {
      const bool digit = c >= '0' && c <= '9', letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
      if (digit && plain.empty()) plain += '_';
      plain += digit || letter ? c : '_';
    }
    if (plain.empty()) plain += '_';
    std::string free = plain;
    for (int k = 1; !taken_.insert(free).second; ++k) free = fmt::format("{}_{}", plain, k);
    return free;
  }

 private:
  std::set<std::string> taken_;
};

std::string quoted_text(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    out += c == '\n' || c == '\r' ? ' ' : c;
  }
  return out + '"';
}

std::string tuple(const Vec3& x) {
  return fmt::format("({}, {}, {})", static_cast<float>(x[0]), static_cast<float>(x[1]), static_cast<float>(x[2]));
}

template <class Values, class Text>
std::string list(const Values& values, const Text& text) {
  std::string out = "[";
  for (const auto& v : values) {
    if (out.size() > 1) out += ", ";
    out += text(v);
  }
  return out + "]";
}

std::string integers(const std::vector<int>& values) {
  return list(values, [](int i) { return std::to_string(i); });
}

/// A prim with points that move: a Mesh or BasisCurves.
struct MovingPrim {
  std::string type, name, label;
  std::string fixed;                  // its attributes that do not move, in lines
  std::vector<std::size_t> vertices;  // its points among those of the surface
  double width = 0;                   // [m] the diameter of curves
};

class UsdaWriter {
 public:
  UsdaWriter(const MovingSurface& surface, const ExportTarget& target)
      : surface_(surface), target_(target), rate_(even_rate(surface.times)), file_(target.path) {}

  Files write() {
    for (const SurfacePart& part : body_parts(surface_)) {
      if (part.mesh.polygons() > 0) prims_.push_back(mesh(part));
      if (!part.mesh.lines.empty()) prims_.push_back(curves(part));
    }
    const std::string root = Identifiers()(std::filesystem::path(target_.path).stem().string());
    file_.write(fmt::format(
        "#usda 1.0\n(\n    defaultPrim = \"{}\"\n    doc = \"Limber\"\n    endTimeCode = {}\n"
        "    framesPerSecond = {}\n    metersPerUnit = 1\n    startTimeCode = {}\n    timeCodesPerSecond = {}\n"
        "    upAxis = \"Y\"\n)\n\ndef Xform \"{}\" (\n    kind = \"component\"\n)\n{{\n",
        root, code(surface_.times.size() - 1), rate_, code(0), rate_, root));
    for (const MovingPrim& prim : prims_) write_prim(prim);
    file_.write("}\n");
    file_.finish();
    return {target_.path};
  }

 private:
  /// The time code of frame k; whole numbers where the first frame is at one.
  double code(std::size_t k) const {
    const double first = surface_.times.front() * rate_, whole = std::round(first);
    return (std::abs(first - whole) < 1e-6 ? whole : first) + static_cast<double>(k);
  }

  MovingPrim mesh(const SurfacePart& part) {
    const SurfaceMesh& m = part.mesh;
    std::vector<int> counts;
    for (std::size_t p = 0; p < m.polygons(); ++p)
      counts.push_back(static_cast<int>(m.first_corner[p + 1] - m.first_corner[p]));
    std::string fixed = fmt::format(
        "uniform bool doubleSided = 1\nint[] faceVertexCounts = {}\nint[] faceVertexIndices = {}\n"
        "uniform token subdivisionScheme = \"none\"\n",
        integers(counts), integers(m.corners));
    if (std::any_of(m.corner_uv.begin(), m.corner_uv.end(), [](int i) { return i >= 0; }))
      fixed += fmt::format("texCoord2f[] primvars:st = {} (\n    interpolation = \"faceVarying\"\n)\n",
                           list(m.corner_uv, [&](int i) {
                             const auto uv = i < 0 ? std::array{0.0, 0.0} : m.uv[static_cast<std::size_t>(i)];
                             return fmt::format("({}, {})", static_cast<float>(uv[0]), static_cast<float>(uv[1]));
                           }));
    return {"Mesh", name_(part.name), part.name, fixed, part.vertices, 0};
  }

  /// Lines that go on from one another are one curve.
  MovingPrim curves(const SurfacePart& part) {
    MovingPrim prim{
        "BasisCurves", name_(part.mesh.polygons() > 0 ? part.name + "_lines" : part.name), part.name, "", {}, 0};
    std::vector<int> counts;
    int end = -1;
    const auto point = [&](int i) {
      prim.vertices.push_back(part.vertices[static_cast<std::size_t>(i)]);
      ++counts.back();
    };
    for (const auto& [a, b] : part.mesh.lines) {
      if (a != end) {
        counts.push_back(0);
        point(a);
      }
      point(b);
      end = b;
    }
    // Networks of springs may have no thickness: then it is only for drawing.
    prim.width = part.thickness > 0 ? part.thickness
                                    : 0.01 * (largest(part.mesh.positions) - smallest(part.mesh.positions)).norm();
    prim.fixed = fmt::format(
        "int[] curveVertexCounts = {}\nuniform token type = \"linear\"\nuniform token wrap = \"nonperiodic\"\n"
        "float[] widths = [{}] (\n    interpolation = \"constant\"\n)\n",
        integers(counts), static_cast<float>(prim.width));
    return prim;
  }

  static Vec3 smallest(const std::vector<Vec3>& points) {
    Vec3 low = points[0];
    for (const Vec3& x : points) low = low.cwiseMin(x);
    return low;
  }
  static Vec3 largest(const std::vector<Vec3>& points) {
    Vec3 high = points[0];
    for (const Vec3& x : points) high = high.cwiseMax(x);
    return high;
  }

  /// Text at the depth of a prim's attributes.
  void write_lines(const std::string& text) {
    std::size_t at = 0;
    while (at < text.size()) {
      const std::size_t end = text.find('\n', at) + 1;
      file_.write("        ");
      file_.write(std::string_view(text).substr(at, end - at));
      at = end;
    }
  }

  void write_prim(const MovingPrim& prim) {
    file_.write(fmt::format("    def {} \"{}\"", prim.type, prim.name));
    if (prim.label != prim.name)
      file_.write(fmt::format(" (\n        customData = {{\n            string name = {}\n        }}\n    )",
                              quoted_text(prim.label)));
    file_.write("\n    {\n");
    write_lines(prim.fixed);
    std::string extents = "float3[] extent.timeSamples = {\n";
    write_lines("point3f[] points.timeSamples = {\n");
    const SurfacePart part{prim.name, {}, prim.vertices, prim.width};
    const Vec3 around = Vec3::Constant(prim.width / 2);  // the extent of curves includes their width
    for (std::size_t k = 0; k < surface_.times.size(); ++k) {
      const std::vector<Vec3> points = part.positions(surface_.positions(k));
      write_lines(fmt::format("    {}: {},\n", code(k), list(points, tuple)));
      extents += fmt::format("    {}: [{}, {}],\n", code(k), tuple(smallest(points) - around),
                             tuple(largest(points) + around));
      target_.progress(++done_, prims_.size() * surface_.times.size());
    }
    write_lines("}\n");
    write_lines(extents + "}\n");
    file_.write("    }\n");
  }

  const MovingSurface& surface_;
  const ExportTarget& target_;
  double rate_;
  OutputFile file_;
  Identifiers name_;
  std::vector<MovingPrim> prims_;
  std::size_t done_ = 0;
};

}  // namespace

Files export_usda(const MovingSurface& surface, const ExportTarget& target) {
  return UsdaWriter(surface, target).write();
}

}  // namespace limber
