// Lists the exported values of the public entries that have no docstring. Types are not counted: their fields carry the comments.
import { join, relative } from 'node:path';
import ts from 'typescript';

const options = {
  target: ts.ScriptTarget.ES2022,
  module: ts.ModuleKind.NodeNext,
  moduleResolution: ts.ModuleResolutionKind.NodeNext,
  jsx: ts.JsxEmit.ReactJSX,
  skipLibCheck: true,
  types: ['node'],
};

/**
 * @typedef {object} PublicValue
 * @property {string} entry the package and subpath that exports it, such as `@portico/host/launch`
 * @property {string} name as it is exported
 * @property {string} place file and line of its declaration, relative to the root
 * @property {boolean} isDocumented whether a docstring describes it; tags such as `@param` alone do not
 */

/**
 * The values (functions, classes, constants) that packages export and declare themselves.
 * @param {string} root folder that files are relative to
 * @param {readonly { name: string, file: string, folder: string }[]} entries sources of the public entries
 * @returns {PublicValue[]}
 * @throws {Error} when an entry is missing or exports nothing
 */
export function publicValues(root, entries) {
  const program = ts.createProgram({ rootNames: entries.map(({ file }) => join(root, file)), options });
  const checker = program.getTypeChecker();
  return entries.flatMap(({ name: entry, file, folder }) => {
    const source = program.getSourceFile(join(root, file));
    const module = source && checker.getSymbolAtLocation(source);
    if (module === undefined) throw new Error(`${file}: the entry of ${entry} is missing or exports nothing`);
    return checker.getExportsOfModule(module).flatMap((exported) => {
      const symbol = exported.flags & ts.SymbolFlags.Alias ? checker.getAliasedSymbol(exported) : exported;
      const [declaration] = symbol.declarations ?? [];
      const declaredIn = declaration && relative(root, declaration.getSourceFile().fileName);
      if (!(symbol.flags & ts.SymbolFlags.Value) || !declaredIn?.startsWith(`${folder}/src/`)) return [];
      const { line } = declaration.getSourceFile().getLineAndCharacterOfPosition(declaration.getStart());
      const isDocumented = ts.displayPartsToString(symbol.getDocumentationComment(checker)).trim() !== '';
      return [{ entry, name: exported.name, place: `${declaredIn}:${line + 1}`, isDocumented }];
    });
  });
}

/**
 * The sources of what `exports` in a manifest offers to TypeScript.
 * @param {{ folder: string, name: string, manifest: Record<string, any> }} project
 */
export function publicEntries({ folder, name, manifest }) {
  return Object.entries(manifest.exports ?? {})
    .filter(([, target]) => typeof target === 'object')
    .map(([path, { types }]) => ({
      name: `${name}${path.slice(1)}`,
      folder,
      file: join(folder, types.replace('./dist/', 'src/').replace(/\.d\.ts$/, '.ts')),
    }));
}
