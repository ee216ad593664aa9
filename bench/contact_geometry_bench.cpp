/// What the geometry of one collision costs: nearest points, barrier with its projected Hessian, continuous collision
/// detection. Pairs as a simulation meets them: most queries of continuous detection are near misses.

#include <benchmark/benchmark.h>

#include <Eigen/Geometry>
#include <random>
#include <vector>

#include "limber/contact/forces/barrier.hpp"
#include "limber/contact/geometry/ccd.hpp"
#include "limber/contact/geometry/distance.hpp"

namespace limber::bench {
namespace {

enum class Kind { point_triangle, edge_edge };

struct Query {
  Kind kind;
  FourNodes x0, x1;
};

/// Features of size 1; half of them face each other at a gap of about `gap`, the others lie anywhere about that far;
/// the nodes move by about `motion`.
std::vector<Query> queries(double gap, double motion) {
  std::mt19937 generator(1);
  std::uniform_real_distribution<double> unit(-1, 1);
  const auto vec = [&] { return Vec3(unit(generator), unit(generator), unit(generator)); };
  std::vector<Query> out(4096);
  for (std::size_t i = 0; i < out.size(); ++i) {
    Query& q = out[i];
    q.kind = i % 2 == 0 ? Kind::point_triangle : Kind::edge_edge;
    const double s = i % 4 < 2 ? 0.3 : unit(generator), t = i % 4 < 2 ? 0.4 : unit(generator);
    const Vec3 a = vec(), u = vec(), v = vec(), n = gap * (1.1 + unit(generator)) * u.cross(v).normalized();
    if (q.kind == Kind::point_triangle)
      q.x0 = {a + s * u + t * v + n, a, a + u, a + v};
    else
      q.x0 = {a - s * u, a + (1 - s) * u, a + n - t * v, a + n + (1 - t) * v};
    for (int j = 0; j < 4; ++j) q.x1[j] = q.x0[j] + motion * vec();
  }
  return out;
}

Nearest nearest(const Query& q) {
  const FourNodes& x = q.x0;
  return q.kind == Kind::point_triangle ? point_triangle(x[0], x[1], x[2], x[3]) : edge_edge(x[0], x[1], x[2], x[3]);
}

template <class Work>
void each(benchmark::State& state, const std::vector<Query>& all, const Work& work) {
  std::size_t i = 0;
  for (auto _ : state) {
    benchmark::DoNotOptimize(work(all[i]));
    i = (i + 1) % all.size();
  }
}

void distance2(benchmark::State& state) {
  each(state, queries(1e-2, 0), [](const Query& q) {
    const FourNodes& x = q.x0;
    return q.kind == Kind::point_triangle ? point_triangle_distance2(x[0], x[1], x[2], x[3])
                                          : edge_edge_distance2(x[0], x[1], x[2], x[3]);
  });
}

void nearest_points(benchmark::State& state) { each(state, queries(1e-2, 0), nearest); }

void barrier_hessian(benchmark::State& state) {
  each(state, queries(1e-2, 0), [](const Query& q) {
    const Nearest at = nearest(q);
    const Jet b = barrier(at.d, 2 * at.d);
    return compose(at, b.first, b.second);
  });
}

void barrier_hessian_projected(benchmark::State& state) {
  each(state, queries(1e-2, 0), [](const Query& q) {
    const Nearest at = nearest(q);
    const Jet b = barrier(at.d, 2 * at.d);
    return compose_projected(at, b.first, b.second);
  });
}

/// gap and motion in thousandths of the features' size.
void safe_step(benchmark::State& state) {
  const auto all = queries(1e-3 * static_cast<double>(state.range(0)), 1e-3 * static_cast<double>(state.range(1)));
  each(state, all, [](const Query& q) {
    return q.kind == Kind::point_triangle ? safe_step_point_triangle(q.x0, q.x1, 0.1, 0)
                                          : safe_step_edge_edge(q.x0, q.x1, 0.1, 0);
  });
}

void time_of_impact(benchmark::State& state) {
  const auto all = queries(1e-3 * static_cast<double>(state.range(0)), 1e-3 * static_cast<double>(state.range(1)));
  each(state, all, [](const Query& q) {
    return q.kind == Kind::point_triangle ? time_of_impact_point_triangle(q.x0, q.x1)
                                          : time_of_impact_edge_edge(q.x0, q.x1);
  });
}

BENCHMARK(distance2)->Name("contact/distance2");
BENCHMARK(nearest_points)->Name("contact/nearest");
BENCHMARK(barrier_hessian)->Name("contact/barrier_hessian");
BENCHMARK(barrier_hessian_projected)->Name("contact/barrier_hessian_projected");
BENCHMARK(safe_step)
    ->Name("contact/safe_step")
    ->ArgNames({"gap", "motion"})
    ->Args({100, 20})
    ->Args({10, 10})
    ->Args({10, 100});
BENCHMARK(time_of_impact)
    ->Name("contact/time_of_impact")
    ->ArgNames({"gap", "motion"})
    ->Args({100, 20})
    ->Args({10, 100});

}  // namespace
}  // namespace limber::bench
