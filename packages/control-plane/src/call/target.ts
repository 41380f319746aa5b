// The target of a call: the capability that its id names.
import { isJsonObject, type PromptDefinition, type ToolDefinition } from '@portico/contracts';
import type { CallKind } from './call.js';

export interface Target {
  readonly kind: CallKind;
  readonly server: string;
  /** Canonical id. */
  readonly id: string;
  /** Every name that rules know it by, one list for each spelling of a resource's URI. */
  readonly names: readonly (readonly string[])[];
  /** Tool name, resource URI or prompt name, as the server knows it. */
  readonly name: string;
  /** Canonical id of the entry: the template's, for a URI that only matches one. Absent as the definitions are. */
  readonly entry?: string;
  /** Absent while the server's lists have never been read. */
  readonly tool?: ToolDefinition;
  readonly prompt?: PromptDefinition;
  /** SHA-256 of the definition under the name that was asked for, 64 lower-case hex characters, as the catalog has it. */
  readonly digest?: string;
}

/** A tool that can only be run as a task (MCP 2025-11-25, tasks, tool-level negotiation). */
export function needsTask(tool: ToolDefinition | undefined): boolean {
  const execution = tool?.execution;
  return isJsonObject(execution) && execution.taskSupport === 'required';
}
