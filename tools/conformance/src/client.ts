// The command line that the suite runs for every client scenario.
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const here = (name: string) => fileURLToPath(new URL(name, import.meta.url));

/** Compiles the driver once, so that none of its sixty processes has to. */
export async function buildDriver(): Promise<string> {
  const outfile = here('../dist/driver.mjs'); // as deep as the sources, which find the repository from where they are
  await build({
    entryPoints: [here('./driver/main.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  });
  return `node ${outfile}`;
}
