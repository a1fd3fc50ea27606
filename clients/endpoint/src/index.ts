/** `@tether/endpoint`: what a vendor's program needs whatever it is served by. Adapters and ledgers have entries of their own. */
export type { Answered, OnAnswered } from './answered.ts';
export { createEndpoint, type Endpoint, type EndpointOptions } from './endpoint.ts';
export type { Invocation, ProbeQuestion } from './invocation.ts';
export type { Disposition, Ledger, Question, Work, Write } from './ledger/ledger.ts';
export type { Outcome, ProbeOutcome } from './outcome.ts';
export { type Alternative, type Reason, Refusal, refuse } from './refusal.ts';
export type { AlternativeRecord, RefusalRecord } from './refusal-record.ts';
export { JsonText, jsonText } from './result-text.ts';
export type { Args, Call, ReadTool, Tenant, Tools, WriteCall, WriteTool } from './tool.ts';
