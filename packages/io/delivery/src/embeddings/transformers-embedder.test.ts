// A model in a process of its own, with a library that replaces the real one.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { modelProgram } from './model-program.js';
import { type ClosableEmbedder, createTransformersEmbedder } from './transformers-embedder.js';

const fake = new URL('../testing/fake-transformers.mjs', import.meta.url).href;
const opened: ClosableEmbedder[] = [];
afterEach(async () => {
  for (const embedder of opened.splice(0)) await embedder.close();
});

function create(model: string, options: { moduleUrl?: string; timeoutMs?: number } = { moduleUrl: fake }) {
  const embedder = createTransformersEmbedder(
    { provider: 'transformers', model },
    { env: process.env, directory: tmpdir(), ...options },
  );
  opened.push(embedder);
  const { signal } = new AbortController();
  return { ...embedder, embed: (texts: readonly string[], until = signal) => embedder.embed(texts, until) };
}

describe('a model on this machine', () => {
  it('gives a vector for each text, pooled and normalised', async () => {
    const texts = Array.from({ length: 70 }, (_, at) => 'x'.repeat(at + 1));
    const vectors = await create('Xenova/small').embed(texts);
    expect(vectors).toHaveLength(70);
    expect(vectors.at(-1)).toEqual(Float32Array.of(70, 0, 1, '/models/'.length));
  });

  it('is loaded from its folder, and nothing is downloaded then', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'portico-model-'));
    const local = Float32Array.of(1, 1, 1, tmpdir().length + 1);
    expect(await create(folder).embed(['x'])).toEqual([local]);
    expect(await create(`./${basename(folder)}`).embed(['x'])).toEqual([local]);
    await expect(create(join(folder, 'nothing')).embed(['x'])).rejects.toThrow('there is no model folder');
  });

  it('says why it cannot be loaded, each time', async () => {
    const missing = create('missing');
    const reason = 'the model failed: no such model: feature-extraction missing';
    await expect(missing.embed(['x'])).rejects.toThrow(reason);
    await expect(missing.embed(['x'])).rejects.toThrow(reason);
  });

  it('is started again after it has ended', async () => {
    const embedder = create('small');
    await expect(embedder.embed(['crash'])).rejects.toThrow('the process of the model ended with 3');
    expect(await embedder.embed(['x'])).toHaveLength(1);
  });

  it('is ended when it takes too long', async () => {
    const embedder = create('small', { moduleUrl: fake, timeoutMs: 500 });
    await expect(embedder.embed(['hang'])).rejects.toThrow('the process of the model ended with SIGKILL');
  });

  it('does not receive a request that was cancelled', async () => {
    const embedder = create('small');
    const first = embedder.embed(['x']);
    const control = new AbortController();
    const second = embedder.embed(['crash'], control.signal);
    control.abort(new Error('enough'));
    await expect(second).rejects.toThrow('enough');
    expect(await first).toHaveLength(1);
    expect(await embedder.embed(['y'])).toHaveLength(1);
  });

  it('is not left behind when the service is killed', async () => {
    const input = JSON.stringify({ moduleUrl: fake, model: 'small', folder: null });
    const start = `
      const options = { stdio: ['ignore', 'ignore', 'ignore', 'ipc'] };
      const [program, input] = process.argv.slice(1);
      const child = require('node:child_process').spawn(process.execPath, ['--input-type=module', '-e', program, input], options);
      console.log(child.pid);`;
    const service = spawn(process.execPath, ['-e', start, modelProgram, input], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [pid] = await once(service.stdout, 'data');
    service.kill('SIGKILL');
    await vi.waitFor(() => expect(() => process.kill(Number(pid), 0)).toThrow('ESRCH'), { timeout: 45_000 });
  });

  it('needs the library, and the message says how to install it', async () => {
    await expect(create('small', {}).embed(['x'])).rejects.toThrow(
      'the package @huggingface/transformers is not installed; run `npm install @huggingface/transformers`',
    );
  });
});
