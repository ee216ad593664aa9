#include "limber/scene/construction/shares.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/core/signals.hpp"
#include "limber/model/remote_force.hpp"

#ifdef LIMBER_HAS_METIS
#include <metis.h>
#endif

namespace limber {

#ifdef LIMBER_HAS_METIS

std::vector<int> cut_elements(const ElementMesh& mesh, int parts) {
  std::vector<idx_t> start{0}, nodes;
  start.reserve(mesh.count() + 1);
  nodes.reserve(mesh.corners.size());
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    const auto element = mesh.element(e);
    nodes.insert(nodes.end(), element.begin(), element.begin() + corner_count(mesh.kind));
    start.push_back(static_cast<idx_t>(nodes.size()));
  }
  idx_t elements = static_cast<idx_t>(mesh.count()), count = static_cast<idx_t>(mesh.nodes.size()), pieces = parts,
        common = corner_count(element_type(mesh.kind).face), cut = 0;
  idx_t options[METIS_NOPTIONS];
  METIS_SetDefaultOptions(options);
  options[METIS_OPTION_SEED] = 1;
  options[METIS_OPTION_NUMBERING] = 0;
  std::vector<idx_t> of_element(mesh.count()), of_node(mesh.nodes.size());
  const SignalsKept signals;
  if (METIS_PartMeshDual(&elements, &count, start.data(), nodes.data(), nullptr, nullptr, &common, &pieces, nullptr,
                         options, &cut, of_element.data(), of_node.data()) != METIS_OK)
    throw InputError("bodies", fmt::format("METIS could not cut {} elements into {} parts", mesh.count(), parts));
  return {of_element.begin(), of_element.end()};
}

#else

std::vector<int> cut_elements(const ElementMesh&, int) {
  throw InputError("mpirun", "this program was built without METIS, which shares out elements");
}

#endif

namespace {

/// Each pair once, ascending.
void tidy(std::vector<std::pair<int, int>>& pairs) {
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
}

}  // namespace

int Shares::least_busy() const {
  return static_cast<int>(std::min_element(load_.begin(), load_.end()) - load_.begin());
}

std::vector<int> Shares::cut(const ElementMesh& mesh, int first_node, bool whole) {
  const int pieces = whole || mesh.count() < few * static_cast<std::size_t>(all_.size()) ? 1 : all_.size();
  std::vector<int> process(mesh.count(), least_busy());
  if (pieces > 1) {
    on_root(all_, [&] { process = cut_elements(mesh, pieces); });
    all_.broadcast(process);
  }
  for (std::size_t e = 0; e < mesh.count(); ++e) {
    load_[ix(process[e])] += 1;
    for (const int node : mesh.element(e)) hold(process[e], first_node + node);
  }
  return process;
}

void Shares::take_part(const BodyPart& part, int first_node) {
  by_parts_ = true;
  for (double& load : load_) load += static_cast<double>(part.tets) / static_cast<double>(load_.size());
  for (int i = 0; i < static_cast<int>(part.number.size()); ++i)
    for (int k = part.start[ix(i)]; k < part.start[ix(i) + 1]; ++k) hold(part.holder[ix(k)], first_node + i);
}

int Shares::take(int first_node, int nodes) {
  const int process = least_busy();
  load_[ix(process)] += nodes;
  for (int i = 0; i < nodes; ++i) hold(process, first_node + i);
  return process;
}

void Shares::hold(int process, int node) {
  if (!shared()) return;
  if (!holds_.empty() && holds_.back() == std::pair(node, process)) return;
  holds_.emplace_back(node, process);
  if (holds_.size() < most_holds_) return;
  tidy(holds_);
  most_holds_ = std::max(most_holds_, 2 * holds_.size());
}

void Shares::hold_everywhere(int node) { everywhere_.push_back(node); }

void Shares::hold_for_first(const Force& force) {
  Couplings pairs;
  force.add_couplings(pairs);
  for (const auto& [a, b] : pairs) {
    hold(0, a);
    hold(0, b);
  }
}

std::shared_ptr<Force> Shares::seen(std::shared_ptr<Force> force, int process) const {
  if (process == all_.rank()) return force;
  return make_remote_force(*force);
}

NodeHolders Shares::holders(std::vector<int> number, int all, const std::vector<Tie>& ties) const {
  NodeHolders h;
  if (!shared()) return h;
  h.processes = &all_;
  h.nodes = all;
  const int nodes = static_cast<int>(number.size());
  if (by_parts_) h.number = std::move(number);
  std::vector<std::pair<int, int>> holds = holds_;
  for (const int node : everywhere_)
    for (int p = 0; p < all_.size(); ++p) holds.emplace_back(node, p);
  tidy(holds);
  std::vector<std::pair<int, int>> corners;
  for (const Tie& t : ties)
    for (auto it = std::lower_bound(holds.begin(), holds.end(), std::pair(t.node, -1));
         it != holds.end() && it->first == t.node; ++it)
      for (const auto& term : t.terms) corners.emplace_back(term.node, it->second);
  holds.insert(holds.end(), corners.begin(), corners.end());
  tidy(holds);
  h.start.assign(ix(nodes) + 1, 0);
  for (const auto& [node, process] : holds) {
    ++h.start[ix(node) + 1];
    h.holder.push_back(process);
  }
  for (std::size_t i = 1; i < h.start.size(); ++i) h.start[i] += h.start[i - 1];
  if (by_parts_) return h;  // each process has some
  std::vector<int> held(ix(all_.size()), 0);
  for (const int process : h.holder) ++held[ix(process)];
  if (const auto none = std::find(held.begin(), held.end(), 0); none != held.end())
    throw InputError("mpirun -n",
                     fmt::format("{} processes are too many for this scene: process {} would have nothing "
                                 "to do (sheets, rods, springs, bodies with rigid parts and bodies of less "
                                 "than {} elements for each process are not cut); take fewer",
                                 all_.size(), none - held.begin(), few));
  return h;
}

void keep_own(const std::vector<int>& process_of, int process, ElementMesh& elements, std::vector<int>& of_element,
              std::vector<double>& density) {
  std::vector<int> corners, materials;
  std::vector<double> densities;
  for (std::size_t e = 0; e < elements.count(); ++e) {
    if (process_of[e] != process) continue;
    const auto nodes = elements.element(e);
    corners.insert(corners.end(), nodes.begin(), nodes.end());
    materials.push_back(of_element[e]);
    densities.push_back(density[e]);
  }
  elements.corners = std::move(corners);
  of_element = std::move(materials);
  density = std::move(densities);
}

}  // namespace limber
