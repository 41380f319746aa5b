// The order of test files: those that take longest first, so that no worker idles while another ends a long one.
import { relative } from 'node:path';
import { BaseSequencer, type TestSpecification } from 'vitest/node';
import seconds from './test-seconds.json' with { type: 'json' };

const known = new Map<string, number>(Object.entries(seconds));
/** What a file takes that is not listed: about the mean. */
const unknown = 15;

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const bySize = await super.sort(files);
    const secondsOf = ({ moduleId }: TestSpecification) =>
      known.get(relative(this.ctx.config.root, moduleId).replaceAll('\\', '/')) ?? unknown;
    return bySize.toSorted((a, b) => secondsOf(b) - secondsOf(a));
  }
}
