// The HTTP API of Portico as functions, one for every route, with the shapes that the service itself is built from.
export { type ActivityMessage, type ApiClient, createClient, type FrameMessage, type StreamOptions } from './client.js';
export { ApiError, UnexpectedAnswerError, UnreachableError } from './errors.js';
export type { CallOptions, ReadOptions } from './requests.js';
export type { ClientOptions, Fetch } from './send.js';
export type {
  ActivityFilters,
  Answers,
  AuditFilters,
  Bodies,
  FrameFilters,
  OperationId,
  Page,
  Queries,
} from './shapes.js';
export type { UpdateMessage } from './updates.js';
