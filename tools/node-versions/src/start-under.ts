// `npm start` under one Node: it gets ready, answers a call, and ends on SIGTERM.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';

const limitMs = 60_000;

export interface Started {
  readonly failed: boolean;
  readonly output: string;
}

/** @param folder for its configuration and state; removed by the caller */
export async function startUnder(node: string, repository: string, folder: string): Promise<Started> {
  const config = join(folder, 'mcp_servers.json'); // not that of `npm start`, which its user may have changed
  copyFileSync(join(repository, 'docs/examples/mcp_servers.json'), config);
  const flags = ['--config', config, '--port', '0', '--state-dir', join(folder, 'state')];
  const child = spawn(node, ['tools/build/start.mjs', ...flags], {
    cwd: repository,
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  let isReady = (_url: string) => {};
  const ready = new Promise<string>((resolve) => {
    isReady = resolve;
  });
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const [, url] = /^portico listening on (\S+)$/m.exec(output) ?? [];
      if (url !== undefined) isReady(url);
    });
  }
  const ended = once(child, 'close') as Promise<[number | null]>; // of a process that was spawned
  const limit = setTimeout(() => child.kill('SIGKILL'), limitMs);
  try {
    const url = await Promise.race([ready, ended.then(() => undefined)]);
    if (url === undefined) return { failed: true, output };
    const { status } = await fetch(`${url}/v1/capabilities`);
    child.kill('SIGTERM');
    const [code] = await ended;
    output += `\nGET /v1/capabilities: ${status}; exit code ${code}\n`;
    return { failed: status !== 200 || code !== 0 || /ExperimentalWarning/.test(output), output };
  } finally {
    clearTimeout(limit);
    child.kill('SIGKILL');
    await ended;
  }
}
