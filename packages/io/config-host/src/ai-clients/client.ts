// Describes an AI client: where its file is, how the file is written, and where servers are in it.
import { posix, win32 } from 'node:path';
import type { JsonObject } from '@portico/contracts';
import type { ReadDefinition } from './definitions/definition.js';
import type { FileFormat, Path } from './formats/file-format.js';

/** The machine and the user whose clients are meant. */
export interface UserEnvironment {
  readonly platform: 'linux' | 'darwin' | 'win32';
  readonly home: string;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** A command that serves one MCP client over stdin and stdout. */
export interface ServeCommand {
  readonly command: string;
  readonly args: readonly string[];
}

export interface KnownFields {
  readonly process: readonly string[];
  readonly address: readonly string[];
}

export interface OffFlag {
  readonly field: string;
  readonly value: boolean;
}

export interface ClientKind {
  readonly id: string;
  readonly name: string;
  /** The folder that is there when the client is. */
  readonly folder: (user: UserEnvironment) => string;
  /** Its configuration files; the first existing one counts, or the first of all if none exists. */
  readonly files: (user: UserEnvironment) => readonly [string, ...string[]];
  readonly format: FileFormat;
  /** Objects of a document that map names to definitions. */
  readonly servers: (root: JsonObject) => readonly Path[];
  /** The one among those for servers that are always there. */
  readonly home: (root: JsonObject) => Path;
  readonly readDefinition: ReadDefinition;
  /** Fields of a definition that have an equivalent in Portico. */
  readonly fields: KnownFields;
  /** The field by which the client leaves a server out, with its value; null if only removing the entry does. */
  readonly offFlag: (root: JsonObject) => OffFlag | null;
  /** The entry that has the client run a command. */
  readonly toEntry: (command: ServeCommand, root: JsonObject) => JsonObject;
}

/** Joins as the user's own system does, also on another one. */
export function joinAt({ platform }: UserEnvironment, ...parts: readonly string[]): string {
  return (platform === 'win32' ? win32 : posix).join(...parts);
}

/** Where programs of the user keep their settings: XDG on Linux, Application Support, or Roaming. */
export function settingsFolder(user: UserEnvironment): string {
  const { platform, home, env } = user;
  switch (platform) {
    case 'linux':
      return xdgFolder(user);
    case 'darwin':
      return joinAt(user, home, 'Library', 'Application Support');
    case 'win32':
      return env.APPDATA || joinAt(user, home, 'AppData', 'Roaming');
  }
}

/** The XDG folder, for clients that use it everywhere. A relative path is to be ignored, says XDG. */
export function xdgFolder(user: UserEnvironment): string {
  const given = user.env.XDG_CONFIG_HOME ?? '';
  const isAbsolute = (user.platform === 'win32' ? win32 : posix).isAbsolute(given);
  return isAbsolute ? given : joinAt(user, user.home, '.config');
}
