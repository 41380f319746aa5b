#!/usr/bin/env node
// Runs the built command. It is committed, so npm links it before the first build and npx finds it here, not in a registry.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../dist/main.js', import.meta.url);
if (existsSync(main)) {
  await import(main.href);
} else {
  const folder = fileURLToPath(new URL('../../..', import.meta.url));
  process.stderr.write(`portico: not built yet; run "npm start" or "npm run build" in ${folder} first\n`);
  process.exitCode = 2;
}
