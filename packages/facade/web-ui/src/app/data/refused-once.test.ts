// Requests that are sent before a sign-in, and requests that are not repeated.
import { expect, test } from 'vitest';
import { refusedOnce } from './refused-once.js';

function before(answer: (path: string) => number) {
  const asked: string[] = [];
  const fetch = refusedOnce(
    async (url) => {
      const { pathname } = new URL(url);
      asked.push(pathname);
      return new Response('{}', { status: answer(pathname) });
    },
    (_method, path) => (path.startsWith('/admin') ? 'admin' : 'role'),
  );
  const get = async (path: string) => (await fetch(`http://127.0.0.1${path}`, { method: 'GET' })).status;
  const post = async (path: string) => (await fetch(`http://127.0.0.1${path}`, { method: 'POST' })).status;
  return { asked, get, post };
}

test('a page that opens without a token asks one route of each kind, and none of them again', async () => {
  const { asked, get } = before(() => 401);
  const statuses = await Promise.all(['/admin/a', '/admin/b', '/list', '/search', '/admin/c'].map(get));
  expect([statuses, asked]).toEqual([
    [401, 401, 401, 401, 401],
    ['/admin/a', '/list'],
  ]);
  expect([await get('/admin/a'), asked.length]).toEqual([401, 2]);
});

test('what one kind of access is refused says nothing of another', async () => {
  const { asked, get } = before((path) => (path.startsWith('/admin') ? 401 : 200));
  expect([await get('/admin/a'), await get('/list'), await get('/list')]).toEqual([401, 200, 200]);
  expect(asked).toEqual(['/admin/a', '/list', '/list']);
});

test('a token that stops being good is asked for once more, and no longer', async () => {
  let status = 200;
  const { asked, get } = before(() => status);
  await get('/admin/a');
  status = 401;
  expect([await get('/admin/a'), await get('/admin/b'), asked.length]).toEqual([401, 401, 2]);
});

test('what takes an administrator is read once by another role, and written as often as a person tries', async () => {
  const { asked, get, post } = before((path) => (path.startsWith('/admin') ? 403 : 200));
  expect([await get('/admin/a'), await get('/admin/b'), await get('/list')]).toEqual([403, 403, 200]);
  expect(asked).toEqual(['/admin/a', '/list']);
  const written = before(() => 403);
  expect([await written.post('/admin/a'), await written.post('/admin/a')]).toEqual([403, 403]);
  expect([written.asked.length, await post('/list')]).toEqual([2, 200]);
});

test('a role that may not read one entry is asked for the next one', async () => {
  const { asked, get } = before(() => 403);
  expect([await get('/list'), await get('/list'), asked.length]).toEqual([403, 403, 2]);
});

test('other failures are asked again', async () => {
  const { asked, get } = before(() => 503);
  expect([await get('/list'), await get('/list'), asked.length]).toEqual([503, 503, 2]);
});
