// The web console where it is part of the service. Its files come from outside: this only finds the routes for them.
import type { Context, Hono } from 'hono';
import { respond } from './answer.js';

export interface ConsoleAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array<ArrayBuffer> | null;
}

/** The file at a path of the console; undefined if there is none. */
export type WebConsole = (
  path: string,
  header: (name: string) => string | undefined,
) => Promise<ConsoleAnswer | undefined>;

/** @param absent answers where there is no such file, or no console */
export function addConsoleRoutes(
  app: Hono,
  webConsole: WebConsole | undefined,
  absent: (c: Context) => Response,
): void {
  for (const path of ['/', '/ui', '/ui/*']) {
    app.get(path, async (c) => {
      const found = await webConsole?.(c.req.path, (name) => c.req.header(name));
      if (found === undefined) return absent(c);
      return respond(found.body, found.status, found.headers);
    });
  }
}
