#pragma once
/// trajectory.xdmf: the list of frames by which ParaView opens trajectory.h5. Every frame that this has room for has
/// its entry, as an XML comment; writing a frame uncovers its entry by one 4-byte write, so the file is well-formed and
/// lists just the written frames at every moment, and a frame costs the same however many there are.

#include <optional>
#include <string>
#include <vector>

#include "limber/record/files.hpp"

namespace limber {

struct TrajectoryHeader;

class XdmfIndex {
 public:
  /// Replaces the file. `trajectory` is the name of the HDF5 file in the same directory; the first frames, at the
  /// given times [s], are listed at once.
  static XdmfIndex create(const std::string& path, const std::string& trajectory, const TrajectoryHeader& header,
                          const std::vector<double>& times = {});
  /// Lists frame k at time t [s].
  void show(long k, double t);

 private:
  XdmfIndex(std::size_t first, std::size_t entry, std::size_t time) : first_(first), entry_(entry), time_(time) {}
  template <class Put>
  void uncover(long k, double t, const Put& put) const;

  std::optional<File> file_;
  std::size_t first_;  // where the entry of frame 0 begins
  std::size_t entry_;  // size of an entry
  std::size_t time_;   // where the time stands in an entry
};

}  // namespace limber
