import type { EndpointSettings } from '../domain/endpoint.ts';
import type { Identity } from '../domain/identity.ts';
import type { Tool } from '../domain/tool.ts';
import { type CatalogFile, checkForm } from './check-form.ts';
import type { Fault } from './fault.ts';
import { identityOf } from './identity-entry.ts';
import { createInputSchemas } from './input-schema.ts';
import type { Problem } from './problem.ts';
import type { Surroundings } from './references.ts';
import { authorizerOf, endpointOf } from './service-entry.ts';
import { toolOf } from './tool-entry.ts';
import { type DeclaredWebhook, webhookOf } from './webhook-entry.ts';
import { readYaml, type YamlSource } from './yaml-source.ts';

/** What one version of tether.yaml declares. */
export interface Catalog {
  readonly tools: ReadonlyMap<string, Tool>;
  readonly endpoints: ReadonlyMap<string, EndpointSettings>;
  readonly authorizer: EndpointSettings | undefined;
  readonly identity: Identity | undefined;
  readonly webhooks: readonly DeclaredWebhook[];
}

export type ParsedCatalog =
  | {
      readonly kind: 'ok';
      readonly catalog: Catalog;
      /** As it is written, without the defaults, and where. */
      readonly file: CatalogFile;
      readonly source: YamlSource;
    }
  | { readonly kind: 'invalid'; readonly problems: readonly Problem[] };

/** Reads a catalog. It is good as a whole or not at all: then every problem that can be known is listed, in file order. */
export function parseCatalog(text: string, surroundings: Surroundings): ParsedCatalog {
  const read = readYaml(text);
  if (read.kind === 'invalid') return invalid(read.problems);
  const { source } = read;
  const form = checkForm(source);
  if (form.kind === 'invalid') return invalid(form.problems);
  const { file } = form;
  const problems: Problem[] = [];
  const faultAt =
    (...place: readonly string[]): Fault =>
    (path, message, at) => {
      problems.push(source.problem([...place, ...path], message, at));
    };
  const endpoints = new Map<string, EndpointSettings>();
  for (const [name, entry] of Object.entries(file.endpoints)) {
    endpoints.set(name, endpointOf(name, entry, file.tool_transport, surroundings, faultAt('endpoints', name)));
  }
  const authorizer = file.authorizer && authorizerOf(file.authorizer, surroundings, faultAt('authorizer'));
  const identity = file.identity && identityOf(file.identity, surroundings, faultAt('identity'));
  const webhooks = Object.entries(file.webhooks ?? {}).map(([name, entry]) =>
    webhookOf(name, entry, surroundings, faultAt('webhooks', name)),
  );
  const tools = new Map<string, Tool>();
  const declared = { endpoints, tools: file.tools, schemas: createInputSchemas() };
  for (const [name, entry] of Object.entries(file.tools)) {
    const tool = toolOf(name, entry, declared, faultAt('tools', name));
    if (tool !== undefined) tools.set(name, tool);
  }
  if (problems.length > 0) return invalid(problems);
  return { kind: 'ok', catalog: { tools, endpoints, authorizer, identity, webhooks }, file, source };
}

function invalid(problems: readonly Problem[]): ParsedCatalog {
  return { kind: 'invalid', problems: problems.toSorted((a, b) => a.line - b.line || a.column - b.column) };
}
