// Identifies the boot of the machine: data that was written without a sync during the same boot is still there.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';

/** A number of 48 bits for the present run of the kernel; 0 where the system has no name for it. */
export function bootNumber(): number {
  try {
    const id = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8');
    return Math.max(1, createHash('sha256').update(id).digest().readUIntBE(0, 6));
  } catch {
    return 0; // only Linux has it
  }
}
