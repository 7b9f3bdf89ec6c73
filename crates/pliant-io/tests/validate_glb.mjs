// Runs the Khronos validator over GLB files; ends with 1 if any has an error.
//
//   npm install gltf-validator
//   node validate_glb.mjs FILE...
//
// The package is looked for from the working directory, or from $GLTF_VALIDATOR.
import { createRequire } from 'node:module';
import { readFile } from 'node:fs/promises';
import path from 'node:path';

const home = path.resolve(process.env.GLTF_VALIDATOR ?? process.cwd());
const validator = createRequire(path.join(home, 'package.json'))('gltf-validator');

const files = process.argv.slice(2);
if (files.length === 0) {
  console.error('usage: node validate_glb.mjs FILE...');
  process.exit(2);
}
let failed = 0;
for (const file of files) {
  const report = await validator.validateBytes(new Uint8Array(await readFile(file)), {
    uri: path.basename(file),
    maxIssues: 100,
  });
  const { numErrors, numWarnings, messages } = report.issues;
  for (const message of messages.filter(({ severity }) => severity === 0)) {
    console.log(`${file}: ${message.code} at ${message.pointer}: ${message.message}`);
  }
  if (numErrors > 0) failed += 1;
  else if (numWarnings > 0) console.log(`${file}: ${numWarnings} warnings`);
}
console.log(`${files.length - failed} of ${files.length} files have no errors`);
process.exit(failed > 0 ? 1 : 0);
