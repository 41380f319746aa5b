// `npm run build`: installs what is missing and builds what is stale.
import { buildWhatIsStale, installWhatIsMissing } from './workspace.mjs';

installWhatIsMissing();
buildWhatIsStale();
