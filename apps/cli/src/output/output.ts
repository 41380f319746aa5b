// The output of a command: answers on stdout, everything else on stderr, decoration on terminals only.
import { createColors } from 'picocolors';
import { toPlainBlock, toPlainCell, toPlainJson } from './plain-text.js';
import type { Column, toTable } from './table.js';
import { type TimeValue, toLocal, toRelative } from './times.js';

/** As process.stdout. */
export interface Sink {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string | Uint8Array): unknown;
}

export interface OutputOptions {
  readonly stdout: Sink;
  readonly stderr: Sink;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Not loaded by those who print no table: measuring text takes a library. */
  readonly toTable: typeof toTable;
  /** One JSON document in place of texts and tables. */
  readonly json?: boolean | undefined;
  /** Tables with every column, nothing cut, and exact times, on a terminal as well. */
  readonly wide?: boolean | undefined;
}

export interface Output {
  readonly isTerminal: boolean;
  readonly isJson: boolean;
  readonly paint: ReturnType<typeof createColors>;
  /** The answer: the document for programs, or what `describe` says for people. */
  answer(document: unknown, describe: () => void): void;
  /** One item of a stream: a JSON line, or the text. */
  item(document: unknown, text: () => string): void;
  /** Text of strangers may be in it. */
  line(text: string): void;
  /** Painted text; text of other programs has been sanitized before. */
  painted(text: string): void;
  /** As it is. Strangers' bytes go to no terminal: there they are made plain. */
  raw(content: string | Uint8Array): void;
  json(document: unknown): void;
  table<Row>(columns: readonly Column<Row>[], rows: readonly Row[], whenEmpty: string): void;
  /** A table whose rows come one after the other: headings at once, and rows that are aligned with those before them. */
  growingTable<Row>(columns: readonly Column<Row>[]): (rows: readonly Row[]) => void;
  /** A time among fields: local and exact; on a terminal also how long ago, or in how long. */
  time(value: TimeValue): string | undefined;
  /** On stderr. */
  note(text: string): void;
  /** On stderr of a terminal, until the next one comes or the returned function is called. */
  progress(text: string): () => void;
}

/** Rows that the next one of a growing table is aligned with. */
const alignedRows = 50;

export function createOutput({ stdout, stderr, env, toTable, json = false, wide }: OutputOptions): Output {
  const isTerminal = stdout.isTTY === true;
  const paint = createColors(wantsColor(stdout, env));
  const painted = (text: string) => void stdout.write(`${text}\n`);
  const line = (text: string) => painted(toPlainBlock(text));
  const widthOf = () => (isTerminal && wide !== true ? (stdout.columns ?? 80) : undefined);
  const toJson = (document: unknown) => painted(toPlainJson(document, 2));
  return {
    isTerminal,
    isJson: json,
    paint,
    answer: (document, describe) => (json ? toJson(document) : describe()),
    item: (document, text) => (json ? painted(toPlainJson(document)) : line(text())),
    line,
    painted,
    raw: (content) =>
      void stdout.write(isTerminal ? toPlainBlock(Buffer.from(content as Uint8Array).toString('utf8')) : content),
    json: toJson,
    table(columns, rows, whenEmpty) {
      if (rows.length === 0) return isTerminal ? void stderr.write(`${whenEmpty}\n`) : undefined;
      for (const text of toTable(columns, rows, { width: widthOf(), paintHeading: paint.bold })) painted(text);
    },
    growingTable<Row>(columns: readonly Column<Row>[]) {
      let before: readonly Row[] | undefined;
      return (rows: readonly Row[]) => {
        const shown = [...(before ?? []), ...rows];
        const [heading = '', ...lines] = toTable(columns, shown, { width: widthOf(), paintHeading: paint.bold });
        if (before === undefined) painted(heading);
        for (const text of lines.slice(lines.length - rows.length)) painted(text);
        before = shown.slice(-alignedRows);
      };
    },
    time(value) {
      const exact = toLocal(value);
      return exact === undefined || !isTerminal ? exact : `${exact} (${toRelative(value, Date.now())})`;
    },
    note: (text) => void stderr.write(`${toPlainBlock(text)}\n`),
    progress(text) {
      if (stderr.isTTY !== true) return () => {};
      // One line in place of the one before, so that it can be taken back.
      stderr.write(`\r\u001b[K${toPlainCell(text).slice(0, (stderr.columns ?? 80) - 1)}`);
      return () => void stderr.write('\r\u001b[K');
    },
  };
}

/** https://no-color.org and https://force-color.org: an empty value is as good as none. */
export function wantsColor(sink: Sink, { NO_COLOR, FORCE_COLOR, TERM }: OutputOptions['env']): boolean {
  if (NO_COLOR) return false;
  if (FORCE_COLOR) return FORCE_COLOR !== '0' && FORCE_COLOR !== 'false';
  return sink.isTTY === true && TERM !== 'dumb';
}
