// Hover a running fox: which triangle, which bone, where on it. No pose is baked: the ray is cast against the
// bones as they are.
import * as THREE from "three";
import { GLTFLoader } from "three/addons/loaders/GLTFLoader.js";
import { init } from "pliant";
import { accelerate } from "pliant-three";

await init();
const gltf = await new GLTFLoader().loadAsync(new URLSearchParams(location.search).get("model") ?? "/model.glb");
const scene = new THREE.Scene().add(gltf.scene, new THREE.HemisphereLight(0xffffff, 0x444444, 3));
gltf.scene.traverse((node) => node.isMesh && accelerate(node));

const mixer = new THREE.AnimationMixer(gltf.scene);
const run = gltf.animations.find(({ name }) => /run/i.test(name)) ?? gltf.animations[0];
if (run) mixer.clipAction(run).play();

const box = new THREE.Box3().setFromObject(gltf.scene, true);
const ball = box.getBoundingSphere(new THREE.Sphere());
const camera = new THREE.PerspectiveCamera(40, 1, ball.radius / 100, ball.radius * 20);
camera.position.copy(ball.center).addScaledVector(new THREE.Vector3(1, 0.4, 0.6).normalize(), 3 * ball.radius);
camera.lookAt(ball.center);

// The triangle, and the point on it.
const triangle = new THREE.Mesh(new THREE.BufferGeometry(), new THREE.MeshBasicMaterial({ color: 0xffd54f, side: THREE.DoubleSide, depthTest: false }));
triangle.geometry.setAttribute("position", new THREE.BufferAttribute(new Float32Array(9), 3));
triangle.frustumCulled = false;
const point = new THREE.Mesh(new THREE.SphereGeometry(ball.radius / 120), new THREE.MeshBasicMaterial({ color: 0xff3333, depthTest: false }));
triangle.renderOrder = point.renderOrder = 1;
scene.add(triangle, point);

const renderer = new THREE.WebGLRenderer({ antialias: true });
document.body.append(renderer.domElement);
const resize = () => {
  renderer.setSize(innerWidth, innerHeight);
  camera.aspect = innerWidth / innerHeight;
  camera.updateProjectionMatrix();
};
addEventListener("resize", resize);
resize();

const pointer = new THREE.Vector2(2, 2);
addEventListener("pointermove", ({ clientX, clientY }) => pointer.set((2 * clientX) / innerWidth - 1, 1 - (2 * clientY) / innerHeight));

const raycaster = new THREE.Raycaster();
raycaster.firstHitOnly = true;
const clock = new THREE.Clock();
const shown = document.getElementById("hit");
const corner = new THREE.Vector3();
renderer.setAnimationLoop(() => {
  mixer.update(clock.getDelta());
  scene.updateMatrixWorld();
  raycaster.setFromCamera(pointer, camera);
  const [hit] = raycaster.intersectObject(gltf.scene);
  triangle.visible = point.visible = hit !== undefined;
  if (hit) {
    const { object, face, faceIndex, barycoord, bone } = hit;
    [face.a, face.b, face.c].forEach((vertex, at) => {
      object.getVertexPosition(vertex, corner).applyMatrix4(object.matrixWorld).toArray(triangle.geometry.attributes.position.array, 3 * at);
    });
    triangle.geometry.attributes.position.needsUpdate = true;
    point.position.copy(hit.point);
    const weights = barycoord.toArray().map((weight) => weight.toFixed(3)).join(", ");
    shown.textContent = `${object.name}\ntriangle ${faceIndex}\nbone ${bone?.name ?? "none"}\nbarycentric ${weights}`;
    Object.assign(document.body.dataset, { triangle: faceIndex, bone: bone?.name ?? "" });
  } else shown.textContent = "Move the pointer over the animal.";
  renderer.render(scene, camera);
  document.body.dataset.ready = "yes";
});
