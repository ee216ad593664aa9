#pragma once  // internal
/// What a page may ask for, by name (docs/view.md has the protocol).

#include <string>

#include "limber/view/player.hpp"
#include "limber/view/side_jobs.hpp"

namespace limber {

/// Does what the JSON message of a page asks. `about`: what that is, as soon as it is known. Throws whatever goes
/// wrong.
void answer_page(const std::string& message, unsigned long client, StagePlayer& player, SideJobs& side,
                 ViewBoard& board, std::string& about);

}  // namespace limber
