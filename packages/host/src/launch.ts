// Loads a program that was bundled into one script, with the code that V8 compiled of it at an earlier start. An entry of
// its own: it is all that is loaded before the bundle.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import type { Script } from 'node:vm';
import { openCodeCache } from './code-cache.js';
import { holdYoungGeneration, longestHoldMs } from './young-generation.js';

/** The part of a build that describes a bundled program. */
export interface Bundle {
  /** URL of the file that loads it; the scripts are beside that one. */
  readonly url: string;
  /** Hash of the scripts: code compiled from other scripts is unusable. */
  readonly build: string;
  /** A process that ends sooner, by `--version` or a mistake, keeps no code. */
  readonly keepAfterMs: number;
  /** File name of the script. */
  readonly program: string;
  /** Modules of Node that it loads at its start. */
  readonly builtins: readonly string[];
  /** Whether the program ends a hold of the young generation, which then begins before it runs. */
  readonly holdsYoungGeneration: boolean;
  /**
   * Packages of others with a script of their own, which is loaded when they are needed: its file name, by what they are
   * imported as. The script exports each under that.
   */
  readonly parts: Readonly<Record<string, string>>;
  /** Packages of others that are loaded as they are installed: the bundled package which asks for each. */
  readonly required: Readonly<Record<string, string>>;
  /** Bundled packages of the product: by name, the packages through which each is found, from the program on. */
  readonly paths: Readonly<Record<string, readonly string[]>>;
}

/** `import.meta` and `import` of a module in the bundle: as if it were still in its package. */
interface ModuleContext {
  readonly url: string;
  resolve(specifier: string): string;
  import(specifier: string): Promise<unknown>;
}

type Exports = Record<string, unknown>;
type Wrapped = (
  exports: Exports,
  require: (id: string) => unknown,
  module: { exports: Exports },
  contextOf: (name: string) => ModuleContext,
) => void;

/** Parameters that give a script its surroundings; a build writes scripts to these names. */
const parameters = '(exports,require,module,__moduleContext)';

/** Runs the program's modules, and gives what the program exports. */
export function launch(bundle: Bundle): Exports {
  const folder = dirname(fileURLToPath(bundle.url));
  const cache = openCodeCache({ ...bundle, folder: join(folder, '../.code-cache') });
  const modules = new Map<string, { exports: Exports }>();
  const requireOfNode = createRequire(bundle.url);
  const contextOf = createModuleContexts(bundle);

  const compile = (name: string) => cache.compile(join(folder, name), name, parameters);
  const run = (name: string, script?: Script): Exports => {
    const known = modules.get(name);
    if (known !== undefined) return known.exports;
    const wrapped = (script ?? compile(name)).runInThisContext() as Wrapped; // as it is compiled
    const module = { exports: {} };
    modules.set(name, module);
    wrapped(module.exports, requireOf, module, contextOf);
    return module.exports;
  };
  const requireOf = (id: string): unknown => {
    const part = bundle.parts[id];
    if (part !== undefined) return run(part)[id];
    const by = bundle.required[id];
    return by === undefined ? requireOfNode(id) : createRequire(contextOf(by).url)(id);
  };
  const program = compile(bundle.program);
  // Before the hold, in which Node does not take the code that it has kept of its own modules.
  for (const name of bundle.builtins) requireOfNode(name);
  if (bundle.holdsYoungGeneration) setTimeout(holdYoungGeneration().release, longestHoldMs).unref();
  return run(bundle.program, program);
}

function createModuleContexts({ url, paths }: Bundle): (name: string) => ModuleContext {
  const contexts = new Map<string, ModuleContext>();
  const toContext = (name: string): ModuleContext => {
    const packages = paths[name];
    if (packages === undefined) throw new Error(`the build does not say where ${name} is`);
    let at = url;
    for (const each of packages) at = pathToFileURL(createRequire(at).resolve(each)).href;
    const resolve = (specifier: string) =>
      specifier.startsWith('file:') ? specifier : pathToFileURL(createRequire(at).resolve(specifier)).href;
    return {
      url: at,
      resolve,
      import: async (specifier) => import(specifier.startsWith('node:') ? specifier : resolve(specifier)),
    };
  };
  return (name) => {
    const known = contexts.get(name) ?? toContext(name);
    contexts.set(name, known);
    return known;
  };
}
