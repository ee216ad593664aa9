#include "limber/contact/geometry/distance_grid.hpp"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

#include "limber/core/parallel.hpp"
#include "limber/mesh/winding.hpp"

namespace limber {

namespace {

constexpr int cells_around = 3;  // cells between the surface and the box's faces, at least

/// The four cubic B-splines that live on a cell, and their derivatives, at u in [0, 1].
struct Splines {
  explicit Splines(double u) {
    const double v = 1 - u;
    value = {v * v * v / 6, (4 + 3 * u * u * (u - 2)) / 6, (4 + 3 * v * v * (v - 2)) / 6, u * u * u / 6};
    slope = {-v * v / 2, u * (3 * u - 4) / 2, v * (4 - 3 * v) / 2, u * u / 2};
    bend = {v, 3 * u - 2, 3 * v - 2, u};
  }
  std::array<double, 4> value, slope, bend;
};

/// The coefficients of the natural cubic spline through n values at a stride, in place: c₋ + 4c + c₊ = 6f, c = f at
/// ends.
void interpolate_line(double* f, std::size_t stride, int n, std::vector<double>& above) {
  above.assign(static_cast<std::size_t>(n), 0.0);
  for (int i = 1; i + 1 < n; ++i) {
    const std::size_t at = static_cast<std::size_t>(i);
    const double pivot = 4 - above[at - 1];
    above[at] = 1 / pivot;
    f[at * stride] = (6 * f[at * stride] - f[(at - 1) * stride]) / pivot;
  }
  for (int i = n - 2; i > 0; --i) {
    const std::size_t at = static_cast<std::size_t>(i);
    f[at * stride] -= above[at] * f[(at + 1) * stride];
  }
}

}  // namespace

struct DistanceGrid::Patch {
  Patch(const DistanceGrid& grid, const Vec3& g) : grid_(grid) {
    for (int a = 0; a < 3; ++a) {
      cell[a] = std::clamp(static_cast<int>(std::floor(g[a])), 1, grid.n_[a] - 3);
      splines[a] = Splines(g[a] - cell[a]);
    }
  }
  double coefficient(int i, int j, int k) const {
    return grid_.coefficients_[grid_.slot(cell[0] - 1 + i, cell[1] - 1 + j, cell[2] - 1 + k)];
  }
  double value() const {
    double sum = 0;
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j) {
        double row = 0;
        for (int i = 0; i < 4; ++i) row += splines[0].value[i] * coefficient(i, j, k);
        sum += splines[2].value[k] * splines[1].value[j] * row;
      }
    return sum;
  }
  /// Per unit of length.
  ImplicitValue derivatives() const {
    double f = 0;
    Vec3 g = Vec3::Zero();
    Mat3 H = Mat3::Zero();
    const auto &X = splines[0], &Y = splines[1], &Z = splines[2];
    for (int k = 0; k < 4; ++k)
      for (int j = 0; j < 4; ++j) {
        double r = 0, rx = 0, rxx = 0;
        for (int i = 0; i < 4; ++i) {
          const double c = coefficient(i, j, k);
          r += X.value[i] * c;
          rx += X.slope[i] * c;
          rxx += X.bend[i] * c;
        }
        const double yz = Y.value[j] * Z.value[k];
        f += yz * r;
        g += Vec3(yz * rx, Y.slope[j] * Z.value[k] * r, Y.value[j] * Z.slope[k] * r);
        H(0, 0) += yz * rxx;
        H(1, 1) += Y.bend[j] * Z.value[k] * r;
        H(2, 2) += Y.value[j] * Z.bend[k] * r;
        H(1, 0) += Y.slope[j] * Z.value[k] * rx;
        H(2, 0) += Y.value[j] * Z.slope[k] * rx;
        H(2, 1) += Y.slope[j] * Z.slope[k] * r;
      }
    const Mat3 full = H.selfadjointView<Eigen::Lower>();
    return {f, g / grid_.h_, full / (grid_.h_ * grid_.h_)};
  }

  const DistanceGrid& grid_;
  std::array<int, 3> cell;
  std::array<Splines, 3> splines{Splines(0), Splines(0), Splines(0)};
};

DistanceGrid::DistanceGrid(const TriMesh& surface, int cells, double margin) {
  assert(cells >= 1 && margin >= 0 && !surface.triangles.empty());
  const Box3 box = bounding_box(surface.nodes);
  h_ = (box.max - box.min).maxCoeff() / cells;
  const int beyond = 1 + std::max(cells_around, static_cast<int>(std::ceil(margin / h_)));
  for (int a = 0; a < 3; ++a) {
    const int inner = static_cast<int>(std::ceil((box.max[a] - box.min[a]) / h_ * (1 - 1e-12)));
    n_[a] = inner + 1 + 2 * beyond;
    origin_[a] = (box.min[a] + box.max[a] - h_ * (n_[a] - 1)) / 2;
  }
  sample(surface);
  interpolate();
  bound_derivatives();
  if (!has_inside_) bounds_ = box;
}

void DistanceGrid::sample(const TriMesh& surface) {
  const WindingTree tree(surface);
  const bool closed = is_closed(surface);
  coefficients_.resize(slot(0, 0, n_[2]));
  std::vector<char> inside(static_cast<std::size_t>(n_[1]) * static_cast<std::size_t>(n_[2]), 0);
  parallel_for(static_cast<Index>(inside.size()), [&](Index row) {
    const int j = static_cast<int>(row % n_[1]), k = static_cast<int>(row / n_[1]);
    double distance = std::numeric_limits<double>::infinity();
    bool in = false;
    for (int i = 0; i < n_[0]; ++i) {
      const Vec3 x = origin_ + h_ * Vec3(i, j, k);
      const bool same_side = closed && i > 0 && distance > 1.001 * h_;  // no surface between this node and the last
      distance = tree.distance(x, 1.001 * (distance + h_));
      if (!same_side) in = distance > 0 && std::abs(tree.winding(x)) > 0.5;  // on the surface w has no meaning
      coefficients_[slot(i, j, k)] = in ? -distance : distance;
      if (in) inside[static_cast<std::size_t>(row)] = 1;
    }
  });
  has_inside_ = std::find(inside.begin(), inside.end(), 1) != inside.end();
}

void DistanceGrid::interpolate() {
  const std::array<std::size_t, 3> stride{1, slot(0, 1, 0), slot(0, 0, 1)};
  for (int a = 0; a < 3; ++a) {
    const int b = (a + 1) % 3, c = (a + 2) % 3;
    parallel_for(n_[c], [&](Index m) {
      std::vector<double> above;
      for (int l = 0; l < n_[b]; ++l)
        interpolate_line(
            &coefficients_[static_cast<std::size_t>(l) * stride[b] + static_cast<std::size_t>(m) * stride[c]],
            stride[a], n_[a], above);
    });
  }
}

namespace {

/// What a cell's Bézier points b say about φ there: it lies within their range, and so do its derivatives with respect
/// to the scaled differences. u = (x − corner)/h.
struct CellBounds {
  explicit CellBounds(const std::array<double, 64>& b) {
    constexpr std::array<int, 3> step{1, 4, 16};
    Vec3 slope = Vec3::Zero(), least = Vec3::Zero(), mixed = Vec3::Zero();
    for (int s = 0; s < 64; ++s) {
      const std::array<int, 3> at{s % 4, s / 4 % 4, s / 16};
      for (int a = 0; a < 3; ++a) {
        const int c = (a + 1) % 3, A = step[a], C = step[c];
        if (at[a] < 3) slope[a] = std::max(slope[a], 3 * std::abs(b[s + A] - b[s]));
        if (at[a] < 2) least[a] = std::min(least[a], 6 * (b[s] - 2 * b[s + A] + b[s + 2 * A]));
        if (at[a] < 3 && at[c] < 3)
          mixed[a] = std::max(mixed[a], 9 * std::abs(b[s + A + C] - b[s + A] - b[s + C] + b[s]));
      }
    }
    lowest = *std::min_element(b.begin(), b.end());
    steepest = slope.norm();
    // Gershgorin: no eigenvalue is below the least of the rows' discs.
    for (int a = 0; a < 3; ++a) concavity = std::max(concavity, -least[a] + mixed[a] + mixed[(a + 2) % 3]);
  }
  double lowest, steepest, concavity = 0;
};

/// B-spline coefficients → Bézier points along one axis of a 4 × 4 × 4 block.
void to_bezier(std::array<double, 64>& c, int step) {
  for (int s = 0; s < 64; ++s) {
    if (s / step % 4 != 0) continue;
    double &c0 = c[s], &c1 = c[s + step], &c2 = c[s + 2 * step], &c3 = c[s + 3 * step];
    const double inner = (2 * c1 + c2) / 3, outer = (c1 + 2 * c2) / 3;
    c0 = (c0 + 4 * c1 + c2) / 6;
    c3 = (c1 + 4 * c2 + c3) / 6;
    c1 = inner;
    c2 = outer;
  }
}

}  // namespace

void DistanceGrid::bound_derivatives() {
  struct Layer {
    double steepest = 0, concavity = 0;
    std::array<int, 3> low{1 << 30, 1 << 30, 1 << 30}, high{-1, -1, -1};
  };
  std::vector<Layer> layers(static_cast<std::size_t>(n_[2]));
  concavity_.assign(coefficients_.size(), 0.0f);
  parallel_for(n_[2] - 3, [&](Index m) {
    Layer& layer = layers[static_cast<std::size_t>(m)];
    for (int j = 1; j + 2 < n_[1]; ++j)
      for (int i = 1; i + 2 < n_[0]; ++i) {
        const std::array<int, 3> cell{i, j, static_cast<int>(m) + 1};
        std::array<double, 64> b;
        for (int s = 0; s < 64; ++s)
          b[s] = coefficients_[slot(cell[0] - 1 + s % 4, cell[1] - 1 + s / 4 % 4, cell[2] - 1 + s / 16)];
        for (const int step : {1, 4, 16}) to_bezier(b, step);
        const CellBounds bounds(b);
        const double concavity = bounds.concavity / (h_ * h_) * (1 + 1e-6);
        concavity_[slot(cell[0], cell[1], cell[2])] = static_cast<float>(concavity);
        layer.steepest = std::max(layer.steepest, bounds.steepest / h_);
        layer.concavity = std::max(layer.concavity, concavity);
        if (bounds.lowest > 0) continue;
        for (int a = 0; a < 3; ++a) {
          layer.low[a] = std::min(layer.low[a], cell[a]);
          layer.high[a] = std::max(layer.high[a], cell[a] + 1);
        }
      }
  });
  Layer all;
  for (const Layer& layer : layers) {
    all.steepest = std::max(all.steepest, layer.steepest);
    all.concavity = std::max(all.concavity, layer.concavity);
    for (int a = 0; a < 3; ++a) {
      all.low[a] = std::min(all.low[a], layer.low[a]);
      all.high[a] = std::max(all.high[a], layer.high[a]);
    }
  }
  lipschitz_ = std::max(1.0, all.steepest * (1 + 1e-12));
  worst_concavity_ = all.concavity;
  bounds_ = {origin_ + h_ * Vec3(all.low[0], all.low[1], all.low[2]),
             origin_ + h_ * Vec3(all.high[0], all.high[1], all.high[2])};
}

Box3 DistanceGrid::domain() const {
  return {origin_ + Vec3::Constant(h_), origin_ + h_ * Vec3(n_[0] - 2, n_[1] - 2, n_[2] - 2)};
}

double DistanceGrid::value(const Vec3& x) const {
  const Box3 box = domain();
  const Vec3 p = x.cwiseMax(box.min).cwiseMin(box.max);
  const double inner = Patch(*this, grid_coordinates(p)).value();
  return p == x ? inner : std::hypot(inner, (x - p).norm());
}

ImplicitValue DistanceGrid::at(const Vec3& x) const {
  const Box3 box = domain();
  const Vec3 p = x.cwiseMax(box.min).cwiseMin(box.max), out = x - p;
  ImplicitValue inner = Patch(*this, grid_coordinates(p)).derivatives();
  if (out.isZero(0)) return inner;
  const Vec3 free = (out.array() == 0).cast<double>();  // the coordinates with which p moves
  const Vec3 g = free.cwiseProduct(inner.gradient);
  const double f = std::hypot(inner.value, out.norm());
  const Vec3 gradient = (out + inner.value * g) / f;
  const Mat3 H = free.asDiagonal() * inner.hessian * free.asDiagonal();
  const Mat3 square = Mat3((Vec3::Ones() - free).asDiagonal()) + g * g.transpose() + inner.value * H;
  return {f, gradient, (square - gradient * gradient.transpose()) / f};
}

double DistanceGrid::concavity(const Vec3& x, double radius) const {
  constexpr int few_cells = 64;
  const Box3 box = domain();
  const Vec3 reach = Vec3::Constant(radius);
  if (((x - reach).array() < box.min.array()).any() || ((x + reach).array() > box.max.array()).any())
    return std::numeric_limits<double>::infinity();
  std::array<int, 3> low, high;
  int count = 1;
  for (int a = 0; a < 3; ++a) {
    const double from = (x[a] - radius - origin_[a]) / h_, to = (x[a] + radius - origin_[a]) / h_;
    if (to - from > few_cells) return worst_concavity_;
    low[a] = std::clamp(static_cast<int>(std::floor(from)), 1, n_[a] - 3);
    high[a] = std::clamp(static_cast<int>(std::floor(to)), 1, n_[a] - 3);
    count *= high[a] - low[a] + 1;
  }
  if (count > few_cells) return worst_concavity_;
  float bound = 0;
  for (int k = low[2]; k <= high[2]; ++k)
    for (int j = low[1]; j <= high[1]; ++j)
      for (int i = low[0]; i <= high[0]; ++i) bound = std::max(bound, concavity_[slot(i, j, k)]);
  return bound;
}

ShapePtr distance_grid(const TriMesh& surface, int cells, double margin) {
  return std::make_shared<DistanceGrid>(surface, cells, margin);
}

}  // namespace limber
