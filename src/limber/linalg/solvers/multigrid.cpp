#include "limber/linalg/solvers/multigrid.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>

#include "limber/core/nodes.hpp"
#include "limber/linalg/chunks.hpp"
#include "limber/linalg/gathered.hpp"
#include "limber/linalg/solvers/grid_level.hpp"

namespace limber {
namespace {

constexpr int coarsest_unknowns = 2000;        // for a factor
constexpr int coarsest_unknowns_of_all = 500;  // for one that each process has: what they do not share must be little
constexpr int most_levels = 12;
constexpr int gathered = 6;  // nodes of coarse levels, whose graphs are dense: larger aggregates need more iterations

/// Rotations about the origin and translations at a point.
void rigid_motions(const Vec3& x, Eigen::Ref<Eigen::Matrix<double, 3, aggregate_motions>> B) {
  B.leftCols<3>().setIdentity();
  for (int axis = 0; axis < 3; ++axis) B.col(3 + axis) = Vec3::Unit(axis).cross(x);
}

/// Of each node, the number of its part; empty: not known.
std::vector<int> part_of_nodes(const UnknownNodes& nodes, int count) {
  std::vector<int> part;
  if (!nodes.parts) return part;
  part.assign(ix(count), -1);
  for (std::size_t p = 0; p < nodes.parts->size(); ++p)
    for (const int i : (*nodes.parts)[p])
      if (i < count) part[ix(i)] = static_cast<int>(p);
  return part;
}

}  // namespace

Multigrid::Multigrid() = default;
Multigrid::~Multigrid() = default;

void Multigrid::forget() {
  levels_.clear();
  coarsest_.reset();
}

SolveReport::Status Multigrid::set_up(const RowMatrix& A, const UnknownNodes& nodes) {
  using Status = SolveReport::Status;
  forget();
  levels_.push_back(std::make_unique<GridLevel>());
  levels_[0]->own.A = A.block_rows();
  levels_[0]->own.space = A.space();
  const Space& space = A.space();
  const Index n = A.size();
  NearNull near_null(n);
  const Vector* positions = space.all(nodes.positions && nodes.positions->size() == n) ? nodes.positions : nullptr;
  Vec3 centre = Vec3::Zero();
  if (positions)
    for (Index i = 0; i < n; i += 3)
      if (space.owns(i / 3)) centre += positions->segment<3>(i) * (3. / static_cast<double>(space.global_size(n)));
  for (double& c : centre) c = space.sum(c);
  for (Index i = 0; i < n; i += 3) {
    if (positions)
      rigid_motions(positions->segment<3>(i) - centre, near_null.matrix().middleRows<3>(i));
    else
      near_null.matrix().block<3, 3>(i, 0).setIdentity();
  }
  std::vector<int> part = part_of_nodes(nodes, levels_[0]->own.A.rows);
  while (true) {
    GridLevel& fine = *levels_.back();
    fine.prepare();
    const int small = fine.own.space.shared() ? coarsest_unknowns_of_all : coarsest_unknowns;
    if (fine.block * fine.all_nodes() <= small || levels_.size() == most_levels) break;
    const Aggregates parts =
        gather_shared(fine.own.A, part, fine.own.space, [&](const BlockRows& B, const auto& of_part) {
          return fine.block == aggregate_motions ? gather_strongest(B, of_part, gathered) : gather(B, of_part);
        });
    if (3 * parts.count > 2 * fine.all_nodes() && fine.block == aggregate_motions) break;
    auto coarse = std::make_unique<GridLevel>();
    if (const Status made = fine.make_coarse(parts, near_null, *coarse); made != Status::ok) return made;
    if (!part.empty()) part = fine.parts_of_aggregates(parts, part, *coarse);
    fine.coarse_values(*coarse);
    levels_.push_back(std::move(coarse));
  }
  return finish();
}

SolveReport::Status Multigrid::refresh(const RowMatrix& A) {
  using Status = SolveReport::Status;
  levels_[0]->own.A = A.block_rows();
  for (const auto& level : levels_) level->unfinish();
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k) {
    if (const Status made = levels_[k]->prepare_smoother(); made != Status::ok) return made;
    levels_[k]->coarse_values(*levels_[k + 1]);
  }
  return finish();
}

SolveReport::Status Multigrid::follow(const RowMatrix& A) {
  constexpr int few = 10;  // one node in so many
  levels_[0]->own.A = A.block_rows();
  if (levels_.size() < 2 || levels_[0]->own.space.shared()) return SolveReport::Status::ok;
  auto changed = levels_[0]->changes(A.block_rows().rows / few);
  if (!changed || changed->row.empty()) return SolveReport::Status::ok;
  for (std::size_t k = 0; k + 1 < levels_.size(); ++k) *changed = levels_[k]->take(*changed, *levels_[k + 1]);
  levels_.back()->take(*changed);
  return factor_coarsest();
}

SolveReport::Status Multigrid::finish() {
  for (std::size_t k = levels_.size() - 1; k-- > 0;) levels_[k]->finish();
  return factor_coarsest();
}

SolveReport::Status Multigrid::factor_coarsest() {
  const GridLevel& last = *levels_.back();
  const int B = last.block;
  const Index n = static_cast<Index>(B) * last.all_nodes();
  std::vector<Entry> entries;
  for (int i = 0; i < last.own.A.rows; ++i)
    for (int s = last.own.A.start[i]; s < last.own.A.start[i + 1]; ++s)
      if (last.own.A.column[s] <= i)
        for (int c = 0; c < B; ++c)
          for (int r = 0; r < B; ++r)
            if (const int row = B * i + r, column = B * last.own.A.column[s] + c; row >= column)
              entries.emplace_back(row, column, last.own.A.value[(ix(s) * ix(B) + ix(c)) * ix(B) + ix(r)]);
  if (last.own.space.shared()) {
    const auto place = [&](int i) { return B * last.own.space.places()[ix(i / B)] + i % B; };
    for (Entry& e : entries) e = lower_entry(place(e.row()), place(e.col()), e.value());
    A_coarsest_ = gather_entries(last.own.space.processes(), n, entries);
  } else {
    A_coarsest_.resize(n, n);
    A_coarsest_.setFromTriplets(entries.begin(), entries.end());
  }
  if (!coarsest_) {
    coarsest_ = make_best_factor(A_coarsest_, Symmetry::symmetric);
    coarsest_->analyze(A_coarsest_);
  }
  b_coarsest_.resize(n);
  x_coarsest_.resize(n);
  return coarsest_->factorize(A_coarsest_);
}

void Multigrid::cycle(std::size_t k) {
  GridLevel& level = *levels_[k];
  if (k + 1 == levels_.size()) {
    const bool shared = level.own.space.shared();
    if (shared)
      b_coarsest_ = level.own.space.allgather(level.b.data(), level.block);
    else
      std::copy(level.b.begin(), level.b.end(), b_coarsest_.begin());
    coarsest_->solve(b_coarsest_, x_coarsest_);
    const Vector x = shared ? level.own.space.restrict(x_coarsest_, level.block) : x_coarsest_;
    std::transform(x.begin(), x.end(), level.x.begin(), [](double value) { return static_cast<float>(value); });
    return;
  }
  level.smooth_from_zero();
  level.restrict_residual(*levels_[k + 1]);
  cycle(k + 1);
  level.prolong(*levels_[k + 1]);
  level.smooth();
}

double Multigrid::apply(const Vector& r, Vector& z) {
  GridLevel& fine = *levels_[0];
  const Space& space = fine.own.space;
  const double scale = space.shared() ? space.norm(r) : chunked_norm(r);
  z.resize(r.size());
  if (!(scale > 0) || !std::isfinite(scale)) {
    z.setZero();
    return 0;
  }
  for_chunks(r.size(), [&](Index begin, Index end) {
    for (Index i = begin; i < end; ++i) fine.b[static_cast<std::size_t>(i)] = static_cast<float>(r[i] / scale);
  });
  cycle(0);
  const double here = sum_chunks(r.size(), [&](Index begin, Index end) {
    double sum = 0;
    for (Index i = begin; i < end; ++i) {
      z[i] = scale * fine.x[static_cast<std::size_t>(i)];
      sum += r[i] * z[i];
    }
    return sum;
  });
  return space.shared() ? space.dot(r, z) : here;
}

double Multigrid::complexity() const {
  double all = 0, fine = 0;
  for (const auto& level : levels_) {
    const double entries = static_cast<double>(level->own.A.start[level->own.A.rows]) * level->block * level->block;
    if (fine == 0) fine = entries;
    all += entries;
  }
  return levels_[0]->own.space.sum(all) / levels_[0]->own.space.sum(fine);
}

}  // namespace limber
