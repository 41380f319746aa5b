// Output of checks, and the places that are taken from it.
import { describe, expect, it } from 'vitest';
import { diagnosticsIn } from './diagnostics.mjs';

describe('diagnosticsIn', () => {
  it('takes what Biome found', () => {
    const output = [
      'packages/pure/search/src/a.ts:2:26 lint/suspicious/noDebugger  FIXABLE  ━━━━━━━━━━━━━━',
      '',
      '  × This is an unexpected use of the debugger statement.',
      '  > 2 │ debugger',
      '',
      '\u001b[1mtools/build/b.mjs\u001b[22m format ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━',
      '',
      '  × File content differs from formatting output',
      'Found 2 errors.',
    ].join('\n');
    expect(diagnosticsIn(output)).toEqual([
      {
        file: 'packages/pure/search/src/a.ts',
        line: 2,
        message: 'lint/suspicious/noDebugger\nThis is an unexpected use of the debugger statement.',
      },
      { file: 'tools/build/b.mjs', message: 'format\nFile content differs from formatting output' },
    ]);
  });

  it('takes errors of TypeScript', () => {
    expect(diagnosticsIn("tools/e2e/src/a.e2e.ts(12,3): error TS2322: Type 'x' is not assignable.\n")).toEqual([
      { file: 'tools/e2e/src/a.e2e.ts', line: 12, message: "error TS2322: Type 'x' is not assignable." },
    ]);
  });

  it('takes imports that the order of folders forbids', () => {
    expect(diagnosticsIn('3 modules, 4 imports\npackages/a/src/b.ts -> packages/c/src/d.ts  (rings)\n')).toEqual([
      { file: 'packages/a/src/b.ts', message: '-> packages/c/src/d.ts  (rings)' },
    ]);
  });

  it('takes phrases that the language check refuses', () => {
    expect(diagnosticsIn('packages/a/src/b.ts:12: "x": write y\n')).toEqual([
      { file: 'packages/a/src/b.ts', line: 12, message: ': "x": write y' },
    ]);
  });

  it('takes nothing from other lines', () => {
    expect(diagnosticsIn('Checked 12 files in 3s.\n    at run (file:///x/a.mjs:3:4)\n')).toEqual([]);
  });
});
