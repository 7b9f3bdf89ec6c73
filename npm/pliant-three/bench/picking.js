// One ray per new pose, by three.js, by three-mesh-bvh and by pliant-three: the same rays and poses, in turn.
// Setting the pose is nobody's: the mixer and the matrices are not timed.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { acceleratedRaycast as bvhRaycast, MeshBVH, SkinnedMeshBVH, StaticGeometryGenerator } from "three-mesh-bvh";
import { init } from "pliant";
import { accelerate } from "pliant-three";

const triangles = ({ geometry }) => (geometry.index ?? geometry.attributes.position).count / 3;

/** Poses that are not timed: the engine compiles. */
const FIRST = 60;

/** Poses of one after the other. */
const TURN = 20;

/** The mean of the middle half: the machine may be busy with other things, and the clock has steps of 5 µs. */
const middle = (list) => {
  const half = list.sort((a, b) => a - b).slice(list.length >> 2, list.length - (list.length >> 2));
  return half.reduce((sum, one) => sum + one, 0) / half.length;
};

/** Measures one file. Milliseconds per pose of each, and what was hit. */
window.measure = async (address, animation, poses) => {
  await init();
  const gltf = await new GLTFLoader().loadAsync(address);
  const mixer = new THREE.AnimationMixer(gltf.scene);
  const clip = gltf.animations[animation];
  mixer.clipAction(clip).play();
  let mesh;
  gltf.scene.updateMatrixWorld(true);
  gltf.scene.traverse((node) => {
    if (node.isSkinnedMesh && (!mesh || triangles(node) > triangles(mesh))) mesh = node;
  });

  // three-mesh-bvh: vertices of the pose by its generator, then a refit, in world space.
  const generator = new StaticGeometryGenerator(mesh);
  generator.attributes = ["position"];
  const baked = new THREE.Mesh(generator.generate(), mesh.material);
  baked.geometry.boundsTree = new MeshBVH(baked.geometry, { indirect: true });
  baked.raycast = bvhRaycast;

  // The same library's tree over the skin itself, which moves every vertex for its refit as well.
  const skinned = new SkinnedMeshBVH(mesh, { indirect: true });

  // three.js: a sphere of the first pose would be wrong, one of each pose takes as long as the ray.
  mesh.boundingSphere = new THREE.Sphere(new THREE.Vector3(), 1e9);
  const plain = THREE.SkinnedMesh.prototype.raycast;
  accelerate(mesh);
  const fast = mesh.raycast;

  const ways = {
    three: (raycaster, found) => plain.call(mesh, raycaster, found),
    bvh: (raycaster, found) => {
      generator.generate(baked.geometry);
      baked.geometry.boundsTree.refit();
      baked.raycast(raycaster, found);
    },
    skinned: (raycaster, found) => {
      skinned.refit();
      skinned.raycastObject3D(mesh, raycaster, found);
    },
    pliant: (raycaster, found) => fast.call(mesh, raycaster, found),
    first: (raycaster, found) => {
      raycaster.firstHitOnly = true;
      fast.call(mesh, raycaster, found);
    },
  };
  const times = { three: [], bvh: [], skinned: [], pliant: [], first: [] };
  const hits = { three: 0, bvh: 0, skinned: 0, pliant: 0, first: 0 };
  let same = 0;
  const box = new THREE.Box3();
  const [target, origin, corner] = [new THREE.Vector3(), new THREE.Vector3(), new THREE.Vector3()];
  const setPose = (pose) => {
    mixer.setTime((pose / (poses + FIRST)) * clip.duration);
    gltf.scene.updateMatrixWorld(true);
    // As a renderer does for every frame.
    mesh.skeleton.update();
  };
  const aim = (pose) => {
    // Rays go from around to a vertex that is near the surface somewhere: most of them hit.
    const { count } = mesh.geometry.attributes.position;
    mesh.getVertexPosition((Math.imul(pose, 7919) >>> 0) % count, target).applyMatrix4(mesh.matrixWorld);
    box.makeEmpty();
    for (let at = 0; at < 50; at++) box.expandByPoint(mesh.getVertexPosition(Math.floor((at * count) / 50), corner).applyMatrix4(mesh.matrixWorld));
    const size = box.getSize(corner).length();
    origin.set(Math.sin(pose * 2.4), 0.3 * Math.cos(pose * 1.7), Math.cos(pose * 2.4)).multiplyScalar(2 * size).add(box.getCenter(corner));
    return new THREE.Raycaster(origin.clone(), target.clone().addScalar(size * 1e-3).sub(origin).normalize());
  };
  // All take turns of so many poses.
  for (let start = 0; start < poses + FIRST; start += TURN) {
    const first = {};
    for (const [name, cast] of Object.entries(ways)) {
      first[name] = [];
      for (let pose = start; pose < start + TURN; pose++) {
        setPose(pose);
        const raycaster = aim(pose);
        const found = [];
        const since = performance.now();
        cast(raycaster, found);
        if (pose >= FIRST) times[name].push(performance.now() - since);
        hits[name] += found.length;
        first[name].push(Math.min(...found.map(({ distance }) => distance), Infinity));
      }
    }
    const agrees = (distance, other) => distance === other || Math.abs(distance - other) < 1e-5 * distance;
    same += first.three.filter((distance, at) => agrees(distance, first.pliant[at]) && agrees(distance, first.first[at])).length;
  }
  const milliseconds = Object.fromEntries(Object.entries(times).map(([name, list]) => [name, middle(list)]));
  return { triangles: triangles(mesh), hits, same, poses: Math.ceil((poses + FIRST) / TURN) * TURN, milliseconds };
};
document.body.dataset.ready = "yes";
