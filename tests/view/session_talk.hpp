#pragma once
/// A session of the viewer without a server: asks as a page does, and waits for answers.

#include <chrono>
#include <nlohmann/json.hpp>

#include "limber/record/temporary_directory.hpp"
#include "limber/view/session.hpp"

namespace limber::test {

/// The scene's folder, one for output, and one beside them with what no page may read.
struct ViewFolders {
  ViewFolders() {
    for (const char* name : {"scenes", "out", "secret"}) std::filesystem::create_directories(root / name);
  }
  std::string in(const std::string& name) const { return root / name; }
  ViewOptions options() const {
    ViewOptions options;
    options.scene_folder = in("scenes");
    options.output_folder = in("out");
    options.key = "key";
    return options;
  }
  TemporaryDirectory directory;
  std::filesystem::path root = std::filesystem::canonical(directory.path());
};

class Talk {
 public:
  explicit Talk(const ViewOptions& options) : session(options, [] {}) { session.pages_are(1); }

  void ask(const nlohmann::json& message) { session.ask(1, message.dump()); }
  void ask_text(const std::string& message) { session.ask(1, message); }

  /// All answers up to the one that `last` wants; `{"is": "late"}` comes last where there is none within a minute.
  template <class Last>
  std::vector<nlohmann::json> until(const Last& last) {
    std::vector<nlohmann::json> all;
    for (const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(60);
         std::chrono::steady_clock::now() < end; std::this_thread::sleep_for(std::chrono::milliseconds(1)))
      for (const ViewAnswer& answer : session.take_answers()) {
        all.push_back(nlohmann::json::parse(answer.text));
        if (last(all.back())) return all;
      }
    all.push_back({{"is", "late"}});
    return all;
  }
  /// Until all has been heeded that was asked so far.
  std::vector<nlohmann::json> until_all() {
    const std::string mark = "mark" + std::to_string(++marks_);
    ask({{"do", mark}});
    return until([&](const nlohmann::json& answer) { return answer.value("about", "") == mark; });
  }
  /// The next error that answers such a request: "where: message"; empty: none.
  std::string error(const nlohmann::json& message) {
    ask(message);
    for (const auto& answer : until_all())
      if (answer["is"] == "error" && answer["about"] == message["do"])
        return answer["where"].get<std::string>() + ": " + answer["message"].get<std::string>();
    return "";
  }

  ViewSession session;

 private:
  int marks_ = 0;
};

/// The smallest body, of five tetrahedra.
inline nlohmann::json small_scene() {
  return nlohmann::json::parse(R"({
    "time": {"step": 0.01, "duration": 0.2}, "method": "BE",
    "bodies": [{"name": "cube", "mesh": {"shape": "box", "size": [1, 1, 1], "cells": [1, 1, 1]}, "pin": ["left"],
                "material": {"model": "stable_neo_hookean", "young": 1e5, "poisson": 0.4, "density": 1000}}]})");
}

}  // namespace limber::test
