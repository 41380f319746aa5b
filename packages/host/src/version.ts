// The version of the product, the same in every package: a release writes it to the manifests and nowhere else.
import { createRequire } from 'node:module';

const manifest: { readonly version: string } = createRequire(import.meta.url)('../package.json');

/** Version of this package, such as `0.1.0`; every package of a release has the same. */
export const version: string = manifest.version;
