// CGAL's regular triangulation of weighted points, timed: the peer of pliant's power diagram.
//
//   regular_triangulation BEADS ROUNDS [EDGES]
//
// BEADS is a text file with a bead a line: x y z radius; 17 digits name a double, so that both sides
// see the same bits. Prints one line: the best of ROUNDS constructions in seconds, and how many finite
// vertices and edges there are. EDGES, if given, gets a line for every finite edge: the numbers of its
// beads, smaller first. Beads at one place have the number of the last of them.
//
// The kernel has exact predicates, so that its answers are as certain as ours. Points are inserted
// as a range, in the spatial order that CGAL chooses itself. Only construction is timed.

#include <CGAL/Exact_predicates_inexact_constructions_kernel.h>
#include <CGAL/Regular_triangulation_3.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <limits>
#include <map>
#include <string>
#include <vector>

using Kernel = CGAL::Exact_predicates_inexact_constructions_kernel;
using Triangulation = CGAL::Regular_triangulation_3<Kernel>;
using Bead = Triangulation::Weighted_point;

static int fail(const std::string &why) {
  std::fprintf(stderr, "regular_triangulation: %s\n", why.c_str());
  return 1;
}

// The processor's time of this thread, as on our side.
static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// The triangulation that is timed knows no numbers: they are found by the beads' places.
static bool write_edges(const Triangulation &built, const std::vector<Bead> &beads, const char *path) {
  std::map<Kernel::Point_3, std::size_t> numbers;
  for (std::size_t bead = 0; bead < beads.size(); ++bead) numbers[beads[bead].point()] = bead;
  std::ofstream out(path);
  for (auto edge = built.finite_edges_begin(); edge != built.finite_edges_end(); ++edge) {
    const auto number = [&](int corner) {
      return numbers.at(edge->first->vertex(corner)->point().point());
    };
    const std::size_t one = number(edge->second), other = number(edge->third);
    out << std::min(one, other) << ' ' << std::max(one, other) << '\n';
  }
  return bool(out.flush());
}

int main(int count, char **arguments) {
  if (count != 3 && count != 4) return fail("expected: BEADS ROUNDS [EDGES]");
  const int rounds = std::atoi(arguments[2]);
  if (rounds < 1) return fail("ROUNDS must be 1 or more");

  std::ifstream file(arguments[1]);
  if (!file) return fail(std::string("cannot open ") + arguments[1]);
  std::vector<Bead> beads;
  for (std::string x, y, z, radius; file >> x >> y >> z >> radius;) {
    const double r = std::strtod(radius.c_str(), nullptr);
    const Kernel::Point_3 center(std::strtod(x.c_str(), nullptr), std::strtod(y.c_str(), nullptr),
                                 std::strtod(z.c_str(), nullptr));
    beads.emplace_back(center, r * r);
  }
  if (beads.empty()) return fail("no beads");

  double best = std::numeric_limits<double>::infinity();
  for (int round = 1; round <= rounds; ++round) {
    const double start = now();
    const Triangulation built(beads.begin(), beads.end());
    best = std::min(best, now() - start);
    if (round < rounds) continue;
    std::printf("seconds %.9g vertices %zu edges %zu\n", best,
                std::size_t(built.number_of_vertices()), std::size_t(built.number_of_finite_edges()));
    if (count == 4 && !write_edges(built, beads, arguments[3]))
      return fail(std::string("cannot write ") + arguments[3]);
  }
  return 0;
}
