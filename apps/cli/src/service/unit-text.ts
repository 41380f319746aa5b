// The service of a user as systemd and launchd describe one. No secret is in it: what the configuration takes from the
// environment comes from a file beside it. Only computations.

export interface ServiceCommand {
  /** Absolute paths of node and the entry, then the arguments. */
  readonly argv: readonly string[];
  /** Where the servers find their programs: a service manager has a short PATH of its own. */
  readonly path: string;
  /** With `NAME=value` lines for variables that the configuration names; it need not be there. */
  readonly environmentFile: string;
}

/** Ended at a SIGTERM within 5 s, and not started again after exit code 2, which a restart does not change. */
export function systemdUnit({ argv, path, environmentFile }: ServiceCommand): string {
  return `[Unit]
Description=Portico, a control plane between AI agents and MCP servers
StartLimitIntervalSec=60
StartLimitBurst=5

[Service]
ExecStart=${argv.map((word) => systemdWord(word)).join(' ')}
Environment=${systemdWord(`PATH=${path}`, false)}
EnvironmentFile=-${environmentFile.replaceAll('%', '%%')}
Restart=on-failure
RestartSec=2
RestartPreventExitStatus=2
KillMode=mixed
TimeoutStopSec=15
NoNewPrivileges=yes
LockPersonality=yes
RestrictRealtime=yes

[Install]
WantedBy=default.target
`;
}

/** Quoted as systemd.syntax(7) has it; `$` is doubled in command lines only. */
function systemdWord(text: string, isCommand = true): string {
  const escaped = text.replaceAll(/[\\"]/g, '\\$&').replaceAll('%', '%%');
  return `"${isCommand ? escaped.replaceAll('$', '$$$$') : escaped}"`;
}

export const launchdLabel = 'dev.portico.daemon';

/** launchd has no file of variables: a shell reads it, and becomes the daemon. */
export function launchdPlist({ argv, path, environmentFile }: ServiceCommand, logFile: string): string {
  const script = '[ -f "$0" ] && set -a && . "$0"; set +a; exec "$@"';
  const words = ['/bin/sh', '-c', script, environmentFile, ...argv];
  const strings = words.map((word) => `    <string>${xmlText(word)}</string>`).join('\n');
  return `<?xml version="1.0" encoding="UTF-8"?>
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
<dict>
  <key>Label</key><string>${launchdLabel}</string>
  <key>ProgramArguments</key>
  <array>
${strings}
  </array>
  <key>EnvironmentVariables</key>
  <dict><key>PATH</key><string>${xmlText(path)}</string></dict>
  <key>RunAtLoad</key><true/>
  <key>KeepAlive</key>
  <dict><key>SuccessfulExit</key><false/></dict>
  <key>ThrottleInterval</key><integer>10</integer>
  <key>ExitTimeOut</key><integer>15</integer>
  <key>StandardErrorPath</key><string>${xmlText(logFile)}</string>
  <key>StandardOutPath</key><string>${xmlText(logFile)}</string>
</dict>
</plist>
`;
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
