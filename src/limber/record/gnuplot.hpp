#pragma once
/// The program gnuplot, with a script on its standard input and the picture on its standard output: neither a shell nor
/// gnuplot ever sees the name of a file.

#include <optional>
#include <string>

namespace limber {

/// Text for a script: in single quotes gnuplot reads everything but the quote itself and the end of the line as it
/// stands. A quote becomes a typographic one.
std::string gnuplot_quoted(const std::string& text);

/// Throws OutputError, as drawing would, where there is no gnuplot: for those who draw after long work.
void require_gnuplot();

/// What `commands` draw goes into the file `output`, which appears only when it is complete; they set a terminal and no
/// output. Empty on success; otherwise why there is no picture, as where gnuplot is missing. Throws OutputError.
std::optional<std::string> run_gnuplot(const std::string& commands, const std::string& output);

}  // namespace limber
