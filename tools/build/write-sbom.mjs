// Writes `dist/sbom.cdx.json` of an app: its production dependencies by the lock file, as CycloneDX 1.6 (ECMA-424).
// Equal lock files give equal bytes: no time, no random serial number, no path and no download address is in it.
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { lockedPackages } from './locked-packages.mjs';
import { root } from './root.mjs';

export const sbomName = 'sbom.cdx.json';

/** @param {string} folder of the app, from the root, as `apps/cli` */
export function writeSbom(folder) {
  const text = `${JSON.stringify(sbomOf(lockedPackages(folder)), null, 2)}\n`;
  writeFileSync(join(root, folder, 'dist', sbomName), text);
}

/** @param {ReturnType<typeof lockedPackages>} packages of which the first is the app */
export function sbomOf(packages) {
  const [[app] = []] = packages;
  const components = [...packages].map(componentOf);
  const others = components.filter(({ 'bom-ref': ref }) => ref !== app).sort(byRef);
  const content = {
    version: 1,
    metadata: {
      lifecycles: [{ phase: 'build' }],
      component: { ...components.find(({ 'bom-ref': ref }) => ref === app), type: 'application' },
    },
    components: others,
    dependencies: [...packages].map(([ref, { needs }]) => ({ ref, dependsOn: [...new Set(needs)] })).sort(byRef),
  };
  return { bomFormat: 'CycloneDX', specVersion: '1.6', serialNumber: serialOf(content), ...content };
}

function componentOf([ref, { name, version, license, integrity, optional }]) {
  const [, group, plain] = /^(?:(@[^/]+)\/)?(.+)$/.exec(name);
  return {
    type: 'library',
    'bom-ref': ref,
    ...(group === undefined ? {} : { group }),
    name: plain,
    version,
    scope: optional ? 'optional' : 'required',
    ...(integrity === undefined ? {} : { hashes: integrity.split(' ').map(hashOf) }),
    ...(license === undefined ? {} : { licenses: [licenceOf(license)] }),
    purl: `pkg:npm/${group === undefined ? '' : `${encodeURIComponent(group)}/`}${plain}@${version}`,
  };
}

const algorithms = { sha512: 'SHA-512', sha384: 'SHA-384', sha256: 'SHA-256', sha1: 'SHA-1' };

/** The digest of Subresource Integrity, as lock files have it. */
function hashOf(integrity) {
  const [algorithm, digest] = integrity.split(/-(.*)/s);
  return { alg: algorithms[algorithm], content: Buffer.from(digest, 'base64').toString('hex') };
}

function licenceOf(license) {
  return /^[\w.+-]+$/.test(license) ? { license: { id: license } } : { expression: license.replace(/^\(|\)$/g, '') };
}

/** A UUID of version 8 (RFC 9562) that is made of the content. */
function serialOf(content) {
  const hex = createHash('sha256').update(JSON.stringify(content)).digest('hex');
  const parts = [
    hex.slice(0, 8),
    hex.slice(8, 12),
    `8${hex.slice(13, 16)}`,
    `a${hex.slice(17, 20)}`,
    hex.slice(20, 32),
  ];
  return `urn:uuid:${parts.join('-')}`;
}

function byRef(a, b) {
  const [first, second] = [a['bom-ref'] ?? a.ref, b['bom-ref'] ?? b.ref];
  return first < second ? -1 : Number(first > second);
}
