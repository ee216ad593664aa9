#include "limber/view/messages.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/made_material.hpp"
#include "limber/version.hpp"
#include "limber/view/folders.hpp"

namespace limber {
namespace {

/// Little-endian numbers, one after the other.
class Bytes {
 public:
  explicit Bytes(const char* magic, std::size_t room = 0) : bytes_(magic) { bytes_.reserve(room); }
  void u32(std::size_t x) { put(static_cast<std::uint32_t>(x)); }
  void f32(double x) {
    constexpr double most = std::numeric_limits<float>::max();
    put(std::bit_cast<std::uint32_t>(static_cast<float>(std::isfinite(x) ? std::clamp(x, -most, most) : 0)));
  }
  void f64(double x) { put(std::bit_cast<std::uint64_t>(x)); }
  void vec(const Vec3& x) {
    for (int i = 0; i < 3; ++i) f32(x[i]);
  }
  void byte(unsigned x) { bytes_.push_back(static_cast<char>(x)); }
  void zeros_to(std::size_t size) { bytes_.resize(size, '\0'); }
  std::string take() { return std::move(bytes_); }

 private:
  template <class Number>
  void put(Number x) {
    std::array<char, sizeof(Number)> raw;
    for (char& c : raw) {
      c = static_cast<char>(x & 0xff);
      x >>= 8;
    }
    bytes_.append(raw.data(), raw.size());
  }
  std::string bytes_;
};

using Json = nlohmann::json;

Json array_of(const Vec3& x) { return {x[0], x[1], x[2]}; }

Json planes_of(const ViewShape& shape, double t) {
  Json planes = Json::array();
  for (const auto& plane : shape.planes(t))
    planes.push_back({{"point", array_of(plane.point)}, {"normal", array_of(plane.normal)}});
  return planes;
}

/// Material and damping of a body, null where it has none to be changed: a network of springs, a field over its mesh.
Json facts_of(const BodyChoice& body, const Json& written) {
  Json j{{"material", nullptr}, {"young", nullptr}, {"poisson", nullptr}, {"damping", nullptr}};
  const auto found = body.materials.find("default");
  if (found == body.materials.end() || !found->second.fields.empty()) return j;
  const MadeMaterial material = made(found->second);
  j["material"] = written.contains("materials") ? "materials.default" : "material";
  j["young"] = material.young;
  j["poisson"] = material.poisson;
  j["damping"] = {{"stiffness", body.damping.stiffness}, {"mass", body.damping.mass}};
  return j;
}

Json facts_of(const Pane& pane) {
  const Scene& scene = pane.scene();
  const MethodInfo& method = find_method(scene.method.name);
  Json j{{"method", method.name},
         {"step", scene.time.step},
         {"modes", nullptr},
         {"bodies", Json::array()},
         {"parameters", Json::object()}};
  if (method.splitting != Splitting::none) j["modes"] = scene.method.modes.value_or(ModalOptions::standard_count);
  for (const auto& [name, value] : complete_parameters(method, scene.method.parameters)) j["parameters"][name] = value;
  const Json& written = json_of(pane.document()).at("bodies");
  for (std::size_t b = 0; b < scene.bodies.size(); ++b) j["bodies"].push_back(facts_of(scene.bodies[b], written.at(b)));
  return j;
}

constexpr std::size_t header_size = 96;
enum Flags : unsigned { has_values = 1, has_arrows = 2, has_pull = 4 };

}  // namespace

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

std::string error_message(const std::string& about, const std::exception& error) {
  const auto* input = dynamic_cast<const InputError*>(&error);
  return dumped({{"is", "error"},
                 {"about", about},
                 {"where", input ? input->where() : ""},
                 {"message", input ? input->message() : error.what()}});
}

std::string hello_message(const ViewOptions& options) {
  Json methods = Json::array(), scenes = Json::array();
  for (const MethodInfo& m : method_catalog()) {
    Json parameters = Json::array();
    for (const MethodParameter& p : m.parameters)
      parameters.push_back({{"name", p.name},
                            {"default", p.standard},
                            {"min", p.least},
                            {"max", p.most},
                            {"text", p.meaning},
                            {"flag", p.takes == MethodParameter::Takes::flag}});
    methods.push_back({{"name", m.name},
                       {"kind", to_string(m.kind)},
                       {"summary", m.good_for},
                       {"splits", m.splitting != Splitting::none},
                       {"parameters", parameters}});
  }
  for (const ExampleScene& e : example_scenes(options.examples_folder))
    scenes.push_back({{"name", e.name}, {"description", e.description}});
  return dumped({{"is", "hello"},
                 {"version", LIMBER_VERSION},
                 {"methods", methods},
                 {"scenes", scenes},
                 {"max_message", options.most_message}});
}

std::string scene_message(const ViewStage& stage, const ViewShape& shape, unsigned session) {
  const Scene& scene = stage.panes()[0]->scene();
  Json panes = Json::array(), bodies = Json::array(), notes = Json::array();
  for (const auto& pane : stage.panes()) panes.push_back(facts_of(*pane));
  Vec3 low = Vec3::Constant(1e300), high = -low;
  for (const auto& part : shape.parts()) {
    bodies.push_back({{"name", part.name}, {"vertices", {part.first, part.count}}, {"obstacle", part.obstacle}});
    if (!part.obstacle)
      for (std::size_t i = part.first; i < part.first + part.count; ++i) {
        low = low.cwiseMin(shape.rest()[i]);
        high = high.cwiseMax(shape.rest()[i]);
      }
  }
  for (const auto& note : stage.panes()[0]->model().notes) notes.push_back(note);
  if (!stage.note().empty()) notes.push_back(stage.note());
  for (const auto& note : shape.notes()) notes.push_back(note);
  Json camera;
  if (scene.camera.position) {
    camera = {{"position", array_of(*scene.camera.position)},
              {"look_at", array_of(scene.camera.look_at.value_or((low + high) / 2))},
              {"fov", scene.camera.fov.value_or(35)}};
  }
  Json message{{"is", "scene"},
               {"session", session},
               {"name", stage.source().name},
               {"replay", stage.replays()},
               {"panes", panes},
               {"bodies", bodies},
               {"contact", scene.contact.has_value()},
               {"friction", scene.contact ? Json(scene.contact->friction) : Json()},
               {"duration", scene.time.duration},
               {"box", {{"min", array_of(low)}, {"max", array_of(high)}}},
               {"camera", camera},
               {"planes", planes_of(shape, 0)},
               {"notes", notes},
               {"file", stage.source().file}};
  if (const auto lowest = stage.lowest()) message["lowest"] = *lowest;
  if (stage.replays())
    for (std::size_t k = 0; k < stage.frames(); ++k) message["frame_times"].push_back(stage.frame_time(k));
  return dumped(message);
}

std::string topology_message(const ViewPicture& picture) {
  const ViewShape& shape = *picture.shape;
  Bytes b("LMBT", 20 + 12 * (shape.triangles().size() + shape.vertices()));
  b.u32(picture.session);
  b.u32(shape.vertices());
  b.u32(shape.triangles().size());
  b.u32(shape.lines().size());
  for (const auto& triangle : shape.triangles())
    for (const int i : triangle) b.u32(static_cast<std::size_t>(i));
  for (const auto& line : shape.lines())
    for (const int i : line) b.u32(static_cast<std::size_t>(i));
  for (const Vec3& x : shape.rest()) b.vec(x);
  for (const bool held : shape.held()) b.byte(held ? 1 : 0);
  return b.take();
}

std::string frame_message(const ViewPicture& picture, std::size_t pane, Field field, bool arrows) {
  const PanePicture& p = picture.panes[pane];
  const std::vector<Vec3> positions = picture.shape->positions(p.state->q, p.state->t);
  const std::vector<double> values = picture.shape->values(field, p.state->q, p.touching.at_nodes);
  double least = 0, most = 0;
  for (const double v : values)
    if (std::isfinite(v)) {
      least = std::min(least, v);
      most = std::max(most, v);
    }
  const std::size_t count = arrows ? p.touching.arrows.size() : 0;
  Bytes b("LMBF", header_size + 16 * positions.size() + 24 * count);
  b.u32(picture.session);
  b.u32(pane);
  b.u32((values.empty() ? 0u : has_values) | (count > 0 ? has_arrows : 0u) | (p.pulled ? has_pull : 0u));
  b.f64(p.state->t);
  b.f64(static_cast<double>(p.steps));
  b.u32(positions.size());
  b.u32(count);
  b.f32(least);
  b.f32(most);
  b.vec(p.point);
  b.vec(p.to);
  b.vec(p.force);
  b.zeros_to(header_size);
  for (const Vec3& x : positions) b.vec(x);
  for (const double v : values) b.f32(v);
  for (std::size_t i = 0; i < count; ++i) {
    b.vec(p.touching.arrows[i].point);
    b.vec(p.touching.arrows[i].force);
  }
  return b.take();
}

std::string tick_message(const ViewPicture& picture, const NewRows& rows) {
  std::string s = fmt::format(
      R"({{"is":"tick","session":{},"playing":{},"time":{:.9g},"speed":{:.6g},"real_time":{:.4g},"frames":{},"frame":{},"frame_time":{:.9g},"reset":{},"panes":[)",
      picture.session, picture.playing, picture.time, picture.speed, picture.real_time, picture.frames,
      picture.frame ? std::to_string(*picture.frame) : "null", picture.panes[0].state->t, rows.reset);
  for (std::size_t p = 0; p < picture.panes.size(); ++p) {
    s += fmt::format(R"({}{{"step_ms":{:.4g},"rows":[)", p ? "," : "", picture.panes[p].step_ms);
    if (p < rows.panes.size())
      for (std::size_t r = 0; r < rows.panes[p].size(); ++r) {
        s += r ? ",[" : "[";
        for (std::size_t k = 0; k < rows.panes[p][r].size(); ++k) {
          if (k) s += ',';
          const double x = rows.panes[p][r][k];
          s += std::isfinite(x) ? fmt::format("{:.9g}", x) : "null";
        }
        s += ']';
      }
    s += "]}";
  }
  s += ']';
  if (picture.shape->planes_move()) s += R"(,"planes":)" + dumped(planes_of(*picture.shape, picture.panes[0].state->t));
  return s + "}";
}

}  // namespace limber
