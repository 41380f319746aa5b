// Settings of MCP clients: the listener for them, and the tools that they see.
import * as v from 'valibot';
import { notAList } from '../not-a-list.js';
import { milliseconds } from './server-schema.js';

/** Tools that an MCP client sees: the few tools of the facade, each tool by its own name, or both. */
export const mcpExposures = ['facade', 'native', 'both'] as const;
/** `facade`: a dozen tools that find and call the others. `native`: every tool of every server. */
export type McpExposure = (typeof mcpExposures)[number];

export const mcpExposureSchema = v.pipe(
  v.picklist(mcpExposures),
  v.description(
    'Tools that MCP clients see: the facade, every upstream tool as <server>__<tool>, or both (default facade)',
  ),
);

/** A first attempt to connect to a server takes no longer. */
const maxFirstListWaitMs = 60_000;

export const mcpSchema = notAList(
  v.looseObject({
    firstListWaitMs: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(maxFirstListWaitMs),
        v.description(
          'Milliseconds that the first list, search or call of an MCP client waits for servers without known definitions; 0 to not wait (default 5000)',
        ),
      ),
    ),
  }),
);

export const mcpHttpServerSchema = notAList(
  v.looseObject({
    port: v.optional(
      v.pipe(
        v.number(),
        v.integer(),
        v.minValue(0),
        v.maxValue(65_535),
        v.description('Port of the listener; 0 takes any free one (default 9191)'),
      ),
    ),
    bind: v.optional(
      v.pipe(
        v.string(),
        v.check((address) => address === 'localhost' || isAddress(address), 'expected an IP address or localhost'),
        v.description('Address to listen on; beyond loopback needs an authToken or rbac (default 127.0.0.1)'),
      ),
    ),
    sseKeepAliveMs: v.optional(
      v.nullable(
        v.pipe(
          milliseconds(1),
          v.description('Milliseconds between pings on open streams; null for none (default 15000)'),
        ),
      ),
    ),
    ssePollMs: v.optional(
      v.nullable(
        v.pipe(
          milliseconds(1),
          v.description(
            'Milliseconds after which a stream of a request is closed before its answer, for clients of 2025-11-25 that come again for the rest; null for never (default null)',
          ),
        ),
      ),
    ),
    jsonResponse: v.optional(
      v.pipe(v.boolean(), v.description('Answer with JSON where nothing has to be streamed (default true)')),
    ),
    profile: v.optional(v.nullable(v.pipe(v.string(), v.description('The only profile that the listener serves')))),
    allowedHosts: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description('Host values that are accepted besides loopback and the bound address'),
      ),
    ),
    allowedOrigins: v.optional(
      v.pipe(
        v.array(v.string()),
        v.description('Origin values that are accepted besides loopback; any other, and null, is answered 403'),
      ),
    ),
  }),
);
export type RawMcpHttpServer = v.InferOutput<typeof mcpHttpServerSchema>;

function isAddress(text: string): boolean {
  return v.is(v.union([v.pipe(v.string(), v.ipv4()), v.pipe(v.string(), v.ipv6())]), text);
}
