// The code in the documents does what it says: its types hold, and each block prints the block behind it.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { tempFolder } from './support/cleanup.js';
import { repository } from './support/daemon.js';
import { markdownIn, read } from './support/documents.js';
import { fencedBlocks } from './support/markdown.js';
import { toJavaScript, typeProblems } from './support/type-check.js';

/** Without the API reference, whose blocks are signatures. */
const guides = markdownIn('docs').filter((path) => !path.startsWith('docs/api/'));
/** They are run from their packed tarballs by the check of packages; their types are checked here, all at once. */
const readmes = [...markdownIn('packages'), ...markdownIn('apps')].filter((path) => path.endsWith('README.md'));

const examples = guides.flatMap((document) => {
  const blocks = fencedBlocks(read(document));
  return blocks.flatMap(({ language, text, line }, index) =>
    language === 'ts' ? [{ document, line, text, printed: blocks[index + 1] }] : [],
  );
});

describe('the code in the documents', () => {
  it('is there, and says what it prints', () => {
    expect(examples.map(({ document }) => document)).toContain('docs/embedding.md');
    expect(examples.filter(({ printed }) => printed?.language !== 'text')).toEqual([]);
  });

  it('has types that hold, also in the READMEs of packages', { timeout: 120_000 }, () => {
    const ofReadmes = readmes.flatMap((path) =>
      fencedBlocks(read(path)).flatMap(({ language, line, text }) =>
        language === 'ts' ? [{ place: `${path}:${line}`, text }] : [],
      ),
    );
    const ofGuides = examples.map(({ document, line, text }) => ({ place: `${document}:${line}`, text }));
    expect(ofReadmes.length).toBeGreaterThan(10);
    expect(typeProblems([...ofGuides, ...ofReadmes])).toEqual([]);
  });

  it.each(examples)('$document, line $line: prints what it says', { timeout: 90_000 }, async ({ text, printed }) => {
    const home = tempFolder();
    symlinkSync(join(repository, 'node_modules'), join(home, 'node_modules'), 'dir');
    writeFileSync(join(home, 'example.mjs'), toJavaScript(text));
    expect(await run(home)).toEqual({ code: 0, stdout: printed?.text, stderr: '' });
  });
});

async function run(home: string) {
  const env = { ...process.env, HOME: home, NO_COLOR: '1', FORCE_COLOR: undefined };
  const child = spawn(process.execPath, ['example.mjs'], { cwd: home, env });
  const [stdout, stderr] = [collect(child.stdout), collect(child.stderr)];
  const [code] = await once(child, 'close');
  return { code, stdout: stdout(), stderr: stderr() };
}

function collect(stream: NodeJS.ReadableStream): () => string {
  let text = '';
  stream.setEncoding('utf8').on('data', (chunk) => {
    text += chunk;
  });
  return () => text;
}
