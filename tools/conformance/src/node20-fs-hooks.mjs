// The module hooks of node20-fs.mjs: `fs`, imported by the suite, is the real module plus one name.
const suite = '/@modelcontextprotocol/conformance/';
const url = 'portico-conformance:fs';
const source = `export * from 'node:fs';
export { default } from 'node:fs';
export function globSync() {
  throw new Error('fs.globSync needs Node 22');
}`;

export function resolve(specifier, context, next) {
  const isFromSuite = context.parentURL?.includes(suite) ?? false;
  return specifier === 'fs' && isFromSuite ? { url, shortCircuit: true } : next(specifier, context);
}

export function load(requested, context, next) {
  return requested === url ? { format: 'module', source, shortCircuit: true } : next(requested, context);
}
