import type { DescMessage } from '@bufbuild/protobuf';
import { ActionSchema } from '@tether/proto/tether/v1/action_pb.ts';
import { ActionableErrorSchema } from '@tether/proto/tether/v1/error_pb.ts';
import { nameOf } from './field-form.ts';
import {
  answerReference,
  answerSchemas,
  type Comments,
  fieldSchema,
  requestSchema,
  type Schema,
} from './openapi-schemas.ts';
import { errorNames, statusWords } from './problem.ts';
import { parametersOf } from './read-query.ts';
import { keyHeader, without } from './read-request.ts';
import type { Route } from './route.ts';
import { routes } from './routes.ts';
import { confirmStatuses } from './verdict.ts';

/**
 * The OpenAPI 3.1 document of the JSON door, from the table of routes and the contract's descriptors; `comments` are the
 * sentences of the `.proto` files, which descriptors do not carry at run time.
 */
export function openApiDocument(comments: Comments): Schema {
  const paths: Record<string, Schema> = {};
  for (const route of routes)
    paths[route.path] = { ...paths[route.path], [route.verb.toLowerCase()]: operationOf(route, comments) };
  return {
    openapi: '3.1.0',
    info: {
      title: 'Tether, the JSON door',
      version: '1',
      description:
        'Every RPC of tether.v1 in plain JSON. Made from the contract and the table of routes: change those, then run `npm run generate`.',
    },
    security: [{ key: [] }],
    paths,
    components: {
      securitySchemes: {
        key: {
          type: 'http',
          scheme: 'bearer',
          description: 'A key of this server, or a token of an issuer that it trusts.',
        },
      },
      schemas: componentsOf(comments),
    },
  };
}

function operationOf(route: Route, comments: Comments): Schema {
  const { method, verb, path, pathField } = route;
  const description = comments(`${method.parent.typeName}.${method.name}`);
  return {
    operationId: operationId(route),
    tags: [method.parent.name],
    summary: description.split(/(?<=\.)\s/, 1)[0],
    description,
    parameters: [
      ...(pathField === undefined ? [] : [pathParameter(route, pathField, comments)]),
      ...(verb === 'GET' ? queryParameters(route, comments) : []),
      ...(route.keyField === undefined ? [] : [keyParameter(route)]),
    ],
    ...(verb === 'POST' && bodyOf(route, comments)),
    responses: {
      200: { description: `What ${method.name} answers.`, content: contentOf(route) },
      default: {
        description: 'The call failed; `errorCode` says why, `effect` whether anything can have happened.',
        content: { 'application/json': { schema: answerReference({ name: 'Problem' }) } },
      },
    },
    ...(path.includes('lookup') && { 'x-exactly-one-of': ['idempotencyKey', 'requestId'] }),
  };
}

/** The RPC's name, with its service's where that is not plain; where several routes lead to it, with what tells them apart. */
function operationId({ method, path }: Route): string {
  const service = /^(Action|Tool)Service$/.test(method.parent.name) ? '' : method.parent.name.replace(/Service$/, '');
  const several = routes.filter((route) => route.method === method).length > 1;
  const told = several ? (path.includes('{') ? 'OfAction' : path.includes('lookup') ? 'ByKey' : 'OfTenant') : '';
  return `${method.localName}${service}${told}`;
}

function pathParameter({ method, path }: Route, pathField: string, comments: Comments): Schema {
  const field = method.input.fields.find(({ name }) => name === pathField);
  const name = /\{(\w+)\}/.exec(path)?.[1];
  if (field === undefined || name === undefined) throw new Error(`${path} does not say ${pathField}`);
  const { description, ...schema } = fieldSchema(field, comments, answerReference);
  return { name, in: 'path', required: true, description, schema };
}

function queryParameters(route: Route, comments: Comments): Schema[] {
  return parametersOf(route.method.input, without(route)).map(({ name, field }) => {
    const { description, ...schema } = fieldSchema(field, comments, answerReference);
    return { name, in: 'query', description, schema };
  });
}

function keyParameter({ method, keyField }: Route): Schema {
  const field = method.input.fields.find(({ name }) => name === keyField);
  const name = field === undefined ? '' : nameOf(field);
  const description = `Says what \`${name}\` in the body says; both may be there when they say the same.`;
  return { name: keyHeader, in: 'header', description, schema: { type: 'string', minLength: 1, maxLength: 256 } };
}

function bodyOf(route: Route, comments: Comments): Schema {
  const schema = requestSchema(route.method.input, comments, without(route));
  return { requestBody: { content: { 'application/json': { schema } } } };
}

function contentOf({ answer, method }: Route): Schema {
  switch (answer) {
    case 'message':
      return { 'application/json': { schema: answerReference(method.output) } };
    case 'verdict':
      return { 'application/json': { schema: answerReference({ name: 'Verdict' }) } };
    case 'verdicts':
      return {
        'application/json': {
          schema: {
            type: 'object',
            properties: { verdicts: { type: 'array', items: answerReference({ name: 'PlanVerdict' }) } },
          },
        },
      };
    case 'stream':
      return { 'application/x-ndjson': { schema: answerReference(method.output) } };
  }
}

function componentsOf(comments: Comments): Schema {
  const told: readonly DescMessage[] = [
    ActionSchema,
    ActionableErrorSchema,
    ...routes.filter(({ answer }) => answer === 'message' || answer === 'stream').map(({ method }) => method.output),
  ];
  const messages = told.reduce(
    (known: ReadonlyMap<string, Schema>, schema) => answerSchemas(schema, comments, known),
    new Map<string, Schema>(),
  );
  const reason = Object.fromEntries(
    ActionableErrorSchema.fields.map((field) => {
      const name = nameOf(field);
      return [errorNames.get(name) ?? name, fieldSchema(field, comments, answerReference)];
    }),
  );
  const failed = Object.values(statusWords);
  return {
    ...Object.fromEntries([...messages].sort(([one], [other]) => (one < other ? -1 : 1))),
    Problem: problemSchema(reason, failed),
    Verdict: verdictSchema(reason, confirmStatuses),
    PlanVerdict: planVerdictSchema(reason, [...confirmStatuses, ...failed, 'NotRun']),
  };
}

const actionId = { type: 'string', format: 'uuid', description: 'The action.' };

function problemSchema(reason: Schema, statuses: readonly string[]): Schema {
  return {
    type: 'object',
    description: 'A call that failed.',
    required: ['status', 'requestId'],
    properties: {
      status: { type: 'string', enum: statuses, description: 'The HTTP status in a word.' },
      ...reason,
      actionId,
      verdicts: {
        type: 'array',
        items: answerReference({ name: 'PlanVerdict' }),
        description: 'Of a plan: what was decided before the call failed.',
      },
      requestId: { type: 'string', description: 'Say it to the operator, who finds the reason in the log.' },
    },
  };
}

function verdictSchema(reason: Schema, statuses: readonly string[]): Schema {
  return {
    type: 'object',
    description: 'What came of a confirm: a recorded outcome, good or bad.',
    required: ['status', 'actionId'],
    properties: {
      status: { type: 'string', enum: statuses, description: 'What it came to.' },
      actionId,
      commandType: { type: 'string', description: 'The tool.' },
      ...reason,
      result: { description: 'What the endpoint answered, byte for byte. Only when Executed or Replayed.' },
      idempotentReplay: { const: true, description: 'Stands there when this answers from the record and nothing ran.' },
      modelText: { type: 'string', description: "The exact text for the model's transcript." },
      action: answerReference(ActionSchema),
    },
  };
}

function planVerdictSchema(reason: Schema, statuses: readonly string[]): Schema {
  const { properties, ...rest } = verdictSchema(reason, statuses) as { properties: Schema };
  return {
    ...rest,
    description: 'What came of one entry of a plan: an outcome, a refusal, or that it was not run.',
    properties: { index: { type: 'integer', description: 'Which entry, from 0.' }, ...properties },
  };
}
