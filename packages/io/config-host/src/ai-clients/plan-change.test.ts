// Attaching and detaching on texts: what comes goes again, byte for byte, and nothing else changes.
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { ClientKind } from './client.js';
import { clientKinds } from './clients.js';
import { FormatProblem } from './formats/file-format.js';
import { isAttached, planAttach, planDetach } from './plan-change.js';
import { serve } from './testing/homes.js';

const kindOf = (id: string) => clientKinds.find((kind) => kind.id === id) as ClientKind;
const cursor = kindOf('cursor');
const codex = kindOf('codex');

const key = fc.constantFrom('mcpServers', 'servers', 'context_servers', 'mcp', 'a', 'b', 'portico-2');
const leaf = fc.oneof(fc.string(), fc.integer(), fc.boolean());
const { tree } = fc.letrec<{ readonly tree: unknown }>((tie) => ({
  tree: fc.oneof({ maxDepth: 3 }, leaf, fc.dictionary(key, tie('tree'), { maxKeys: 4 })),
}));
const root = fc.dictionary(key, fc.dictionary(key, tree, { maxKeys: 3 }), { maxKeys: 4 });
const indent = fc.constantFrom(undefined, 2, 4, '\t');

/** A JSON text as people and programs write it. */
const jsonText = fc
  .record({ root, indent, eol: fc.constantFrom('\n', '\r\n'), end: fc.constantFrom('', '\n'), comments: fc.boolean() })
  .map(({ root, indent, eol, end, comments }) => {
    const plain = JSON.stringify(root, null, indent) + end;
    const text =
      comments && indent !== undefined ? plain.replace(/,\n/g, ', // c\n').replace(/\{\n/g, '{ /* d */\n') : plain;
    return text.replaceAll('\n', eol);
  });

const tomlText = fc
  .array(
    fc.constantFrom(
      '# c',
      '',
      'a = 1',
      '[t]',
      '[mcp_servers.x]',
      'command = "x"',
      '[[l]]',
      'n = 9223372036854775807',
      't = 1979-05-27',
      'z = """\n[x]\n"""',
    ),
    {
      maxLength: 8,
    },
  )
  .map((lines) => lines.join('\n'));

function isTaken(kind: ClientKind, text: string): boolean {
  try {
    planAttach(kind, text, serve);
    return true;
  } catch (error) {
    if (error instanceof FormatProblem) return false;
    throw error;
  }
}

describe('attaching, then detaching', () => {
  it.each(clientKinds)('leaves the bytes of $id as they were', (kind) => {
    const texts = kind === codex ? tomlText : jsonText;
    fc.assert(
      fc.property(texts, (before) => {
        fc.pre(isTaken(kind, before));
        const attached = planAttach(kind, before, serve);
        expect(isAttached(kind, attached)).toBe(true);
        expect(planAttach(kind, attached, serve)).toBe(attached);
        expect(planDetach(kind, attached, [before])).toBe(before);
      }),
      { numRuns: 200 },
    );
  });

  it.each(clientKinds)('leaves the entry of $id as it was where the copy was removed', (kind) => {
    const texts = kind === codex ? tomlText : jsonText;
    fc.assert(
      fc.property(texts, (before) => {
        fc.pre(before.trim() !== '' && isTaken(kind, before));
        const detached = planDetach(kind, planAttach(kind, before, serve), []);
        expect(isAttached(kind, detached)).toBe(false);
        const said = (text: string) => kind.format.parse(text);
        const [container = ''] = kind.home(kind.format.parse(before));
        const made = !(container in kind.format.parse(before));
        if (!made && detached !== null) expect(said(detached)).toEqual(said(before));
      }),
      { numRuns: 100 },
    );
  });

  it.each(clientKinds)('makes and removes a file of its own for $id', (kind) => {
    const made = planAttach(kind, null, serve);
    expect(isAttached(kind, made)).toBe(true);
    expect(planDetach(kind, made, [])).toBeNull();
  });
});

describe('attaching', () => {
  it('keeps comments, order and every other key', () => {
    const before =
      '{\n  // mine\n  "z": 1,\n  "mcpServers": { "a": { "command": "a" } }, // theirs\n  "b": [1, 2]\n}\n';
    const after = planAttach(cursor, before, serve);
    expect(after).toBe(before.replace('"a" } }', `"a" }, "portico": ${JSON.stringify(serve)} }`));
  });

  it('renews an entry of Portico that says something else, in its place', () => {
    const old = '{"mcpServers": {"portico": {"command": "portico", "args": ["mcp-stdio"]}, "a": {"command": "a"}}}';
    const after = planAttach(cursor, old, serve) ?? '';
    expect(Object.keys(JSON.parse(after).mcpServers)).toEqual(['portico', 'a']);
    expect(JSON.parse(after).mcpServers.portico).toEqual(serve);
  });

  it("leaves another program's entry of that name alone", () => {
    const text = '{"mcpServers": {"portico": {"command": "other"}}}';
    expect(() => planAttach(cursor, text, serve)).toThrow('it has a server "portico" that is not Portico');
    expect(planDetach(cursor, text, [])).toBe(text);
  });

  it('refuses a text that it cannot read, or edit without touching more', () => {
    expect(() => planAttach(cursor, '{"mcpServers": [', serve)).toThrow(FormatProblem);
    expect(() => planAttach(cursor, '{"mcpServers": []}', serve)).toThrow('mcpServers is not an object');
    expect(() => planAttach(codex, 'mcp_servers = { a = { command = "x" } }', serve)).toThrow(FormatProblem);
    expect(() =>
      planDetach(codex, `[mcp_servers]\nportico = ${'{ command = "portico", args = ["mcp-stdio"] }'}\n`, []),
    ).toThrow('edit the file by hand');
  });

  it('writes where version 2 of OpenCode looks', () => {
    const openCode = kindOf('opencode');
    const after = planAttach(openCode, '{"mcp": {"servers": {"a": {"type": "local", "command": ["a"]}}}}', serve) ?? '';
    const command = [serve.command, ...serve.args];
    expect(JSON.parse(after).mcp.servers.portico).toEqual({ type: 'local', command });
    expect(JSON.parse(planAttach(openCode, '{"mcp": {}}', serve) ?? '').mcp.portico).toEqual({
      type: 'local',
      command,
      enabled: true,
    });
  });
});

describe('detaching', () => {
  it('keeps what was changed since', () => {
    const before = '{\n  "a": 1\n}\n';
    const attached = planAttach(cursor, before, serve) ?? '';
    const edited = attached.replace('"a": 1', '"a": 2, // two');
    expect(planDetach(cursor, edited.replace('2, // two,', '2, // two'), [before])).toContain('"a": 2');
  });
});
