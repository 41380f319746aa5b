// The pid of a process that has ended. For tests only.

/** Beyond the highest of Linux, so that no process has it. */
export const deadPid = 2 ** 22 + 1;
