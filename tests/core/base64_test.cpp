#include "limber/core/base64.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace limber::test {
namespace {

TEST(Base64, VectorsOfTheStandard) {
  // RFC 4648, section 10.
  const std::pair<const char*, const char*> known[] = {{"", ""},
                                                       {"f", "Zg=="},
                                                       {"fo", "Zm8="},
                                                       {"foo", "Zm9v"},
                                                       {"foob", "Zm9vYg=="},
                                                       {"fooba", "Zm9vYmE="},
                                                       {"foobar", "Zm9vYmFy"}};
  for (const auto& [bytes, text] : known) {
    EXPECT_EQ(base64_encoded(bytes), text);
    EXPECT_EQ(base64_decoded(text).bytes, bytes);
    EXPECT_EQ(base64_decoded(text).end, std::string_view(text).size());
  }
}

TEST(Base64, AllBytesComeBack) {
  std::string all;
  for (int i = 0; i < 256; ++i) all += static_cast<char>(i);
  EXPECT_EQ(base64_decoded(base64_encoded(all)).bytes, all);
}

TEST(Base64, PartsSpacesAndOtherCharacters) {
  EXPECT_EQ(base64_decoded("Zm8=\n Zm9v").bytes, "fofoo");
  EXPECT_EQ(base64_decoded("Zm9vYmFy", 4).bytes, "foob");
  const Base64Bytes stopped = base64_decoded("Zm9v*Zm9v");
  EXPECT_EQ(stopped.bytes, "foo");
  EXPECT_EQ(stopped.end, 4u);
}

}  // namespace
}  // namespace limber::test
