// Picks a triangle of a moving skin: node examples/pick.mjs walk.glb
import { readFileSync } from "node:fs";
import { init, Scene } from "../index.js";

const file = process.argv[2];
if (!file) {
  console.error("usage: node examples/pick.mjs FILE.glb");
  process.exit(2);
}
await init();
const scene = Scene.fromBytes(readFileSync(file), file);
const player = scene.play(scene.animations.length > 0 ? 0 : undefined, false, "linear");
const [animation] = scene.animations;
for (let step = 0; step <= 10; step++) {
  const time = animation ? animation.start + ((animation.end - animation.start) * step) / 10 : 0;
  player.setTime(time);
  const [x0, y0, z0, x1, y1, z1] = player.body(0).boundingBox;
  const from = [(x0 + x1) / 2, (y0 + y1) / 2, z1 + 1];
  const [hit] = player.rayCast(from, [0, 0, -1]);
  console.log(time.toFixed(3), hit ? `${scene.objects[hit.object]}, triangle ${hit.triangle}, t ${hit.t}` : "nothing");
}
player.dispose();
scene.dispose();
