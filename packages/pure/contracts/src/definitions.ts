// Definitions of upstream MCP servers, as the servers sent them. The wire names are MCP's (camelCase).
import type { JsonObject } from './json.js';

export interface ToolAnnotations {
  readonly title?: string;
  readonly readOnlyHint?: boolean;
  readonly destructiveHint?: boolean;
  readonly idempotentHint?: boolean;
  readonly openWorldHint?: boolean;
}

/** An entry of `tools/list`. Fields that are not named here are kept as well. */
export interface ToolDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly inputSchema: JsonObject;
  readonly outputSchema?: JsonObject;
  readonly annotations?: ToolAnnotations;
  /** How it may be run (MCP 2025-11-25): `taskSupport` says whether as a task. */
  readonly execution?: JsonObject;
  readonly _meta?: JsonObject;
}

/** An entry of `resources/list`. */
export interface ResourceDefinition {
  readonly uri: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly _meta?: JsonObject;
}

/** An entry of `resources/templates/list`; `uriTemplate` follows RFC 6570. */
export interface ResourceTemplateDefinition {
  readonly uriTemplate: string;
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly mimeType?: string;
  readonly _meta?: JsonObject;
}

/** An entry of `prompts/list`. */
export interface PromptDefinition {
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly arguments?: readonly JsonObject[];
  readonly _meta?: JsonObject;
}

/** Facts about a server's last session beside its lists. */
export interface ServerTraits {
  /** The negotiated MCP revision, such as `2025-11-25`. */
  readonly protocolVersion: string;
  /** Whether it may answer a call with a task, by the tasks extension of 2026-07-28. */
  readonly hasTasks: boolean;
}

/** The problem of a server's definition: it was left out, or some of its fields were repaired or dropped. */
export interface DefinitionProblem {
  readonly list: 'tools' | 'resources' | 'resourceTemplates' | 'prompts';
  readonly name: string;
  readonly left_out: boolean;
  readonly reason: string;
}

/** The information that a server gives about itself when it connects, and the package that its program was found to be. */
export interface ServerAbout {
  /** MCP `serverInfo`. */
  readonly info?: JsonObject;
  readonly instructions?: string;
  /** The package of a stdio server, as `<name>@<version>`; null after a search without a result, absent before the search. */
  readonly package?: string | null;
}

/** Everything one upstream server offers: all pages of all its lists. */
export interface UpstreamDefinitions {
  readonly tools: readonly ToolDefinition[];
  readonly resources: readonly ResourceDefinition[];
  readonly resourceTemplates: readonly ResourceTemplateDefinition[];
  readonly prompts: readonly PromptDefinition[];
  /** Those left out first, and no more of them than a person reads; absent if nothing is wrong. */
  readonly problems?: readonly DefinitionProblem[];
  /** Absent if that is not known. */
  readonly about?: ServerAbout;
}
