// Raycasts of three.js, answered by pliant, for the meshes for which somebody asks for it.
import { BackSide, DoubleSide, Matrix4, Sphere, Triangle, Vector2, Vector3 } from "three";
import { multiply } from "./affine.js";
import { MeshBody } from "./mesh_body.js";

const bodies = new WeakMap();
const [inverse, world, instance] = [new Matrix4(), new Float64Array(16), new Matrix4()];
const sphere = new Sphere();
const corners = [new Vector3(), new Vector3(), new Vector3()];
const [edge, across, direction] = [new Vector3(), new Vector3(), new Vector3()];

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
  const ray = [[origin.x, origin.y, origin.z], [direction.x, direction.y, direction.z]];
  const first = raycaster.firstHitOnly === true;
  if (first) {
    const hits = body.rayCast(...ray);
    // The first may be turned away, or not be drawn: then the others count.
    if (hits.triangles[0] < 0 || take(mesh, matrixWorld, raycaster, hits, 0, intersects)) return;
  }
  const hits = body.rayHits(...ray);
  for (let at = 0; at < hits.triangles.length; at++) {
    if (take(mesh, matrixWorld, raycaster, hits, at, intersects) && first) return;
  }
}

/** Adds one hit, or does not: whether it counts. */
function take(mesh, matrixWorld, raycaster, { triangles, t, barycentric }, at, intersects) {
  const { geometry } = mesh;
  const faceIndex = triangles[at];
  const drawn = drawnBy(mesh, 3 * faceIndex);
  if (!drawn) return false;
  const point = raycaster.ray.at(t[at], new Vector3());
  const distance = raycaster.ray.origin.distanceTo(point);
  if (distance < raycaster.near || distance > raycaster.far) return false;
  const numbers = [0, 1, 2].map((corner) => (geometry.index ? geometry.index.getX(3 * faceIndex + corner) : 3 * faceIndex + corner));
  numbers.forEach((vertex, corner) => mesh.getVertexPosition(vertex, corners[corner]));
  // The side is that of the mesh's own space, as three.js sees it.
  inverse.copy(matrixWorld).invert();
  direction.copy(raycaster.ray.direction).transformDirection(inverse);
  across.subVectors(corners[2], corners[0]);
  const facing = edge.subVectors(corners[1], corners[0]).cross(across).dot(direction);
  const { side } = drawn.material;
  if (side !== DoubleSide && (side === BackSide ? facing <= 0 : facing >= 0)) return false;
  const barycoord = new Vector3().fromArray(barycentric, 3 * at);
  const [a, b, c] = numbers;
  const face = { a, b, c, normal: Triangle.getNormal(...corners, new Vector3()), materialIndex: drawn.materialIndex };
  const found = { distance, point, object: mesh, face, faceIndex, barycoord };
  const { uv, uv1, normal } = geometry.attributes;
  const between = (attribute, target) => Triangle.getInterpolatedAttribute(attribute, a, b, c, barycoord, target);
  if (uv) found.uv = between(uv, new Vector2());
  if (uv1) found.uv1 = between(uv1, new Vector2());
  if (normal) {
    found.normal = between(normal, new Vector3());
    if (found.normal.dot(direction) > 0) found.normal.negate();
  }
  if (mesh.isSkinnedMesh) Object.assign(found, strongest(mesh, numbers, barycoord));
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

/** The bone that moves a place of a triangle most; of equals the first. */
function strongest({ geometry, skeleton }, numbers, barycoord) {
  const { skinIndex, skinWeight } = geometry.attributes;
  const sums = new Map();
  numbers.forEach((vertex, corner) => {
    for (let part = 0; part < 4; part++) {
      const bone = skinIndex.getComponent(vertex, part);
      const weight = skinWeight.getComponent(vertex, part) * barycoord.getComponent(corner);
      sums.set(bone, (sums.get(bone) ?? 0) + weight);
    }
  });
  const [boneIndex] = [...sums].reduce((best, one) => (one[1] > best[1] ? one : best));
  return { boneIndex, bone: skeleton.bones[boneIndex] };
}
