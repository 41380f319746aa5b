// Bundles the `src/process.ts` of an app into one script with everything that it loads at its start, and writes the modules
// beside it: `dist/process.js`, which loads the script by `@portico/host/launch`, and `dist/main.js`, which runs it. The
// script is CommonJS, since Node takes kept code for that kind only. docs/decisions/start.md says why.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { init, parse } from 'es-module-lexer';
import { build, transform } from 'esbuild';
import { writeLicences } from './licences.mjs';

/** Loaded by `import()` or `createRequire` from the package that needs them, as ever. */
const external = [
  ...['@modelcontextprotocol/client', '@napi-rs/keyring', '@opentelemetry/exporter-trace-otlp-grpc', 'pg'],
  ...['@portico/better-sqlite3', 'pino-pretty'],
];
/** Large, and needed by some programs and at some time: scripts of their own, by what the packages are imported as. */
const partFiles = {
  'mcp-server.cjs': ['@modelcontextprotocol/server', '@modelcontextprotocol/server/stdio'],
  'patterns.cjs': ['re2js'],
};
const inParts = Object.values(partFiles).flat();
/** Modules that import these are loaded at the start, and use them in calls only: by package, the imported names. */
const usedInCalls = { re2js: ['RE2JS'] };

/** Their programs release the young generation, once their first connections have settled. */
const endingHolds = ['@portico/daemon', '@portico/mcp-http'];

const common = {
  bundle: true,
  write: false,
  metafile: true,
  logLevel: 'warning',
  target: 'node20',
  platform: 'node',
  mainFields: ['module', 'main'], // a module that was bundled in the UMD way requires its own files by names unknown here
};
/** Names stay, for the stack of an error and for what reads them; Node shows the line that an error is thrown in. */
const script = { ...common, format: 'cjs', minifyWhitespace: true, minifySyntax: true, lineLimit: 300 };

/** @param folder of the app */
export async function bundleProcess(folder) {
  await init;
  const dist = join(folder, 'dist');
  const app = readManifest(folder);
  const owners = new Set();
  const program = await build({
    ...script,
    entryPoints: [join(folder, 'src/process.ts')],
    external: [...external, ...inParts],
    plugins: [inPackages(app.name, owners)],
  });
  const required = requiredBy(program);
  const partsNeeded = Object.entries(partFiles).filter(([, names]) =>
    required.some(({ name }) => names.includes(name)),
  );
  const scripts = { 'process.cjs': program };
  for (const [file, names] of partsNeeded) scripts[file] = await bundlePart(names, required);
  const texts = Object.values(scripts).map((built) => withLateParts(text(built)));
  for (const [at, file] of Object.keys(scripts).entries()) {
    const [left] = parse(texts[at]);
    if (left.length > 0) throw new Error(`${file}: import() or import.meta is left in it, which a script cannot use`);
    writeFileSync(join(dist, file), texts[at]);
  }

  const others = required.filter(({ name }) => !inParts.includes(name));
  const bundle = {
    build: hashOf(texts),
    keepAfterMs: 2000,
    program: 'process.cjs',
    builtins: builtinsAtStart(program),
    holdsYoungGeneration: endingHolds.includes(app.name),
    parts: Object.fromEntries(partsNeeded.flatMap(([file, names]) => names.map((name) => [name, file]))),
    required: Object.fromEntries(others.map(({ name, by }) => [name, by])),
    paths: pathsFrom(app.name, folder, [...owners, ...others.map(({ by }) => by)]),
  };
  const names = exportedNames(folder);
  const launching = `import { launch } from '@portico/host/launch';
export const { ${names.join(', ')} } = launch({ url: import.meta.url, ...${JSON.stringify(bundle)} });`;
  const stdin = { contents: launching, resolveDir: folder, sourcefile: 'src/process.ts' };
  const launcher = await build({ ...common, format: 'esm', stdin });
  writeFileSync(join(dist, 'process.js'), text(launcher));
  const entryPoints = [join(folder, 'src/main.ts')];
  const main = await build({ ...common, format: 'esm', entryPoints, external: ['./process.js'] });
  writeFileSync(join(dist, 'main.js'), text(main), { mode: 0o755 });
  writeLicences(dist, Object.values(scripts).flatMap(inputsOf));
}

/** In ASCII, which is read as Latin-1. esbuild escapes what stands in texts, and not what stands in regular expressions. */
const text = ({ outputFiles: [file] }) =>
  file.text.replaceAll(/[^\0-\x7f]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const inputsOf = ({ metafile }) => Object.keys(metafile.inputs);

/** Modules of other packages that a script requires, and the package of the product that asks for it. */
function requiredBy({ metafile }) {
  const found = Object.entries(metafile.inputs).flatMap(([file, { imports }]) =>
    imports
      .filter(({ path, external, kind }) => external === true && kind !== 'dynamic-import' && !isBuiltin(path))
      .map(({ path }) => ({ name: path, by: productAround(file), file })),
  );
  return found.filter(({ name }, at) => found.findIndex((other) => other.name === name) === at);
}

/** Modules of Node that a script loads as soon as it runs: those of what only `import()` brings in come later. */
function builtinsAtStart({ metafile: { inputs, outputs } }) {
  const found = new Set();
  const seen = new Set();
  const visit = (file) => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const { path, kind } of inputs[file]?.imports ?? []) {
      if (kind === 'dynamic-import') continue;
      if (isBuiltin(path)) found.add(path.replace(/^node:/, ''));
      else visit(path);
    }
  };
  visit(Object.values(outputs)[0].entryPoint);
  return [...found].sort();
}

/** As they are imported from there, in one script. */
function bundlePart(names, required) {
  const { file } = required.find(({ name }) => names.includes(name));
  const imports = names.map((name, at) => `import * as m${at} from ${JSON.stringify(name)};`);
  const exported = names.map((name, at) => `${JSON.stringify(name)}: m${at}`);
  const contents = `${imports.join('\n')}\nmodule.exports = { ${exported.join(', ')} };`;
  return build({ ...script, stdin: { contents, resolveDir: dirname(resolve(file)) } });
}

/** Packages that are used in calls only are required at the first use of a name, not where they are imported. */
function withLateParts(code) {
  let late = code;
  for (const [name, imported] of Object.entries(usedInCalls)) {
    const required = `require(${JSON.stringify(name)})`;
    const getters = imported.map((each) => `get ${each}(){return ${required}.${each}}`);
    const variables = [...code.matchAll(/\b(\w+)=require\("([^"]+)"\)/g)].filter(([, , found]) => found === name);
    const used = variables.flatMap(([, variable]) => [...code.matchAll(new RegExp(`\\b${variable}\\.(\\w+)`, 'g'))]);
    const other = used.find(([, property]) => !imported.includes(property));
    if (other !== undefined) throw new Error(`${other[0]} is used: add it to the names of ${name}`);
    if (code.split(required).length - 1 !== variables.length) throw new Error(`${name} is required in another way`);
    late = late.replaceAll(`=${required}`, `={${getters.join(',')}}`);
  }
  return late;
}

/**
 * Gives each module in a script the context that it had: `import.meta` and `import()` of what is not in the script are
 * those of its package.
 * @param owners takes the names of packages whose modules ask for what is around them
 */
function inPackages(appName, owners) {
  return {
    name: 'in-packages',
    setup({ onLoad }) {
      onLoad({ filter: /\.m?[jt]s$/ }, async ({ path }) => {
        const written = readFileSync(path, 'utf8');
        if (!/\bimport\s*[.(]/.test(written)) return undefined;
        const { code } = path.endsWith('.ts') ? await transform(written, { loader: 'ts' }) : { code: written };
        return { contents: withContexts(code, path, appName, owners), loader: 'js' };
      });
    },
  };
}

function withContexts(contents, path, appName, owners) {
  const contextOf = (name) => {
    owners.add(name);
    return `__moduleContext(${JSON.stringify(name)})`;
  };
  let rewritten = contents;
  const [imports] = parse(contents);
  for (const { n, s, d, ss } of imports.toReversed()) {
    if (d === -2) {
      rewritten = rewritten.slice(0, s) + contextOf(productAround(path)) + rewritten.slice(s + 'import.meta'.length);
    } else if (d >= 0 && !isInScript(n)) {
      const by = isBuiltin(n ?? '') ? appName : productAround(path);
      rewritten = `${rewritten.slice(0, ss)}${contextOf(by)}.${rewritten.slice(ss)}`;
    }
  }
  return rewritten;
}

/** Whether what a dynamic import names goes into the script. */
function isInScript(name) {
  if (name === undefined || isBuiltin(name)) return false;
  return !external.includes(name) && !inParts.includes(name);
}

/** From the app to each package: an install may let a package find those only which it names itself. */
function pathsFrom(appName, folder, names) {
  const paths = { [appName]: [] };
  const folders = { [appName]: folder };
  for (const name of Object.keys(paths)) follow(name);
  function follow(name) {
    const { dependencies = {} } = readManifest(folders[name]);
    const next = Object.keys(dependencies).filter(
      (found) => found.startsWith('@portico/') && paths[found] === undefined,
    );
    for (const found of next) {
      paths[found] = [...paths[name], found];
      folders[found] = folderOf(found, folders[name]);
    }
    for (const found of next) follow(found);
  }
  return Object.fromEntries(names.map((name) => [name, paths[name]]));
}

function folderOf(name, from) {
  for (let at = from; at !== dirname(at); at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(folder)) return folder;
  }
  throw new Error(`${name} is not there for ${from}`);
}

/** The module has one line per export: `export { … } from`. */
function exportedNames(folder) {
  const [, exports] = parse(readFileSync(join(folder, 'src/process.ts'), 'utf8').replaceAll(/type \w+, /g, ''));
  return exports.map(({ n }) => n);
}

/** @throws Error for a package of others, of which an install may not find what it asks for from here */
function productAround(path) {
  const { name } = manifestAround(resolve(path));
  if (!name.startsWith('@portico/')) throw new Error(`${path} loads something, and is not of the product: take it in`);
  return name;
}

function manifestAround(path) {
  let at = dirname(path);
  while (!existsSync(join(at, 'package.json')) || readManifest(at).name === undefined) at = dirname(at);
  return readManifest(at);
}

const readManifest = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

function hashOf(texts) {
  const hash = createHash('sha256');
  for (const each of texts) hash.update(each);
  return hash.digest('hex').slice(0, 16);
}
