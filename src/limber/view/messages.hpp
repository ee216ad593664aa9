#pragma once  // internal
/// What the viewer's pages receive (docs/view.md has the protocol).

#include <string>

#include "limber/view/session.hpp"

namespace limber {

/// The bytes after a `scene` message.
std::string topology_message(const ViewPicture& picture);
/// The bytes of one pane.
std::string frame_message(const ViewPicture& picture, std::size_t pane, Field field, bool arrows);
/// The `tick` that follows them.
std::string tick_message(const ViewPicture& picture, const NewRows& rows);

/// Bytes of base64. Throws InputError("data", …).
std::string decoded_base64(const std::string& text);

}  // namespace limber
