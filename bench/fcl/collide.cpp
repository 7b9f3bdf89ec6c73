// Times FCL on two meshes over some frames: `pliant-bench volumes --fcl PROGRAM` writes the file and reads the
// lines. The file has, little-endian: for both meshes the numbers of vertices and triangles (u32), vertices
// (f64), triangles (u32); then 1 if they are rigid, else 0 (u32), the number of frames (u32), and per frame
// and mesh 12 numbers (f64: rows of rotation and translation) or all vertices. A line per volume: its
// name, seconds of updates, seconds of queries, pairs, all summed over frames; the best of several rounds.
#include <fcl/fcl.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <fstream>
#include <memory>
#include <vector>

using Vector = fcl::Vector3<double>;
using Place = fcl::Transform3<double>;

struct Mesh {
  std::vector<Vector> points;
  std::vector<fcl::Triangle> triangles;
};

struct Scene {
  Mesh meshes[2];
  bool rigid;
  std::vector<Place> places[2];
  std::vector<std::vector<Vector>> points[2];
};

template <typename T> T read(std::ifstream& in) {
  T value;
  in.read(reinterpret_cast<char*>(&value), sizeof value);
  return value;
}

static std::vector<Vector> read_points(std::ifstream& in, std::size_t count) {
  std::vector<Vector> points(count);
  for (auto& p : points)
    for (int i = 0; i < 3; ++i) p[i] = read<double>(in);
  return points;
}

// The processor's time of this thread, as on our side.
static double now() {
  timespec time;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

// Volumes with axes of their own are refitted from the top down, around the triangles below each: merged from
// below, RSS of FCL 0.7 miss contacts and OBB are loose. The others are merged, which is quicker.
template <typename Volume> static void measure(const char* name, const Scene& scene, bool merged) {
  std::shared_ptr<fcl::BVHModel<Volume>> models[2];
  for (int m = 0; m < 2; ++m) {
    models[m] = std::make_shared<fcl::BVHModel<Volume>>();
    models[m]->beginModel();
    models[m]->addSubModel(scene.meshes[m].points, scene.meshes[m].triangles);
    models[m]->endModel();
  }
  double updates = 0, queries = 0;
  std::size_t pairs = 0;
  std::size_t frames = scene.rigid ? scene.places[0].size() : scene.points[0].size();
  for (std::size_t frame = 0; frame < frames; ++frame) {
    double update = 1e30, query = 1e30, spent = 0;
    std::size_t found = 0;
    for (int round = 0; round < 40 && (round < 3 || spent < 0.06); ++round) {
      double start = now();
      Place places[2] = {Place::Identity(), Place::Identity()};
      for (int m = 0; m < 2; ++m) {
        if (scene.rigid) {
          places[m] = scene.places[m][frame];
        } else {
          models[m]->beginReplaceModel();
          models[m]->replaceSubModel(scene.points[m][frame]);
          models[m]->endReplaceModel(true, merged);
        }
      }
      double middle = now();
      fcl::CollisionRequest<double> request(1 << 24, false);
      fcl::CollisionResult<double> result;
      fcl::collide(models[0].get(), places[0], models[1].get(), places[1], request, result);
      double end = now();
      found = result.numContacts();
      update = std::min(update, middle - start);
      query = std::min(query, end - middle);
      spent += end - start;
    }
    updates += update, queries += query, pairs += found;
  }
  std::printf("%s %.9e %.9e %zu\n", name, updates, queries, pairs);
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  std::ifstream in(argv[1], std::ios::binary);
  Scene scene;
  for (auto& mesh : scene.meshes) {
    auto points = read<std::uint32_t>(in), triangles = read<std::uint32_t>(in);
    mesh.points = read_points(in, points);
    for (std::uint32_t t = 0; t < triangles; ++t) {
      auto a = read<std::uint32_t>(in), b = read<std::uint32_t>(in), c = read<std::uint32_t>(in);
      mesh.triangles.emplace_back(a, b, c);
    }
  }
  scene.rigid = read<std::uint32_t>(in) != 0;
  auto frames = read<std::uint32_t>(in);
  for (std::uint32_t frame = 0; frame < frames; ++frame)
    for (int m = 0; m < 2; ++m) {
      if (!scene.rigid) {
        scene.points[m].push_back(read_points(in, scene.meshes[m].points.size()));
        continue;
      }
      Place place = Place::Identity();
      for (int row = 0; row < 3; ++row)
        for (int column = 0; column < 4; ++column) place(row, column) = read<double>(in);
      scene.places[m].push_back(place);
    }
  if (!in) return 3;
  measure<fcl::AABB<double>>("AABB", scene, true);
  measure<fcl::OBB<double>>("OBB", scene, false);
  measure<fcl::RSS<double>>("RSS", scene, false);
  measure<fcl::OBBRSS<double>>("OBBRSS", scene, false);
  measure<fcl::KDOP<double, 16>>("KDOP16", scene, true);
  measure<fcl::KDOP<double, 18>>("KDOP18", scene, true);
  measure<fcl::KDOP<double, 24>>("KDOP24", scene, true);
}
