// Raycasts of three.js, answered by pliant, for the meshes for which somebody asks for it.
import { BackSide, DoubleSide, Matrix4, Sphere, Triangle, Vector2, Vector3 } from "three";
import { multiply } from "./affine.js";
import { MeshBody } from "./mesh_body.js";

const bodies = new WeakMap();
const [inverse, world, instance] = [new Matrix4(), new Float64Array(16), new Matrix4()];
const sphere = new Sphere();
const corners = [new Vector3(), new Vector3(), new Vector3()];
const direction = new Vector3();
/** Numbers per hit. */
const NUMBERS = 6;
// The vertices of a triangle, and the bones that move them with the sums of their weights: four each.
const [numbers, bones, sums] = [[0, 0, 0], new Int32Array(12), new Float64Array(12)];

/**
 * Lets pliant answer the raycasts of a mesh from now on, in every pose: bones, morph influences and matrices
 * are read when a ray is cast. Intersections are those of three.js and have `bone` and `boneIndex` for a
 * SkinnedMesh, the bone that moves the place most. With `raycaster.firstHitOnly` only the first one is found.
 */
export function accelerate(mesh) {
  const known = bodies.get(mesh);
  known?.dispose();
  bodies.set(mesh, new MeshBody(mesh));
  mesh.raycast = acceleratedRaycast;
  return mesh;
}

/** Lets three.js answer again, and gives memory back. */
export function restore(mesh) {
  bodies.get(mesh)?.dispose();
  bodies.delete(mesh);
  delete mesh.raycast;
  return mesh;
}

/** What `mesh.raycast` is after `accelerate`. A mesh that was not accelerated is, by its first ray. */
export function acceleratedRaycast(raycaster, intersects) {
  if (this.material === undefined) return;
  if (!bodies.get(this)?.isCurrent) accelerate(this);
  const body = bodies.get(this);
  if (this.isInstancedMesh) instances(this, body, raycaster, intersects);
  else {
    body.update();
    collect(this, body.body, this.matrixWorld, raycaster, intersects);
  }
}

function instances(mesh, body, raycaster, intersects) {
  const { geometry } = mesh;
  if (geometry.boundingSphere === null) geometry.computeBoundingSphere();
  for (let instanceId = 0; instanceId < mesh.count; instanceId++) {
    mesh.getMatrixAt(instanceId, instance);
    multiply(mesh.matrixWorld.elements, instance.elements, world);
    instance.fromArray(world);
    sphere.copy(geometry.boundingSphere).applyMatrix4(instance);
    if (!raycaster.ray.intersectsSphere(sphere)) continue;
    body.place(world);
    const first = intersects.length;
    collect(mesh, body.body, instance, raycaster, intersects);
    for (let at = first; at < intersects.length; at++) intersects[at].instanceId = instanceId;
  }
}

/** Adds what a ray hits and the material shows. */
function collect(mesh, body, matrixWorld, raycaster, intersects) {
  const { origin, direction } = raycaster.ray;
  const first = raycaster.firstHitOnly === true;
  // Fronts are those of the mesh's own space, as three.js sees them: a mirrored mesh turns them round.
  const side = matrixWorld.determinant() < 0 ? -1 : 1;
  const see = (every) => {
    const hits = body.hitNumbers(origin.x, origin.y, origin.z, direction.x, direction.y, direction.z, every);
    for (let at = 0; at < hits.length; at += NUMBERS) {
      if (take(mesh, matrixWorld, raycaster, hits, at, side, intersects) && first) return true;
    }
    return hits.length === 0;
  };
  // The first may be turned away, or not be drawn: then the others count.
  if (first && see(false)) return;
  see(true);
}

/** Adds one hit, or does not: whether it counts. From `at` on are its triangle, t, barycentric weights and side. */
function take(mesh, matrixWorld, raycaster, hits, at, side, intersects) {
  const { geometry } = mesh;
  const { index, attributes } = geometry;
  const faceIndex = hits[at];
  const start = 3 * faceIndex;
  const drawn = drawnBy(mesh, start);
  if (!drawn) return false;
  const shows = drawn.material.side;
  const facing = side * hits[at + 5];
  if (shows !== DoubleSide && (shows === BackSide ? facing <= 0 : facing >= 0)) return false;
  const point = raycaster.ray.at(hits[at + 1], new Vector3());
  const distance = raycaster.ray.origin.distanceTo(point);
  if (distance < raycaster.near || distance > raycaster.far) return false;
  for (let corner = 0; corner < 3; corner++) {
    numbers[corner] = index ? index.getX(start + corner) : start + corner;
    mesh.getVertexPosition(numbers[corner], corners[corner]);
  }
  const barycoord = new Vector3(hits[at + 2], hits[at + 3], hits[at + 4]);
  const [a, b, c] = numbers;
  const normal = Triangle.getNormal(corners[0], corners[1], corners[2], new Vector3());
  const face = { a, b, c, normal, materialIndex: drawn.materialIndex };
  const found = { distance, point, object: mesh, face, faceIndex, barycoord };
  const between = (attribute, target) => Triangle.getInterpolatedAttribute(attribute, a, b, c, barycoord, target);
  if (attributes.uv) found.uv = between(attributes.uv, new Vector2());
  if (attributes.uv1) found.uv1 = between(attributes.uv1, new Vector2());
  if (attributes.normal) {
    found.normal = between(attributes.normal, new Vector3());
    direction.copy(raycaster.ray.direction).transformDirection(inverse.copy(matrixWorld).invert());
    if (found.normal.dot(direction) > 0) found.normal.negate();
  }
  if (mesh.isSkinnedMesh) {
    found.boneIndex = strongest(mesh, barycoord);
    found.bone = mesh.skeleton.bones[found.boneIndex];
  }
  intersects.push(found);
  return true;
}

/** The material that draws the triangle which starts there in the index; null if none does. */
function drawnBy({ geometry, material }, start) {
  const { drawRange, groups } = geometry;
  if (start < drawRange.start || start >= drawRange.start + drawRange.count) return null;
  if (!Array.isArray(material)) return { material, materialIndex: 0 };
  const group = groups.find((one) => start >= one.start && start < one.start + one.count && material[one.materialIndex]);
  return group ? { material: material[group.materialIndex], materialIndex: group.materialIndex } : null;
}

/** The number of the bone that moves a place of the triangle in `numbers` most; of equals the first. */
function strongest({ geometry }, barycoord) {
  const { skinIndex, skinWeight } = geometry.attributes;
  for (let at = 0; at < 12; at++) {
    const [vertex, corner] = [numbers[at >> 2], at >> 2];
    bones[at] = skinIndex.getComponent(vertex, at & 3);
    sums[at] = 0;
    const weight = skinWeight.getComponent(vertex, at & 3) * barycoord.getComponent(corner);
    // The sum of a bone is kept where it comes first.
    sums[bones.indexOf(bones[at])] += weight;
  }
  let best = 0;
  for (let at = 1; at < 12; at++) if (sums[at] > sums[best]) best = at;
  return bones[best];
}
