#include "limber/scene/construction/box_part.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "limber/core/errors.hpp"
#include "limber/core/nodes.hpp"
#include "limber/mesh/shapes/box_parts.hpp"
#include "limber/scene/construction/shares.hpp"

namespace limber {
namespace {

const BoxShape& box_of(const BodyChoice& body) { return std::get<BoxShape>(body.mesh); }

ElementKind kind_of(const BodyChoice& body) {
  return body.element.empty() ? ElementKind::tet4 : element_kind(body.element);
}

/// Whether elements have the middles of edges beside their corners.
bool has_middles(const BodyChoice& body) { return kind_of(body) == ElementKind::tet10; }

double cell_count(const std::array<int, 3>& cells) { return static_cast<double>(cells[0]) * cells[1] * cells[2]; }

/// Of the nodes of some cells among those of the body: corners, and the middles of edges of quadratic elements.
std::vector<int> numbers_of(const BodyChoice& body, const BodyShape& shape, const CellRange& range,
                            const BoxNumbers& box) {
  std::vector<int> numbers = box.of_nodes(range);
  if (!has_middles(body)) return numbers;
  const auto edges = element_type(ElementKind::tet10).edges;
  numbers.resize(shape.elements.nodes.size());
  for (std::size_t e = 0; e < shape.elements.count(); ++e) {
    const auto nodes = shape.elements.element(e);
    for (std::size_t m = 0; m < edges.size(); ++m) {
      const int a = numbers[ix(nodes[ix(edges[m][0])])], b = numbers[ix(nodes[ix(edges[m][1])])];
      int& number = numbers[ix(nodes[4 + m])];
      if (number == 0) number = box.nodes() + box.of_edge(std::min(a, b), std::max(a, b));
    }
  }
  return numbers;
}

int node_total(const BodyChoice& body, const BoxNumbers& box) {
  return box.nodes() + (has_middles(body) ? box.edges() : 0);
}

int tets_of_cell(const BodyChoice& body) {
  const ElementKind kind = kind_of(body);
  if (kind == ElementKind::hex8) return pieces(kind);
  return (box_of(body).split == Split::five ? 5 : 6) * pieces(kind);
}

void require_numbers(const BodyChoice& body) {
  const auto& cells = box_of(body).cells;
  const double most = std::numeric_limits<int>::max(), tets = cell_count(cells) * tets_of_cell(body);
  const double corners = cell_count({cells[0] + 1, cells[1] + 1, cells[2] + 1});
  const double nodes = has_middles(body) ? 8 * corners : corners;  // at most seven edges for each corner
  if (tets > most || nodes > most)
    throw InputError(
        body.where + ".mesh.cells",
        fmt::format("[{}, {}, {}] makes more tetrahedra or nodes than can be numbered", cells[0], cells[1], cells[2]));
}

/// One layer of cells after the other.
void show_box(const BodyChoice& body, const std::function<void(const RestPiece&)>& show) {
  const BoxShape& box = box_of(body);
  const BoxNumbers numbers(box.cells, box.split);
  const int all_nodes = node_total(body, numbers);
  std::size_t shown_tets = 0;
  for (int k = 0; k < box.cells[2]; ++k) {
    const CellRange layer{{0, 0, k}, {box.cells[0], box.cells[1], k + 1}};
    BodyShape shape = make_box_shape(body, layer);
    const std::vector<int> number = numbers_of(body, shape, layer, numbers);
    place(body, shape.mesh.nodes);
    RestPiece tets;
    tets.first_tet = shown_tets;
    tets.tets = std::move(shape.mesh.tets);
    for (auto& t : tets.tets)
      for (int& i : t) i = number[ix(i)];
    shown_tets += tets.tets.size();
    show(tets);
    // Edges of the upper side are shown with the next layer, where their numbers have no gaps.
    const int last_edge = k + 1 < box.cells[2] ? numbers.nodes() + numbers.edges_below(k + 1) : all_nodes;
    for (std::size_t first = 0; first < number.size() && number[first] < last_edge;) {
      RestPiece run;
      run.first_node = ix(number[first]);
      std::size_t end = first;
      while (end < number.size() && number[end] < last_edge &&
             number[end] == number[first] + static_cast<int>(end - first))
        ++end;
      run.nodes.assign(shape.mesh.nodes.begin() + static_cast<std::ptrdiff_t>(first),
                       shape.mesh.nodes.begin() + static_cast<std::ptrdiff_t>(end));
      show(run);
      first = end;
    }
  }
}

}  // namespace

std::optional<PartedShape> make_box_part(const BodyChoice& body, const Communicator& processes) {
  const BoxShape& box = box_of(body);
  if (const ElementKind kind = kind_of(body); node_count(kind) > corner_count(kind) && !has_middles(body))
    return std::nullopt;
  if (cell_count(box.cells) < Shares::few * static_cast<double>(processes.size())) return std::nullopt;
  require_numbers(body);
  const BoxParts parts(box.cells, processes.size());
  const BoxNumbers numbers(box.cells, box.split);
  const CellRange& range = parts.part(processes.rank());
  PartedShape made;
  made.shape = make_box_shape(body, range);
  BodyPart& part = made.part;
  part.processes = &processes;
  part.number = numbers_of(body, made.shape, range, numbers);
  part.nodes = node_total(body, numbers);
  part.tets = static_cast<int>(cell_count(box.cells)) * tets_of_cell(body);
  part.extent = {box.origin, box.origin + box.size};

  // Corners first; the middle of an edge is held by those that hold both ends: parts are boxes.
  std::vector<std::vector<int>> holders;
  for (const int number : part.number) {
    if (number >= numbers.nodes()) break;
    const auto place = numbers.place(number);
    bool within = true;  // no other process has a cell here
    for (std::size_t axis = 0; axis < 3; ++axis)
      within = within && (place[axis] > range.begin[axis] || range.begin[axis] == 0) &&
               (place[axis] < range.end[axis] || range.end[axis] == box.cells[axis]);
    holders.push_back(within ? std::vector<int>{processes.rank()} : parts.holders(place));
  }
  if (has_middles(body)) {
    const auto edges = element_type(ElementKind::tet10).edges;
    holders.resize(part.number.size());
    for (std::size_t e = 0; e < made.shape.elements.count(); ++e) {
      const auto nodes = made.shape.elements.element(e);
      for (std::size_t m = 0; m < edges.size(); ++m) {
        auto& both = holders[ix(nodes[4 + m])];
        if (!both.empty()) continue;
        const auto &a = holders[ix(nodes[ix(edges[m][0])])], &b = holders[ix(nodes[ix(edges[m][1])])];
        std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
      }
    }
  }
  part.set_holders(holders);
  if (processes.rank() == 0)
    made.show_rest = [body](const auto& show) { show_box(body, show); };
  else
    made.show_rest = [](const auto&) {};
  return made;
}

}  // namespace limber
