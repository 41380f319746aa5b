// The end of the body of an answer: reported when it is read, abandoned, or never there; and ended on demand.

/** The same answer, whose body ends before its next event once `holds` is false. */
export function endUnless(response: Response, holds: () => Promise<boolean>): Response {
  if (response.body === null) return response;
  const gate = new TransformStream<Uint8Array, Uint8Array>({
    async transform(chunk, controller) {
      if (await holds()) controller.enqueue(chunk);
      else controller.terminate();
    },
  });
  return new Response(response.body.pipeThrough(gate), { status: response.status, headers: response.headers });
}

export function onBodyEnd(response: Response, onEnd: () => void): Response {
  let isOver = false;
  const end = () => {
    if (!isOver) onEnd();
    isOver = true;
  };
  if (response.body === null) {
    end();
    return response;
  }
  const reader = response.body.getReader();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      try {
        const { value, done } = await reader.read();
        if (!done) return controller.enqueue(value);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    async cancel(reason: unknown) {
      end();
      await reader.cancel(reason);
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 }); // it holds nothing itself
  return new Response(body, { status: response.status, headers: response.headers });
}
