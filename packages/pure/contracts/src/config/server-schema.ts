// One upstream server as the configuration names it. `command` or `url` determines its transport.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { clientCapabilitiesSchema } from './client-capabilities.js';
import { namedMap } from './named-map.js';
import { oauth2Schema } from './oauth-schema.js';

const maxTimerMs = 2_147_483_647;

const integer = (min: number, max: number) => v.pipe(v.number(), v.integer(), v.minValue(min), v.maxValue(max));

export const milliseconds = (min: number) => integer(min, maxTimerMs);

const stringMap = namedMap(v.string());

/** Resilience settings; every field is optional so that a server overrides just what it names. */
export const resilienceSchema = notAList(
  v.looseObject({
    failureThreshold: v.optional(
      v.pipe(integer(1, 1_000_000), v.description('Consecutive failures before the circuit opens (default 3)')),
    ),
    cooldownMs: v.optional(
      v.pipe(
        milliseconds(0),
        v.description('Milliseconds an open circuit waits before it lets a probe through (default 30000)'),
      ),
    ),
    consecutiveSuccesses: v.optional(
      v.pipe(integer(1, 1_000_000), v.description('Successful probes that close the circuit again (default 2)')),
    ),
    autoRestart: v.optional(v.pipe(v.boolean(), v.description('Restart a child process that ends (default true)'))),
    maxRestarts: v.optional(
      v.pipe(integer(0, 1_000_000), v.description('Restarts since the last 60 s of healthy running (default 5)')),
    ),
    healthCheckIntervalSecs: v.optional(
      v.nullable(v.pipe(integer(1, 86_400), v.description('Seconds between health checks; absent or null means none'))),
    ),
  }),
);

const bearerSchema = v.pipe(
  v.looseObject({
    type: v.literal('bearer'),
    token: v.optional(v.pipe(v.string(), v.description('The token, or a secret URI'))),
    tokenEnv: v.optional(v.pipe(v.string(), v.description('Name of the environment variable that holds the token'))),
  }),
  v.check(
    (auth) => (auth.token === undefined) !== (auth.tokenEnv === undefined),
    'needs exactly one of `token` and `tokenEnv`',
  ),
);

const basicSchema = v.pipe(
  v.looseObject({
    type: v.literal('basic'),
    username: v.pipe(v.string(), v.description('The user')),
    password: v.optional(v.pipe(v.string(), v.description('The password, or a secret URI'))),
    passwordEnv: v.optional(
      v.pipe(v.string(), v.description('Name of the environment variable that holds the password')),
    ),
  }),
  v.check(
    (auth) => (auth.password === undefined) !== (auth.passwordEnv === undefined),
    'needs exactly one of `password` and `passwordEnv`',
  ),
);

export const authSchema = v.variant(
  'type',
  [bearerSchema, basicSchema, oauth2Schema],
  'expected an object whose type is "bearer", "basic" or "oauth2"',
);

export const argumentChecks = ['strict', 'coerce', 'off'] as const;

export const lifecycles = ['eager', 'lazy'] as const;

export const protocolVersions = ['2026-07-28', '2025-11-25'] as const;

/** Classes of addresses beyond the internet that a server may be allowed to name. */
export const nameableClasses = ['loopback', 'private', 'reserved'] as const;

const absolutePath = (what: string) =>
  v.optional(
    v.nullable(
      v.pipe(v.string(), v.regex(/^([/\\]|[A-Za-z]:[/\\])[^\0]*$/, 'must be an absolute path'), v.description(what)),
    ),
  );

export const serverSchema = notAList(
  v.looseObject({
    command: v.optional(
      v.nullable(v.pipe(v.string(), v.minLength(1), v.description('Program to run; MCP is spoken over its stdio'))),
    ),
    args: v.optional(v.pipe(v.array(v.string()), v.description('Arguments of the program'))),
    env: v.optional(
      v.pipe(stringMap, v.description('Variables of the program; it sees these and a few harmless ones, nothing else')),
    ),
    cwd: absolutePath('Working directory of the program, absolute (default: that of the service)'),
    envFile: absolutePath(
      'File with `NAME=value` lines for further variables of the program, absolute, at most 1 MiB; `env` wins. Read at each start',
    ),
    maxProcesses: v.optional(
      v.nullable(
        v.pipe(
          integer(1, 64),
          v.description(
            'Processes of the program that may run at once, so that calls of its tools that ask their callers do not wait for each other; 1 for a server that keeps state in its process (default 4)',
          ),
        ),
      ),
    ),
    url: v.optional(
      v.nullable(
        v.pipe(v.string(), v.minLength(1), v.description('Address of a streamable HTTP (or HTTP+SSE) server')),
      ),
    ),
    protocolVersion: v.optional(
      v.pipe(
        v.nullable(v.picklist(protocolVersions)),
        v.description('Newest MCP revision to speak; older servers are detected (default 2026-07-28)'),
      ),
    ),
    allowStateless: v.optional(
      v.nullable(
        v.pipe(v.boolean(), v.description('Accept a 2025-11-25 HTTP server that gives no session id (default false)')),
      ),
    ),
    allowPrivateMetadata: v.optional(
      v.pipe(
        v.boolean(),
        v.description('Allow link-local and cloud-metadata addresses for this server (default false)'),
      ),
    ),
    allowedAddressClasses: v.optional(
      v.pipe(
        v.array(v.picklist(nameableClasses)),
        v.maxLength(nameableClasses.length),
        v.description(
          'Classes of addresses that the server may lead Portico to besides public ones and those of its own class: loopback, private, reserved (default none)',
        ),
      ),
    ),
    headers: v.optional(v.pipe(stringMap, v.description('Sent with every request'))),
    auth: v.optional(v.pipe(v.nullable(authSchema), v.description('Credentials: bearer, basic or oauth2'))),
    lifecycle: v.optional(
      v.nullable(
        v.pipe(
          v.picklist(lifecycles),
          v.description('When it runs: always (eager, the default), or while something needs it (lazy)'),
        ),
      ),
    ),
    idleStopSecs: v.optional(
      v.nullable(
        v.pipe(
          integer(1, 86_400),
          v.description('Seconds without use after which a lazy server is stopped (default 300)'),
        ),
      ),
    ),
    argumentChecks: v.optional(
      v.nullable(
        v.pipe(
          v.picklist(argumentChecks),
          v.description(
            'Arguments that do not match the schema of a tool: refused (strict, the default), converted where they say what the schema wants (coerce), or passed on (off)',
          ),
        ),
      ),
    ),
    clientCapabilities: v.optional(
      v.pipe(
        v.nullable(clientCapabilitiesSchema),
        v.description('Client capabilities declared to the server; a request of another kind is refused (default all)'),
      ),
    ),
    resilience: v.optional(v.pipe(resilienceSchema, v.description('Overrides the defaults for this server'))),
  }),
);

/** Names of the fields of a server's definition. */
export const serverFields: readonly string[] = Object.keys(serverSchema.entries);

export type RawServer = v.InferOutput<typeof serverSchema>;
export type RawResilience = v.InferOutput<typeof resilienceSchema>;
export type UpstreamAuth = v.InferOutput<typeof authSchema>;
export type NameableClass = (typeof nameableClasses)[number];
export type UpstreamProtocolVersion = (typeof protocolVersions)[number];
