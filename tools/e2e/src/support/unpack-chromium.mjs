// Unpacks the browser of the tests into the temporary folder of this process. The package decides where in it.
import chromium from '@sparticuz/chromium';

await chromium.executablePath();
