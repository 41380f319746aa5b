// Imports go inward only, no package reaches into another, and each third party has one home.
// The rings come from the Nx tags in the package manifests; dependency-cruiser finds the imports.
import { readdirSync } from 'node:fs';
import { join, relative } from 'node:path';
import { cruise } from 'dependency-cruiser';
import { root } from '../build/workspace.mjs';
import { listProjects, ringOf, strayManifests } from './projects.mjs';

/** Rings that each ring may import besides itself. Only pure packages and apps import others of their own ring. */
const inward = {
  contracts: [],
  pure: ['contracts', 'pure'],
  'control-plane': ['contracts', 'pure'],
  egress: ['contracts'],
  io: ['contracts', 'pure', 'control-plane', 'egress'],
  client: ['contracts'],
  facade: ['contracts', 'pure', 'control-plane', 'client'],
  host: ['contracts', 'pure', 'control-plane', 'egress', 'io', 'facade'],
  app: ['contracts', 'client', 'host', 'app'],
};

/** Third parties with one home, by name; the folders are patterns. */
const homes = [
  ['hono', '^packages/facade/rest-api/'],
  ['@hono', '^packages/host/'],
  ['@modelcontextprotocol', '^packages/(io/upstream-mcp|facade/mcp-facade)/'],
  ['@modelcontextprotocol/client', '^packages/io/upstream-mcp/src/oauth/'],
  ['pino', '^packages/io/telemetry/'],
  ['prom-client', '^packages/io/telemetry/'],
  ['@opentelemetry/api', '^packages/(control-plane|facade/rest-api|io/telemetry)/'],
  ['@opentelemetry/(?!api/)[^/]+', '^packages/io/telemetry/'],
  ['commander', '^(packages/host|apps/cli)/'],
  ['ink', '^apps/cli/src/screens/'],
  ['react', '^(apps/cli/src/screens|packages/facade/web-ui/src/app)/'],
  ['ajv', '^packages/control-plane/'],
  ['better-sqlite3', '^packages/io/stores/'],
  ['kysely', '^packages/io/stores/'],
  ['pg', '^packages/io/stores/'],
  ['cockatiel', '^packages/io/delivery/'],
  ['jose', '^packages/io/identity/'],
  ['undici', '^packages/(egress|io/upstream-mcp)/'],
  ['jsonc-parser', '^packages/io/config-host/'],
  ['eventsource-parser', '^packages/client/'],
  ['picocolors', '^apps/cli/'],
  ['string-width', '^apps/cli/'],
  ['(react-dom|wouter|@tanstack|@rjsf|@cfworker)', '^packages/facade/web-ui/src/app/'],
  ['diff', '^packages/(pure/contracts/src/word-diff\\.ts|facade/web-ui/src/app/)'],
];

/** Folders of the control plane: each may import those before it; the files beside them put everything together. */
const controlPlane = 'packages/control-plane/src';
const controlPlaneFolders = [
  ...[
    'common',
    'call',
    'state',
    'observability/metrics',
    'observability/tracing',
    'observability',
    'audit',
    'budgets',
    'inspect',
    'waiting',
  ],
  ...['interaction', 'peers', 'approvals', 'sampling', 'tasks', 'catalog/feed', 'catalog/definitions', 'catalog'],
  ...[
    'configuration/clients',
    'configuration',
    'configuration/sharing',
    'access',
    'traces',
    'search',
    'search/semantic',
  ],
  ...['execution/steps', 'execution', 'policy', 'lock'],
];
const foldersWithoutOrder = readdirSync(join(root, controlPlane), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => relative(join(root, controlPlane), entry.parentPath))
  .filter((folder) => !['', 'testing', ...controlPlaneFolders].includes(folder));

/** Code for browsers is bundled: users of the package do not need its sources' dependencies. */
const bundled = '^packages/facade/web-ui/src/app/';

const projects = listProjects();
const ringProblems = [
  ...projects
    .filter(({ folder, ring }) => inward[ring] === undefined || ring !== ringOf(folder))
    .map(({ folder, ring }) => `${folder}: its tag is ring:${ring}, its place says ring:${ringOf(folder)}`),
  ...strayManifests().map((folder) => `${folder}: is not covered by the workspaces of package.json`),
];

const forbidden = [
  { name: 'no-cycle', severity: 'error', from: {}, to: { circular: true } },
  { name: 'resolvable', severity: 'error', from: {}, to: { couldNotResolve: true } },
  {
    name: 'in-own-manifest',
    severity: 'error',
    from: { pathNot: `\\.test\\.ts$|/testing/|${bundled}` },
    to: { path: 'node_modules/', dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev', 'undetermined'] },
  },
  ...projects.flatMap(({ folder, ring }) => {
    const allowed = projects.filter((other) => other.folder === folder || (inward[ring] ?? []).includes(other.ring));
    return [
      {
        name: `ring ${ring}: ${folder}`,
        severity: 'error',
        from: { path: `^${folder}/src/` },
        to: { path: '^(packages|apps|tools)/', pathNot: allowed.map((other) => `^${other.folder}/`).join('|') },
      },
      {
        name: `deep import: ${folder}`,
        severity: 'error',
        from: { path: `^${folder}/src/` },
        to: { path: '^(packages|apps)/', pathNot: `^${folder}/|/dist/(index|place|process|word-diff)\\.(js|d\\.ts)$` },
      },
    ];
  }),
  ...controlPlaneFolders.map((folder, at) => ({
    name: `order of folders: ${folder}`,
    severity: 'error',
    from: { path: `^${controlPlane}/${folder}/[^/]+$`, pathNot: '\\.test\\.ts$' },
    to: {
      path: `^${controlPlane}/`,
      pathNot: controlPlaneFolders.slice(0, at + 1).map((inner) => `^${controlPlane}/${inner}/[^/]+$`),
    },
  })),
  ...homes.map(([name, home]) => ({
    name: `home of ${name}`,
    severity: 'error',
    from: { path: '^(packages|apps)/', pathNot: `${home}|\\.test\\.ts$` },
    to: { path: `node_modules/${name}(/|$)` },
  })),
  {
    name: 'the MCP client SDK takes a tenth of a second to load: only import() and import type',
    severity: 'error',
    from: { path: '^packages/io/upstream-mcp/' },
    to: { path: 'node_modules/@modelcontextprotocol/client/', dynamic: false, dependencyTypesNot: ['type-only'] },
  },
  {
    name: 'canonical-json uses node:crypto only',
    severity: 'error',
    from: { path: '^packages/pure/canonical-json/', pathNot: '\\.test\\.ts$' },
    to: { dependencyTypes: ['core'], pathNot: '^(node:)?crypto$' },
  },
  {
    name: 'pure packages have no effects',
    severity: 'error',
    from: { path: '^packages/(pure|control-plane)/', pathNot: '^packages/pure/canonical-json/|\\.test\\.ts$' },
    to: { dependencyTypes: ['core'] },
  },
];

const { output } = await cruise(
  projects.map(({ folder }) => `${folder}/src`),
  {
    baseDir: root,
    ruleSet: { forbidden },
    validate: true,
    doNotFollow: { path: 'node_modules|/dist/' },
    tsPreCompilationDeps: true,
    combinedDependencies: false,
    enhancedResolveOptions: { exportsFields: ['exports'], conditionNames: ['import', 'types', 'default'] },
  },
);

/** An import that only works because npm put the package somewhere above. */
const undeclared = output.modules.flatMap(({ source, dependencies }) => {
  const owner = projects.find(({ folder }) => source.startsWith(`${folder}/src/`));
  if (owner === undefined || source.endsWith('.test.ts')) return [];
  const { dependencies: shipped, devDependencies } = owner.manifest;
  const declared = { ...shipped, ...(new RegExp(bundled).test(source) ? devDependencies : {}) };
  return dependencies
    .map(({ module }) => module)
    .filter((name) => name.startsWith('@portico/') && declared[name.split('/', 2).join('/')] === undefined)
    .map((name) => `${source} -> ${name}  (not in dependencies of ${owner.name})`);
});

const violations = output.summary.violations.map(({ rule, from, to }) => `${from} -> ${to}  (${rule.name})`);
const unordered = [...new Set(foldersWithoutOrder)].map(
  (folder) => `${controlPlane}/${folder}: has no place in the order of folders`,
);
const problems = [...ringProblems, ...unordered, ...undeclared, ...violations];
process.stdout.write(`${output.summary.totalCruised} modules, ${output.summary.totalDependenciesCruised} imports\n`);
if (output.summary.totalCruised < projects.length) problems.push('nothing was read: the check itself is broken');
if (problems.length > 0) {
  process.stderr.write(`${problems.join('\n')}\n`);
  process.exit(1);
}
