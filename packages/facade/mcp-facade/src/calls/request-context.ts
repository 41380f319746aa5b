// The context of a request beside its params, and the way to send messages to its client while it runs. Types only. The
// SDK's context is one of these; a call that is served without the SDK has one of its own.
import type { ServerContext } from '@modelcontextprotocol/server';
import type { AbortSignalLike } from '@portico/async';
import type { JsonObject } from '@portico/contracts';

type McpRequest = ServerContext['mcpReq'];

export interface RequestContext {
  readonly mcpReq: {
    readonly _meta?: McpRequest['_meta'] | undefined;
    readonly envelope?: McpRequest['envelope'] | undefined;
    readonly inputResponses?: McpRequest['inputResponses'] | undefined;
    readonly requestState: () => unknown;
    readonly signal: AbortSignalLike;
    readonly notify: (notification: { readonly method: string; readonly params: JsonObject }) => Promise<void>;
    readonly send: McpRequest['send'];
  };
  readonly http?: HttpInfo | undefined;
}

export interface HttpInfo {
  readonly req?: { readonly headers: HeaderSource } | undefined;
}

/** Headers of a request. `Headers` is one. */
export interface HeaderSource {
  get(name: string): string | null;
}
