// Loads Ink and React, which no other command pays for, with their switches set as a screen needs them.

const switches = {
  NODE_ENV: () => 'production', // React's checks of its own use keep a record of every render
  CI: () => undefined, // Ink would draw the last state only; that this is a terminal was asked before
  CONTINUOUS_INTEGRATION: () => undefined,
  FORCE_COLOR: (env: NodeJS.ProcessEnv) => (env.NO_COLOR ? '0' : env.FORCE_COLOR), // Ink's colours do not know NO_COLOR
};

/** @param load imports the module of a screen */
export async function loadScreen<T>(load: () => Promise<T>): Promise<T> {
  const before = { ...process.env };
  try {
    for (const [name, choose] of Object.entries(switches)) set(name, choose(before));
    return await load();
  } finally {
    for (const name of Object.keys(switches)) set(name, before[name]);
  }
}

/** Whether the terminal is interactive: a person can press keys. */
export function isOnTerminal(): boolean {
  return process.stdout.isTTY === true && process.stdin.isTTY === true;
}

function set(name: string, value: string | undefined): void {
  if (value === undefined) delete process.env[name];
  else process.env[name] = value;
}
