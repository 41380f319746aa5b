// A tool that says by its result that it failed (MCP, `isError`). Its envelope is one of success; records and metrics have a
// code for it.
import { type Envelope, isJsonObject } from '@portico/contracts';

export const toolErrorCode = 'TOOL_ERROR' as const;

/** Whether an envelope has the result of a tool that says that it failed. */
export function isToolError({ ok, data }: Envelope): boolean {
  return ok && isJsonObject(data) && data.isError === true;
}
