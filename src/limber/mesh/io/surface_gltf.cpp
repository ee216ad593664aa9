#include <fmt/format.h>

#include <Eigen/Geometry>
#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>

#include "limber/core/base64.hpp"
#include "limber/core/errors.hpp"
#include "limber/core/json_depth.hpp"
#include "limber/mesh/io/cursor.hpp"
#include "limber/mesh/io/surface_formats.hpp"
#include "limber/mesh/welder.hpp"

namespace limber {
namespace {

using Json = nlohmann::json;

constexpr std::size_t most_corners = 300'000'000;  // of all nodes together: a file may use one mesh many times

/// Names in URIs have "%20" for a space.
std::string without_percents(std::string_view uri) {
  const auto digit = [](char c) {
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
  };
  std::string out;
  for (std::size_t k = 0; k < uri.size(); ++k) {
    const bool code = uri[k] == '%' && k + 2 < uri.size() && digit(uri[k + 1]) >= 0 && digit(uri[k + 2]) >= 0;
    out += code ? static_cast<char>(16 * digit(uri[k + 1]) + digit(uri[k + 2])) : uri[k];
    if (code) k += 2;
  }
  return out;
}

/// The values of an accessor, `components` each.
struct Values {
  std::string_view bytes;
  std::size_t count = 0, stride = 0;
  int components = 0;
  int type = 0;  // glTF's number
  bool normalized = false;

  double operator()(std::size_t i, int k) const {
    const auto number = [&]<class T>(T) {
      T x;
      std::memcpy(&x, bytes.data() + i * stride + static_cast<std::size_t>(k) * sizeof(T), sizeof(T));
      if (!native_is_little) x = swapped_bytes(x);
      const double d = static_cast<double>(x);
      if (!normalized || !std::is_integral_v<T>) return d;
      return std::max(d / static_cast<double>(std::numeric_limits<T>::max()), -1.);
    };
    switch (type) {
      case 5120:
        return number(std::int8_t{});
      case 5121:
        return number(std::uint8_t{});
      case 5122:
        return number(std::int16_t{});
      case 5123:
        return number(std::uint16_t{});
      case 5125:
        return number(std::uint32_t{});
      default:
        return number(float{});
    }
  }
};

class GltfReader {
 public:
  GltfReader(const std::string& path, std::string_view bytes, const FileLoader& beside)
      : path_(path), bytes_(bytes), beside_(beside) {}

  SurfaceMesh read() {
    try {
      const std::string_view json = is_container() ? json_chunk() : bytes_;
      require_shallow_json(json, path_);
      doc_ = Json::parse(json);
      read_document();
    } catch (const Json::exception& e) {
      throw InputError(path_, fmt::format("this is not glTF: {}", e.what()));
    }
    return std::move(surface_);
  }

 private:
  [[noreturn]] void fail(const std::string& what) const { throw InputError(path_, what); }

  bool is_container() const { return bytes_.substr(0, 4) == "glTF"; }

  std::string_view json_chunk() {
    Cursor in(path_, bytes_);
    in.places_by(Place::byte);
    in.byte_order(little_endian);
    in.bytes(4, "glTF");
    const auto version = in.raw<std::uint32_t>("the version");
    if (version != 2) in.fail(fmt::format("found version {} of the container, expected 2", version));
    const auto length = in.raw<std::uint32_t>("the length of the file");
    if (length != bytes_.size())
      in.fail(fmt::format("found the length {}, but the file has {} bytes", length, bytes_.size()));
    const auto chunk = [&](std::uint32_t wanted, std::string_view name) {
      const auto size = in.raw<std::uint32_t>("the length of a chunk");
      if (in.raw<std::uint32_t>("the type of a chunk") != wanted) in.fail(fmt::format("expected the {} chunk", name));
      return in.bytes(size, fmt::format("the {} chunk of {} bytes", name, size));
    };
    const std::string_view json = chunk(0x4e4f534a, "JSON");
    if (in.left() > 0) binary_chunk_ = chunk(0x004e4942, "BIN");
    return json;
  }

  void read_document() {
    if (!doc_.is_object()) fail("this is not glTF: expected a JSON object");
    const std::string version = doc_.at("asset").at("version");
    if (!version.starts_with("2."))
      fail(fmt::format("found glTF version {}, expected 2.x", limber::in_quotes(version)));
    for (const Json& extension : list(doc_, "extensionsRequired")) {
      const std::string& name = extension.get_ref<const std::string&>();
      const bool harmless = name == "KHR_mesh_quantization" || name == "KHR_texture_transform" ||
                            name == "KHR_lights_punctual" || name.starts_with("KHR_materials_");
      if (!harmless) fail(fmt::format("the extension {} is required, but not read", limber::in_quotes(name)));
    }
    load_buffers();
    visited_.assign(list(doc_, "nodes").size(), 0);
    for (const std::size_t root : roots()) read_tree(root);
  }

  static const Json& list(const Json& object, const char* key) {
    static const Json empty = Json::array();
    const auto found = object.find(key);
    if (found == object.end()) return empty;
    if (!found->is_array()) throw Json::type_error::create(302, fmt::format("{} must be an array", key), &object);
    return *found;
  }

  /// A number that must index into `size` things.
  std::size_t index(const Json& value, std::size_t size, const char* what) const {
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() >= size)
      fail(fmt::format("found the {} {}, but there are {}", what, limber::in_quotes(short_dump(value)), size));
    return value.get<std::size_t>();
  }

  static std::string short_dump(const Json& value) {
    return value.is_primitive() ? value.dump(-1, ' ', true, Json::error_handler_t::replace) : value.type_name();
  }

  std::size_t size(const Json& object, const char* key, std::size_t otherwise) const {
    const auto found = object.find(key);
    if (found == object.end()) return otherwise;
    if (!found->is_number_unsigned() || found->get<std::uint64_t>() > bytes_limit)
      fail(fmt::format("found {} {}, expected a count of bytes or things", key, limber::in_quotes(short_dump(*found))));
    return found->get<std::size_t>();
  }
  static constexpr std::uint64_t bytes_limit = std::uint64_t{1} << 40;

  void load_buffers() {
    for (const Json& buffer : list(doc_, "buffers")) {
      const std::size_t length = size(buffer, "byteLength", 0);
      std::string& own = loaded_.emplace_back();
      const auto uri = buffer.find("uri");
      if (uri == buffer.end()) {
        if (loaded_.size() != 1 || !is_container()) fail("a buffer has no uri");
        own = binary_chunk_;
      } else {
        own = load(uri->get_ref<const std::string&>());
      }
      // How long another file is, this one does not say.
      if (own.size() < length) fail(fmt::format("a buffer of {} bytes is announced, but fewer came", length));
      own.resize(length);
    }
  }

  std::string load(const std::string& uri) const {
    if (!uri.starts_with("data:")) {
      if (is_container() || extension_of(path_) != ".gltf")
        fail(fmt::format("names the file {}; only a .gltf file may have its data in another file",
                         limber::in_quotes(uri)));
      return beside_(without_percents(uri));
    }
    const std::size_t comma = uri.find(";base64,");
    if (comma == std::string::npos) fail("a buffer's data URI is not base64");
    return base64_decoded(std::string_view(uri).substr(comma + 8)).bytes;
  }

  Values values(const Json& number, int components, const char* type) const {
    const Json& accessors = list(doc_, "accessors");
    const std::size_t which = index(number, accessors.size(), "accessor");
    const Json& a = accessors[which];
    const auto bad = [&](const std::string& what) { fail(fmt::format("accessor {}: {}", which, what)); };
    if (a.contains("sparse")) bad("sparse accessors are not read");
    if (a.at("type") != type)
      bad(fmt::format("found the type {}, expected {}", limber::in_quotes(short_dump(a.at("type"))), type));
    Values v;
    v.components = components;
    v.type = a.at("componentType").get<int>();
    v.count = size(a, "count", 0);
    v.normalized = a.value("normalized", false);
    const std::size_t each = v.type == 5120 || v.type == 5121   ? 1
                             : v.type == 5122 || v.type == 5123 ? 2
                             : v.type == 5125 || v.type == 5126 ? 4
                                                                : 0;
    if (each == 0) bad(fmt::format("found the componentType {}, expected 5120 to 5126", v.type));
    const Json& views = list(doc_, "bufferViews");
    const Json& view = views[index(a.at("bufferView"), views.size(), "bufferView")];
    const std::string& buffer = loaded_[index(view.at("buffer"), loaded_.size(), "buffer")];
    const std::size_t begin = size(view, "byteOffset", 0), length = size(view, "byteLength", 0);
    if (begin + length > buffer.size())
      bad(fmt::format("its view ends at byte {} of a buffer of {}", begin + length, buffer.size()));
    const std::size_t item = each * static_cast<std::size_t>(components), offset = size(a, "byteOffset", 0);
    v.stride = size(view, "byteStride", item);
    if (v.stride < item) bad(fmt::format("found the byteStride {}, expected at least {}", v.stride, item));
    if (offset > length ||
        (v.count > 0 && (length - offset < item || (length - offset - item) / v.stride < v.count - 1)))
      bad(fmt::format("{} values do not fit into its view of {} bytes", v.count, length));
    v.bytes = std::string_view(buffer).substr(begin + offset);
    return v;
  }

  std::vector<std::size_t> roots() const {
    const std::size_t n = list(doc_, "nodes").size();
    const Json& scenes = list(doc_, "scenes");
    std::vector<std::size_t> roots;
    if (!scenes.empty()) {
      const auto wanted = doc_.find("scene");
      const Json& scene = scenes[wanted == doc_.end() ? 0 : index(*wanted, scenes.size(), "scene")];
      for (const Json& node : list(scene, "nodes")) roots.push_back(index(node, n, "node"));
      return roots;
    }
    std::vector<char> is_child(n, 0);
    for (const Json& node : list(doc_, "nodes"))
      for (const Json& child : list(node, "children")) is_child[index(child, n, "node")] = 1;
    for (std::size_t i = 0; i < n; ++i)
      if (!is_child[i]) roots.push_back(i);
    return roots;
  }

  /// The node and what hangs below it. A node that is met twice is an error, so circles end.
  void read_tree(std::size_t root) {
    struct Visit {
      std::size_t node;
      Eigen::Affine3d to_world;
    };
    const Json& nodes = list(doc_, "nodes");
    std::vector<Visit> open{{root, Eigen::Affine3d::Identity()}};
    while (!open.empty()) {
      const auto [at, above] = open.back();
      open.pop_back();
      if (visited_[at]) fail(fmt::format("node {} hangs in two places", at));
      visited_[at] = 1;
      const Json& node = nodes[at];
      const Eigen::Affine3d to_world = above * transform(node);
      if (const auto mesh = node.find("mesh"); mesh != node.end()) read_mesh(node, *mesh, to_world);
      const Json& children = list(node, "children");
      for (auto child = children.rbegin(); child != children.rend(); ++child)
        open.push_back({index(*child, nodes.size(), "node"), to_world});
    }
  }

  template <std::size_t N>
  static std::array<double, N> numbers(const Json& node, const char* key, std::array<double, N> otherwise) {
    const auto found = node.find(key);
    return found == node.end() ? otherwise : found->get<std::array<double, N>>();
  }

  static Eigen::Affine3d transform(const Json& node) {
    Eigen::Affine3d a = Eigen::Affine3d::Identity();
    if (node.contains("matrix")) {
      const auto m = numbers<16>(node, "matrix", {});
      for (int c = 0; c < 4; ++c)
        for (int r = 0; r < 3; ++r) a.matrix()(r, c) = m[static_cast<std::size_t>(4 * c + r)];
      return a;
    }
    const auto t = numbers<3>(node, "translation", {0, 0, 0}), s = numbers<3>(node, "scale", {1, 1, 1});
    const auto r = numbers<4>(node, "rotation", {0, 0, 0, 1});
    a.translate(Vec3(t[0], t[1], t[2])).rotate(Eigen::Quaterniond(r[3], r[0], r[1], r[2]).normalized());
    return a.scale(Vec3(s[0], s[1], s[2]));
  }

  std::string name_of(const Json& thing) const { return one_line(thing.value("name", std::string())); }

  /// OBJ, to which names are exported, ends them with the line.
  static std::string one_line(std::string s) {
    for (char& c : s)
      if (static_cast<unsigned char>(c) < 32) c = ' ';
    const std::size_t first = s.find_first_not_of(' ');
    return first == std::string::npos ? "" : s.substr(first, s.find_last_not_of(' ') - first + 1);
  }

  void read_mesh(const Json& node, const Json& number, const Eigen::Affine3d& to_world) {
    const Json& meshes = list(doc_, "meshes");
    const Json& mesh = meshes[index(number, meshes.size(), "mesh")];
    FaceLabel label;
    label.object = name_of(node).empty() ? name_of(mesh) : name_of(node);
    Welder weld;
    for (const Json& primitive : list(mesh, "primitives")) {
      label.material.clear();
      if (const auto material = primitive.find("material"); material != primitive.end()) {
        const Json& materials = list(doc_, "materials");
        label.material = name_of(materials[index(*material, materials.size(), "material")]);
      }
      read_primitive(primitive, to_world, weld, label);
    }
  }

  void read_primitive(const Json& primitive, const Eigen::Affine3d& to_world, Welder& weld, const FaceLabel& label) {
    const std::size_t mode = size(primitive, "mode", 4);
    if (mode < 4) return;  // points and lines
    if (mode > 6) fail(fmt::format("found the mode {} of a primitive, expected 0 to 6", mode));
    const Json& attributes = primitive.at("attributes");
    const Values x = values(attributes.at("POSITION"), 3, "VEC3");
    std::optional<Values> uv, indices;
    if (const auto found = attributes.find("TEXCOORD_0"); found != attributes.end()) uv = values(*found, 2, "VEC2");
    if (const auto found = primitive.find("indices"); found != primitive.end()) indices = values(*found, 1, "SCALAR");
    if (uv && uv->count < x.count) fail(fmt::format("{} texture coordinates for {} vertices", uv->count, x.count));
    const std::size_t n = indices ? indices->count : x.count;
    if (n > most_corners - surface_.corners.size())
      fail(fmt::format("more than {} corners of triangles", most_corners));

    std::vector<int> number(x.count);
    for (std::size_t i = 0; i < x.count; ++i) {
      const Vec3 world = to_world * Vec3(x(i, 0), x(i, 1), x(i, 2));
      if (!world.allFinite()) fail(fmt::format("vertex {} is not finite", i));
      number[i] = weld(world, surface_.positions);
    }
    const std::size_t first_uv = surface_.uv.size();
    for (std::size_t i = 0; uv && i < x.count; ++i) surface_.uv.push_back({(*uv)(i, 0), 1 - (*uv)(i, 1)});
    const int own = label_number(surface_, label);
    const auto corner = [&](std::size_t k) {
      const double at = indices ? (*indices)(k, 0) : static_cast<double>(k);
      if (!(at >= 0) || at >= static_cast<double>(x.count) || at != std::floor(at))
        fail(fmt::format("corner {} of a primitive is out of range: it has {} vertices", k, x.count));
      const auto i = static_cast<std::size_t>(at);
      surface_.corners.push_back(number[i]);
      surface_.corner_uv.push_back(uv ? static_cast<int>(first_uv + i) : -1);
    };
    const bool mirrored = to_world.linear().determinant() < 0;
    const auto triangle = [&](std::size_t a, std::size_t b, std::size_t c) {
      corner(a);
      corner(mirrored ? c : b);
      corner(mirrored ? b : c);
      close_polygon(surface_, own);
    };
    for (std::size_t k = 2; k < n; k += mode == 4 ? 3 : 1) {
      if (mode == 4) triangle(k - 2, k - 1, k);
      if (mode == 5) triangle(k - 2, k % 2 == 0 ? k - 1 : k, k % 2 == 0 ? k : k - 1);
      if (mode == 6) triangle(k - 1, k, 0);
    }
  }

  std::string path_;
  std::string_view bytes_, binary_chunk_;
  const FileLoader& beside_;
  Json doc_;
  std::vector<std::string> loaded_;  // the buffers
  std::vector<char> visited_;        // #nodes
  SurfaceMesh surface_;
};

}  // namespace

SurfaceMesh read_gltf(const std::string& path, std::string_view bytes, const FileLoader& beside) {
  return GltfReader(path, bytes, beside).read();
}

}  // namespace limber
