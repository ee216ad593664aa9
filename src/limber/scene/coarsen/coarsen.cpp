#include "limber/scene/coarsen/coarsen.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/mesh/embed.hpp"
#include "limber/record/files.hpp"
#include "limber/scene/coarsen/coarse_mesh.hpp"
#include "limber/scene/coarsen/equal_response.hpp"
#include "limber/scene/coarsen/fitting_selections.hpp"
#include "limber/scene/coarsen/transfer.hpp"
#include "limber/scene/json.hpp"
#include "limber/scene/run/mode_shapes.hpp"
#include "limber/scene/scene_files.hpp"

namespace limber {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr int most_coarse_modes = 100;
constexpr double noted_frequency = .01;  // a part of it by which it may differ without a note
constexpr const char *young_field = "young", *density_field = "density";

bool is_solid(const BodyShape& shape) { return shape.elements.count() > 0; }

/// Why a body cannot be coarsened, whatever its mesh is.
void require_coarsenable(const BodyChoice& body) {
  if (body.springs)
    throw InputError(body.where + ".springs", "cannot be coarsened: they join the nodes of the fine mesh");
  if (body.materials.empty())
    throw InputError(body.where, "is no body of finite elements: it has no material; only solids can be coarsened");
  if (!body.rigid.empty()) throw InputError(body.where + ".rigid", "cannot be coarsened: a body with rigid parts");
}

void require_solid(const BodyChoice& body, const BodyShape& shape) {
  if (!is_solid(shape))
    throw InputError(body.where + ".mesh", "is that of a sheet, a rod or a network; only solids can be coarsened");
}

void require_no_shared_volume(const BodyChoice& body, const LiveBody& live) {
  if (live.placed.shape.elements.kind == ElementKind::tet4 && live.placed.materials.has_means())
    throw InputError(body.where + ".dilatation",
                     "\"mean\" couples linear tetrahedra with their neighbours, which cannot be coarsened; take "
                     "\"local\", or element \"P2\"");
}

Json points_json(const std::vector<Vec3>& points) {
  Json all = Json::array();
  for (const Vec3& x : points) all.push_back({x[0], x[1], x[2]});
  return all;
}

Json mesh_json(const SolidMesh& mesh) {
  return std::visit(
      [](const auto& m) {
        Json json{{"nodes", points_json(m.nodes)}};
        if constexpr (requires { m.tets; })
          json["tets"] = m.tets;
        else
          json["hexes"] = m.hexes;
        if (!m.region.empty()) json["region"] = m.region;
        json["fields"] = m.fields;
        return json;
      },
      mesh);
}

template <class Give>
void give_to(SolidMesh& mesh, const Give& give) {
  std::visit(give, mesh);
}

/// The materials of the coarse body, with E and the density by fields; regions are numbered from 1. Those that no
/// element has any more are left out.
void fit_materials(const BodyChoice& body, const Transferred& from, SolidMesh& mesh, Json& json,
                   std::vector<std::string>& notes) {
  const auto by_fields = [](Json& material) {
    material["young"] = {{"field", young_field}};
    material["density"] = {{"field", density_field}};
  };
  json.erase("regions");
  if (json.contains("material")) return by_fields(json["material"]);
  std::map<std::string, int> number;
  for (const std::string& key : std::set<std::string>(from.material.begin(), from.material.end()))
    number.emplace(key, static_cast<int>(number.size()) + 1);
  Json materials = Json::object();
  for (const auto& [key, choice] : body.materials) {
    if (!number.count(key)) {
      notes.push_back(
          fmt::format("{}.materials.{}: no coarse element is made of it mostly; it is left out", body.where, key));
      continue;
    }
    Json material = json["materials"][key];
    by_fields(material);
    const std::string name = std::to_string(number[key]);
    materials[name] = material;
    if (name != key) notes.push_back(fmt::format("{}.materials: '{}' is region {} now", body.where, key, name));
  }
  json["materials"] = materials;
  give_to(mesh, [&](auto& m) {
    for (const std::string& key : from.material) m.region.push_back(number[key]);
  });
}

/// Displacements of the fine body's nodes at other points, as placed. X: 3N × k.
Matrix at_points(const Matrix& X, const LiveBody& fine, const std::vector<Vec3>& points) {
  TetMesh placed = fine.placed.shape.mesh;
  placed.nodes = fine.placed.nodes;
  const Embedding at = embed(points, placed);
  Matrix Y = Matrix::Zero(3 * static_cast<Index>(points.size()), X.cols());
  for (std::size_t i = 0; i < points.size(); ++i)
    for (std::size_t k = 0; k < 4; ++k)
      Y.middleRows<3>(3 * static_cast<Index>(i)) +=
          at.weights[i][k] * X.middleRows<3>(3 * static_cast<Index>(at.nodes[i][k]));
  return Y;
}

std::vector<double> frequencies(const Vector& lambda) {
  std::vector<double> all;
  for (const double l : lambda) all.push_back(mode_frequency(l));
  return all;
}

double total_mass(const LiveBody& body, MassForm form) {
  double sum = 0;
  const PlacedBody& p = body.placed;
  ElementMesh placed = p.shape.elements;
  placed.nodes = p.nodes;
  for (const NodalMass& m : element_masses(placed, 0, p.materials.density,
                                           form == MassForm::lumped ? MassKind::lumped : MassKind::consistent))
    sum += (m.a == m.b ? 1 : 2) * m.m;
  return sum;
}

void note_result(const BodyChoice& choice, const CoarseBody& body, double factor, std::vector<std::string>& notes) {
  for (std::size_t i = 0; i < body.fine.size(); ++i)
    if (std::abs(body.after[i] / body.fine[i] - 1) > noted_frequency)
      notes.push_back(
          fmt::format("{}: frequency {} is {:.4g} Hz, that of the fine body {:.4g} Hz; a resolution below {:g} "
                      "comes closer",
                      choice.where, i + 1, body.after[i], body.fine[i], factor));
  if (std::holds_alternative<SurfaceFile>(choice.mesh))
    notes.push_back(
        fmt::format("{}.mesh: the surface that was filled no longer moves with the body; pictures show the "
                    "boundary of the coarse mesh",
                    choice.where));
}

class Coarsener {
 public:
  explicit Coarsener(const CoarsenRequest& request)
      : request_(request),
        json_(json_of(with_absolute_paths(request.scene, request.base, request.access))),
        scene_(read_scene(json_, vocabulary(), "", request.access)) {}

  Coarsened run() {
    if (scene_.start)
      throw InputError("start.run",
                       "is a frame of the fine bodies, which does not fit a coarse one; leave `start` out");
    for (const int b : chosen()) make_coarse(b);
    if (result_.bodies.empty()) throw InputError("bodies", "has no solid; only solids can be coarsened");
    const Json written = json_;
    read_scene(written, vocabulary(), "", request_.access);
    result_.scene = document_of(written);
    return std::move(result_);
  }

 private:
  std::vector<int> chosen() const {
    std::vector<int> all;
    std::vector<std::string> names;
    for (std::size_t b = 0; b < scene_.bodies.size(); ++b) {
      names.push_back("\"" + scene_.bodies[b].name + "\"");
      if (request_.body.empty() || request_.body == scene_.bodies[b].name) all.push_back(static_cast<int>(b));
    }
    if (all.empty())
      throw InputError("--body", fmt::format("\"{}\" is no body; there is {}", request_.body, join(names)));
    return all;
  }

  void say(const std::string& text) const {
    if (request_.go_on) request_.go_on(text);
  }

  void make_coarse(int b) {
    const BodyChoice& choice = scene_.bodies[ix(b)];
    if (request_.body.empty() && is_thin(choice)) {
      result_.notes.push_back(fmt::format("{}: is no solid and stays as it is", choice.where));
      return;
    }
    require_coarsenable(choice);
    say(choice.name + ": the fine body");
    const Scene fine_scene = scene_alone(scene_, b);
    const RestBody fine(fine_scene);
    const auto fine_body = placed_alone(fine_scene, fine.model);
    require_solid(choice, fine_body->placed.shape);
    require_no_shared_volume(choice, *fine_body);

    CoarseBody made{.name = choice.name, .number = b, .mesh = {}};
    made.mesh = coarse_mesh(choice, fine_body->placed.shape, request_.factor, result_.notes);
    const Transferred from = transfer_materials(choice, fine_body->placed, made.mesh);
    give_to(made.mesh, [&](auto& m) { m.fields = from.fields; });
    Json body_json = json_["bodies"][ix(b)];
    fit_materials(choice, from, made.mesh, body_json, result_.notes);
    take(b, from, made, body_json);
    const FineResponse response = fine_response(fine, *fine_body, choice.mass, request_.modes, own_loads(scene_, b));
    equalize(b, *fine_body, response, from, made);
    made.elements_before = fine_body->placed.shape.elements.count();
    made.nodes_before = fine_body->placed.nodes.size();
    made.mass_before = response.mass;
    made.fine = frequencies(response.lambda);
    json_["bodies"][ix(b)]["mesh"] = mesh_json(made.mesh);
    note_result(choice, made, request_.factor, result_.notes);
    result_.bodies.push_back(std::move(made));
  }

  static bool is_thin(const BodyChoice& choice) {
    if (std::holds_alternative<TriMesh>(choice.mesh) || std::holds_alternative<NetworkShape>(choice.mesh)) return true;
    std::vector<std::string> unheard;
    return std::holds_alternative<MeshFile>(choice.mesh) && !is_solid(make_shape(choice, unheard));
  }

  /// The coarse body takes its place in the scene, with the moduli of the fine one.
  void take(int b, const Transferred& from, CoarseBody& made, Json body_json) {
    give_to(made.mesh, [&](auto& m) {
      m.fields[young_field] = from.young;
      m.fields[density_field] = from.density;
    });
    body_json["mesh"] = mesh_json(made.mesh);
    json_["bodies"][ix(b)] = std::move(body_json);
    const BodyShape before = shape_of(scene_.bodies[ix(b)]);
    BodyChoice coarse = scene_.bodies[ix(b)];
    std::visit([&](const auto& m) { coarse.mesh = m; }, made.mesh);
    coarse.regions.clear();
    const BodyShape now = shape_of(coarse);
    made.elements = now.elements.count();
    made.nodes = now.mesh.nodes.size();
    fit_selections(scene_, b, before.mesh.nodes, now.mesh.nodes, json_, result_.notes);
  }

  static BodyShape shape_of(const BodyChoice& choice) {
    std::vector<std::string> unheard;
    return make_shape(choice, unheard);
  }

  void equalize(int b, const LiveBody& fine, const FineResponse& response, const Transferred& from, CoarseBody& made) {
    const Scene now = read_scene(json_, vocabulary(), "", request_.access);
    CoarseProblem problem{.alone = scene_alone(now, b),
                          .modes = {},
                          .motions = {},
                          .loads = own_loads(now, b),
                          .young = from.young,
                          .density = from.density};
    const RestBody start(problem.alone);
    const auto placed = placed_alone(problem.alone, start.model);
    if (start.size() < request_.modes + 12)
      throw InputError("-n",
                       fmt::format("{}: the coarse body '{}' has {} degrees of freedom, for at most {} frequencies",
                                   request_.modes, made.name, start.size(), std::max<Index>(0, start.size() - 12)));
    problem.modes = at_points(response.modes, fine, placed->placed.nodes);
    problem.motions = at_points(response.motions, fine, placed->placed.nodes);
    const Matrix mass_times_shapes = start.times_mass(start.gather(problem.modes));
    made.before = frequencies(matched_modes(start, mass_times_shapes, response).lambda);
    const std::vector<double> density = equal_densities(problem, response);
    const EqualModuli found = equal_moduli(problem, density, response, [&](const std::string& reached) {
      return !request_.go_on || request_.go_on(made.name + ": " + reached);
    });
    give_to(made.mesh, [&](auto& m) {
      m.fields[young_field] = found.young;
      m.fields[density_field] = density;
    });
    made.after = frequencies(found.lambda);
    made.self_weight = found.self_weight;
    if (!found.converged)
      result_.notes.push_back(
          fmt::format("{}: the search for moduli ended before it had converged", scene_.bodies[ix(b)].where));
    for (std::size_t e = 0; e < density.size(); ++e) {
      const double part = found.young[e] / from.young[e];
      made.least_young = e == 0 ? part : std::min(made.least_young, part);
      made.most_young = e == 0 ? part : std::max(made.most_young, part);
    }
    set_cell_field(problem.alone, density_field, density);
    made.mass = total_mass(*placed_alone(problem.alone, start.model), problem.alone.bodies[0].mass);
  }

  const CoarsenRequest& request_;
  Json json_;
  Scene scene_;
  Coarsened result_;
};

/// A name of a file that any system takes.
std::string file_word(std::string name) {
  for (char& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '_') c = '_';
  return name;
}

}  // namespace

Coarsened coarsen(const CoarsenRequest& request) {
  if (!(request.factor > 1) || !std::isfinite(request.factor))
    throw InputError(
        "--resolution",
        fmt::format("{:g} is not above 1: how many times longer the edges become, such as 2", request.factor));
  if (request.modes < 1 || request.modes > most_coarse_modes)
    throw InputError(
        "-n", fmt::format("{} is not from 1 to {}: how many frequencies are kept", request.modes, most_coarse_modes));
  return Coarsener(request).run();
}

std::vector<std::string> write_coarse_scene(const Coarsened& coarse, const std::string& path, ExistingScene existing) {
  const fs::path file(path);
  std::vector<std::string> files;
  Json json = json_of(coarse.scene);
  std::vector<std::string> meshes;
  for (const CoarseBody& body : coarse.bodies) {
    const std::string name = file.stem().string() + "." + file_word(body.name) + ".msh";
    json["bodies"][ix(body.number)]["mesh"] = {{"file", name}};
    files.push_back((file.parent_path() / name).string());
  }
  files.push_back(path);
  if (existing == ExistingScene::refuse)
    for (const std::string& name : files)
      if (fs::exists(name)) throw InputError(name, "is there already; take another name, or --overwrite");
  for (std::size_t i = 0; i < coarse.bodies.size(); ++i)
    std::visit([&](const auto& mesh) { write_mesh(mesh, files[i]); }, coarse.bodies[i].mesh);
  write_atomically(path, json.dump(2) + "\n");
  return files;
}

Document coarsen_report(const Coarsened& coarse) {
  Json report{{"bodies", Json::array()}, {"notes", coarse.notes}};
  for (const CoarseBody& b : coarse.bodies)
    report["bodies"].push_back({{"name", b.name},
                                {"elements", {{"fine", b.elements_before}, {"coarse", b.elements}}},
                                {"nodes", {{"fine", b.nodes_before}, {"coarse", b.nodes}}},
                                {"mass", {{"fine", b.mass_before}, {"coarse", b.mass}}},
                                {"frequencies", {{"fine", b.fine}, {"before", b.before}, {"after", b.after}}},
                                {"self_weight", {b.self_weight[0], b.self_weight[1], b.self_weight[2]}},
                                {"moduli", {{"least", b.least_young}, {"most", b.most_young}}}});
  return document_of(std::move(report));
}

}  // namespace limber
