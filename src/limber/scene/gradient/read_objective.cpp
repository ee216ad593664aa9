#include "limber/scene/gradient/read_objective.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/mesh/io/surface_io.hpp"
#include "limber/mesh/tet_mesh.hpp"
#include "limber/scene/construction/live_bodies.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/read_parts.hpp"

namespace limber {
namespace {

/// What an objective is read with.
struct JudgedRun {
  const DifferentiableRun& run;
  FilePlaces places;
};

/// An object whose keys are known.
class ObjectivePlace {
 public:
  ObjectivePlace(const JsonCursor& place, const char* kind) : place_(place), kind_(kind) {}

  std::optional<JsonCursor> find(const char* key) const {
    if (!place_.has(key)) return std::nullopt;
    return JsonCursor(place_.json().at(key), place_.path() + "." + key);
  }
  JsonCursor own() const { return *find(kind_); }
  JsonCursor at(const char* key) const {
    if (const auto found = find(key)) return *found;
    place_.fail(fmt::format("the key '{}' is missing beside '{}'", key, kind_));
  }
  std::optional<double> time(const char* key) const {
    const auto t = find(key);
    return t ? std::optional(t->number(quantity::time)) : std::nullopt;
  }

 private:
  JsonCursor place_;
  const char* kind_;
};

When when_of(const ObjectivePlace& place, When::Of summed) {
  const auto over = place.find("over");
  if (!over) return {When::Of::state, {}, place.time("time")};
  if (place.find("time")) over->fail("stands beside 'time'; give one of them");
  if (over->json().is_boolean() && over->boolean()) return {summed, {}, {}};
  if (!over->is_list() || over->json().size() != 2) over->fail_type("true or two times [from, to]");
  return {summed, over->item(0).number(quantity::time), over->item(1).number(quantity::time)};
}

/// The body that `body` names, or the only one.
std::size_t body_of(const ObjectivePlace& place, const JudgedRun& judged) {
  const std::vector<Body>& bodies = judged.run.model().bodies;
  std::vector<std::string> names;
  for (const Body& body : bodies) names.push_back(body.name);
  if (const auto name = place.find("body")) return name->word(names, "body");
  if (bodies.size() > 1)
    place.own().fail(
        fmt::format("the scene has {} bodies; name one by the key 'body': {}", bodies.size(), join(names)));
  return 0;
}

/// Nodes of the scene, chosen as in scenes.
std::vector<int> nodes_of(const JsonCursor& selection, const ObjectivePlace& place, const JudgedRun& judged) {
  const std::size_t b = body_of(place, judged);
  const Model& model = judged.run.model();
  const Scene& scene = judged.run.scene();
  const bool numbers = selection.is_list() && !selection.json().empty() && selection.json()[0].is_number();
  const nlohmann::json by_numbers{{"nodes", selection.json()}};
  const Selection chosen = numbers ? read_nodes(JsonCursor(by_numbers, selection.path())) : read_nodes(selection);
  const auto live = LiveBodies(scene, model).at(static_cast<int>(b), scene.bodies[b]);
  std::vector<int> nodes = resolve(chosen, live->placed.shape.mesh.nodes);
  for (int& node : nodes) node += model.bodies[b].first_node;
  return nodes;
}

ObjectivePtr read_probes(const ObjectivePlace& place, const JudgedRun& judged) {
  std::map<std::string, double> weights;
  if (const auto given = place.find("weights")) {
    if (!given->is_object()) given->fail_type("an object {probe: weight}");
    for (const auto& [probe, weight] : given->json().items())
      weights[probe] = JsonCursor(weight, given->path() + "." + probe).positive(quantity::ratio);
  }
  return probes_objective(read_observations(read_file_name(place.own(), judged.places), judged.places.access), weights);
}

ObjectivePtr read_probe(const ObjectivePlace& place, const JudgedRun& judged) {
  std::vector<std::string> names;
  for (const Probe& probe : judged.run.model().probes) names.push_back(probe.name);
  if (names.empty()) place.own().fail("the scene has no probes: output.probes names them");
  const std::string name = names[place.own().word(names, "probe")];
  const std::size_t axis = place.at("axis").word({"x", "y", "z"}, "axis");
  return probe_objective(name, static_cast<int>(axis), place.time("time"));
}

/// The points of a file, in their order.
std::vector<Vec3> points_of_file(const JsonCursor& file, const JudgedRun& judged) {
  const std::string path = read_file_name(file, judged.places);
  std::string extension = std::filesystem::path(path).extension().string();
  for (char& c : extension) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (extension == ".stl" || extension == ".gltf" || extension == ".glb")
    file.fail(in_quotes(path) + " has no numbers of points that stay; take an .obj, a .ply or a mesh");
  if (extension == ".obj" || extension == ".ply") return read_surface_mesh(path, judged.places.access).positions;
  judged.places.access.require(path, file.path());
  return read_mesh(path).nodes;
}

/// The nodes that a file with so many points is of: all; or those outside, in the order in which the triangles use
/// them, as `limber export` writes them.
std::vector<int> nodes_of_points(std::size_t count, const JsonCursor& file, const ObjectivePlace& place,
                                 const JudgedRun& judged) {
  const Model& model = judged.run.model();
  std::vector<int> outside;
  std::set<int> seen;
  int all = 0;
  const auto add = [&](const Body& body) {
    for (const auto& triangle : body.surface_triangles())
      for (const int node : triangle)
        if (seen.insert(body.first_node + node).second) outside.push_back(body.first_node + node);
    all += body.nodes;
  };
  int first = 0;
  if (place.find("body")) {
    const Body& body = model.bodies[body_of(place, judged)];
    add(body);
    first = body.first_node;
  } else {
    std::for_each(model.bodies.begin(), model.bodies.end(), add);
  }
  std::vector<int> nodes;
  if (count == static_cast<std::size_t>(all))
    for (int node = first; node < first + all; ++node) nodes.push_back(node);
  else if (count == outside.size())
    nodes = outside;
  else
    file.fail(fmt::format("{} points, but {} {} nodes, {} of them outside; name those meant by 'nodes'", count,
                          place.find("body") ? "the body has" : "the scene has", all, outside.size()));
  return nodes;
}

ObjectivePtr read_last_shape(const ObjectivePlace& place, const JudgedRun& judged) {
  const JsonCursor target = place.own();
  const std::vector<Vec3> points = target.is_text() ? points_of_file(target, judged) : target.points();
  if (points.empty()) target.fail("has no points");
  std::vector<int> nodes;
  if (const auto chosen = place.find("nodes")) {
    nodes = nodes_of(*chosen, place, judged);
    if (nodes.size() != points.size())
      target.fail(fmt::format("{} points, but 'nodes' are {}", points.size(), nodes.size()));
  } else {
    nodes = nodes_of_points(points.size(), target, place, judged);
  }
  Vector weights;
  if (const auto given = place.find("weights")) {
    const std::vector<JsonCursor> items = given->items();
    if (items.size() != points.size())
      given->fail(fmt::format("{} weights, but {} points", items.size(), points.size()));
    weights.resize(std::ssize(items));
    for (std::size_t i = 0; i < items.size(); ++i)
      weights[static_cast<Index>(i)] = items[i].non_negative(quantity::ratio);
    if (weights.isZero(0)) given->fail("no weight is above 0");
  }
  Vector places(3 * std::ssize(points));
  for (std::size_t i = 0; i < points.size(); ++i) places.segment<3>(3 * static_cast<Index>(i)) = points[i];
  if (!places.allFinite()) target.fail("a point is not finite");
  return shape_objective(places, nodes, weights, place.time("time"));
}

ObjectivePtr read_energy(const ObjectivePlace& place, const JudgedRun&) {
  const bool kinetic = place.own().word({"elastic", "kinetic"}, "energy") == 1;
  return energy_objective(kinetic ? EnergyPart::kinetic : EnergyPart::elastic, when_of(place, When::Of::integral));
}

ObjectivePtr read_reaction(const ObjectivePlace& place, const JudgedRun& judged) {
  const JsonCursor direction = place.at("direction");
  const Vec3 d = direction.vector(quantity::ratio);
  if (d.isZero(0)) direction.fail("has no direction");
  return reaction_objective(nodes_of(place.own(), place, judged), d, when_of(place, When::Of::mean));
}

ObjectivePtr read_frequency(const ObjectivePlace& place, const JudgedRun&) {
  const JsonCursor modes = place.own();
  if (!modes.is_list()) {
    const int mode = modes.integer(1);
    return frequency_objective(mode, mode);
  }
  if (modes.json().size() != 2) modes.fail_type("a mode, counted from 1, or the first and last of several");
  const int first = modes.item(0).integer(1);
  return frequency_objective(first, modes.item(1).integer(first));
}

ObjectivePtr read_frequencies(const ObjectivePlace& place, const JudgedRun&) {
  std::vector<ModeBlock> blocks;
  for (const JsonCursor& item : place.own().items(1)) {
    if (item.is_list()) {
      if (item.json().size() != 2) item.fail_type("a frequency, or [frequency, number of modes]");
      blocks.push_back({item.item(1).integer(1), item.item(0).positive(quantity::frequency)});
      continue;
    }
    const double wanted = item.positive(quantity::frequency);
    if (!blocks.empty() && blocks.back().wanted == wanted)
      ++blocks.back().modes;
    else
      blocks.push_back({1, wanted});
  }
  return frequencies_objective(blocks);
}

ObjectivePtr read_sum_or_one(const JsonCursor& place, const JudgedRun& judged);

ObjectivePtr read_sum(const ObjectivePlace& place, const JudgedRun& judged) {
  const JsonCursor parts = place.own();
  if (!parts.is_list()) parts.fail_type("a list of objectives");
  return read_sum_or_one(parts, judged);
}

struct ObjectiveKind {
  const char* name;
  std::vector<std::string> keys;  // beside its own and those of all
  Quantity quantity;              // of its value
  ObjectivePtr (*read)(const ObjectivePlace& place, const JudgedRun& judged);
};

const std::vector<ObjectiveKind>& objective_kinds() {
  static const std::vector<ObjectiveKind> all{
      {"probes", {"weights"}, quantity::ratio, read_probes},
      {"probe", {"axis", "time"}, quantity::length, read_probe},
      {"last_shape", {"nodes", "body", "weights", "time"}, quantity::ratio, read_last_shape},
      {"energy", {"time", "over"}, quantity::ratio, read_energy},
      {"reaction", {"body", "direction", "time", "over"}, quantity::force, read_reaction},
      {"frequency", {}, quantity::frequency, read_frequency},
      {"frequencies", {}, quantity::ratio, read_frequencies},
      {"sum", {}, quantity::ratio, read_sum},
  };
  return all;
}

struct Wish {
  const char* key;
  Wanted wanted;
};
constexpr Wish wishes[] = {{"near", Wanted::equal}, {"at_least", Wanted::at_least}, {"at_most", Wanted::at_most}};

void require_known(const JsonCursor& place, const std::vector<std::string>& known) {
  for (const auto& [key, value] : place.json().items()) {
    if (std::find(known.begin(), known.end(), key) != known.end()) continue;
    const std::string near = nearest_name(key, known);
    place.fail(fmt::format("unknown key '{}'; {}", key,
                           near.empty() ? "known are " + join(known) : fmt::format("did you mean '{}'?", near)));
  }
}

const ObjectiveKind& kind_of(const JsonCursor& place) {
  std::vector<std::string> names, every{"weight"};
  for (const Wish& wish : wishes) every.emplace_back(wish.key);
  const ObjectiveKind* found = nullptr;
  for (const ObjectiveKind& kind : objective_kinds()) {
    names.emplace_back(kind.name);
    every.emplace_back(kind.name);
    every.insert(every.end(), kind.keys.begin(), kind.keys.end());
    if (!place.has(kind.name)) continue;
    if (found)
      place.fail(fmt::format("'{}' and '{}' do not go together; a sum is a list of objects", found->name, kind.name));
    found = &kind;
  }
  if (!place.is_object()) place.fail_type("an object {…} with one of the keys " + join(names) + ", or a list of them");
  if (!found) {
    require_known(place, every);
    place.fail("needs one of the keys " + join(names) + ", got " + place.echo());
  }
  std::vector<std::string> known{found->name, "weight"};
  for (const Wish& wish : wishes) known.emplace_back(wish.key);
  known.insert(known.end(), found->keys.begin(), found->keys.end());
  require_known(place, known);
  return *found;
}

/// With its weight.
std::pair<double, ObjectivePtr> weighted_part(const JsonCursor& place, const JudgedRun& judged) {
  const ObjectiveKind& kind = kind_of(place);
  const ObjectivePlace keys(place, kind.name);
  ObjectivePtr made = kind.read(keys, judged);
  const char* before = nullptr;
  for (const Wish& wish : wishes) {
    const auto value = keys.find(wish.key);
    if (!value) continue;
    if (before) value->fail(fmt::format("does not go together with '{}'", before));
    before = wish.key;
    made = squared_distance(std::move(made), wish.wanted, value->number(kind.quantity));
  }
  const auto weight = keys.find("weight");
  return {weight ? weight->number(quantity::ratio) : 1, std::move(made)};
}

ObjectivePtr read_sum_or_one(const JsonCursor& place, const JudgedRun& judged) {
  std::vector<std::pair<double, ObjectivePtr>> parts;
  if (!place.is_list())
    parts.push_back(weighted_part(place, judged));
  else
    for (const JsonCursor& item : place.items(1)) parts.push_back(weighted_part(item, judged));
  return sum_of(std::move(parts));
}

}  // namespace

ObjectiveText load_objective(const std::string& file_or_json) {
  const std::size_t first = file_or_json.find_first_not_of(" \t\r\n");
  if (first == std::string::npos)
    throw InputError("--objective", "is empty; it is a JSON file, or JSON such as {\"frequency\": 1, \"near\": 20}");
  if (file_or_json[first] == '{' || file_or_json[first] == '[') return {Document::parse(file_or_json, "--objective")};
  return {Document::load(file_or_json), std::filesystem::path(file_or_json).parent_path().string()};
}

ObjectivePtr read_objective(const ObjectiveText& text, const DifferentiableRun& run, const FileAccess& access) {
  return read_sum_or_one(JsonCursor(json_of(text.document), "objective"), {run, {text.folder, access}});
}

}  // namespace limber
