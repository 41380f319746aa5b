// The folders that `roots/list` returns to servers, as in the configuration file (MCP, roots).
import * as v from 'valibot';
import { suggestion } from '../nearest.js';
import { notAList } from '../not-a-list.js';

const rootFields = ['uri', 'name'] as const;

/** Far more than a person works in. */
const maxRoots = 1000;

const uriSchema = v.pipe(
  v.string(),
  v.check((uri) => /^file:\/\//i.test(uri), 'must be a file:// URI, such as file:///home/ann/project'),
  v.check(
    (uri) => !/^file:\/\//i.test(uri) || /^file:\/\/[^/?#]*\/[^?#]*$/i.test(uri),
    'must be a file:// URI with an absolute path, such as file:///home/ann/project, without ? and #',
  ),
  v.check((uri) => !/[\s\p{Cc}]/u.test(uri), 'must not hold spaces or control characters; write a space as %20'),
  v.check((uri) => !/%(?![0-9A-Fa-f]{2})/.test(uri), 'has a % without two hexadecimal digits; write it as %25'),
  v.description('A folder as a file:// URI'),
);

export const rootSchema = notAList(
  v.strictObject(
    {
      uri: uriSchema,
      name: v.optional(v.nullable(v.pipe(v.string(), v.minLength(1), v.description('How servers may show it')))),
    },
    (issue) =>
      issue.expected === 'never'
        ? `is no field of a root; ${suggestion(String(issue.path?.at(-1)?.key), rootFields)}`
        : issue.expected === '"uri"'
          ? 'is required'
          : 'expected an object such as {"uri": "file:///home/ann/project"}',
  ),
);

export const rootsSchema = v.pipe(
  v.array(rootSchema),
  v.maxLength(maxRoots, `at most ${maxRoots} roots (a fixed limit)`),
  v.description(
    'The answer to `roots/list` of servers, where the caller is not an MCP client that declares roots (default none)',
  ),
);
export type RawRoot = v.InferOutput<typeof rootSchema>;
