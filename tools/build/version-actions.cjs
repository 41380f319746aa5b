// What `nx release` does with manifests: one version for all, and ranges between packages that are exactly it.
// CommonJS, since Nx requires it. Instead of @nx/js, which would bring a compiler along for these few lines.
const { spawnSync } = require('node:child_process');
const { existsSync, readdirSync, readFileSync, writeFileSync } = require('node:fs');
const { join } = require('node:path');
const { VersionActions } = require('nx/release');

const collections = ['dependencies', 'devDependencies', 'peerDependencies', 'optionalDependencies'];

class ManifestVersions extends VersionActions {
  validManifestFilenames = ['package.json'];
  excludeManifestsFromFormatting = true;

  async readCurrentVersionFromSourceManifest(tree) {
    const { path, manifest } = this.#read(tree);
    return { currentVersion: manifest.version, manifestPath: path };
  }

  /** The manifests are the truth, also while nothing is published. */
  async readCurrentVersionFromRegistry() {
    return null;
  }

  async readCurrentVersionOfDependency(tree, _graph, name) {
    const { manifest } = this.#read(tree);
    const collection = collections.find((each) => manifest[each]?.[name] !== undefined) ?? null;
    return { currentVersion: collection && manifest[collection][name], dependencyCollection: collection };
  }

  async updateProjectVersion(tree, version) {
    const { path, manifest } = this.#read(tree);
    tree.write(path, toText({ ...manifest, version }));
    return [`${path}: ${version}`];
  }

  async updateProjectDependencies(tree, _graph, versions) {
    const { path, manifest } = this.#read(tree);
    tree.write(path, toText(withRanges(manifest, versions)));
    return [];
  }

  #read(tree) {
    const path = join(this.projectGraphNode.data.root, 'package.json');
    return { path, manifest: JSON.parse(tree.read(path, 'utf8')) };
  }
}

/** The workspace's own tools are not released, but stand on the same packages; so does the lock file. */
async function afterAllProjectsVersioned(cwd, { dryRun = false }) {
  if (dryRun) return { changedFiles: [], deletedFiles: [] };
  const { version } = JSON.parse(readFileSync(join(cwd, 'packages/host/package.json'), 'utf8'));
  const tools = readdirSync(join(cwd, 'tools'))
    .map((name) => `tools/${name}/package.json`)
    .filter((path) => existsSync(join(cwd, path)));
  for (const path of tools) {
    const manifest = JSON.parse(readFileSync(join(cwd, path), 'utf8'));
    const names = Object.keys(manifest.dependencies ?? {}).filter((name) => name.startsWith('@portico/'));
    const ranges = Object.fromEntries(names.map((name) => [name, version]));
    writeFileSync(join(cwd, path), toText(withRanges(manifest, ranges)));
  }
  const npm = ['install', '--package-lock-only', '--ignore-scripts', '--omit-lockfile-registry-resolved'];
  const { status } = spawnSync('npm', npm, { cwd, stdio: 'inherit' });
  if (status !== 0) throw new Error(`npm ${npm.join(' ')} ended with ${status}; run it again before you commit`);
  return { changedFiles: [...tools, 'package-lock.json'], deletedFiles: [] };
}

function withRanges(manifest, versions) {
  const changed = collections
    .filter((collection) => manifest[collection] !== undefined)
    .map((collection) => {
      const ranges = Object.entries(manifest[collection]).map(([name, range]) => [name, versions[name] ?? range]);
      return [collection, Object.fromEntries(ranges)];
    });
  return { ...manifest, ...Object.fromEntries(changed) };
}

function toText(manifest) {
  return `${JSON.stringify(manifest, null, 2)}\n`;
}

module.exports = ManifestVersions;
module.exports.afterAllProjectsVersioned = afterAllProjectsVersioned;
