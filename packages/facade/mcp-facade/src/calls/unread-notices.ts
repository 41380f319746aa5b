// Notifications that a client that does not read can do without: the next of them replaces each.

const replaceable: readonly string[] = [
  'notifications/progress',
  'notifications/message',
  'notifications/resources/updated',
];

/** Bytes that may be unread before these are left out. */
export const maxUnreadBytes = 1024 * 1024;

export function isReplaceable(method: unknown): boolean {
  return typeof method === 'string' && replaceable.includes(method);
}
