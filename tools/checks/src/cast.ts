// A recording of a terminal as an asciicast, version 2 (https://docs.asciinema.org/manual/asciicast/v2/): written from
// scenes, and read back into them. Its times are computed, so that a new recording of the same text is the same file.

export interface Scene {
  readonly title: string;
  /** The terminal that it is in. */
  readonly terminal: string;
  readonly command: string;
  /** Frames in the order shown. Lines may have escapes that paint them. */
  readonly frames: readonly Frame[];
}

export interface Frame {
  readonly lines: readonly string[];
  /** On the other screen of the terminal, as a live screen is; else below the command. */
  readonly isOther: boolean;
}

export interface CastSize {
  readonly width: number;
  readonly height: number;
}

const clear = '\u001b[H\u001b[2J';
const enterOther = '\u001b[?1049h';
const leaveOther = '\u001b[?1049l';
const lineEnd = '\r\n';
const prompt = '\u001b[32m$\u001b[0m ';
/** Seconds. */
const pauses = { key: 0.05, start: 0.6, line: 0.12, frame: 2.4, scene: 1.6 };

type Event = readonly [seconds: number, kind: 'o' | 'm', data: string];

export function writeCast(scenes: readonly Scene[], { width, height }: CastSize, title: string): string {
  const header = { version: 2, width, height, timestamp: 0, title, env: { TERM: 'xterm-256color' } };
  const events: Event[] = [];
  let at = 0;
  const add = (kind: 'o' | 'm', data: string, secondsBefore: number) => {
    at += secondsBefore;
    events.push([Number(at.toFixed(2)), kind, data]);
  };
  for (const scene of scenes) {
    add('m', scene.title, pauses.scene);
    add('o', `${clear}\u001b[2m# ${scene.terminal}: ${scene.title}\u001b[0m${lineEnd}${prompt}`, 0);
    for (const character of scene.command) add('o', character, pauses.key);
    add('o', lineEnd, pauses.key);
    for (const [index, frame] of scene.frames.entries()) addFrame(frame, scene.frames[index - 1], add);
    const last = scene.frames.at(-1);
    at += last === undefined ? 0 : pauses.frame + pauses.line * last.lines.length; // time to read it
    if (last?.isOther === true) add('o', leaveOther, 0);
  }
  return `${[header, ...events].map((each) => JSON.stringify(each)).join('\n')}\n`;
}

function addFrame(
  frame: Frame,
  before: Frame | undefined,
  add: (kind: 'o', data: string, seconds: number) => void,
): void {
  const text = frame.lines.join(lineEnd);
  const wait = before === undefined ? pauses.start : pauses.frame + pauses.line * before.lines.length;
  if (!frame.isOther) add('o', `${text}${lineEnd}`, wait);
  else add('o', `${before?.isOther === true ? '' : enterOther}${clear}${text}`, wait);
}

/** @throws SyntaxError if it is no asciicast of `writeCast` */
export function readCast(text: string): readonly Scene[] {
  const [, ...events] = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));
  const starts = events.flatMap(([, kind], index) => (kind === 'm' ? [index] : []));
  return starts.map((start, index) => readScene(events.slice(start, starts[index + 1])));
}

function readScene([marker, begin, ...events]: readonly Event[]): Scene {
  const [, , title = ''] = marker ?? [];
  const [, terminal] = /# (.*?): /.exec(begin?.[2] ?? '') ?? [];
  const end = events.findIndex(([, , data]) => data === lineEnd);
  if (terminal === undefined || end === -1) throw new SyntaxError(`scene "${title}" has no command`);
  const shown = events.slice(end + 1).filter(([, , data]) => data !== leaveOther);
  return {
    title,
    terminal,
    command: events
      .slice(0, end)
      .map(([, , data]) => data)
      .join(''),
    frames: shown.map(([, , data]) => {
      const isOther = data.includes(clear);
      const lines = data.replace(enterOther, '').replace(clear, '').split(lineEnd);
      return { isOther, lines: isOther ? lines : lines.slice(0, -1) };
    }),
  };
}

/** Without what paints it. */
export function unpainted(line: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: escapes begin with one
  return line.replace(/\u001b\[[0-9;]*m/g, '');
}
