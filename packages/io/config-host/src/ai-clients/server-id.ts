// Ids of servers as an import gives them: letters, digits, `_` and `-`, at most 64 of them.
import { idPattern } from '@portico/contracts';

const maxLength = 64;

export function isServerId(name: string): boolean {
  return idPattern.test(name);
}

/** The name itself where it is an id, else one that is like it; numbered where that one is taken. */
export function importId(name: string, taken: ReadonlySet<string>): string {
  const plain = isServerId(name) ? name : toPlainId(name);
  if (!taken.has(plain)) return plain;
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const id = plain.slice(0, maxLength - suffix.length) + suffix;
    if (!taken.has(id)) return id;
  }
}

function toPlainId(name: string): string {
  const plain = name
    .normalize('NFKD')
    .replace(/\p{Mark}/gu, '')
    .replace(/[^A-Za-z0-9_-]+/g, '-')
    .replace(/^-+|-+$/g, '')
    .slice(0, maxLength);
  return plain === '' ? 'server' : plain;
}
