// The public names of @portico/embeddings-en: a model from the bytes of its file, and vectors of texts.
// Never reaches outside the process; the caller reads `@portico/embeddings-en/model`.
export { loadModel, ModelError, type StaticModel } from './load-model.js';
