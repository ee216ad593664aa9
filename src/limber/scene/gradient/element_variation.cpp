#include "limber/scene/gradient/element_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/scene/construction/live_bodies.hpp"
#include "limber/scene/construction/taken_apart.hpp"

namespace limber {
namespace {

constexpr double relative_step = 1e-5;

class ElementVariation final : public SystemVariation {
 public:
  ElementVariation(const MechanicalSystem& system, const ElementMesh& mesh, int first_node,
                   const std::vector<AnyMaterial>& stiffer, const std::vector<AnyMaterial>& softer,
                   const std::vector<int>& of_element, std::vector<double> moduli)
      : system_(system),
        corners_(mesh.corners),
        each_(node_count(mesh.kind)),
        first_node_(first_node),
        moduli_(std::move(moduli)),
        stiffer_(taken_apart(mesh), 0, stiffer, of_element),
        softer_(taken_apart(mesh), 0, softer, of_element) {}

  Index size() const override { return static_cast<Index>(moduli_.size()); }

  Matrix sources(const CallEquation& equation) override {
    const Vector f = forces(equation);
    Matrix g(equation.x.size(), size());
    for (Index e = 0; e < size(); ++e) {
      Vector full = Vector::Zero(3 * static_cast<Index>(system_.nodes()));
      for (Index k = e * each_; k < (e + 1) * each_; ++k) full.segment<3>(node(k)) += f.segment<3>(3 * k);
      g.col(e) = system_.map().gather(full);
    }
    return g;
  }

  void add_powers(const CallEquation& equation, const Vector& w, Eigen::Ref<Vector> power) override {
    const Vector f = forces(equation), full = system_.spread(w);
    for (Index e = 0; e < size(); ++e)
      for (Index k = e * each_; k < (e + 1) * each_; ++k) power[e] += f.segment<3>(3 * k).dot(full.segment<3>(node(k)));
  }

 private:
  /// The place in a full vector of the k-th corner of all elements.
  Index node(Index k) const { return 3 * static_cast<Index>(corners_[static_cast<std::size_t>(k)] + first_node_); }

  Vector on_corners(const Vector& full) const {
    Vector x(3 * static_cast<Index>(corners_.size()));
    for (Index k = 0; 3 * k < x.size(); ++k) x.segment<3>(3 * k) = full.segment<3>(node(k));
    return x;
  }

  /// ∂/∂E of each element's forces on its own corners.
  Vector forces(const CallEquation& equation) const {
    Vector sum = Vector::Zero(3 * static_cast<Index>(corners_.size()));
    for (const ForceTerm& term : equation.terms) {
      if (term.of == ForceTerm::Of::contact) continue;
      sum += evaluated(term, system_.length_scale(), [&](const State& u) {
        const State full = system_.full(u);
        const State apart{on_corners(full.q), Vector::Zero(sum.size()), u.t};
        Vector f = Vector::Zero(sum.size()), less = f;
        stiffer_.add_force(apart, f);
        softer_.add_force(apart, less);
        return Vector(f - less);
      });
    }
    for (Index e = 0; e < size(); ++e)
      sum.segment(3 * e * each_, 3 * each_) /= 2 * relative_step * moduli_[static_cast<std::size_t>(e)];
    return sum;
  }

  const MechanicalSystem& system_;
  std::vector<int> corners_;
  Index each_;
  int first_node_;
  std::vector<double> moduli_;
  ElasticForce stiffer_, softer_;
};

const BodyChoice& choice_of(const Scene& scene, int body, const std::string& name) {
  if (body >= static_cast<int>(scene.bodies.size()))
    throw InputError(name, fmt::format("the scene has {} bodies, numbered from 0", scene.bodies.size()));
  return scene.bodies[static_cast<std::size_t>(body)];
}

/// The materials with Young's modulus of every element times `factor`.
BodyMaterials scaled(BodyChoice choice, BodyShape shape, double factor, const std::string& name) {
  std::set<std::string> fields;
  for (auto& [region, material] : choice.materials) {
    if (const auto field = material.fields.find("young"); field != material.fields.end())
      fields.insert(field->second);
    else if (const auto young = material.parameters.find("young"); young != material.parameters.end())
      young->second *= factor;
    else
      throw InputError(name, material.where + " has no \"young\": its own constants determine it");
  }
  for (const std::string& field : fields)
    for (double& young : shape.mesh.fields.at(field)) young *= factor;
  return body_materials(choice, shape);
}

/// E at rest.
double young_of(const AnyMaterial& material) {
  const Matrix H = hessian(material, Mat3::Identity());
  const double mu = H(1, 1), lambda = H(0, 4);
  return mu * (3 * lambda + 2 * mu) / (lambda + mu);
}

std::vector<double> moduli_of(const BodyMaterials& materials) {
  std::vector<double> of_material, moduli;
  for (const AnyMaterial& m : materials.materials) of_material.push_back(young_of(m));
  for (const int m : materials.of_element) moduli.push_back(of_material[static_cast<std::size_t>(m)]);
  return moduli;
}

void require_apart(const BodyChoice& choice, const LiveBody& live, const std::string& name) {
  const auto refuse = [&](const std::string& why) { throw InputError(name, why); };
  const BodyMaterials& materials = live.placed.materials;
  if (materials.of_element.empty() || live.placed.thin) refuse("is for solid bodies");
  if (!live.placed.rigid.empty()) refuse("is not possible for a body with rigid parts");
  if (materials.viscous()) refuse("is not possible for a viscous body");
  if (materials.has_means())
    refuse("is not possible where elements share their volume change; take \"dilatation\": \"local\"");
  if (choice.damping.stiffness > 0) refuse("is not possible with damping.stiffness, which depends on the elements too");
}

}  // namespace

std::optional<int> body_of_elements(const std::string& name) {
  constexpr std::string_view before = "bodies[", after = "].element.young";
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  const char *first = name.data() + before.size(), *last = name.data() + name.size() - after.size();
  int body = -1;
  const auto [end, error] = std::from_chars(first, last, body);
  if (error != std::errc() || end != last || body < 0) return std::nullopt;
  return body;
}

std::vector<double> element_moduli(const Scene& scene, const Model& model, int body) {
  const BodyChoice& choice = choice_of(scene, body, fmt::format("bodies[{}].element.young", body));
  return moduli_of(LiveBodies(scene, model).at(body, choice)->placed.materials);
}

std::unique_ptr<SystemVariation> make_element_variation(const Scene& scene, const Model& model, int body,
                                                        const std::string& name) {
  const BodyChoice& choice = choice_of(scene, body, name);
  const auto live = LiveBodies(scene, model).at(body, choice);
  require_apart(choice, *live, name);
  const BodyShape& shape = live->placed.shape;
  const auto materials = [&](double factor) { return scaled(choice, shape, factor, name).materials; };
  const BodyMaterials& now = live->placed.materials;
  return std::make_unique<ElementVariation>(*model.system, shape.elements, live->body->first_node,
                                            materials(1 + relative_step), materials(1 - relative_step), now.of_element,
                                            moduli_of(now));
}

}  // namespace limber
