// Checks the types of code in documents, all of it in one program, with the declarations of the built packages.
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';
import { repository } from './daemon.js';

export interface Snippet {
  /** Where it is written, as messages name it. */
  readonly place: string;
  readonly text: string;
}

const options: ts.CompilerOptions = {
  target: ts.ScriptTarget.ES2022,
  lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  types: ['node'],
  strict: true,
  skipLibCheck: true,
  noEmit: true,
};

/** Snippets are modules of their own at the root of the repository, which never touch the disk. */
export function typeProblems(snippets: readonly Snippet[]): readonly string[] {
  const files = new Map(snippets.map((snippet, index) => [join(repository, `snippet-${index}.mts`), snippet] as const));
  const host = ts.createCompilerHost(options);
  const program = ts.createProgram([...files.keys()], options, {
    ...host,
    getCurrentDirectory: () => repository,
    fileExists: (file) => files.has(file) || existsSync(file),
    readFile: (file) => files.get(file)?.text ?? readFileSync(file, 'utf8'),
    getSourceFile(file, version, onError, create) {
      const text = files.get(file)?.text;
      if (text === undefined) return host.getSourceFile(file, version, onError, create);
      return ts.createSourceFile(file, `${text}\nexport {};\n`, version);
    },
  });
  return ts.getPreEmitDiagnostics(program).map(({ messageText, file, start = 0 }) => {
    const message = ts.flattenDiagnosticMessageText(messageText, '\n');
    if (file === undefined) return message;
    const line = file.getLineAndCharacterOfPosition(start).line + 1;
    return `${files.get(file.fileName)?.place ?? file.fileName}, line ${line} of the block: ${message}`;
  });
}

/** As Node 20 runs it: `await using` is written out. */
export function toJavaScript(text: string): string {
  return ts.transpileModule(text, { compilerOptions: { target: ts.ScriptTarget.ES2022, module: ts.ModuleKind.ESNext } })
    .outputText;
}
