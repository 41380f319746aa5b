// Keeps most lines from being parsed that do not hold the text that is looked for.
import type { AuditFilter } from '@portico/audit-chain';

/** Whether a text stands in a line as it stands in the value: canonical JSON escapes quotes, backslashes and control characters. */
export function isPlain(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for
  return !/["\\\u0000-\u001f]/.test(text);
}

/** Whether a filter has a condition that only the text of a record decides. */
export function asksForText({ q, client, channel, shadow, rule }: AuditFilter): boolean {
  return [q, client, channel, shadow, rule].some((condition) => condition !== undefined);
}

/** Pieces that stand in the canonical line of each record that a filter means; they may stand in other lines as well. */
export function piecesOf({ client, channel, shadow, rule }: AuditFilter): readonly string[] {
  return [
    ...(client === undefined ? [] : [`"client":{"name":${JSON.stringify(client)}`]),
    ...(channel === undefined ? [] : [`"channel":"${channel}"`]),
    ...(shadow === undefined ? [] : ['"shadow":"']),
    ...(rule === undefined ? [] : [`"rule":${JSON.stringify(rule)}`]),
  ];
}

/** Whether a line may hold what a filter looks for. */
export function textTestOf(filter: AuditFilter): (line: string) => boolean {
  const { q } = filter;
  const pieces = piecesOf(filter);
  const lowerCased = q !== undefined && isPlain(q) ? q.toLowerCase() : '';
  return (line) => pieces.every((piece) => line.includes(piece)) && line.toLowerCase().includes(lowerCased);
}
