// Environment variables that a child process receives: a short list of harmless ones and those of its configuration.

export type Environment = Readonly<Record<string, string | undefined>>;

const posixNames = ['PATH', 'HOME', 'LANG', 'TMPDIR', 'USER', 'LOGNAME', 'SHELL', 'TERM'];

const windowsNames = [
  'APPDATA',
  'COMSPEC',
  'HOMEDRIVE',
  'HOMEPATH',
  'LOCALAPPDATA',
  'PATH',
  'PATHEXT',
  'PROCESSOR_ARCHITECTURE',
  'PROGRAMDATA',
  'PROGRAMFILES',
  'PROGRAMFILES(X86)',
  'PROGRAMW6432',
  'SYSTEMDRIVE',
  'SYSTEMROOT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERPROFILE',
  'WINDIR',
];

/** The environment of a child: harmless variables of `base`, then the configured ones, which win. */
export function childEnv(
  base: Environment,
  configured: Readonly<Record<string, string>>,
  platform: NodeJS.Platform = process.platform,
): Record<string, string> {
  const env: Record<string, string> = {};
  for (const [name, value] of Object.entries(base)) {
    // A value that starts with `()` is an exported shell function, which some shells would run.
    if (value !== undefined && isHarmless(name, platform) && !value.startsWith('()')) env[name] = value;
  }
  return { ...env, ...configured };
}

function isHarmless(name: string, platform: NodeJS.Platform): boolean {
  if (platform === 'win32') return windowsNames.includes(name.toUpperCase());
  return posixNames.includes(name) || name.startsWith('LC_');
}
