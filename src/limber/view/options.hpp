#pragma once  // internal
/// What a viewer is started with.

#include <string>
#include <vector>

namespace limber {

struct ViewOptions {
  std::string scene_folder;              // files of scenes may lie here,
  std::string examples_folder;           // or here, where shipped scenes are; empty: there are none
  std::string output_folder;             // what is recorded goes here
  std::vector<std::string> methods;      // side by side; empty: what the scene says
  std::string key;                       // what the address of a recording must show
  std::size_t most_message = 16u << 20;  // [bytes]
};

}  // namespace limber
