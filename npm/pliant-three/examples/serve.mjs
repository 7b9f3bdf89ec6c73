// Shows the example: node examples/serve.mjs FOX.glb
import { serve } from "../support/server.mjs";

const model = process.argv[2];
if (!model) {
  console.error("usage: node examples/serve.mjs FILE.glb");
  process.exit(2);
}
const { address } = await serve({ "/model.glb": model });
console.log(`${address}/pliant-three/examples/fox.html`);
