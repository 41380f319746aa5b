// Replaces @huggingface/transformers: a vector for each text, or the behaviour that the name of the model asks for. For
// tests only.
export const env = { allowRemoteModels: true, localModelPath: '/models/' };

export async function pipeline(task, model) {
  if (model === 'missing') throw new Error(`no such model: ${task} ${model}`);
  return async (texts, { pooling, normalize }) => {
    if (texts.includes('crash')) process.exit(3);
    if (texts.includes('hang')) await new Promise(() => {});
    const isLocal = env.allowRemoteModels ? 0 : 1;
    const isPooled = pooling === 'mean' && normalize ? 1 : 0;
    const rows = texts.map((text) => [text.length, isLocal, isPooled, env.localModelPath.length]);
    return { data: new Float32Array(rows.flat()), dims: [texts.length, 4] };
  };
}
