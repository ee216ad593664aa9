#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <nlohmann/json.hpp>
#include <tuple>

#include "limber/core/errors.hpp"
#include "limber/exchange/formats.hpp"
#include "limber/exchange/output_file.hpp"
#include "limber/exchange/parts.hpp"
#include "limber/render/smooth_normals.hpp"

namespace limber {
namespace {

using nlohmann::json;
using Vec3f = Eigen::Vector3f;

constexpr int of_floats = 5126, of_indices = 5125, vertex_data = 34962, index_data = 34963, lines_mode = 1;
constexpr double largest_unasked = 100e6, largest_ever = 4e9;  // [bytes]; a chunk's length has 32 bits

/// Accessors and the bytes behind them.
class Buffer {
 public:
  /// Returns the number of the accessor.
  int add(const std::vector<Vec3f>& values) {
    open(vertex_data);
    Vec3f low = Vec3f::Constant(std::numeric_limits<float>::max()), high = -low;
    for (const Vec3f& x : values) {
      for (const float c : x) put<little>(bytes_, c);
      low = low.cwiseMin(x), high = high.cwiseMax(x);
    }
    const int accessor = close("VEC3", of_floats, values.size());
    accessors_.back()["min"] = {low[0], low[1], low[2]};
    accessors_.back()["max"] = {high[0], high[1], high[2]};
    return accessor;
  }
  int add(const std::vector<std::array<float, 2>>& values) {
    open(vertex_data);
    for (const auto& x : values)
      for (const float c : x) put<little>(bytes_, c);
    return close("VEC2", of_floats, values.size());
  }
  int add(const std::vector<std::uint32_t>& indices) {
    open(index_data);
    for (const std::uint32_t i : indices) put<little>(bytes_, i);
    return close("SCALAR", of_indices, indices.size());
  }
  int add(const std::vector<float>& values) {
    views_.push_back({{"buffer", 0}, {"byteOffset", bytes_.size()}});
    for (const float x : values) put<little>(bytes_, x);
    const int accessor = close("SCALAR", of_floats, values.size());
    const auto [low, high] = std::minmax_element(values.begin(), values.end());
    accessors_.back()["min"] = {*low};
    accessors_.back()["max"] = {*high};
    return accessor;
  }

  const std::string& bytes() const { return bytes_; }
  void describe(json& root) const {
    root["accessors"] = accessors_;
    root["bufferViews"] = views_;
    root["buffers"] = {{{"byteLength", bytes_.size()}}};
  }

 private:
  void open(int kind) { views_.push_back({{"buffer", 0}, {"byteOffset", bytes_.size()}, {"target", kind}}); }
  int close(const char* type, int component, std::size_t count) {
    views_.back()["byteLength"] = bytes_.size() - views_.back()["byteOffset"].get<std::size_t>();
    accessors_.push_back(
        {{"bufferView", views_.size() - 1}, {"componentType", component}, {"count", count}, {"type", type}});
    return static_cast<int>(accessors_.size()) - 1;
  }

  std::string bytes_;
  json views_ = json::array(), accessors_ = json::array();
};

std::vector<Vec3f> to_floats(const std::vector<Vec3>& points) {
  std::vector<Vec3f> x;
  for (const Vec3& p : points) x.push_back(p.cast<float>());
  return x;
}

std::vector<Vec3f> difference(std::vector<Vec3f> a, const std::vector<Vec3f>& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] -= b[i];
  return a;
}

/// A body as one mesh. A vertex is a position with one pair of texture coordinates and one normal.
class GlbBody {
 public:
  explicit GlbBody(SurfacePart part)
      : part_(std::move(part)), corners_(corner_triangles(part_.mesh)), normals_(part_.mesh.positions, triangles()) {
    has_uv_ = std::any_of(part_.mesh.corner_uv.begin(), part_.mesh.corner_uv.end(), [](int i) { return i >= 0; });
    number_vertices();
  }

  const std::string& name() const { return part_.name; }
  std::size_t vertices() const { return vertices_.size() + (part_.mesh.lines.empty() ? 0 : part_.vertices.size()); }

  void add_first(const std::vector<Vec3>& of_surface, Buffer& buffer, json& materials) {
    const std::vector<Vec3> x = part_.positions(of_surface);
    if (!vertices_.empty()) add_triangles(x, buffer, materials);
    if (!part_.mesh.lines.empty()) add_lines(x, buffer);
  }

  void add_target(const std::vector<Vec3>& of_surface, Buffer& buffer) {
    const std::vector<Vec3> x = part_.positions(of_surface);
    if (!vertices_.empty()) {
      const json target{{"POSITION", buffer.add(difference(positions(x), first_positions_))},
                        {"NORMAL", buffer.add(difference(unit_normals(x), first_normals_))}};
      for (std::size_t i = 0; i < triangle_primitives_; ++i) primitives_[i]["targets"].push_back(target);
    }
    if (!part_.mesh.lines.empty())
      primitives_.back()["targets"].push_back({{"POSITION", buffer.add(difference(to_floats(x), first_points_))}});
  }

  json mesh() const { return {{"name", part_.name}, {"primitives", primitives_}}; }

 private:
  struct Vertex {
    std::size_t position;
    int uv;
    std::size_t normal;  // the place of its normal among those of the triangles' corners
  };

  std::vector<std::array<int, 3>> triangles() const {
    std::vector<std::array<int, 3>> all;
    for (const auto& [a, b, c] : corners_)
      all.push_back({part_.mesh.corners[a], part_.mesh.corners[b], part_.mesh.corners[c]});
    return all;
  }

  void number_vertices() {
    const std::vector<Vec3> normals = normals_.at(part_.mesh.positions);
    std::map<std::tuple<int, int, std::array<double, 3>>, std::uint32_t> numbers;
    for (std::size_t f = 0; f < corners_.size(); ++f)
      for (std::size_t k = 0; k < 3; ++k) {
        const std::size_t c = corners_[f][k];
        const Vec3& n = normals[3 * f + k];
        const int position = part_.mesh.corners[c], uv = part_.mesh.corner_uv[c];
        const auto [at, fresh] =
            numbers.try_emplace({position, uv, {n[0], n[1], n[2]}}, static_cast<std::uint32_t>(vertices_.size()));
        if (fresh) vertices_.push_back({static_cast<std::size_t>(position), uv, 3 * f + k});
        indices_.push_back(at->second);
      }
  }

  std::vector<Vec3f> positions(const std::vector<Vec3>& x) const {
    std::vector<Vec3f> all;
    for (const Vertex& v : vertices_) all.push_back(x[v.position].cast<float>());
    return all;
  }

  /// Triangles of no area have none: any will do.
  std::vector<Vec3f> unit_normals(const std::vector<Vec3>& x) const {
    const std::vector<Vec3> corners = normals_.at(x);
    std::vector<Vec3f> all;
    for (const Vertex& v : vertices_) {
      const Vec3& n = corners[v.normal];
      all.push_back(n.squaredNorm() > 0.5 ? Vec3f(n.cast<float>()) : Vec3f::UnitY());
    }
    return all;
  }

  void add_triangles(const std::vector<Vec3>& x, Buffer& buffer, json& materials) {
    first_positions_ = positions(x);
    first_normals_ = unit_normals(x);
    json attributes{{"POSITION", buffer.add(first_positions_)}, {"NORMAL", buffer.add(first_normals_)}};
    if (has_uv_) {
      std::vector<std::array<float, 2>> uv;
      for (const Vertex& v : vertices_) {
        const auto own = v.uv < 0 ? std::array{0.0, 0.0} : part_.mesh.uv[static_cast<std::size_t>(v.uv)];
        uv.push_back({static_cast<float>(own[0]), static_cast<float>(1 - own[1])});  // the second one downwards
      }
      attributes["TEXCOORD_0"] = buffer.add(uv);
    }
    for (const auto& [material, indices] : by_material()) {
      // Sheets are seen from both sides.
      materials.push_back({{"name", material.empty() ? part_.name : material}, {"doubleSided", true}});
      primitives_.push_back(
          {{"attributes", attributes}, {"indices", buffer.add(indices)}, {"material", materials.size() - 1}});
    }
    triangle_primitives_ = primitives_.size();
  }

  std::map<std::string, std::vector<std::uint32_t>> by_material() const {
    std::map<std::string, std::vector<std::uint32_t>> all;
    const SurfaceMesh& m = part_.mesh;
    auto next = indices_.begin();
    for (std::size_t p = 0; p < m.polygons(); ++p) {
      auto& own = all[m.labels[static_cast<std::size_t>(m.label[p])].material];
      const auto count = static_cast<std::ptrdiff_t>(3 * (m.first_corner[p + 1] - m.first_corner[p] - 2));
      own.insert(own.end(), next, next + count);
      next += count;
    }
    return all;
  }

  void add_lines(const std::vector<Vec3>& x, Buffer& buffer) {
    first_points_ = to_floats(x);
    std::vector<std::uint32_t> ends;
    for (const auto& line : part_.mesh.lines)
      for (const int i : line) ends.push_back(static_cast<std::uint32_t>(i));
    primitives_.push_back({{"attributes", {{"POSITION", buffer.add(first_points_)}}},
                           {"indices", buffer.add(ends)},
                           {"mode", lines_mode}});
  }

  SurfacePart part_;
  std::vector<std::array<std::size_t, 3>> corners_;
  SmoothNormals normals_;
  bool has_uv_ = false;
  std::vector<Vertex> vertices_;
  std::vector<std::uint32_t> indices_;  // into vertices_, three for each of corners_
  std::vector<Vec3f> first_positions_, first_normals_, first_points_;
  std::vector<json> primitives_;
  std::size_t triangle_primitives_ = 0;
};

void check_size(const std::vector<GlbBody>& bodies, std::size_t frames, Large large) {
  std::size_t vertices = 0;
  for (const GlbBody& body : bodies) vertices += body.vertices();
  const double n = static_cast<double>(frames), bytes = 24 * n * static_cast<double>(vertices) + 4 * n * n;
  if (bytes <= (large == Large::allowed ? largest_ever : largest_unasked)) return;
  throw InputError("--output",
                   fmt::format("{} frames x {} vertices would make {:.0f} MB of glTF, and programs keep all of it in "
                               "memory; take fewer frames (--every N, --fps N){}, or another format (.usda, .pc2)",
                               frames, vertices, bytes / 1e6,
                               bytes <= largest_ever ? ", or allow it with --large" : "; a .glb ends at 4 GB"));
}

/// Weight k is 1 at frame k + 1 and 0 at the others; in between positions go straight.
json animation(const std::vector<double>& times, std::size_t nodes, Buffer& buffer) {
  const std::size_t targets = times.size() - 1;
  std::vector<float> seconds(times.begin(), times.end()), weights(times.size() * targets, 0);
  for (std::size_t k = 0; k < targets; ++k) {
    if (!(seconds[k + 1] > seconds[k]))
      throw InputError("--every", fmt::format("frames {} and {} are at the same time, {} s, in the numbers of glTF", k,
                                              k + 1, seconds[k]));
    weights[(k + 1) * targets + k] = 1;
  }
  const json sampler{{"input", buffer.add(seconds)}, {"output", buffer.add(weights)}, {"interpolation", "LINEAR"}};
  json channels = json::array();
  for (std::size_t i = 0; i < nodes; ++i)
    channels.push_back({{"sampler", 0}, {"target", {{"node", i}, {"path", "weights"}}}});
  return {{"name", "motion"}, {"channels", channels}, {"samplers", {sampler}}};
}

void write_chunk(OutputFile& file, std::string bytes, const char* kind, char filling) {
  bytes.resize((bytes.size() + 3) / 4 * 4, filling);
  std::string head;
  put<little>(head, static_cast<std::uint32_t>(bytes.size()));
  file.write(head + std::string(kind, 4));
  file.write(bytes);
}

void save_glb(const json& root, const std::string& bytes, const std::string& path) {
  const std::string text = root.dump(-1, ' ', false, json::error_handler_t::replace);
  std::string head = "glTF";
  put<little>(head, std::uint32_t{2});
  put<little>(head, static_cast<std::uint32_t>(12 + 8 + (text.size() + 3) / 4 * 4 + 8 + bytes.size()));
  OutputFile file(path);
  file.write(head);
  write_chunk(file, text, "JSON", ' ');
  write_chunk(file, bytes, "BIN\0", '\0');
  file.finish();
}

}  // namespace

Files export_glb(const MovingSurface& surface, const ExportTarget& target) {
  std::vector<GlbBody> bodies;
  for (SurfacePart& part : body_parts(surface)) bodies.emplace_back(std::move(part));
  const std::size_t frames = surface.times.size();
  check_size(bodies, frames, target.large);
  Buffer buffer;
  json materials = json::array(), root{{"asset", {{"version", "2.0"}, {"generator", "Limber"}}}, {"scene", 0}};
  for (std::size_t k = 0; k < frames; ++k) {
    const std::vector<Vec3> x = surface.positions(k);
    for (GlbBody& body : bodies) k == 0 ? body.add_first(x, buffer, materials) : body.add_target(x, buffer);
    target.progress(k + 1, frames);
  }
  json nodes = json::array(), meshes = json::array(), roots = json::array();
  for (std::size_t i = 0; i < bodies.size(); ++i) {
    roots.push_back(i);
    nodes.push_back({{"name", bodies[i].name()}, {"mesh", i}});
    meshes.push_back(bodies[i].mesh());
    if (frames > 1) meshes.back()["weights"] = std::vector<int>(frames - 1, 0);
  }
  if (frames > 1) root["animations"] = {animation(surface.times, bodies.size(), buffer)};
  if (!materials.empty()) root["materials"] = materials;
  root["nodes"] = nodes;
  root["meshes"] = meshes;
  root["scenes"] = {{{"nodes", roots}}};
  buffer.describe(root);
  save_glb(root, buffer.bytes(), target.path);
  return {target.path};
}

}  // namespace limber
