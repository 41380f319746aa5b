// Servers as tests list and lock them.
import { finish } from '@portico/async';
import type { JsonObject } from '@portico/contracts';
import { acceptInto } from '../accept-into.js';
import { compareServer } from '../compare.js';
import {
  emptyLock,
  type ListedDefinition,
  type ListedServer,
  type ServerIdentity,
  type ToolsLock,
} from '../lock-file.js';
import { digestOfDefinition } from '../parse-lock.js';

export const accepted = { by: 'ann', at: '2026-11-25T12:00:00Z' };

export interface Lists {
  readonly tools?: readonly JsonObject[];
  readonly prompts?: readonly JsonObject[];
  readonly templates?: readonly JsonObject[];
  readonly identity?: Partial<ServerIdentity>;
  readonly hasNoPackage?: boolean;
}

/** As server `s` lists it. */
export function listed({
  tools = [],
  prompts = [],
  templates = [],
  identity = {},
  hasNoPackage = false,
}: Lists): ListedServer {
  return {
    identity: { program: 'p', ...identity },
    hasNoPackage,
    lists: {
      tool: byName(tools, 'name'),
      prompt: byName(prompts, 'name'),
      resource_template: byName(templates, 'uriTemplate'),
    },
  };
}

function byName(definitions: readonly JsonObject[], key: string): ReadonlyMap<string, ListedDefinition> {
  const entries = definitions.map((definition): [string, ListedDefinition] => {
    const name = String(definition[key]);
    return [name, { digest: digestOfDefinition('s', name, definition), definition }];
  });
  return new Map(entries);
}

/** The lock after all of it was accepted. */
export function lockOf(server: ListedServer): ToolsLock {
  const drifts = finish(compareServer('s', undefined, server));
  return acceptInto(emptyLock, drifts, new Map([['s', server]]), accepted);
}

/** Locks `before` and compares it with `now`. Returns the id and the class of each drift. */
export function driftsOf(before: Lists, now: Lists): readonly (readonly [string, string])[] {
  return finish(compareServer('s', lockOf(listed(before)).get('s'), listed(now))).map((drift) => [
    drift.id,
    drift.class,
  ]);
}
