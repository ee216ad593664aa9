#include "limber/model/assembler.hpp"

#include <algorithm>
#include <atomic>
#include <string>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/parallel.hpp"
#include "limber/linalg/chunks.hpp"

namespace limber {
namespace {

/// Pairs of nodes as pairs of free numbers, the larger one first; omits pairs with prescribed nodes and pairs of equal
/// nodes.
void number_free(Couplings& pairs, const std::vector<int>& free_index) {
  for (auto& [a, b] : pairs) {
    const int fa = free_index[ix(a)], fb = free_index[ix(b)];
    a = fa < 0 || fb < 0 ? -1 : std::max(fa, fb);
    b = std::min(fa, fb);
  }
  std::erase_if(pairs, [](const auto& p) { return p.first < 0 || p.first == p.second; });
}

}  // namespace

Assembler::Assembler(const UnknownMap& map, const ForceList& forces, const NodalMasses& masses, Couplings coupled)
    : map_(map), forces_(forces), masses_(masses), fixed_(std::move(coupled)) {
  number_free(fixed_, map_.free_index());
  std::sort(fixed_.begin(), fixed_.end());
  fixed_.erase(std::unique(fixed_.begin(), fixed_.end()), fixed_.end());
  fixed_.shrink_to_fit();
  make_pattern({});
  if (!grows()) fixed_ = Couplings();
  Vector mass = mass_.matrix().diagonal();
  map_.space().add_up(mass);
  for (int i = 0; i < map_.ties().unknowns(); ++i)
    if (!(mass[3 * i] > 0))
      throw InputError("bodies", "node " + std::to_string(map_.holders().scene_number(map_.unknown_nodes()[ix(i)])) +
                                     " is free but has no mass");
}

BlockPattern Assembler::pattern_of(const Couplings& pairs, Storage storage) const {
  return {static_cast<int>(map_.free_nodes().size()), pairs, storage};
}

void Assembler::make_pattern(const Couplings& more) {
  grown_ = false;
  if (more.empty()) {
    pattern_ = pattern_of(fixed_, forces_.storage());
  } else {
    Couplings pairs = fixed_;
    pairs.insert(pairs.end(), more.begin(), more.end());
    pattern_ = pattern_of(pairs, forces_.storage());
  }
  if (coupled_unsymmetrically()) unsymmetric_ = pattern_of(more, Storage::full);
  for (const auto& f : forces_.all()) f->bind(pattern_, map_.free_index());
  if (map_.ties().any()) tied_ = TiedPattern(map_.ties(), pattern_);
  make_mass();
}

void Assembler::make_mass() {
  const Symmetry symmetry = forces_.storage() == Storage::lower ? Symmetry::symmetric : Symmetry::general;
  const auto take = [&](const SparseMatrix& M) {
    mass_ = map_.space().shared() ? MassMatrix(M, symmetry, map_.space()) : MassMatrix(M, symmetry);
  };
  const auto& free_index = map_.free_index();
  if (!masses_.coupled && !map_.ties().any() && map_.guided_nodes().empty()) {
    Vector diagonal = Vector::Zero(map_.size());
    for (const auto& m : masses_.list)
      if (const int f = free_index[ix(m.a)]; f >= 0) block(diagonal, f) += Vec3::Constant(m.m);
    take(diagonal_matrix(diagonal));
    return;
  }
  SparseMatrix M = pattern_.zero();
  const auto add = [&](int a, int b, double m) {
    const int fa = free_index[ix(a)], fb = free_index[ix(b)];
    if (fa < 0 || fb < 0 || (forces_.storage() == Storage::lower && fa < fb)) return;
    const auto slot = pattern_.slot(fa, fb);
    for (int c = 0; c < 3; ++c) M.valuePtr()[slot.at(c, c)] += m;
  };
  for (const auto& m : masses_.list) {
    add(m.a, m.b, m.m);
    if (m.a != m.b) add(m.b, m.a, m.m);
  }
  if (map_.ties().any()) {
    SparseMatrix of_nodes = tied_.pattern().zero();
    of_nodes.swap(M);
    tied_.add_reduced(of_nodes.valuePtr(), M.valuePtr());
  }
  guided_ = GuidedPattern(map_.guides(), M, forces_.storage());
  guided_.project(M.valuePtr(), GuidedPattern::Diagonal::kept);
  take(M);
}

void Assembler::forget() {
  if (grown_)
    make_pattern({});
  else
    mass_.forget();
}

void Assembler::couple(const State& all) {
  Couplings now, soon;
  for (const ContactForce* f : forces_.contact()) f->add_couplings_at(all, now);
  number_free(now, map_.free_index());
  const auto holds = [&](const BlockPattern& pattern) {
    std::atomic<bool> all = true;
    in_pieces(now.size(), 2048, [&](std::size_t k) {
      if (pattern.slot(now[k].first, now[k].second).first < 0) all = false;
    });
    return all.load();
  };
  const Space& space = map_.space();
  const bool fits = space.all(holds(pattern_));
  if (fits && (!coupled_unsymmetrically() || space.all(holds(unsymmetric_)))) return;
  for (const ContactForce* f : forces_.contact()) f->add_couplings_soon(all, soon);
  number_free(soon, map_.free_index());
  now.insert(now.end(), soon.begin(), soon.end());
  if (fits)
    unsymmetric_ = pattern_of(now, Storage::full);
  else
    make_pattern(now);
  grown_ = true;
}

void Assembler::clear(SparseMatrix& A) const {
  if (const BlockPattern& pattern = unknowns_pattern(); !pattern.is_of(A)) {
    A = pattern.zero();
    return;
  }
  for_chunks(A.nonZeros(), [&](Index begin, Index end) { std::fill(A.valuePtr() + begin, A.valuePtr() + end, 0.0); });
}

void Assembler::assemble(Definiteness definiteness, bool damped, Tangent& T,
                         const std::function<void(TangentBuilder&)>& add) {
  T.deflation.reset();
  T.unsymmetric.resize(0, 0);
  clear(T.K);
  if (damped) clear(T.D);
  double *K = T.K.valuePtr(), *D = damped ? T.D.valuePtr() : nullptr;
  if (map_.ties().any()) {
    K = of_nodes_.K.setZero(pattern_.entries()).data();
    if (D) D = of_nodes_.D.setZero(pattern_.entries()).data();
  }
  std::vector<RankOne> low_rank;
  TangentBuilder builder(pattern_, map_.free_index(), definiteness, K, D, {&unsymmetric_, &T.unsymmetric}, &low_rank);
  add(builder);
  reduce(T, damped);
  T.low_rank = gathered(low_rank);
}

void Assembler::reduce(Tangent& T, bool damped) {
  const bool unsymmetric = T.unsymmetric.size() > 0;
  if (map_.ties().any()) {
    tied_.add_reduced(of_nodes_.K.data(), T.K.valuePtr());
    if (damped) tied_.add_reduced(of_nodes_.D.data(), T.D.valuePtr());
    if (unsymmetric) T.unsymmetric = map_.ties().reduced(T.unsymmetric);
  }
  if (!map_.guides().any()) return;
  guided_.project(T.K.valuePtr(), GuidedPattern::Diagonal::large);
  if (damped) guided_.project(T.D.valuePtr(), GuidedPattern::Diagonal::none);
  if (unsymmetric) map_.guides().project(T.unsymmetric);
}

LowRank Assembler::gathered(const std::vector<RankOne>& parts) const {
  if (parts.empty()) return {};
  LowRank out{Matrix(map_.size(), static_cast<Index>(parts.size())), Vector(static_cast<Index>(parts.size()))};
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out.U.col(static_cast<Index>(k)) = map_.gather(parts[k].u);
    out.c[static_cast<Index>(k)] = parts[k].c;
  }
  return out;
}

}  // namespace limber
