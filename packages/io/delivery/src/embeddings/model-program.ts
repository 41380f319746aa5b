// The program of a model's process, as text: it has to start from a bundle and from sources alike. A process of its
// own, since inference blocks its thread (https://github.com/microsoft/onnxruntime/issues/19611).

/** Its one argument, as JSON. */
export interface ModelProgramInput {
  /** URL of the module `@huggingface/transformers`. */
  readonly moduleUrl: string;
  /** An id on the Hub, or the name of a folder in `folder`. */
  readonly model: string;
  /** Where the folder of the model is, when it is on this machine; nothing is downloaded then. */
  readonly folder: string | null;
}

/** One request to the process; the next one follows its answer. */
export interface ModelRequest {
  readonly texts: readonly string[];
}

/** The answer of the process: the vectors one after the other, or why there are none. */
export type ModelAnswer = { readonly values: Float32Array; readonly dimensions: number } | { readonly reason: string };

export const modelProgram = `
const { moduleUrl, model, folder } = JSON.parse(process.argv[1]);
const load = async () => {
  const loaded = await import(moduleUrl);
  const { pipeline, env } = loaded.pipeline ? loaded : loaded.default;
  if (folder !== null) {
    env.allowRemoteModels = false;
    env.localModelPath = folder;
  }
  return pipeline('feature-extraction', model);
};
let loading;
process.on('disconnect', () => process.exit());
process.on('message', async ({ texts }) => {
  try {
    loading ??= load();
    const extract = await loading.catch((error) => {
      loading = undefined; // the next request tries again
      throw error;
    });
    const { data, dims } = await extract(texts, { pooling: 'mean', normalize: true });
    process.send({ values: Float32Array.from(data), dimensions: dims.at(-1) });
  } catch (error) {
    process.send({ reason: String(error?.message ?? error) });
  }
});
`;
