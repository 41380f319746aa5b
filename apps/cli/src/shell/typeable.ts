// The ids that completion can put on a command line.

/**
 * Ids that every shell takes for one plain word. Servers and agents choose most ids, and bash puts a completion on the
 * command line as it is: one with `;` or `$(` in it would run when the line is entered, and one that begins with `-` would
 * be a flag.
 */
export function typeable(ids: readonly string[]): readonly string[] {
  return ids.filter((id) => /^[\w@+:,./][\w@%+=:,./-]*$/.test(id));
}
