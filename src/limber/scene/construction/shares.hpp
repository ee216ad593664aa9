#pragma once  // internal
/// Which process takes which elements of a scene. Every process knows it of all.

#include <memory>
#include <string>
#include <vector>

#include "limber/core/space.hpp"
#include "limber/mesh/element_mesh.hpp"
#include "limber/model/force.hpp"
#include "limber/model/ties.hpp"
#include "limber/scene/body_part.hpp"

namespace limber {

class Shares {
 public:
  static constexpr std::size_t few = 16;  // elements for each process: smaller bodies are not cut

  explicit Shares(const Communicator& all) : all_(all), load_(static_cast<std::size_t>(all.size()), 0) {}

  bool shared() const { return all_.size() > 1; }
  const Communicator& processes() const { return all_; }

  /// A body of elements: large ones are cut by METIS, small ones and those that must stay `whole` go to the process
  /// with the least work. The process of each element.
  std::vector<int> cut(const ElementMesh& mesh, int first_node, bool whole);
  /// A body that is made by parts.
  void take_part(const BodyPart& part, int first_node);
  /// A body that one process takes wholly; that process. `nodes`: how many it has.
  int take(int first_node, int nodes);
  /// Process `process` holds this node too.
  void hold(int process, int node);
  void hold_everywhere(int node);
  /// Of a force that process 0 takes: all nodes that it acts on.
  void hold_for_first(const Force& force);
  /// A force as this process sees it, if `process` takes it.
  std::shared_ptr<Force> seen(std::shared_ptr<Force> force, int process) const;

  /// Once all is known. Who holds a tied node holds its corners. `number`: of the nodes known here among the `all`
  /// nodes of the scene.
  NodeHolders holders(std::vector<int> number, int all, const std::vector<Tie>& ties) const;

 private:
  int least_busy() const;

  const Communicator& all_;
  std::vector<double> load_;                // of each process, in elements
  std::vector<std::pair<int, int>> holds_;  // (node, process), some of them more than once
  std::size_t most_holds_ = 1 << 20;        // then they are tidied
  std::vector<int> everywhere_;
  bool by_parts_ = false;
};

/// The process of each element, by METIS: parts of equal size that share few faces. Throws InputError.
std::vector<int> cut_elements(const ElementMesh& mesh, int parts);

/// Leaves the elements of one process, with what belongs to each.
void keep_own(const std::vector<int>& process_of, int process, ElementMesh& elements, std::vector<int>& of_element,
              std::vector<double>& density);

}  // namespace limber
