#pragma once
/// Published and computed reference numbers, CSV files outside the repository: in the folder that the
/// environment variable MERGANSER_SHARED names, else in ../shared beside the source folder. Tests skip where
/// it is missing.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "tests/support/source_folder.h"

namespace merganser {

/// Rows of numbers of reference/<name>; empty where there is no such file. The header line is left out.
inline std::vector<std::vector<double>> reference_table(const std::string& name) {
  std::ifstream in(shared_folder() / "reference" / name);
  std::vector<std::vector<double>> rows;
  std::string line;
  for (std::getline(in, line); std::getline(in, line);) {
    std::vector<double> row;
    std::stringstream cells(line);
    for (std::string cell; std::getline(cells, cell, ',');) row.push_back(std::stod(cell));
    if (!row.empty()) rows.push_back(row);
  }
  return rows;
}

}  // namespace merganser

/// Reads a reference table into `rows`, or skips the test.
#define MERGANSER_REFERENCE_OR_SKIP(rows, name)       \
  const auto rows = merganser::reference_table(name); \
  if (rows.empty())                                   \
  GTEST_SKIP() << "no reference/" << name << "; set MERGANSER_SHARED to the folder that has it"
