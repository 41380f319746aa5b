// Names under which MCP clients see what an upstream has: `<server>__<name>`, valid and never two things under one.
import { sha256Hex } from '@portico/canonical-json';

/** As MCP recommends (2026-07-28, server/tools, names). */
const maxLength = 128;
const digestLength = 8;

/**
 * Depends on nothing but the two, so that a name means the same with any other servers connected. Where the plain form
 * is not valid, or could be read as another server's, a digest of both makes it unique.
 */
export function nativeName(server: string, name: string): string {
  const plain = `${server}__${name}`;
  const isPlain = /^[A-Za-z0-9_.-]+$/.test(plain) && plain.length <= maxLength;
  if (isPlain && !server.includes('__') && !server.endsWith('_')) return plain;
  return `${validStart(plain)}_${sha256Hex(`${server}.${name}`).slice(0, digestLength)}`;
}

/** Whether a name has the prefix of one server's native names, independent of that server's current lists. */
export function beginsAsNativeOf(server: string, name: string): boolean {
  return name.startsWith(validStart(`${server}__`));
}

function validStart(plain: string): string {
  return plain.replaceAll(/[^A-Za-z0-9_.-]/g, '_').slice(0, maxLength - digestLength - 1);
}
