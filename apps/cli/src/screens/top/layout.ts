// Chooses the lines of the sections that fit, for any size of terminal.
import { around, blank, type Line } from '../shell/lines.js';
import type { Section } from './sections.js';

/** Lines of each section before any gets more. */
const fair = 3;

/** At most this many lines. The selected line is among them; sections without room for a line are left out. */
export function layOut(sections: readonly Section[], room: number): readonly Line[] {
  const whole = sections.reduce((sum, { title, lines }) => sum + title.length + lines.length, 0);
  const hasBlanks = whole + sections.length - 1 <= room;
  const given = share(sections, room);
  const parts = sections.map(({ title, lines, at }, index) => {
    const count = given[index] ?? 0;
    return count === 0 ? [] : [...title, ...around(lines, at, count)];
  });
  return parts
    .filter((part) => part.length > 0)
    .flatMap((part, index) => (hasBlanks && index > 0 ? [blank, ...part] : part));
}

/** Lines without titles that each section gets: that with the selection first, needs, servers, then the others. */
function share(sections: readonly Section[], room: number): readonly number[] {
  const given = sections.map(() => 0);
  const order = [...sections.entries()].sort(([, a], [, b]) => rankOf(a) - rankOf(b));
  let left = room;
  for (const quota of [1, fair, Number.POSITIVE_INFINITY]) {
    for (const [index, { title, lines }] of order) {
      const before = given[index] ?? 0;
      const titles = before === 0 ? title.length : 0;
      const more = Math.min(Math.min(lines.length, quota) - before, left - titles);
      if (more <= 0) continue;
      given[index] = before + more;
      left -= more + titles;
    }
  }
  return given;
}

/** The selected section comes first. */
function rankOf({ at, rank }: Section): number {
  return at >= 0 ? -1 : rank;
}
