// The processes of a test run that belong to the product, by their command lines.
import { expect, test } from 'vitest';
import { kindOf } from './kinds.js';

const node = '/usr/bin/node';

test.each([
  ['daemon', [node, '/r/apps/daemon/dist/main.js', '--config', '/tmp/c.json']],
  ['daemon', [node, '--import', '/r/tools/e2e/src/support/fast-clock.mjs', '/r/apps/daemon/dist/main.js']],
  ['mcp-http', [node, '/r/apps/mcp-http/dist/main.js']],
  ['mcp-stdio', [node, '/r/apps/mcp-stdio/dist/main.js']],
  ['cli', ['node', '/r/apps/cli/dist/main.js', 'list']],
  ['upstream', [node, '/r/tools/e2e/src/support/scripted-upstream.mjs', '/tmp/x']],
  ['upstream', [node, '/r/tools/fixtures/src/conformance-upstream/main.mjs']],
  ['upstream', [node, '/r/node_modules/@modelcontextprotocol/server-everything/dist/index.js', 'stdio']],
  ['postgres', ['/tmp/p/native/bin/postgres', '-D', '/tmp/p/data']],
  ['postgres', ['postgres: portico test_1 127.0.0.1(50000) idle']],
])('a %s is known by its command line: %j', (kind, command) => {
  expect(kindOf(command)).toBe(kind);
});

test.each([
  [['node (vitest 1)']],
  [[node, '/r/node_modules/vitest/vitest.mjs', 'run', 'tools/e2e/src/daemon.e2e.ts']],
  [[node, '--import', 'tsx', '/r/tools/stall/src/main.ts']],
  [[node, '/r/tools/build/run.mjs', 'tools/stall/src/main.ts']],
  [['/tmp/p/native/bin/initdb', '-D', '/tmp/p/data']],
  [['/tmp/p/native/bin/postgres', '--boot', '-F']],
  [['/bin/sh', '-c', 'node /r/apps/daemon/dist/main.js']],
  [['/r/.cache/browser/chromium', '--headless']],
  [[]],
])('no part of the product is %j', (command) => {
  expect(kindOf(command)).toBeUndefined();
});
