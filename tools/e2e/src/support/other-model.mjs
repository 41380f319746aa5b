// Imported into the process of a daemon: the file that SEARCH_MODEL_FILE names is its model of search, in the place of the
// installed one. Everything else is the built product.
import module from 'node:module';

const resolveInstalled = module._resolveFilename;
module._resolveFilename = (request, ...rest) =>
  request === '@portico/embeddings-en/model' ? process.env.SEARCH_MODEL_FILE : resolveInstalled(request, ...rest);
