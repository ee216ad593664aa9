#include "limber/scene/gradient/element_variation.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <set>

#include "limber/core/errors.hpp"
#include "limber/gradient/parameter_variation.hpp"
#include "limber/scene/construction/live_bodies.hpp"
#include "limber/scene/construction/taken_apart.hpp"

namespace limber {
namespace {

constexpr double relative_step = 1e-5;

/// Materials whose forces, less those of softer ones, are the derivative by ln E times `width`. No softer ones: forces
/// are proportional to E.
struct ModuliDifference {
  std::vector<AnyMaterial> stiffer, softer;
  std::vector<int> of_element;
  double width;
};

class ElementVariation final : public SystemVariation {
 public:
  ElementVariation(const MechanicalSystem& system, const ElementMesh& mesh, int first_node, ModuliDifference difference,
                   std::vector<double> moduli)
      : system_(system),
        corners_(mesh.corners),
        each_(node_count(mesh.kind)),
        first_node_(first_node),
        moduli_(std::move(moduli)),
        mesh_(taken_apart(mesh)),
        difference_(std::move(difference)),
        stiffer_(mesh_, 0, difference_.stiffer, difference_.of_element) {
    if (!difference_.softer.empty()) softer_.emplace(mesh_, 0, difference_.softer, difference_.of_element);
  }

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

  Vector changes(const SystemQuantity& quantity) override {
    Vector sums = Vector::Zero(size());
    if (quantity.along.size() > 0) {
      Vector f = Vector::Zero(3 * static_cast<Index>(corners_.size()));
      add_difference(quantity.full, f);
      per_modulus(f);
      for (Index e = 0; e < size(); ++e)
        for (Index k = e * each_; k < (e + 1) * each_; ++k)
          sums[e] += f.segment<3>(3 * k).dot(quantity.along.segment<3>(node(k)));
    }
    if (quantity.energy != 0) {
      const Vector q = on_corners(quantity.full.q);
      for (Index e = 0; e < size(); ++e) sums[e] += quantity.energy * energy_slope(e, q);
    }
    return sums;
  }

 private:
  /// ∂W/∂E of an element, from forces of its own.
  double energy_slope(Index e, const Vector& q) const {
    const auto first = static_cast<std::ptrdiff_t>(e * each_);
    ElementMesh alone{mesh_.kind, {}, {}};
    alone.nodes.assign(mesh_.nodes.begin() + first, mesh_.nodes.begin() + first + each_);
    for (int k = 0; k < each_; ++k) alone.corners.push_back(k);
    const Vector place = q.segment(3 * first, 3 * each_);
    const State at{place, Vector::Zero(place.size())};
    const auto material = static_cast<std::size_t>(difference_.of_element[static_cast<std::size_t>(e)]);
    const auto energy = [&](const std::vector<AnyMaterial>& materials) {
      return materials.empty() ? 0 : ElasticForce(alone, 0, {materials[material]}, {0}).potentials(at)->stored;
    };
    const double difference = energy(difference_.stiffer) - energy(difference_.softer);
    return difference / (difference_.width * moduli_[static_cast<std::size_t>(e)]);
  }

  /// The difference of forces on the corners of all elements between stiffer and softer elements.
  void add_difference(const State& full, Vector& to) const {
    const State apart{on_corners(full.q), Vector::Zero(to.size()), full.t};
    stiffer_.add_force(apart, to);
    if (!softer_) return;
    Vector less = Vector::Zero(to.size());
    softer_->add_force(apart, less);
    to -= less;
  }
  void per_modulus(Vector& f) const {
    for (Index e = 0; e < size(); ++e)
      f.segment(3 * e * each_, 3 * each_) /= difference_.width * moduli_[static_cast<std::size_t>(e)];
  }

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
        Vector f = Vector::Zero(sum.size());
        add_difference(system_.full(u), f);
        return f;
      });
    }
    per_modulus(sum);
    return sum;
  }

  const MechanicalSystem& system_;
  std::vector<int> corners_;
  Index each_;
  int first_node_;
  std::vector<double> moduli_;
  ElementMesh mesh_;  // taken apart
  ModuliDifference difference_;
  ElasticForce stiffer_;
  std::optional<ElasticForce> softer_;
};

/// Whether each stress is twice as large with twice the modulus, as it is unless a material has other constants with a
/// unit of stress.
bool are_proportional(const std::vector<AnyMaterial>& materials, const std::vector<AnyMaterial>& twice) {
  constexpr double rounding = 1e-12;
  const Mat3 shear = (Mat3() << 1.1, .2, 0, 0, .95, .1, .05, 0, 1.02).finished();
  for (const Mat3& F : {shear, Mat3(1.3 * Mat3::Identity()), Mat3(.8 * shear.transpose())})
    for (std::size_t i = 0; i < materials.size(); ++i) {
      const Mat3 P = stress(materials[i], F), P2 = stress(twice[i], F);
      if (!((P2 - 2 * P).norm() <= rounding * P2.norm())) return false;
    }
  return true;
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

/// A body with its shape and materials, whose elements may have moduli of their own.
struct BodyOfElements {
  BodyOfElements(const Scene& scene, const Model& model, int body, const std::string& name, OtherModuli other)
      : choice(choice_of_body(scene, body, name)),
        live(LiveBodies(scene, model).at(body, choice)),
        shape(live->placed.shape) {
    require_apart(choice, *live, name);
    if (other) give(*other, name);
    materials = body_materials(choice, shape);
  }

  BodyChoice choice;
  std::shared_ptr<const LiveBody> live;
  BodyShape shape;
  BodyMaterials materials;

 private:
  /// By a field of the mesh.
  void give(const std::vector<double>& moduli, const std::string& name) {
    if (moduli.size() != shape.elements.count())
      throw InputError(name, fmt::format("{} moduli for {} elements", moduli.size(), shape.elements.count()));
    for (std::size_t e = 0; e < moduli.size(); ++e)
      if (!(moduli[e] > 0 && std::isfinite(moduli[e])))
        throw InputError(fmt::format("{}[{}]", name, e), fmt::format("{} Pa is not above 0", moduli[e]));
    const std::string field = "element.young";
    for (auto& [region, material] : choice.materials) {
      if (!material.fields.contains("young") && !material.parameters.contains("young"))
        throw InputError(name, material.where + " has no \"young\": its own constants determine it");
      material.parameters.erase("young");
      material.fields["young"] = field;
    }
    shape.set_field(field, moduli);
  }
};

std::string path_of_elements(int body) { return fmt::format("bodies[{}].element.young", body); }

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

}  // namespace

const BodyChoice& choice_of_body(const Scene& scene, int body, const std::string& name) {
  if (body >= static_cast<int>(scene.bodies.size()))
    throw InputError(name, fmt::format("the scene has {} bodies, numbered from 0", scene.bodies.size()));
  return scene.bodies[static_cast<std::size_t>(body)];
}

std::optional<int> body_before(const std::string& name, std::string_view after) {
  constexpr std::string_view before = "bodies[";
  if (!name.starts_with(before) || !name.ends_with(after)) return std::nullopt;
  const char *first = name.data() + before.size(), *last = name.data() + name.size() - after.size();
  int body = -1;
  const auto [end, error] = std::from_chars(first, last, body);
  if (error != std::errc() || end != last || body < 0) return std::nullopt;
  return body;
}

std::optional<int> body_of_elements(const std::string& name) { return body_before(name, "].element.young"); }

std::vector<double> element_moduli(const Scene& scene, const Model& model, int body) {
  const BodyChoice& choice = choice_of_body(scene, body, path_of_elements(body));
  return moduli_of(LiveBodies(scene, model).at(body, choice)->placed.materials);
}

void set_element_moduli(const Scene& scene, Model& model, int body, const std::vector<double>& moduli) {
  const BodyOfElements with(scene, model, body, path_of_elements(body), &moduli);
  std::shared_ptr<ElasticForce>& former = model.bodies[static_cast<std::size_t>(body)].elastic;
  const auto made =
      std::make_shared<ElasticForce>(*former, with.shape.elements, with.live->body->first_node,
                                     with.materials.materials, with.materials.of_element, with.materials.means);
  SystemChange change;
  for (const auto& force : model.system->forces().all()) {
    const bool is = force == former;
    change.forces.push_back({is ? made : force, force, is && made->shares_elements_with(*former)});
  }
  model.system->change(change);
  former = made;
}

std::unique_ptr<SystemVariation> make_element_variation(const Scene& scene, const Model& model, int body,
                                                        const std::string& name, OtherModuli other) {
  const BodyOfElements now(scene, model, body, name, other);
  const auto materials = [&](double factor) { return scaled(now.choice, now.shape, factor, name).materials; };
  const std::vector<AnyMaterial>& as_they_are = now.materials.materials;
  ModuliDifference difference{as_they_are, {}, now.materials.of_element, 1};
  if (!are_proportional(as_they_are, materials(2)))
    difference = {materials(1 + relative_step), materials(1 - relative_step), now.materials.of_element,
                  2 * relative_step};
  return std::make_unique<ElementVariation>(*model.system, now.shape.elements, now.live->body->first_node,
                                            std::move(difference), moduli_of(now.materials));
}

}  // namespace limber
