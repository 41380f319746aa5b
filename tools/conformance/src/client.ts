// The command line that the suite runs for every client scenario.
import { fileURLToPath } from 'node:url';

export const driverCommand = `node --import tsx ${fileURLToPath(new URL('./driver/main.ts', import.meta.url))}`;
