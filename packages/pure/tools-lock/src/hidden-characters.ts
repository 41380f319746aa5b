// Characters that a person does not see and a model reads: marks of direction, zero-width characters, the tag block.
import { isJsonObject, type JsonValue } from '@portico/contracts';

/**
 * Unicode's format, control and private characters, without tab and line ends, and what else shows as nothing: variation
 * selectors of the supplement, two or more other ones in a row (one chooses the form of an emoji, more are a code), and
 * fillers of Hangul.
 */
const hidden =
  /[\p{Cf}\p{Co}\p{Zl}\p{Zp}\u115f\u1160\u3164\uffa0]|(?:[\u{e0100}-\u{e01ef}])|[\ufe00-\ufe0f]{2,}|(?![\t\n\r])\p{Cc}/gu;
/** Flags of regions are written with tags, and names of scripts and emoji with joiners between letters that are not ASCII. */
const harmless = /\u{1f3f4}[\u{e0061}-\u{e007a}]{2,6}\u{e007f}|(?<=[^\p{ASCII}])[\u200c\u200d](?=[^\p{ASCII}])/gu;

/** Returns the hidden characters of all texts in a value and of its member names, as `U+202E`: each once, sorted. */
export function hiddenCharacters(value: JsonValue | undefined): readonly string[] {
  const found = new Set<string>();
  const look = (text: string) => {
    for (const [characters] of text.replace(harmless, '').matchAll(hidden)) {
      for (const character of characters) found.add(nameOf(character));
    }
  };
  const pending: (JsonValue | undefined)[] = [value];
  while (pending.length > 0) {
    const next = pending.pop();
    if (typeof next === 'string') look(next);
    else if (Array.isArray(next)) for (const item of next) pending.push(item);
    else if (isJsonObject(next)) {
      for (const key of Object.keys(next)) {
        look(key);
        pending.push(next[key]);
      }
    }
  }
  return [...found].sort();
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`;
}
