// Edits of TOML texts: one table is set and removed, and the text around it stays.
import { describe, expect, it } from 'vitest';
import { FormatProblem } from './file-format.js';
import { tomlFormat } from './toml-format.js';

const entry = { command: 'C:\\x', args: ['a "b"', 'é'] };
const set = (text: string) => tomlFormat.set(text, ['mcp_servers'], 'portico', entry);
const table = '[mcp_servers.portico]\ncommand = "C:\\\\x"\nargs = [ "a \\"b\\"", "é" ]\n';

describe('setting a table', () => {
  it.each([
    ['', table],
    ['# only this\n', `# only this\n\n${table}`],
    ['a = 1', `a = 1\n\n${table}`],
    ['a = 1\r\n', `a = 1\r\n\r\n${table.replaceAll('\n', '\r\n')}`],
    ['[mcp_servers.portico]\ncommand = "old"\n\n[z]\n', `\n[z]\n\n${table}`],
  ])('in %j adds it at the end', (before, after) => {
    expect(set(before)).toBe(after);
    expect(tomlFormat.parse(after)).toMatchObject({ mcp_servers: { portico: entry } });
  });
});

describe('removing a table', () => {
  it.each([
    [table, ''],
    [`a = 1\n\n${table}`, 'a = 1\n'],
    [`a = 1\n\n${table}\n# of b\n[b]\nc = 1\n`, 'a = 1\n\n# of b\n[b]\nc = 1\n'],
    [
      `a = 1\n${table}[mcp_servers.portico.env]\nK = "v"\n[mcp_servers.portico2]\nx = 1\n`,
      'a = 1\n[mcp_servers.portico2]\nx = 1\n',
    ],
    ['[ mcp_servers . "portico" ] # ours\ncommand = "x"\n[[list]]\ny = 1\n', '[[list]]\ny = 1\n'],
    ['a = 1\n', 'a = 1\n'],
  ])('from %j leaves the rest as it is', (before, after) => {
    expect(tomlFormat.remove(before, ['mcp_servers'], 'portico')).toBe(after);
  });
});

describe('reading', () => {
  it('says where a text is wrong, and nothing of it', () => {
    const text = 'a = 1\ntoken = s3cret\n';
    expect(() => tomlFormat.parse(text)).toThrow(FormatProblem);
    expect(() => tomlFormat.parse(text)).toThrow(/^line 2, column \d+: not valid TOML$/);
  });

  it('takes numbers and times that JavaScript has no exact form of', () => {
    const text = 'big = 9223372036854775807\nat = 1979-05-27T07:32:00Z\n';
    expect(tomlFormat.remove(set(text), ['mcp_servers'], 'portico')).toBe(text);
  });
});

describe('a flag of a table', () => {
  const [path, off] = [
    ['mcp_servers', 'a b'],
    ['enabled', false],
  ] as const;
  it.each([
    ['[mcp_servers."a b"]\nx = 1\n', '[mcp_servers."a b"]\nenabled = false\nx = 1\n'],
    ['[mcp_servers."a b"]', '[mcp_servers."a b"]\nenabled = false\n'],
    ["[mcp_servers.'a b']\r\nx = 1\r\n", "[mcp_servers.'a b']\r\nenabled = false\r\nx = 1\r\n"],
    ['[mcp_servers]\n"a b" = { x = 1 }\n', '[mcp_servers]\n"a b" = { enabled = false, x = 1 }\n'],
  ])('is added to %j and removed again', (before, after) => {
    expect(tomlFormat.setFlag(before, path, ...off)).toBe(after);
    expect(tomlFormat.parse(after)).toMatchObject({ mcp_servers: { 'a b': { enabled: false } } });
    expect(tomlFormat.removeFlag(after, path, 'enabled').trimEnd()).toBe(before.trimEnd());
  });

  it.each([
    ['[mcp_servers."a b"]\nx = 1\nenabled = true # on\n', '[mcp_servers."a b"]\nx = 1\nenabled = false # on\n'],
    ['[mcp_servers]\n"a b" = { x = 1, enabled = true }\n', '[mcp_servers]\n"a b" = { x = 1, enabled = false }\n'],
  ])('gets the other value in %j', (before, after) => {
    expect(tomlFormat.setFlag(before, path, ...off)).toBe(after);
    expect(tomlFormat.setFlag(after, path, 'enabled', true)).toBe(before);
  });

  it.each([
    ['[mcp_servers."a b"]\nenabled = false  # moved\nx = 1\n', '[mcp_servers."a b"]\n# moved\nx = 1\n'],
    ['[mcp_servers."a b"]\r\n  "enabled"=false \r\nx = 1\r\n', '[mcp_servers."a b"]\r\nx = 1\r\n'],
    ['[mcp_servers."a b"]\nx = 1\nenabled = false', '[mcp_servers."a b"]\nx = 1\n'],
    ['[mcp_servers]\n"a b" = {enabled=false, x = 1}\n', '[mcp_servers]\n"a b" = { x = 1}\n'],
  ])('is removed from %j, as edited by hand since', (before, after) => {
    expect(tomlFormat.removeFlag(before, path, 'enabled')).toBe(after);
  });

  it('is refused where there is no table', () => {
    expect(() => tomlFormat.setFlag('mcp_servers."a b".x = 1\n', path, ...off)).toThrow(FormatProblem);
  });
});
