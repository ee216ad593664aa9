#pragma once  // internal
/// What a session of the viewer publishes for its pages. It does not change any more.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "limber/view/shape.hpp"
#include "limber/view/stage.hpp"

namespace limber {

/// What one pane shows.
struct PanePicture {
  std::shared_ptr<const State> state;  // full
  long steps = 0;
  bool pulled = false;
  Vec3 point = Vec3::Zero(), to = Vec3::Zero(), force = Vec3::Zero();
  Pane::Touching touching;  // where it was asked for
  double step_ms = 0;
};

/// All that there is to see at one moment.
struct ViewPicture {
  unsigned long version = 0;  // another one each time
  unsigned session = 0;       // another one for each stage
  std::shared_ptr<const ViewShape> shape;
  std::shared_ptr<const std::string> scene_message;
  std::vector<PanePicture> panes;
  bool playing = false;
  double time = 0, speed = 1, real_time = 0;
  std::size_t frames = 0;
  std::optional<std::size_t> frame;  // the kept one that is shown; nullopt: the newest state
};

/// For one page, or for all (client 0).
struct ViewAnswer {
  unsigned long client = 0;
  std::string text;
};

/// Where a page is in the rows of energies.
struct RowPlace {
  unsigned session = 0;
  unsigned long version = 0;
  std::vector<std::size_t> next;  // for each pane
};
struct NewRows {
  bool reset = false;
  std::vector<std::vector<EnergySample>> panes;
};

}  // namespace limber
