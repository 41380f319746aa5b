// Tests which found servers an import takes, under which ids, and what it reports about the others.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type FoundServer, type ImportRules, importIds, planImport } from './plan-import.js';
import { isServerId } from './server-id.js';

const found = (client: string, name: string, command = name): FoundServer => ({
  client,
  path: `/${client}`,
  name,
  definition: { command },
});
const plan = (servers: readonly FoundServer[], existing: readonly string[] = [], overwrite = false) => {
  const rules: ImportRules = { existingIds: new Set(existing), overwrite };
  const { imported, skipped } = planImport({ found: servers, skipped: [], errors: [] }, rules);
  return {
    imported: imported.map(({ server_id, client }) => `${server_id} of ${client}`),
    skipped: skipped.map(({ server_id, client, reason }) => `${server_id} of ${client}: ${reason}`),
  };
};

describe('an import', () => {
  it('takes a server that several clients have once', () => {
    expect(plan([found('cursor', 'git'), found('zed', 'git'), found('codex', 'vcs', 'git')])).toEqual({
      imported: ['git of cursor'],
      skipped: [
        'git of zed: is the same server as git of cursor, which is imported',
        'vcs of codex: is the same server as git of cursor, which is imported',
      ],
    });
  });

  it('takes the first of different servers of one id', () => {
    const { imported, skipped } = plan([found('cursor', 'git'), found('zed', 'git', 'git2')]);
    expect(imported).toEqual(['git of cursor']);
    expect(skipped).toEqual([expect.stringContaining('git of zed: cursor has another server of that id')]);
  });

  it('keeps configured servers without `overwrite`', () => {
    const servers = [found('cursor', 'git'), found('cursor', 'My Server')];
    const reason = 'a server of that id is configured; overwrite (--overwrite) replaces it';
    expect(plan(servers, ['git', 'My-Server'])).toEqual({
      imported: [],
      skipped: [`git of cursor: ${reason}`, `My-Server of cursor: ${reason}`],
    });
    expect(plan(servers, ['git', 'My-Server'], true).imported).toEqual(['git of cursor', 'My-Server of cursor']);
  });

  it('gives ids where names are unusable as ids, and never the id of another', () => {
    const names = ['a b', 'a/b', 'a-b', 'Größe', '日本', '…', 'x'.repeat(70), '__proto__'];
    expect([...importIds(names.map((name) => ({ name })))]).toEqual([
      ['a-b', 'a-b'],
      ['__proto__', '__proto__'],
      ['a b', 'a-b-2'],
      ['a/b', 'a-b-3'],
      ['Größe', 'Gro-e'],
      ['日本', 'server'],
      ['…', 'server-2'],
      ['x'.repeat(70), 'x'.repeat(64)],
    ]);
  });

  it('gives every name an id of its own, the same each time', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ maxLength: 70 })), (names) => {
        const servers = names.map((name) => ({ name }));
        const ids = [...importIds(servers).values()];
        expect(ids.every(isServerId)).toBe(true);
        expect(new Set(ids).size).toBe(new Set(names).size);
        expect([...importIds(servers).values()]).toEqual(ids);
      }),
    );
  });
});
