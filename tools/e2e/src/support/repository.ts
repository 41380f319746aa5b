// Where the checkout is that is tested.
import { fileURLToPath } from 'node:url';

export const repository = fileURLToPath(new URL('../../../../', import.meta.url));
