// The /v1 HTTP facade. It knows HTTP and the control plane, nothing of upstreams.

export type { AccessRules, ConsoleCode, ConsoleSession, ConsoleSessions } from './access.js';
export { AnswerHeads } from './answer-heads.js';
export { createRestApi, type RestApi, type RestApiDeps } from './app.js';
export type { ConsoleAnswer, WebConsole } from './console-routes.js';
export { malformedRequestBody } from './malformed.js';
export { testedOf } from './policy-routes.js';
export type { MetricsText } from './service-routes.js';
