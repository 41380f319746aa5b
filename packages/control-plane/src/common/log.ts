// The log, as the control plane writes to it.

export type LogLevel = 'error' | 'warn' | 'info' | 'debug';

/** Writes one structured line. The implementation redacts it: fields may hold what servers write to their own logs. */
export type Log = (level: LogLevel, message: string, fields?: Readonly<Record<string, unknown>>) => void;
