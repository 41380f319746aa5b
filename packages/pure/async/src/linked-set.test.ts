import { expect, it } from 'vitest';
import { type Linked, LinkedSet } from './linked-set.js';

class Member implements Linked<Member> {
  before: Member | undefined;
  after: Member | undefined;
  readonly name: number;

  constructor(name: number) {
    this.name = name;
  }
}

it('keeps its members in the order in which they came, each once', () => {
  const set = new LinkedSet<Member>();
  const [a, b, c] = [new Member(1), new Member(2), new Member(3)];
  for (const member of [a, b, c, a]) set.add(member);
  expect(set.all()).toEqual([a, b, c]);
  expect([set.delete(b), set.delete(b), set.all().includes(b)]).toEqual([true, false, false]);
  expect(set.all()).toEqual([a, c]);
  set.add(b);
  expect(set.all()).toEqual([a, c, b]);
  expect([set.first, set.last]).toEqual([a, b]);
});

it('holds what a Set holds after any additions and deletions', () => {
  const set = new LinkedSet<Member>();
  const known = new Set<Member>();
  const members = Array.from({ length: 20 }, (_, name) => new Member(name));
  let seed = 3;
  for (let step = 0; step < 5000; step += 1) {
    seed = (seed * 48_271) % 2_147_483_647;
    const member = members[seed % members.length] as Member; // one of the twenty
    if (seed % 3 === 0) expect(set.delete(member)).toBe(known.delete(member));
    else {
      set.add(member);
      known.add(member);
    }
    expect(set.all().map(({ name }) => name)).toEqual([...known].map(({ name }) => name));
    expect(set.first).toBe([...known][0]);
  }
});
