#include <fmt/format.h>

#include <charconv>
#include <map>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/surface_formats.hpp"
#include "limber/mesh/io/surface_io.hpp"

namespace limber {
namespace {

std::string trimmed(std::string_view s) {
  const std::size_t first = s.find_first_not_of(" \t\r");
  if (first == std::string_view::npos) return "";
  return std::string(s.substr(first, s.find_last_not_of(" \t\r") - first + 1));
}

/// What stands where no group, material or smoothing applies any more. The format has no word for "no material"; many
/// programs write this one.
constexpr std::string_view no_group = "default", no_material = "None", no_smoothing = "off";

class ObjReader {
 public:
  ObjReader(const std::string& path, std::string_view text) : in_(path, text) { in_.comments_from('#'); }

  SurfaceMesh read() {
    while (!in_.done()) {
      in_.open_row("a statement");
      const std::string_view statement = in_.word("a statement");
      if (statement == "v") read_vertex();
      if (statement == "vt") read_uv();
      if (statement == "f") read_face();
      if (statement == "l") read_line();
      if (statement == "p") read_points();
      if (statement == "o") relabel(label_.object, "");
      if (statement == "g") relabel(label_.group, no_group);
      if (statement == "usemtl") relabel(label_.material, no_material);
      if (statement == "s") relabel(label_.smoothing, no_smoothing);
      if (statement == "mtllib") surface_.material_files.push_back(trimmed(in_.rest_of_line()));
      while (!in_.done()) in_.word("more");
      in_.close_row();
    }
    return std::move(surface_);
  }

 private:
  void read_vertex() {
    Vec3& x = surface_.positions.emplace_back();
    for (double& c : x) c = in_.real("a coordinate");
  }

  void read_uv() {
    auto& uv = surface_.uv.emplace_back();
    uv[0] = in_.real("a texture coordinate");
    uv[1] = in_.done() ? 0 : in_.real("a texture coordinate");
  }

  void relabel(std::string& part, std::string_view none) {
    part = trimmed(in_.rest_of_line());
    if (part == none) part.clear();
    number_ = -1;
  }

  int label() {
    if (number_ < 0) number_ = label_number(surface_, label_);
    return number_;
  }

  void read_face() {
    const std::size_t first = surface_.corners.size();
    while (!in_.done()) read_corner();
    const std::size_t n = surface_.corners.size() - first;
    if (n < 3) in_.fail(fmt::format("a face of {} corners, expected three or more", n));
    close_polygon(surface_, label());
  }

  int read_vertex_number() {
    const std::string_view w = in_.word("a vertex");
    std::string_view rest = w;
    long long n = 0;
    if (!number(rest, n) || !(rest.empty() || rest[0] == '/'))
      in_.fail(fmt::format("found {}, expected a vertex such as 3 or 3/1", in_quotes(w)));
    return numbered(n, surface_.positions.size(), "vertex");
  }

  void read_points() {
    do surface_.points.push_back(read_vertex_number());
    while (!in_.done());
  }

  void read_line() {
    int last = -1;
    for (int count = 0; !in_.done() || count < 2; ++count) {
      const int next = read_vertex_number();
      if (next == last) in_.fail(fmt::format("a line from vertex {} to itself", next + 1));
      if (last >= 0) {
        surface_.lines.push_back({last, next});
        surface_.line_label.push_back(label());
      }
      last = next;
    }
  }

  void read_corner() {
    const std::string_view w = in_.word("a corner");
    std::string_view rest = w;
    long long n = 0;
    bool good = number(rest, n);
    surface_.corners.push_back(-1);
    surface_.corner_uv.push_back(-1);
    long long uv = 0;
    const bool has_uv = good && rest.size() > 1 && rest[0] == '/' && rest[1] != '/';
    if (has_uv) {
      rest.remove_prefix(1);
      good = number(rest, uv);
    }
    if (!good ||
        !(rest.empty() || (rest[0] == '/' && rest.find_first_not_of("/-0123456789") == std::string_view::npos)))
      in_.fail(fmt::format("found {}, expected a corner such as 3, 3/1, 3//2 or 3/1/2", in_quotes(w)));
    surface_.corners.back() = numbered(n, surface_.positions.size(), "vertex");
    // A file without texture coordinates may number them all the same.
    if (has_uv && !surface_.uv.empty())
      surface_.corner_uv.back() = numbered(uv, surface_.uv.size(), "texture coordinate");
  }

  static bool number(std::string_view& rest, long long& n) {
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), n);
    if (error != std::errc()) return false;
    rest.remove_prefix(static_cast<std::size_t>(stop - rest.data()));
    return true;
  }

  int numbered(long long n, std::size_t size, std::string_view thing) {
    const long long count = static_cast<long long>(size);
    if (n < 0 && n >= -count) return static_cast<int>(count + n);
    return in_.index(n, 1, size, thing);
  }

  Cursor in_;
  SurfaceMesh surface_;
  FaceLabel label_;
  int number_ = -1;  // of label_; −1: not looked up yet
};

/// Faces and lines, each below the names of its label.
class LabelledRows {
 public:
  explicit LabelledRows(const SurfaceMesh& surface) : surface_(surface) {
    for (std::size_t l = 0; l < surface.lines.size(); ++l)
      lines_[surface.labels[static_cast<std::size_t>(surface.line_label[l])].object].push_back(l);
  }

  /// Those of one object stand together, since other programs make an object of all that stands below one `o`.
  void write(fmt::memory_buffer& out) {
    for (std::size_t p = 0; p < surface_.polygons(); ++p) {
      const FaceLabel& own = surface_.labels[static_cast<std::size_t>(surface_.label[p])];
      if (p > 0 && own.object != label_.object) write_lines(out, std::string(label_.object));
      write_label(out, own);
      write_face(out, p);
    }
    if (surface_.polygons() > 0) write_lines(out, std::string(label_.object));
    for (const FaceLabel& label : surface_.labels) write_lines(out, label.object);
  }

 private:
  void write_face(fmt::memory_buffer& out, std::size_t p) const {
    const auto to = std::back_inserter(out);
    fmt::format_to(to, "f");
    for (std::size_t c = surface_.first_corner[p]; c < surface_.first_corner[p + 1]; ++c) {
      fmt::format_to(to, " {}", surface_.corners[c] + 1);
      if (surface_.corner_uv[c] >= 0) fmt::format_to(to, "/{}", surface_.corner_uv[c] + 1);
    }
    fmt::format_to(to, "\n");
  }

  /// The lines of an object, once.
  void write_lines(fmt::memory_buffer& out, const std::string& object) {
    const auto found = lines_.extract(object);
    if (found.empty()) return;
    for (const std::size_t l : found.mapped()) {
      write_label(out, surface_.labels[static_cast<std::size_t>(surface_.line_label[l])]);
      const auto [a, b] = surface_.lines[l];
      fmt::format_to(std::back_inserter(out), "l {} {}\n", a + 1, b + 1);
    }
  }

  /// The statements that lead from the label before to this one.
  void write_label(fmt::memory_buffer& out, const FaceLabel& next) {
    const auto put = [&](std::string_view statement, const std::string& before, const std::string& after,
                         std::string_view none) {
      if (after == before) return;
      const std::string_view name = after.empty() ? none : std::string_view(after);
      fmt::format_to(std::back_inserter(out), "{}{}{}\n", statement, name.empty() ? "" : " ", name);
    };
    put("o", label_.object, next.object, "");
    put("g", label_.group, next.group, no_group);
    put("usemtl", label_.material, next.material, no_material);
    put("s", label_.smoothing, next.smoothing, no_smoothing);
    label_ = next;
  }

  const SurfaceMesh& surface_;
  std::map<std::string, std::vector<std::size_t>> lines_;  // of each object; not written yet
  FaceLabel label_;                                        // of what was written last
};

}  // namespace

SurfaceMesh read_obj(const std::string& path, std::string_view text) { return ObjReader(path, text).read(); }

void write_obj(const SurfaceMesh& surface, const std::vector<Vec3>& positions, const std::string& path) {
  if (positions.size() != surface.positions.size())
    throw InputError(path, fmt::format("{} positions for a surface of {}", positions.size(), surface.positions.size()));
  fmt::memory_buffer out;
  const auto to = std::back_inserter(out);
  for (const std::string& file : surface.material_files) fmt::format_to(to, "mtllib {}\n", file);
  for (const Vec3& x : positions) fmt::format_to(to, "v {} {} {}\n", x[0], x[1], x[2]);
  for (const auto& uv : surface.uv) fmt::format_to(to, "vt {} {}\n", uv[0], uv[1]);
  LabelledRows(surface).write(out);
  for (const int i : surface.points) fmt::format_to(to, "p {}\n", i + 1);
  save_file(path, {out.data(), out.size()});
}

}  // namespace limber
