#pragma once  // internal
/// What the viewer's pages receive (docs/view.md has the protocol).

#include <nlohmann/json_fwd.hpp>
#include <string>

#include "limber/view/options.hpp"
#include "limber/view/picture.hpp"

namespace limber {

/// The text of a message; letters that are no UTF-8 are replaced.
std::string dumped(const nlohmann::json& json);
std::string error_message(const std::string& about, const std::exception& error);
/// The first one to a page, and the one for each stage.
std::string hello_message(const ViewOptions& options);
std::string scene_message(const ViewStage& stage, const ViewShape& shape, unsigned session);
/// The bytes after a `scene` message.
std::string topology_message(const ViewPicture& picture);
/// The bytes of one pane.
std::string frame_message(const ViewPicture& picture, std::size_t pane, Field field, bool arrows);
/// The `tick` that follows them.
std::string tick_message(const ViewPicture& picture, const NewRows& rows);

}  // namespace limber
