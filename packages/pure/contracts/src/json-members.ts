// The members of a JSON object as the text that they came as, for what is passed on without some of them.
import { endOfString } from './json.js';
import { parseJson } from './parse-json.js';

/** A member of an object, in its text. */
export interface JsonMember {
  readonly name: string;
  /** Name, colon and value. */
  readonly text: string;
  readonly valueText: string;
}

/** The members of a valid JSON text that is an object, in their order; one for each time that a name is there. */
export function membersOf(text: string): readonly JsonMember[] {
  const members: JsonMember[] = [];
  let depth = 0;
  let nameFrom = -1;
  let nameTo = -1;
  const end = (to: number) => {
    if (nameFrom === -1) return; // an object without members
    const name = String(parseJson(text.slice(nameFrom, nameTo)));
    const valueText = text.slice(text.indexOf(':', nameTo) + 1, to).trim();
    members.push({ name, text: `${text.slice(nameFrom, nameTo)}:${valueText}`, valueText });
    nameFrom = -1;
  };
  for (let at = text.indexOf('{') + 1; at < text.length && depth >= 0; at++) {
    switch (text[at]) {
      case '"': {
        const from = at;
        at = endOfString(text, from + 1);
        if (nameFrom !== -1) break;
        nameFrom = from;
        nameTo = at + 1;
        break;
      }
      case '{':
      case '[':
        depth += 1;
        break;
      case '}':
      case ']':
        if (depth === 0) end(at);
        depth -= 1;
        break;
      case ',':
        if (depth === 0) end(at);
        break;
    }
  }
  return members;
}

/** The text of an object without the members of these names. */
export function withoutMembers(text: string, names: readonly string[]): string {
  const kept = membersOf(text).filter(({ name }) => !names.includes(name));
  return `{${kept.map((member) => member.text).join()}}`;
}
