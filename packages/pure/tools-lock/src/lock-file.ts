// The lock: the identities of servers and the definitions of their tools, prompts and templates that a person has
// accepted. Shapes only.
import type { JsonObject } from '@portico/contracts';

/** Version of the file format. A file with a higher version comes from a newer Portico and is not read. */
export const lockVersion = 1;

/** Kinds of entries that a lock file has for a server. */
export const lockedKinds = ['tool', 'prompt', 'resource_template'] as const;
/** Plain resources are not locked: what a server lists of them changes with its data. */
export type LockedKind = (typeof lockedKinds)[number];

/** The members of a server in the file, by kind. */
export const listNames: Readonly<Record<LockedKind, string>> = {
  tool: 'tools',
  prompt: 'prompts',
  resource_template: 'resourceTemplates',
};

export interface Acceptance {
  /** The person who accepted it: the name that they gave, or the name that Portico knows. */
  readonly by: string;
  /** RFC 3339 in UTC, to the second. */
  readonly at: string;
}

/** One definition as it was accepted. */
export interface LockedDefinition {
  /** SHA-256 over its id, its server and the definition, 64 lower-case hex characters: that of the catalog's entry. */
  readonly digest: string;
  /** As the server gave it, whole. */
  readonly definition: JsonObject;
  readonly accepted: Acceptance;
}

/**
 * The identity of a server, without its lists. A member is absent if it is not known. A server with the program only was
 * not read yet; once it was read, `info` is there, if only as an empty object.
 */
export interface ServerIdentity {
  /** Digest of the command with its arguments and the names of its variables, or of the address with the names of headers. */
  readonly program: string;
  /** The package that the program was found to be, as `<name>@<version>`. */
  readonly package?: string;
  /** MCP `serverInfo`: the name, and what else the server says there. */
  readonly info?: JsonObject;
  /** MCP `instructions`. */
  readonly instructions?: string;
}

export interface LockedServer {
  readonly identity: ServerIdentity;
  /** SHA-256 of the identity. */
  readonly digest: string;
  readonly accepted: Acceptance;
  readonly lists: Readonly<Record<LockedKind, ReadonlyMap<string, LockedDefinition>>>;
}

/** By the ids of the servers. */
export type ToolsLock = ReadonlyMap<string, LockedServer>;

/** A lock without any server. */
export const emptyLock: ToolsLock = new Map();

/** A definition as a server lists it now. */
export interface ListedDefinition {
  /** As `LockedDefinition.digest`. */
  readonly digest: string;
  readonly definition: JsonObject;
}

/** The current identity and lists of a server. */
export interface ListedServer {
  readonly identity: ServerIdentity;
  /** Set where the package was looked for and not found; absent if it was not looked for yet. */
  readonly hasNoPackage?: boolean;
  readonly lists: Readonly<Record<LockedKind, ReadonlyMap<string, ListedDefinition>>>;
}
