#pragma once
/// An H.264 video (.mp4) of pictures of one size: each is handed to the program ffmpeg as it comes.

#include <sys/types.h>

#include <string>

#include "limber/render/camera.hpp"
#include "limber/render/image.hpp"

namespace limber {

/// Throws OutputError, as a VideoWriter of this path would, where there is no ffmpeg: for those who render after long
/// work.
void require_ffmpeg(const std::string& path);

class VideoWriter {
 public:
  /// Throws InputError if the width or height is odd, OutputError if ffmpeg is missing.
  VideoWriter(const std::string& path, PictureSize size, double fps);
  /// Without finish() nothing is left behind.
  ~VideoWriter();
  VideoWriter(const VideoWriter&) = delete;
  VideoWriter& operator=(const VideoWriter&) = delete;

  /// Throws OutputError with what ffmpeg says.
  void add(const Image& image);
  /// The file has its name only after this. Throws OutputError.
  void finish();

 private:
  [[noreturn]] void fail();
  int wait();
  void close_input();

  std::string path_, part_;
  pid_t ffmpeg_ = 0;  // 0: it has ended
  int input_ = -1, complaints_ = -1;
};

}  // namespace limber
