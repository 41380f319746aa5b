// Keys by name. A terminal may send several at once; text that is pasted comes as its characters.

/** The shape of what Ink says beside the text. */
export interface KeyFlags {
  readonly upArrow: boolean;
  readonly downArrow: boolean;
  readonly pageUp: boolean;
  readonly pageDown: boolean;
  readonly return: boolean;
  readonly escape: boolean;
  readonly ctrl: boolean;
  readonly backspace: boolean;
  readonly delete: boolean;
  readonly meta: boolean;
}

/** `up`, `down`, `page-up`, `page-down`, `enter`, `escape`, `backspace`, `interrupt`, or a character. */
export function toKeys(input: string, key: KeyFlags): readonly string[] {
  if (key.upArrow) return ['up'];
  if (key.downArrow) return ['down'];
  if (key.pageUp) return ['page-up'];
  if (key.pageDown) return ['page-down'];
  if (key.return) return ['enter'];
  if (key.escape) return ['escape'];
  if (key.backspace || key.delete) return ['backspace']; // terminals send DEL for it
  if (key.ctrl) return input === 'c' ? ['interrupt'] : [];
  return [...input].flatMap((character) => {
    if (character === '\r' || character === '\n') return ['enter'];
    if (character === '\u0003') return ['interrupt'];
    if (character === '\u007f' || character === '\b') return ['backspace'];
    return /\p{Cc}/u.test(character) ? [] : [character];
  });
}

/** Applies a key to a line of text; undefined if the key does not edit text. */
export function typeKey(text: string, key: string): string | undefined {
  if (key === 'backspace') return [...text].slice(0, -1).join('');
  return [...key].length === 1 ? text + key : undefined;
}
