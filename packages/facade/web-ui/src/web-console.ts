// Answers requests for the console from the files of its build, which are read once. Other files do
// not exist, so no path leads out of the build.
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { extname, join, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface ConsoleAnswer {
  readonly status: 200 | 304;
  readonly headers: Readonly<Record<string, string>>;
  /** Null under 304. */
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** Answers a GET below `/ui`, or of `/`; undefined if there is no such file. */
export type WebConsole = (path: string, header: (name: string) => string | undefined) => ConsoleAnswer | undefined;

/** Everything comes from the service itself, and nothing is written into a page: no code, no style, no frame. */
export const consolePolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

interface File {
  readonly plain: Uint8Array<ArrayBuffer>;
  readonly packed: Uint8Array<ArrayBuffer> | undefined;
  readonly headers: Readonly<Record<string, string>>;
  readonly etag: string;
}

const types: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.md': 'text/plain; charset=utf-8',
};

const page = 'index.html';

/**
 * Reads the files of the console and returns the function that serves them.
 * @throws Error when the build is not there
 */
export async function openWebConsole(folder = fileURLToPath(new URL('./app/', import.meta.url))): Promise<WebConsole> {
  const files = await readFiles(folder);
  if (!files.has(page)) throw new Error(`the web console is not built: ${join(folder, page)} is missing`);
  return (path, header) => {
    const file = files.get(fileAt(path));
    return file === undefined ? undefined : answer(file, header);
  };
}

/** Returns the app for a path that names no file, since the app routes it. A missing file is not found. */
function fileAt(path: string): string {
  const inside = path.replace(/^\/(ui(\/|$))?/, '');
  return inside.startsWith('assets/') || types[extname(inside)] !== undefined ? inside : page;
}

function answer(file: File, header: (name: string) => string | undefined): ConsoleAnswer {
  const { headers, etag, plain, packed } = file;
  const known = header('If-None-Match')
    ?.split(',')
    .map((tag) => tag.trim().replace(/^W\//, ''));
  if (known?.includes(etag) || known?.includes('*')) return { status: 304, headers, body: null };
  const takesPacked = /(^|,)\s*gzip\s*(,|$)/i.test(header('Accept-Encoding') ?? '');
  if (packed === undefined || !takesPacked) return { status: 200, headers, body: plain };
  return { status: 200, headers: { ...headers, 'Content-Encoding': 'gzip' }, body: packed };
}

async function readFiles(folder: string): Promise<ReadonlyMap<string, File>> {
  const names = await readdir(folder, { recursive: true }).catch(() => []);
  const served = names.filter((name) => types[extname(name)] !== undefined);
  const files = served.map(async (name) => [name.split(sep).join('/'), await openFile(folder, name)] as const);
  return new Map(await Promise.all(files));
}

async function openFile(folder: string, name: string): Promise<File> {
  const plain = await readFile(join(folder, name));
  const packed = await readFile(join(folder, `${name}.gz`)).catch(() => undefined);
  const etag = `"${createHash('sha256').update(plain).digest('hex').slice(0, 32)}"`;
  return {
    plain,
    packed,
    etag,
    headers: {
      'Content-Type': types[extname(name)] ?? '',
      'Content-Security-Policy': consolePolicy,
      // The names of the files below assets/ say what is in them.
      'Cache-Control': name.startsWith('assets') ? 'public, max-age=31536000, immutable' : 'no-cache',
      ETag: etag,
      Vary: 'Accept-Encoding',
    },
  };
}
