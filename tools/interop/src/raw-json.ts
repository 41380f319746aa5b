// The texts of the parts of a JSON text, as they are written: what a comparison byte for byte needs.

/** The texts of an object's members by their keys. @throws where the text is no object */
export function membersOf(text: string): ReadonlyMap<string, string> {
  const members = new Map<string, string>();
  for (const part of partsOf(text, '{')) {
    const end = endOfString(part, 0);
    members.set(JSON.parse(part.slice(0, end)), part.slice(part.indexOf(':', end) + 1).trim());
  }
  return members;
}

/** The texts of an array's items. @throws where the text is no array */
export function itemsOf(text: string): readonly string[] {
  return partsOf(text, '[');
}

/** An object's text again, of members whose texts may have been changed. */
export function objectOf(members: ReadonlyMap<string, string>): string {
  return `{${[...members].map(([key, value]) => `${JSON.stringify(key)}:${value}`).join(',')}}`;
}

function partsOf(text: string, opening: '{' | '['): readonly string[] {
  const inner = text.trim();
  if (inner[0] !== opening) throw new Error(`not the JSON text that was expected: ${inner.slice(0, 100)}`);
  const parts: string[] = [];
  let depth = 0;
  let from = 1;
  for (let at = 0; at < inner.length; at += 1) {
    const char = inner[at];
    if (char === '"') at = endOfString(inner, at) - 1;
    else if (char === '{' || char === '[') depth += 1;
    else if (char === '}' || char === ']') depth -= 1;
    if (!((char === ',' && depth === 1) || depth === 0)) continue;
    const part = inner.slice(from, at).trim();
    if (part !== '') parts.push(part);
    from = at + 1;
  }
  return parts;
}

/** The place after the string that begins at `from`. */
function endOfString(text: string, from: number): number {
  let at = from + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}
