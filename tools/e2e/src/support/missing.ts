// A folder that no machine has: Linux has no process 0, and other systems have no /proc. A made-up name may exist; Debian
// has accounts with the home /nonexistent, and what they run creates it.
export const missingFolder = '/proc/0';
