#include "limber/scene/construction/scattered_part.hpp"

#include <algorithm>
#include <memory>

#include "limber/core/nodes.hpp"
#include "limber/scene/construction/shares.hpp"

namespace limber {
namespace {

/// What process 0 knows of a body before it is handed out.
struct WholeShape {
  BodyShape shape;
  Box3 extent{};
  std::vector<int> process_of;            // element
  std::vector<std::vector<int>> holders;  // of each node

  void cut(int processes) {
    extent = bounding_box(shape.mesh.nodes);
    process_of = cut_elements(shape.elements, processes);
    holders.resize(shape.elements.nodes.size());
    for (std::size_t e = 0; e < shape.elements.count(); ++e)
      for (const int node : shape.elements.element(e)) {
        auto& list = holders[ix(node)];
        if (std::find(list.begin(), list.end(), process_of[e]) == list.end()) list.push_back(process_of[e]);
      }
    for (auto& list : holders) std::sort(list.begin(), list.end());
  }
  bool all_have_some(int processes) const {
    std::vector<char> has(ix(processes), 0);
    for (const int process : process_of) has[ix(process)] = 1;
    return std::find(has.begin(), has.end(), 0) == has.end();
  }
};

/// A part as a list of numbers.
class PartWriter {
 public:
  template <class Number>
  void put(Number x) {
    list_.push_back(static_cast<double>(x));
  }
  void put(const Vec3& x) { list_.insert(list_.end(), x.begin(), x.end()); }
  const std::vector<double>& list() const { return list_; }

 private:
  std::vector<double> list_;
};

class PartReader {
 public:
  explicit PartReader(const std::vector<double>& list) : next_(list.begin()) {}
  int integer() { return static_cast<int>(*next_++); }
  Vec3 point() {
    Vec3 x(next_[0], next_[1], next_[2]);
    next_ += 3;
    return x;
  }

 private:
  std::vector<double>::const_iterator next_;
};

std::vector<double> written_part(const WholeShape& whole, int process) {
  const ElementMesh& elements = whole.shape.elements;
  std::vector<int> numbers, corners;
  for (std::size_t e = 0; e < elements.count(); ++e)
    if (whole.process_of[e] == process) {
      const auto nodes = elements.element(e);
      corners.insert(corners.end(), nodes.begin(), nodes.end());
    }
  numbers = corners;
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  PartWriter out;
  out.put(static_cast<int>(elements.kind));
  out.put(whole.shape.mesh.nodes.size());
  out.put(whole.shape.mesh.tets.size());
  out.put(whole.extent.min);
  out.put(whole.extent.max);
  out.put(numbers.size());
  for (const int number : numbers) {
    out.put(number);
    out.put(elements.nodes[ix(number)]);
    out.put(whole.holders[ix(number)].size());
    for (const int holder : whole.holders[ix(number)]) out.put(holder);
  }
  out.put(corners.size());
  for (const int node : corners) out.put(std::lower_bound(numbers.begin(), numbers.end(), node) - numbers.begin());
  return out.list();
}

PartedShape read_part(const std::vector<double>& list, const Communicator& processes) {
  PartReader in(list);
  PartedShape made;
  made.shape.elements.kind = static_cast<ElementKind>(in.integer());
  made.part.processes = &processes;
  made.part.nodes = in.integer();
  made.part.tets = in.integer();
  made.part.extent.min = in.point();
  made.part.extent.max = in.point();
  std::vector<std::vector<int>> holders(ix(in.integer()));
  for (auto& of_node : holders) {
    made.part.number.push_back(in.integer());
    made.shape.elements.nodes.push_back(in.point());
    of_node.resize(ix(in.integer()));
    for (int& holder : of_node) holder = in.integer();
  }
  made.part.set_holders(holders);
  made.shape.elements.corners.resize(ix(in.integer()));
  for (int& corner : made.shape.elements.corners) corner = in.integer();
  made.shape.mesh = subdivide(made.shape.elements);
  made.show_rest = [](const auto&) {};
  return made;
}

}  // namespace

std::optional<PartedShape> scatter_shape(const BodyChoice& body, const Communicator& processes,
                                         std::vector<std::string>& notes) {
  WholeShape whole;
  std::array<int, 1> enough = {0};
  on_root(processes, [&] {
    std::vector<std::string> heard;
    whole.shape = make_shape(body, heard);
    if (whole.shape.elements.count() < Shares::few * static_cast<std::size_t>(processes.size())) return;
    whole.cut(processes.size());
    if (!whole.all_have_some(processes.size())) return;
    notes.insert(notes.end(), heard.begin(), heard.end());
    enough[0] = 1;
  });
  processes.broadcast(enough);
  if (enough[0] == 0) return std::nullopt;
  std::vector<double> mine;
  for (int p = processes.size() - 1; p >= 0; --p) {
    const bool first = processes.rank() == 0;
    auto list = first ? written_part(whole, p) : std::vector<double>();
    if (p > 0) list = processes.send_from_root(p, list);
    if (processes.rank() == p) mine = std::move(list);
  }
  PartedShape made = read_part(mine, processes);
  if (processes.rank() > 0) return made;
  made.shape.surface = std::move(whole.shape.surface);
  auto rest = std::make_shared<TetMesh>(std::move(whole.shape.mesh));
  place(body, rest->nodes);
  made.show_rest = [rest](const auto& show) { show({0, 0, rest->nodes, rest->tets, rest->region}); };
  return made;
}

}  // namespace limber
