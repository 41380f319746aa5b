// The cost of one call in the daemon, by counts that do not depend on the load of the machine. An exceeded budget names
// what has grown; a budget far above the use is lowered with the change that saved it.
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nullStdioPath } from '../../fixtures/src/paths.js';
import { tempFolder } from './support/cleanup.js';
import { type DaemonProcess, startDaemonProcess } from './support/daemon-process.js';
import { createSourceFiles } from './support/source-files.js';

const meters = new URL('./support/meters.mjs', import.meta.url).href;
const program = fileURLToPath(new URL('./support/daemon-modules.mjs', import.meta.url));
/** The most that one call may take. Lower these when a call gets cheaper; a change that raises one gives its reason here. */
const budget = { promises: 8, bytes: 20_000, functions: 130, files: 45 };
const warmUp = 2000;
const body = JSON.stringify({ capability_id: 'null.null_call', args: {} });

interface CalledFunction {
  /** Built. */
  readonly file: string;
  readonly name: string;
  readonly offset: number;
}

const nameOf = ({ file, name, offset }: CalledFunction) => `${file} ${name} ${offset}`;

let daemon: DaemonProcess;
let metersUrl: string;

/** Keeps one connection open: each new one is looked up by both of its ends, which is no part of a call. */
const agent = new Agent({ keepAlive: true, maxSockets: 1 });
afterAll(() => agent.destroy());

/** Calls one after the other, over one connection. */
async function callTimes(count: number): Promise<void> {
  for (let call = 0; call < count; call += 1) {
    const asked = request(`${daemon.url}/v1/tools/call`, {
      agent,
      method: 'POST',
      headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
    });
    asked.end(body);
    const [answer] = await once(asked, 'response');
    if (!(await text(answer)).includes('"ok":true')) throw new Error('the call failed');
  }
}

/** The result of a meter for `count` calls over a connection that is open and whose other end is known. */
async function measure<T>(meter: string, count: number): Promise<T> {
  await callTimes(1);
  await fetch(`${metersUrl}/${meter}/start`).then((answer) => answer.text());
  await callTimes(count);
  return (await (await fetch(`${metersUrl}/${meter}/stop`)).json()) as T; // the meter says what it gives
}

beforeAll(async () => {
  const metersFile = join(tempFolder(), 'meters');
  const config = { mcpServers: { null: { command: process.execPath, args: [nullStdioPath] } } };
  daemon = await startDaemonProcess(config, {
    program,
    env: { NODE_OPTIONS: `--import ${meters}`, METERS_FILE: metersFile },
  });
  await daemon.connected();
  metersUrl = readFileSync(metersFile, 'utf8');
  await callTimes(warmUp);
});

describe('a call over stdio, without a key', () => {
  it('makes few promises', async () => {
    const calls = 200;
    const promises = (await measure<number>('promises', calls)) / calls;
    expect(promises, 'promises a call').toBeLessThanOrEqual(budget.promises);
  });

  it('allocates little', async () => {
    const calls = 2000;
    const samples: number[] = [];
    // Code that is not compiled yet allocates more: on a busy machine V8 takes its time. The least is the need of the
    // code.
    while (samples.length < 4 && !samples.some((bytes) => bytes <= budget.bytes))
      samples.push((await measure<number>('bytes', calls)) / calls);
    const bytes = Math.min(...samples);
    expect(bytes, 'bytes a call').toBeLessThanOrEqual(budget.bytes);
  });

  it('goes through few functions of few files', async () => {
    // Functions that every call passes: timers, and the look-up of a new connection's other end, are no part of a call.
    const samples: (readonly CalledFunction[])[] = [];
    while (samples.length < 4) samples.push(await measure<readonly CalledFunction[]>('functions', 1));
    const [first, ...others] = samples.map((sample) => new Map(sample.map((each) => [nameOf(each), each])));
    const called = [...(first ?? [])]
      .filter(([name]) => others.every((other) => other.has(name)))
      .map(([, each]) => each);
    const sources = createSourceFiles();
    const byFile = new Map<string, string[]>();
    for (const { file, name, offset } of called) {
      const source = sources.of(file, offset);
      byFile.set(source, [...(byFile.get(source) ?? []), name]);
    }
    const listed = [...byFile].sort().map(([file, names]) => `${file}: ${names.join(', ')}`);
    const message = `on the way of a call:\n${listed.join('\n')}`;
    expect(called.length, `functions ${message}`).toBeLessThanOrEqual(budget.functions);
    expect(byFile.size, `files ${message}`).toBeLessThanOrEqual(budget.files);
  });
});
