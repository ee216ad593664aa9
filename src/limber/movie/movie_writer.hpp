#pragma once
/// Where pictures go, by the name of what is written: a video movie.mp4, one picture.png, or a folder, pictures/, of
/// frame_0000.png, frame_0001.png, …

#include <optional>
#include <string>

#include "limber/render/video.hpp"

namespace limber {

enum class MovieKind { picture, pictures, video };
/// Throws InputError("--output", …) if the name is none of these.
MovieKind movie_kind(const std::string& output);

class MovieWriter {
 public:
  /// Makes the folder where it is missing. Throws InputError and OutputError as VideoWriter does.
  MovieWriter(const std::string& output, PictureSize size, double fps);

  MovieKind kind() const { return kind_; }
  /// Throws OutputError.
  void add(const Image& image);
  /// A video has its name only after this; without it nothing is left of one.
  void finish();

 private:
  std::string output_;
  MovieKind kind_;
  std::optional<VideoWriter> video_;
  int pictures_ = 0;
};

}  // namespace limber
