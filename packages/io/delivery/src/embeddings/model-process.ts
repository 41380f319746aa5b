// One process that runs a model, started when it is first asked and again after it has ended. It gets one request at a
// time, and a short list of variables instead of the environment of the service.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createMutex } from '@portico/async';
import { type ModelAnswer, type ModelProgramInput, type ModelRequest, modelProgram } from './model-program.js';

export interface ModelProcess {
  /** Rejects with the reason of the signal, or with why there is no answer. */
  ask(request: ModelRequest, signal: AbortSignal): Promise<ModelAnswer>;
  /** Resolves when the process has ended. */
  close(): Promise<void>;
}

export interface ModelProcessOptions {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Longest time for one answer, ms: the first one may have to download the model. */
  readonly timeoutMs: number;
}

const variables = ['PATH', 'HOME', 'TMPDIR', 'LANG', 'HF_HOME', 'HF_TOKEN', 'HTTPS_PROXY', 'NO_PROXY'];

/** @param input called at each start. @throws from `ask`, any error of `input` */
export function createModelProcess(
  input: () => ModelProgramInput,
  { env, timeoutMs }: ModelProcessOptions,
): ModelProcess {
  const childEnv = Object.fromEntries(
    variables.flatMap((name) => (env[name] === undefined ? [] : [[name, env[name]]])),
  );
  let child: ChildProcess | undefined;
  const mutex = createMutex();

  const start = (): ChildProcess => {
    const started = spawn(process.execPath, ['--input-type=module', '-e', modelProgram, JSON.stringify(input())], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: childEnv,
    });
    const forget = () => {
      if (child === started) child = undefined;
    };
    started.once('exit', forget).once('error', forget);
    return started;
  };

  const exchange = async (request: ModelRequest): Promise<ModelAnswer> => {
    child ??= start();
    const asked = child;
    const over = new AbortController();
    const { signal } = over;
    const timer = setTimeout(() => asked.kill('SIGKILL'), timeoutMs);
    try {
      const answer = once(asked, 'message', { signal }) as Promise<[ModelAnswer]>; // the program sends nothing else
      const end = once(asked, 'exit', { signal });
      asked.send(request);
      const [first] = await Promise.race([answer, end.then(([code, name]) => [ended(code ?? name)] as const)]);
      end.catch(() => {});
      answer.catch(() => {});
      return first;
    } finally {
      clearTimeout(timer);
      over.abort();
    }
  };

  return {
    ask: (request, signal) =>
      mutex.run(() => {
        signal.throwIfAborted(); // its caller has given up
        return exchange(request);
      }),
    async close() {
      const ending = child;
      if (ending === undefined) return;
      const gone = once(ending, 'exit');
      ending.kill('SIGKILL');
      await gone;
    },
  };
}

function ended(how: unknown): ModelAnswer {
  return { reason: `the process of the model ended with ${how}` };
}
