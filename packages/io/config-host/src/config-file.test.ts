// The configuration file as it is changed from here and by others, on a real file system.
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Issue } from '@portico/contracts';
import type { ConfigEdit, ConfigSource } from '@portico/control-plane';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openConfigFile } from './config-file.js';
import { ConfigError } from './load-config.js';

const text = '{\n  // mine\n  "port": 9001,\n  "x-note": 1,\n  "mcpServers": {}\n}\n';
const port = (value: number | undefined): ConfigEdit[] => [{ path: ['port'], value }];

let folder = '';
let file = '';
const ends: (() => void)[] = [];
const log: string[] = [];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'portico-config-'));
  file = join(folder, 'mcp_servers.json');
  writeFileSync(file, text);
});

afterEach(() => {
  for (const end of ends.splice(0)) end();
  log.splice(0);
  rmSync(folder, { recursive: true });
});

const open = (path = file, check: () => readonly Issue[] = () => []) =>
  openConfigFile(path, { check, log: (level, message) => log.push(`${level} ${message}`) });

/** The next reported change, for a listener that was registered before. */
function listen(source: ConfigSource) {
  const received: (() => void)[] = [];
  let count = 0;
  ends.push(
    source.watch(() => {
      count += 1;
      for (const resolve of received.splice(0)) resolve();
    }),
  );
  return { next: () => new Promise<void>((resolve) => received.push(resolve)), count: () => count };
}

describe('a change', () => {
  it('is written, and leaves everything else as it is', async () => {
    const source = await open();
    const { config, file: value } = await source.change(() => port(9002));
    expect([config.port, value.port, source.current().config.port]).toEqual([9002, 9002, 9002]);
    expect(readFileSync(file, 'utf8')).toBe(text.replace('9001', '9002'));
    expect(readdirSync(folder)).toEqual(['mcp_servers.json']);
  });

  it('that makes the file one that cannot be used is not written', async () => {
    const source = await open();
    const before = source.current();
    await expect(source.change(() => port(-1))).rejects.toThrow(/port/);
    const strict = await open(file, () => [{ path: 'authToken', message: 'is required' }]).catch((error) => error);
    expect(strict).toBeInstanceOf(ConfigError);
    expect([readFileSync(file, 'utf8'), source.current()]).toEqual([text, before]);
  });

  it('that its author gives up is not written', async () => {
    const source = await open();
    const refuse = () => {
      throw new Error('no');
    };
    await expect(source.change(refuse)).rejects.toThrow('no');
    expect(readFileSync(file, 'utf8')).toBe(text);
  });

  it('keeps who may read the file', async () => {
    chmodSync(file, 0o640);
    await (await open()).change(() => port(9002));
    expect(statSync(file).mode & 0o777).toBe(0o640);
  });

  it('goes to the file that a link leads to', async () => {
    const link = join(folder, 'link.json');
    symlinkSync(file, link);
    await (await open(link)).change(() => port(9002));
    expect([readFileSync(file, 'utf8').includes('9002'), readFileSync(link, 'utf8').includes('9002')]).toEqual([
      true,
      true,
    ]);
    expect(
      readdirSync(folder, { withFileTypes: true })
        .find(({ name }) => name === 'link.json')
        ?.isSymbolicLink(),
    ).toBe(true);
  });

  it('is made on the current content of the file, written by any program', async () => {
    const source = await open();
    writeFileSync(file, text.replace('"x-note": 1', '"toolTimeoutMs": 77'));
    const { config } = await source.change(() => port(9002));
    expect([config.port, config.toolTimeoutMs]).toEqual([9002, 77]);
  });

  it('is made again after a concurrent write', async () => {
    const source = await open();
    let tries = 0;
    const { config } = await source.change(() => {
      tries += 1;
      if (tries === 1) writeFileSync(file, text.replace('"x-note": 1', '"toolTimeoutMs": 77'));
      return port(9002);
    });
    expect([tries, config.port, config.toolTimeoutMs]).toEqual([2, 9002, 77]);
  });

  it('is given up when concurrent writes never stop', async () => {
    const source = await open();
    let tries = 0;
    const edit = () => {
      tries += 1;
      writeFileSync(file, text.replace('9001', String(9100 + tries)));
      return port(9002);
    };
    await expect(source.change(edit)).rejects.toThrow('other programs keep changing the file; try again');
    expect(tries).toBe(5);
  });

  it('is refused while the file is one that cannot be used, with what is wrong with it', async () => {
    const source = await open();
    writeFileSync(file, text.replace('9001', '"many"'));
    await expect(source.change(() => [{ path: ['x-note'], value: 2 }])).rejects.toThrow(
      /fix it before you change anything else.*port/s,
    );
    writeFileSync(file, '{"mcpServers": ');
    await expect(source.change(() => port(9002))).rejects.toThrow(/not valid JSON/);
    expect(readFileSync(file, 'utf8')).toBe('{"mcpServers": ');
    writeFileSync(file, text);
    expect((await source.change(() => port(9002))).config.port).toBe(9002);
  });

  it('is refused where two fields have one name', async () => {
    writeFileSync(file, text.replace('"x-note": 1', '"port": 9003'));
    const source = await open();
    await expect(source.change(() => port(9002))).rejects.toThrow('two fields of one name');
    await expect(source.change(() => port(undefined))).rejects.toThrow('two fields of one name');
  });

  it('knows a server named __proto__', async () => {
    const source = await open();
    const edit = { path: ['mcpServers', '__proto__'], value: { command: 'node' } };
    expect([...(await source.change(() => [edit])).config.servers.keys()]).toEqual(['__proto__']);
    expect([...(await source.load()).config.servers.keys()]).toEqual(['__proto__']);
    expect((await source.change(() => [{ ...edit, value: undefined }])).config.servers.size).toBe(0);
  });

  it('that changes nothing writes nothing', async () => {
    const source = await open();
    const { ino } = statSync(file);
    await source.change(() => []);
    expect(statSync(file).ino).toBe(ino);
  });
});

describe('watching', () => {
  it('reports a file that is written in place, and one that replaces it', async () => {
    const source = await open();
    const { next } = listen(source);
    let received = next();
    writeFileSync(file, text.replace('9001', '9002'));
    await received;
    expect((await source.load()).config.port).toBe(9002);
    received = next();
    writeFileSync(join(folder, '.swp'), text.replace('9001', '9003'));
    renameSync(join(folder, '.swp'), file);
    await received;
    expect((await source.load()).config.port).toBe(9003);
    received = next();
    writeFileSync(file, text.replace('9001', '9004'));
    await received;
    expect((await source.load()).config.port).toBe(9004);
  });

  it('reports a file that becomes invalid, once, and its correction', async () => {
    const source = await open();
    const { next, count } = listen(source);
    let received = next();
    writeFileSync(file, '{');
    await received;
    await expect(source.load()).rejects.toThrow(ConfigError);
    received = next();
    writeFileSync(file, text);
    await received;
    expect([(await source.load()).config.port, count()]).toEqual([9001, 2]);
  });

  it('reports a file that is missing for a while when it is there again', async () => {
    const source = await open();
    const { next, count } = listen(source);
    let received = next();
    writeFileSync(file, text.replace('9001', '9002')); // the folder is watched from now on
    await received;
    received = next();
    renameSync(file, join(folder, 'away'));
    writeFileSync(file, text.replace('9001', '9003'));
    await received;
    expect([(await source.load()).config.port, count()]).toEqual([9003, 2]);
  });

  it('reports a missing file, and the same file when it is put back', async () => {
    const source = await open();
    const { next } = listen(source);
    const changed = next();
    writeFileSync(file, text.replace('9001', '9002')); // the folder is watched from now on
    await changed;
    await source.load();
    const gone = next();
    rmSync(file);
    await gone;
    await expect(source.load()).rejects.toThrow('there is no such file');
    const back = next();
    writeFileSync(file, text);
    await back;
    expect((await source.load()).config.port).toBe(9001);
  });

  it('reports a write between reading and watching', async () => {
    const source = await open();
    writeFileSync(file, text.replace('9001', '9002'));
    await listen(source).next();
    expect((await source.load()).config.port).toBe(9002);
  });

  it('reports changes of the target of a link', async () => {
    mkdirSync(join(folder, 'real'));
    const real = join(folder, 'real', 'target.json');
    const link = join(folder, 'link.json');
    writeFileSync(real, text);
    symlinkSync(real, link);
    const source = await open(link);
    const { next } = listen(source);
    const received = next();
    writeFileSync(real, text.replace('9001', '9002'));
    await received;
    expect((await source.load()).config.port).toBe(9002);
  });

  it('does not report its own changes, or files beside it', async () => {
    const source = await open();
    const { next, count } = listen(source);
    let received = next();
    writeFileSync(file, text.replace('9001', '9002'));
    await received;
    received = next();
    await source.change(() => port(9003));
    writeFileSync(join(folder, 'other.json'), text);
    writeFileSync(file, text); // the last change, and the only one to be reported
    await received;
    expect(count()).toBe(2);
  });
});
