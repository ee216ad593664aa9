#pragma once
/// A JSON document: a scene as its file has it, or what a run reports. A program loads it, sets values in it and writes
/// it; the library looks into it (scene/json.hpp). Copies are cheap.

#include <memory>
#include <string>

namespace limber {

class Document {
 public:
  /// An empty object.
  Document();
  /// Reads plain JSON. Throws InputError("file:line:column", …) for wrong syntax, and for a key that stands twice in
  /// one object.
  static Document load(const std::string& path);
  /// The same from memory; `name` stands for the file.
  static Document parse(const std::string& text, const std::string& name);

  /// Sets one value by "key.path[0].x=value", the value read as JSON if it is JSON, else taken as a string. Objects on
  /// the way are made where missing, so that the reader, not this, judges unknown keys. Throws InputError.
  void set(const std::string& assignment);
  /// Indented JSON; numbers that are not finite are null.
  std::string text() const;

  struct Content;
  explicit Document(Content content);
  const Content& content() const { return *content_; }

 private:
  std::shared_ptr<const Content> content_;
};

}  // namespace limber
