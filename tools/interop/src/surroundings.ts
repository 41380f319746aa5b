// The surroundings of the tried servers: a folder that is a Git repository, and a web site of one page. The same from
// run to run.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Surroundings } from './servers.js';

export interface Scene {
  /** With a scratch folder of its own. */
  surroundings(session: string): Surroundings;
  close(): Promise<void>;
}

const page = '<html><head><title>A page</title></head><body><h1>Heading</h1><p>Some text — “quoted”.</p></body></html>';

export async function setScene(): Promise<Scene> {
  const root = mkdtempSync(join(tmpdir(), 'portico-interop-scene-'));
  const folder = join(root, 'folder');
  mkdirSync(folder);
  writeFileSync(join(folder, 'note.txt'), 'One line\nand “another” one\n');
  commitAll(folder);
  const site = createServer((request, response) => {
    const isPage = request.url === '/page';
    response.writeHead(isPage ? 200 : 404, { 'content-type': 'text/html; charset=utf-8' }).end(isPage ? page : '');
  });
  await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
  const address = site.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    surroundings(session) {
      const scratch = join(root, session);
      mkdirSync(scratch, { recursive: true });
      return { folder, site: `http://127.0.0.1:${port}`, scratch };
    },
    async close() {
      await new Promise((resolve) => {
        site.close(resolve);
        site.closeAllConnections();
      });
      rmSync(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
    },
  };
}

/** Where Git is installed; its server needs it too. */
function commitAll(folder: string): void {
  const day = '2026-01-01T00:00:00Z';
  const env = {
    ...process.env,
    ...{ GIT_AUTHOR_NAME: 'Ada', GIT_AUTHOR_EMAIL: 'ada@example.org', GIT_AUTHOR_DATE: day },
    ...{ GIT_COMMITTER_NAME: 'Ada', GIT_COMMITTER_EMAIL: 'ada@example.org', GIT_COMMITTER_DATE: day },
  };
  for (const args of [
    ['init', '--quiet', '--initial-branch=main'],
    ['add', '.'],
    ['commit', '--quiet', '-m', 'A note'],
  ]) {
    spawnSync('git', args, { cwd: folder, env });
  }
}
