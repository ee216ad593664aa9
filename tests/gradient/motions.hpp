#pragma once
/// Gradients of motions against central differences of whole runs, with Richardson's extrapolation.

#include <gtest/gtest.h>

#include <algorithm>
#include <cctype>
#include <cmath>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "limber/scene/gradient/differentiable_run.hpp"
#include "limber/scene/json.hpp"
#include "limber/time/catalog.hpp"

namespace limber::test {

using Json = nlohmann::json;

inline Json beam(const std::string& method) {
  return {{"time", {{"step", .01}, {"duration", .06}}},
          {"method", {{"name", method}}},
          {"gravity", {.3, -9.81, 0}},
          {"bodies",
           {{{"name", "beam"},
             {"mesh", {{"shape", "box"}, {"size", {.4, .1, .1}}, {"cells", {3, 1, 1}}}},
             {"material", {{"model", "stable_neo_hookean"}, {"young", 2e5}, {"poisson", .35}, {"density", 1000}}},
             {"pin", {"left"}},
             {"velocity", {.2, .5, -.3}}}}}};
}

/// A smooth function of all states, and its derivatives by each.
struct Objective {
  static double weight(long step, Index i, double phase) {
    return std::sin(1.7 * static_cast<double>(i) + .9 * static_cast<double>(step) + phase);
  }
  static double value(long step, const State& u) {
    double sum = 0;
    for (Index i = 0; i < u.q.size(); ++i)
      sum +=
          weight(step, i, 0) * u.q[i] + .05 * weight(step, i, 1) * u.v[i] + .5 * u.q[i] * u.q[i] * weight(step, i, 2);
    return sum;
  }
  static FullAdjoint adjoint(long step, const State& u) {
    FullAdjoint g{Vector(u.q.size()), Vector(u.q.size())};
    for (Index i = 0; i < u.q.size(); ++i) {
      g.q[i] = weight(step, i, 0) + u.q[i] * weight(step, i, 2);
      g.v[i] = .05 * weight(step, i, 1);
    }
    return g;
  }
};

struct Gradient {
  double value = 0;
  std::vector<std::vector<double>> of;  // by parameter
};

inline Document document(const Json& scene) { return document_of(scene); }

inline double value(const Json& scene) {
  DifferentiableRun run(document(scene), "", {});
  double sum = 0;
  run.run([&](long k, const State& u) { sum += Objective::value(k, u); });
  return sum;
}

inline Gradient gradient(const Json& scene, const std::vector<std::string>& parameters) {
  DifferentiableRun run(document(scene), "", parameters);
  Gradient g;
  std::vector<State> states;
  run.run([&](long k, const State& u) {
    g.value += Objective::value(k, u);
    states.push_back(u);
  });
  g.of = run.gradient([&](long k) { return Objective::adjoint(k, states[static_cast<std::size_t>(k)]); });
  return g;
}

inline Gradient forward_gradient(const Json& scene, const std::vector<std::string>& parameters) {
  DifferentiableRun run(document(scene), "", parameters);
  Gradient g;
  Vector sum;
  run.forwards([&](long k, const State& u, const Matrix& dq, const Matrix& dv) {
    g.value += Objective::value(k, u);
    const FullAdjoint adjoint = Objective::adjoint(k, u);
    const Vector more = dq.transpose() * adjoint.q + dv.transpose() * adjoint.v;
    sum = sum.size() == 0 ? more : Vector(sum + more);
  });
  Index first = 0;
  for (const RunParameter& p : run.parameters()) {
    g.of.emplace_back(sum.begin() + first, sum.begin() + first + static_cast<Index>(p.values.size()));
    first += static_cast<Index>(p.values.size());
  }
  return g;
}

/// The derivative of a function of scenes by what stands at a pointer; `step`: of the wider of two differences.
inline double difference(const Json& scene, const std::string& pointer, double step,
                         double (*value)(const Json&) = value) {
  const Json::json_pointer at(pointer);
  const double x = scene.at(at).get<double>();
  const auto over = [&](double h) {
    Json a = scene, b = scene;
    a[at] = x + h;
    b[at] = x - h;
    return (value(a) - value(b)) / (2 * h);
  };
  const double wide = over(step), narrow = over(step / 2);
  return (4 * narrow - wide) / 3;
}

/// A parameter, and where it stands in the scene.
struct Entry {
  std::string parameter, pointer;
  std::size_t component = 0;
  double step = 0;
};

/// Of beam().
inline const Entry young{"bodies[0].material.young", "/bodies/0/material/young", 0, 2e2},
    poisson{"bodies[0].material.poisson", "/bodies/0/material/poisson", 0, 1e-3},
    density{"bodies[0].material.density", "/bodies/0/material/density", 0, 1},
    gravity{"gravity", "/gravity/1", 1, 1e-2}, velocity{"bodies[0].velocity", "/bodies/0/velocity/2", 2, 1e-3};

inline std::vector<std::string> method_names() {
  std::vector<std::string> all;
  for (const MethodInfo& m : method_catalog()) all.push_back(m.name);
  return all;
}

/// The name of a method as a part of that of a test.
inline std::string test_name(std::string method) {
  std::replace_if(
      method.begin(), method.end(), [](unsigned char c) { return !std::isalnum(c); }, '_');
  return method;
}

/// Forwards and backwards, or forwards only.
inline void expect_equal(const Json& scene, const std::vector<Entry>& all, double tolerance,
                         bool forwards_only = false) {
  std::vector<std::string> names;
  for (const Entry& e : all) names.push_back(e.parameter);
  const Gradient f = forward_gradient(scene, names), g = gradient(scene, names);
  EXPECT_NEAR(g.value, f.value, 1e-12 * std::abs(g.value));
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double expected = difference(scene, all[i].pointer, all[i].step), scale = std::abs(expected);
    EXPECT_NEAR(f.of[i][all[i].component], expected, tolerance * scale)
        << all[i].parameter << " forwards, relative error " << f.of[i][all[i].component] / expected - 1;
    if (forwards_only) continue;
    EXPECT_NEAR(g.of[i][all[i].component], expected, tolerance * scale)
        << all[i].parameter << " backwards, relative error " << g.of[i][all[i].component] / expected - 1;
  }
}

}  // namespace limber::test
