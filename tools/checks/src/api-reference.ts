// `docs/api`: what each package exports, as Markdown, from the declarations of the build. Comments come from the code.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { Application, type DeclarationReflection, ReferenceType, ReflectionKind } from 'typedoc';
import { listProjects } from '../projects.mjs';

/** Where the reference is kept, relative to the root. */
export const apiFolder = 'docs/api';

const head = `Generated from the code by \`npm run docs:generate\`. Guides: [embedding](../embedding.md), [examples](../../examples). The shapes
of requests and answers are in the [HTTP API reference](../http-api-reference.md).`;

/** One document for each public entry of a package, and the list of them; apps are commands and have none. */
export async function apiReference(): Promise<readonly { readonly file: string; readonly text: string }[]> {
  const out = mkdtempSync(join(tmpdir(), 'portico-api-'));
  try {
    const app = await Application.bootstrapWithPlugins(optionsFor(out));
    const project = await app.convert();
    if (project === undefined) throw new Error('typedoc could not read the declarations; run: npm run build');
    const names = new Map(publicEntries().map(({ name, file }) => [moduleName(file), name]));
    for (const module of project.children ?? []) {
      module.name = names.get(module.name)?.replace('@portico/', '') ?? module.name;
      for (const child of module.children ?? []) shorten(child);
    }
    await app.generateOutputs(project);
    return readMarkdown(out);
  } finally {
    rmSync(out, { recursive: true, force: true });
  }
}

/** Without the sources' places, which would change with every line above them. */
function optionsFor(out: string) {
  return {
    entryPoints: publicEntries().map(({ file }) => file),
    basePath: process.cwd(),
    tsconfig: 'tools/checks/tsconfig.api.json',
    plugin: ['typedoc-plugin-markdown'],
    name: 'API reference',
    readme: 'none',
    router: 'module',
    entryFileName: 'README.md',
    logLevel: 'Error' as const,
    skipErrorChecking: true,
    disableSources: true,
    excludeExternals: true,
    excludePrivate: true,
    hidePageHeader: true,
    hideBreadcrumbs: true,
    useCodeBlocks: true,
    parametersFormat: 'table',
    interfacePropertiesFormat: 'table',
    classPropertiesFormat: 'table',
    typeDeclarationFormat: 'table',
    propertyMembersFormat: 'table',
    out,
  };
}

/** A Valibot schema and what is inferred from it are pages of nested types; their fields are in the HTTP API reference. */
function shorten(declaration: DeclarationReflection): void {
  const { kind, type } = declaration;
  const isSchema = kind === ReflectionKind.Variable && /Schema$/.test(declaration.name);
  if (!isSchema || !(type instanceof ReferenceType)) return;
  delete type.typeArguments;
}

function publicEntries(): readonly { readonly name: string; readonly file: string }[] {
  return listProjects()
    .filter(({ folder }) => !folder.startsWith('apps/'))
    .flatMap(({ folder, name, manifest }) =>
      Object.entries<string | { readonly types: string }>(manifest.exports).flatMap(([path, target]) =>
        typeof target === 'string' ? [] : [{ name: name + path.slice(1), file: join(folder, target.types) }],
      ),
    )
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

/** As typedoc names a module: its path without extension, and without `index`. */
function moduleName(file: string): string {
  return file.replace(/\.d\.ts$/, '').replace(/\/index$/, '');
}

function readMarkdown(out: string) {
  return readdirSync(out, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .sort()
    .map((path) => {
      const file = relative(out, path);
      const text = withoutLooseNumbers(readFileSync(path, 'utf8'));
      return {
        file: join(apiFolder, file),
        text: file === 'README.md' ? text.replace('# API reference\n', `# API reference\n\n${head}\n`) : text,
      };
    });
}

/** The plugin numbers the link to some headings that are there once; a link leads to the heading without the number then. */
function withoutLooseNumbers(text: string): string {
  const titles = [...text.matchAll(/^#+ (.+)$/gm)].map(([, title = '']) => title.toLowerCase());
  const isThereOnce = (name: string) => titles.filter((title) => title === name).length === 1;
  return text.replace(/\]\(#([a-z]+)-1\)/g, (link, name) => (isThereOnce(name) ? `](#${name})` : link));
}
