// pliant for three.js: meshes that bend are picked and collide without a baked pose.
export { MeshBody } from "./src/mesh_body.js";
export { accelerate, acceleratedRaycast, restore } from "./src/raycast.js";
export { Contacts } from "./src/contacts.js";
