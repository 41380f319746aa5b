// Something that a person does to the service: it is busy while it runs, a failure stays beside where it was done, and a
// success is said. Shown data is requested again afterwards.
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useToast } from '../components/toasts.js';
import { type Problem, toProblem } from '../lib/problem.js';

export interface Action<Input, Output> {
  /** Resolves with undefined if it failed; the reason is in `problem` then. */
  run(input: Input): Promise<Output | undefined>;
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  reset(): void;
}

export function useAction<Input, Output>(
  perform: (input: Input) => Promise<Output>,
  /** Returns the message for a success. */
  said?: (output: Output, input: Input) => string,
): Action<Input, Output> {
  const queries = useQueryClient();
  const toast = useToast();
  const mutation = useMutation({ mutationFn: perform });
  return {
    async run(input) {
      try {
        const output = await mutation.mutateAsync(input);
        void queries.invalidateQueries();
        if (said !== undefined) toast(said(output, input));
        return output;
      } catch (error) {
        const { status, message } = toProblem(error);
        if (status === 409) {
          void queries.invalidateQueries(); // another was faster: what is shown is no longer so
          toast(message);
        }
        return undefined; // it is in `problem`
      }
    },
    isBusy: mutation.isPending,
    problem: mutation.error === null ? undefined : toProblem(mutation.error),
    reset: mutation.reset,
  };
}
