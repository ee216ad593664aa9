#pragma once  // internal
/// What a process knows of a body that is made by parts: the nodes of its own elements.

#include <vector>

#include "limber/core/communicator.hpp"
#include "limber/mesh/tet_mesh.hpp"

namespace limber {

struct BodyPart {
  const Communicator* processes = nullptr;
  std::vector<int> number;         // of the nodes here among those of the body, ascending
  std::vector<int> start, holder;  // as in NodeHolders: the processes that hold each of them
  int nodes = 0, tets = 0;         // of the whole body
  Box3 extent{};                   // of the whole body, as meshed

  /// By node here, ascending.
  void set_holders(const std::vector<std::vector<int>>& holders);
  /// Of a node here; −1: it is not here.
  int here(int number_in_body) const;
  /// Over all processes.
  double sum(double x) const;
  Box3 united(Box3 box) const;
};

}  // namespace limber
