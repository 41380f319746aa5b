// The recording of the terminal: the real commands, one after the other, in pseudo-terminals, against a daemon.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Frame, Scene } from '../../../checks/src/cast.js';
import { onCleanup } from './cleanup.js';
import { everything } from './everything.js';
import { repository } from './repository.js';
import { openTerminal, type Terminal } from './terminal.js';

export const tourSize = { width: 110, height: 34 };

const terminals = { first: 'the first terminal', second: 'a second terminal' };
const size = { columns: tourSize.width, rows: tourSize.height };

interface Plain {
  readonly title: string;
  readonly command: readonly string[];
}

const atFirst: readonly Plain[] = [
  { title: 'let an AI client use Portico', command: ['clients', 'attach', 'cursor', '--yes'] },
  { title: 'see what the servers offer', command: ['list'] },
  { title: 'find a tool by what it does', command: ['search', 'add two numbers', '--limit', '1'] },
  { title: 'call it', command: ['call', 'everything.get-sum', 'a=2', 'b=3'] },
  {
    title: 'call what the policy asks a person about',
    command: ['call', 'memory.delete_entities', 'entityNames:=["Ada"]'],
  },
];

/** Plays it in a home of its own. @returns scenes with ids and times as examples */
export async function playTour(home: string): Promise<readonly Scene[]> {
  writeClient(home);
  const scenes: Scene[] = [];
  const keep = (title: string, terminal: string, command: readonly string[], frames: readonly Frame[]) =>
    scenes.push({ title, terminal, command: `portico ${command.map(quote).join(' ')}`, frames });
  const frameOf = (terminal: Terminal, isOther = false): Frame => ({
    isOther,
    lines: terminal.painted().map((line) => toExample(line, home)),
  });
  const init = ['init', '--yes', '--from', 'cursor', '--no-move'];
  const wizard = openTerminal(init, { ...size, cwd: home });
  await wizard.exited;
  keep('take the servers of an AI client', terminals.first, init, [frameOf(wizard)]);

  const daemon = openTerminal(['daemon', '--port', '0'], { ...size, cwd: home });
  const [, url = ''] = /listening on (http:\S+)/.exec(await daemon.shows(/listening on http:\S+\n/)) ?? [];
  onCleanup(() => daemon.signal('SIGTERM'));
  const open = (command: readonly string[]) => openTerminal(command, { ...size, cwd: home, env: { PORTICO_URL: url } });
  keep('start the daemon', terminals.second, ['daemon'], [readyFrame(frameOf(daemon))]);
  await untilConnected(open);

  for (const { title, command } of atFirst) {
    const terminal = open(command);
    await terminal.exited;
    keep(title, terminals.first, command, [frameOf(terminal)]);
  }
  keep(
    'decide on the call',
    terminals.second,
    ['approvals', 'watch', '--operator', 'ada'],
    await decide(open, frameOf),
  );

  const ticket = /appr-\d+-\d+/.exec(await shownBy(open(['approvals', 'list'])))?.[0] ?? '';
  for (const [title, command] of [
    ['check the audit log', ['audit', 'verify']],
    ['see why the call ended as it did', ['explain', ticket]],
  ] as const) {
    const terminal = open(command);
    await terminal.exited;
    keep(
      title,
      terminals.first,
      command.map((word) => toExample(word, home)),
      [frameOf(terminal)],
    );
  }
  keep('watch it all', terminals.first, ['top'], await watchTop(open, frameOf));
  return scenes;
}

type Open = (command: readonly string[]) => Terminal;
type FrameOf = (terminal: Terminal, isOther: boolean) => Frame;

async function decide(open: Open, frameOf: FrameOf): Promise<readonly Frame[]> {
  const terminal = open(['approvals', 'watch', '--operator', 'ada']);
  const frames: Frame[] = [];
  const seen = async (text: string | RegExp) => {
    await terminal.shows(text);
    frames.push(frameOf(terminal, true));
  };
  await seen(/> \d:\d\d .*destructive/);
  terminal.press('a');
  await seen('approve and run it as it is? y/n');
  terminal.press('y');
  await seen(/> decided[\s\S]*approved, done/);
  terminal.press('q');
  await terminal.exited;
  return frames;
}

async function watchTop(open: Open, frameOf: FrameOf): Promise<readonly Frame[]> {
  const terminal = open(['top']);
  await terminal.shows(/0\.\d calls\/s[\s\S]*ACTIVITY[\s\S]*memory +connected +closed/);
  const frame = frameOf(terminal, true);
  terminal.press('q');
  await terminal.exited;
  return [frame];
}

/** The log goes on behind the address, in an order that differs. */
function readyFrame({ lines, isOther }: Frame): Frame {
  return { isOther, lines: lines.filter((line) => line.startsWith('portico listening')) };
}

async function untilConnected(open: Open): Promise<void> {
  for (;;) {
    const shown = await shownBy(open(['server', 'list']));
    if ([...shown.matchAll(/ connected /g)].length === 2) return;
  }
}

async function shownBy(terminal: Terminal): Promise<string> {
  await terminal.exited;
  return terminal.screen().join('\n');
}

function writeClient(home: string): void {
  const memory = join(repository, 'node_modules/@modelcontextprotocol/server-memory/dist/index.js');
  const servers = {
    everything,
    memory: { command: process.execPath, args: [memory], env: { MEMORY_FILE_PATH: join(home, 'memory.jsonl') } },
  };
  mkdirSync(join(home, '.cursor'), { recursive: true });
  writeFileSync(join(home, '.cursor/mcp.json'), JSON.stringify({ mcpServers: servers }));
}

function quote(word: string): string {
  return /^[\w=.,:/@-]+$/.test(word) ? word : `'${word}'`;
}

/** Text that differs from run to run, and its replacement. */
const examples: readonly (readonly [found: RegExp, example: string])[] = [
  [/\/state\/portico\/[0-9a-f]{16}\//g, '/state/portico/0123456789abcdef/'],
  [/cursor-[0-9a-f]{12}/g, 'cursor-0123456789ab'],
  [/\d{4}-\d\d-\d\dT\d\d[:-]\d\d[:-]\d\d(\.\d+)?/g, '2026-01-02T03-04-05.678'],
  [/portico-cli \d+\.\d+\.\d+\S*/g, 'portico-cli 0.1.0'],
  [/127\.0\.0\.1:\d+/g, '127.0.0.1:9090'],
  [/appr-\d+-(\d+)/g, 'appr-1790000000-$1'],
  [/(?<![0-9a-f])[0-9a-f]{64}(?![0-9a-f])/g, '0123456789abcdef'.repeat(4)],
  [/(?<![0-9a-f])[0-9a-f]{32}(?![0-9a-f])/g, '0123456789abcdef'.repeat(2)],
  [/(?<!\d)[45]:\d\d(?!\d)/g, '4:58'],
  [/(?<![\d.])\d+(\.\d+)? (ms|µs|s)(?![a-z])(?! ago)/g, '2 ms'],
  [/(?<!\d)\d+ (?:s|min) ago *|(?<=m)now {4,}/g, '5 s ago    '],
  [/ ≤\d+m?s/g, ' ≤5ms'],
  [/\bp50 \S+ p95 \S+/g, 'p50 ≤5ms p95 ≤5ms'],
  [/\d+\.\d calls\/s/g, '0.2 calls/s'],
  [/\d+\.\d failed\/s/g, '0.0 failed/s'],
  [/(closed +(?:\S*m)?)\d+ +(\d+ +\d+ +\d+ +\d+ +).*$/g, '$14242     $20.1     ≤5ms    ≤5ms'],
];

export function toExample(line: string, home: string): string {
  return examples.reduce((text, [found, example]) => text.replace(found, example), line.replaceAll(home, '~'));
}

export function readTour(): string {
  return readFileSync(join(repository, 'docs/casts/tour.cast'), 'utf8');
}
