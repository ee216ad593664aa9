#include "limber/mesh/fill/tetrahedralize_field.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/core/parallel.hpp"

namespace limber {
namespace {

constexpr double half_plate = 0.6;  // c [spacing]
constexpr double blend = 0.25;      // s goes from 1 to −1 while w goes from 1/2 − blend to 1/2 + blend
constexpr int samples_across = 32;  // of the volume, along the longest side
constexpr double margin = 2;        // around the surface [spacing]

}  // namespace

BodyField::BodyField(const TriMesh& surface, double spacing) : all_(surface), spacing_(spacing) {
  std::vector<char> thin(surface.triangles.size(), 0);
  parallel_for(static_cast<Index>(thin.size()), [&](Index t) { thin[t] = is_thin(static_cast<std::size_t>(t)); });
  TriMesh sheets{surface.nodes, {}};
  for (std::size_t t = 0; t < thin.size(); ++t)
    if (thin[t]) sheets.triangles.push_back(surface.triangles[t]);
  if (!sheets.triangles.empty()) thin_.emplace(std::move(sheets));
}

bool BodyField::is_thin(std::size_t t) const {
  const TriMesh& mesh = all_.mesh();
  const auto& i = mesh.triangles[t];
  const Vec3 &a = mesh.nodes[i[0]], &b = mesh.nodes[i[1]], &c = mesh.nodes[i[2]];
  const Vec3 middle = (a + b + c) / 3, inwards = -(b - a).cross(c - a).normalized();
  for (int k = 1; k <= 3; ++k)
    if (all_.winding(middle + k * spacing_ / 4 * inwards) < 0.5) return true;
  return false;
}

double BodyField::operator()(const Vec3& x) const {
  const double d = all_.distance(x);
  const double s = std::clamp((0.5 - all_.winding(x)) / blend, -1., 1.), c = half_plate * spacing_;
  const double body = s * d;
  if (!thin_ || d - c >= body) return body;
  return std::min(body, thin_->distance(x) - c);
}

Box3 BodyField::box() const {
  const Box3 b = bounding_box(all_.mesh().nodes);
  return {b.min.array() - margin * spacing_, b.max.array() + margin * spacing_};
}

double BodyField::volume() const {
  const Box3 b = box();
  const Vec3 size = b.max - b.min;
  const double step = std::max(size.maxCoeff() / samples_across, 1e-300);
  const Eigen::Array3i n = (size / step).array().ceil().cast<int>().max(1);
  const Vec3 cell = size.array() / n.cast<double>();
  const double inside = ordered_sum(n[2], [&](Index k) {
    double count = 0;
    for (int j = 0; j < n[1]; ++j)
      for (int i = 0; i < n[0]; ++i) {
        const Vec3 x = b.min + cell.cwiseProduct(Vec3(i + 0.5, j + 0.5, static_cast<double>(k) + 0.5));
        if (all_.winding(x) >= 0.5) ++count;
      }
    return count;
  });
  double plates = 0;  // their volume where nothing else is
  if (thin_) {
    const TriMesh& sheets = thin_->mesh();
    for (const auto& t : sheets.triangles)
      plates += (sheets.nodes[t[1]] - sheets.nodes[t[0]]).cross(sheets.nodes[t[2]] - sheets.nodes[t[0]]).norm() / 2;
  }
  return inside * cell.prod() + 2 * half_plate * spacing_ * plates;
}

}  // namespace limber
