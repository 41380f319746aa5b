import { expect, it } from 'vitest';
import { askRoleFirst } from './role-first.js';

const url = 'http://daemon/v1/config';
const init = { method: 'GET', headers: { authorization: 'Bearer t' } };

function start(answer: () => Response) {
  const asked: string[] = [];
  const known: boolean[] = [];
  const send = async (at: string) => {
    asked.push(at);
    return answer();
  };
  return { ...askRoleFirst(send, (isAdmin) => known.push(isAdmin)), asked, known };
}

it.each([
  [{ role: 'guest', admin: false }, 'no', [false]],
  [{ role: 'boss', admin: true }, 'yes', [true]],
  [{ role: null, admin: true }, 'yes', [true]],
  [{ role: null, admin: false }, 'yes', []], // the service asks for a token then
] as const)('%j is asked once', async (access, expected, seen) => {
  const { admin, asked, known } = start(() => Response.json({ ok: true, actor: null, ...access }));
  expect(await Promise.all([admin(url, init), admin(url, init)])).toEqual([expected, expected]);
  expect([asked, known]).toEqual([['http://daemon/v1/access'], seen]);
});

it('is asked again where the service did not say it', async () => {
  const { admin, asked, known } = start(() => new Response('', { status: 401 }));
  expect([await admin(url, init), await admin(url, init)]).toEqual(['yes', 'yes']);
  expect([asked.length, known]).toEqual([2, []]);
});
