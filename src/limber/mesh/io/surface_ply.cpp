#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <optional>

#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/surface_formats.hpp"

namespace limber {
namespace {

enum class Scalar { i8, u8, i16, u16, i32, u32, f32, f64 };

std::optional<Scalar> scalar_type(std::string_view name) {
  constexpr std::pair<std::string_view, Scalar> names[] = {
      {"char", Scalar::i8},   {"int8", Scalar::i8},     {"uchar", Scalar::u8},   {"uint8", Scalar::u8},
      {"short", Scalar::i16}, {"int16", Scalar::i16},   {"ushort", Scalar::u16}, {"uint16", Scalar::u16},
      {"int", Scalar::i32},   {"int32", Scalar::i32},   {"uint", Scalar::u32},   {"uint32", Scalar::u32},
      {"float", Scalar::f32}, {"float32", Scalar::f32}, {"double", Scalar::f64}, {"float64", Scalar::f64}};
  for (const auto& [word, type] : names)
    if (word == name) return type;
  return std::nullopt;
}

std::size_t bytes_of(Scalar type) {
  constexpr std::size_t sizes[] = {1, 1, 2, 2, 4, 4, 4, 8};
  return sizes[static_cast<int>(type)];
}

/// What a property means; `skip` for all that is not read.
enum class Role { skip, x, y, z, u, v, indices, texcoord };

struct Property {
  Role role = Role::skip;
  Scalar type = Scalar::f32;
  std::optional<Scalar> count;  // of a list
};

struct Element {
  std::string name;
  long long count = 0;
  std::vector<Property> properties;
};

Role role_of(const Element& element, std::string_view name, bool is_list) {
  if (element.name == "vertex" && !is_list) {
    if (name == "x") return Role::x;
    if (name == "y") return Role::y;
    if (name == "z") return Role::z;
    if (name == "s" || name == "u" || name == "texture_u") return Role::u;
    if (name == "t" || name == "v" || name == "texture_v") return Role::v;
  }
  if (element.name == "face" && is_list) {
    if (name == "vertex_indices" || name == "vertex_index") return Role::indices;
    if (name == "texcoord") return Role::texcoord;
  }
  return Role::skip;
}

class PlyReader {
 public:
  PlyReader(const std::string& path, std::string_view bytes) : in_(path, bytes) {}

  SurfaceMesh read() {
    read_header();
    if (binary_) in_.places_by(Place::byte);
    label_ = label_number(surface_, {});
    for (const Element& element : elements_) read_element(element);
    if (per_vertex_uv_)
      for (std::size_t c = 0; c < surface_.corners.size(); ++c) surface_.corner_uv[c] = surface_.corners[c];
    if (binary_ ? in_.left() > 0 : !in_.done()) in_.fail("the file goes on behind its last element");
    return std::move(surface_);
  }

 private:
  void read_header() {
    in_.keyword("ply");
    in_.keyword("format");
    const std::string_view format = in_.word("the format");
    binary_ = format != "ascii";
    if (format == "binary_little_endian")
      in_.byte_order(little_endian);
    else if (format == "binary_big_endian")
      in_.byte_order(big_endian);
    else if (binary_)
      in_.fail(fmt::format("found the format {}, expected ascii, binary_little_endian or binary_big_endian",
                           in_quotes(format)));
    in_.keyword("1.0");
    for (;;) {
      const std::string_view word = in_.word("end_header");
      if (word == "end_header") break;
      if (word == "comment" || word == "obj_info")
        in_.rest_of_line();
      else if (word == "element")
        read_element_line();
      else if (word == "property")
        read_property();
      else
        in_.fail(fmt::format("found {}, expected element, property, comment or end_header", in_quotes(word)));
    }
    in_.rest_of_line();
  }

  void read_element_line() {
    Element& element = elements_.emplace_back();
    element.name = in_.word("the name of an element");
    element.count = in_.integer("the number of elements");
    if (element.count < 0) in_.fail(fmt::format("found {}, expected the number of elements", element.count));
    if (element.name == "tristrips" && element.count > 0) in_.fail("tristrips are not read, expected faces");
  }

  Scalar type() {
    const std::string_view word = in_.word("a type");
    const auto found = scalar_type(word);
    if (!found) in_.fail(fmt::format("found {}, expected a type such as float, double, int, uchar", in_quotes(word)));
    return *found;
  }

  void read_property() {
    if (elements_.empty()) in_.fail("a property stands before all elements");
    Property p;
    const bool is_list = in_.peek() == "list";
    if (is_list) {
      in_.keyword("list");
      p.count = type();
      if (*p.count == Scalar::f32 || *p.count == Scalar::f64) in_.fail("the length of a list must be an integer");
    }
    p.type = type();
    p.role = role_of(elements_.back(), in_.word("the name of a property"), is_list);
    elements_.back().properties.push_back(p);
  }

  double value(Scalar type, std::string_view expected) {
    if (!binary_) return ascii_value(expected);
    switch (type) {
      case Scalar::i8:
        return in_.raw<std::int8_t>(expected);
      case Scalar::u8:
        return in_.raw<std::uint8_t>(expected);
      case Scalar::i16:
        return in_.raw<std::int16_t>(expected);
      case Scalar::u16:
        return in_.raw<std::uint16_t>(expected);
      case Scalar::i32:
        return in_.raw<std::int32_t>(expected);
      case Scalar::u32:
        return in_.raw<std::uint32_t>(expected);
      case Scalar::f32:
        return in_.raw<float>(expected);
      case Scalar::f64:
        return in_.raw<double>(expected);
    }
    return 0;
  }

  /// Any word will do for what is not read.
  double ascii_value(std::string_view expected) {
    if (!expected.empty()) return in_.real(expected);
    in_.word("a value");
    return 0;
  }

  long long integer(Scalar type, std::string_view expected) {
    const double x = value(type, expected);
    if (!(std::abs(x) < 1e15) || x != std::floor(x))
      in_.fail(fmt::format("found {}, expected {} (an integer)", x, expected));
    return static_cast<long long>(x);
  }

  std::size_t list_length(const Property& p) {
    return in_.checked_count(integer(*p.count, "the length of a list"), "the length of a list",
                             binary_ ? bytes_of(p.type) : 2);
  }

  void read_element(const Element& element) {
    if (element.properties.empty()) return;
    const bool vertex = element.name == "vertex", face = element.name == "face";
    std::size_t bytes_each = 0;
    for (const Property& p : element.properties) bytes_each += binary_ ? bytes_of(p.count.value_or(p.type)) : 2;
    const std::size_t n =
        in_.checked_count(element.count, fmt::format("the number of elements {}", element.name), bytes_each);
    if (vertex) require_coordinates(element);
    for (std::size_t k = 0; k < n; ++k) {
      if (vertex)
        read_vertex(element);
      else if (face)
        read_face(element);
      else
        for (const Property& p : element.properties) skip(p);
    }
  }

  void require_coordinates(const Element& element) {
    int roles = 0, uv = 0;
    for (const Property& p : element.properties) {
      if (p.role == Role::x || p.role == Role::y || p.role == Role::z) roles |= 1 << static_cast<int>(p.role);
      if (p.role == Role::u || p.role == Role::v) uv |= 1 << static_cast<int>(p.role);
    }
    constexpr auto bit = [](Role r) { return 1 << static_cast<int>(r); };
    if (roles != (bit(Role::x) | bit(Role::y) | bit(Role::z))) in_.fail("the vertices need the properties x, y and z");
    if (!surface_.positions.empty()) in_.fail("the element vertex stands twice");
    per_vertex_uv_ = uv == (bit(Role::u) | bit(Role::v));
  }

  void read_vertex(const Element& element) {
    Vec3 x = Vec3::Zero();
    std::array<double, 2> uv{};
    for (const Property& p : element.properties) {
      if (p.role == Role::x || p.role == Role::y || p.role == Role::z)
        x[static_cast<int>(p.role) - static_cast<int>(Role::x)] =
            in_.finite(value(p.type, "a coordinate"), "a coordinate");
      else if (per_vertex_uv_ && (p.role == Role::u || p.role == Role::v))
        uv[p.role == Role::u ? 0 : 1] = in_.finite(value(p.type, "a texture coordinate"), "a texture coordinate");
      else
        skip(p);
    }
    surface_.positions.push_back(x);
    if (per_vertex_uv_) surface_.uv.push_back(uv);
  }

  void read_face(const Element& element) {
    const std::size_t first = surface_.corners.size();
    std::vector<double> uv;
    for (const Property& p : element.properties) {
      if (p.role == Role::indices && surface_.corners.size() == first)
        read_indices(p);
      else if (p.role == Role::texcoord && !per_vertex_uv_)
        read_texcoord(p, uv);
      else
        skip(p);
    }
    const std::size_t n = surface_.corners.size() - first;
    if (n < 3) in_.fail(fmt::format("a face of {} corners, expected three or more", n));
    close_polygon(surface_, label_);
    if (uv.empty()) return;
    if (uv.size() != 2 * n)
      in_.fail(fmt::format("{} texture coordinates for a face of {} corners, expected two each", uv.size(), n));
    for (std::size_t k = 0; k < n; ++k) {
      surface_.corner_uv[first + k] = static_cast<int>(surface_.uv.size());
      surface_.uv.push_back({uv[2 * k], uv[2 * k + 1]});
    }
  }

  void read_indices(const Property& p) {
    const std::size_t n = list_length(p);
    for (std::size_t k = 0; k < n; ++k)
      surface_.corners.push_back(
          in_.index(integer(p.type, "a vertex's number"), 0, surface_.positions.size(), "vertex"));
  }

  void read_texcoord(const Property& p, std::vector<double>& uv) {
    uv.resize(list_length(p));
    for (double& x : uv) x = in_.finite(value(p.type, "a texture coordinate"), "a texture coordinate");
  }

  void skip(const Property& p) {
    const std::size_t n = p.count ? list_length(p) : 1;
    for (std::size_t k = 0; k < n; ++k) value(p.type, "");
  }

  Cursor in_;
  bool binary_ = false, per_vertex_uv_ = false;
  std::vector<Element> elements_;
  SurfaceMesh surface_;
  int label_ = 0;
};

}  // namespace

SurfaceMesh read_ply(const std::string& path, std::string_view bytes) { return PlyReader(path, bytes).read(); }

}  // namespace limber
