/**
 * The import rules of the architecture (docs/architecture.md):
 *
 *   main → serve → app → doors → lifecycle → domain
 *                store, dispatch, catalog, tokens → lifecycle/ports/, domain
 *   process, telemetry → lifecycle/ports/, domain
 *   doors, dispatch/transports → wire → domain
 *
 * TypeScript 7 has no JavaScript API, so the sources are parsed by swc. It sees `import type` too, and a type is a
 * dependency here as much as a value is.
 */

const server = (folder) => `^server/${folder}/`;
const ports = '^server/lifecycle/ports/';

/** One layer may import itself and what is named, nothing else of this repository. */
function only(name, comment, from, may) {
  return {
    name,
    comment,
    severity: 'error',
    from: { path: from },
    to: { path: '^(server|gen|examples|test|bench|scripts|clients)/', pathNot: [from, ...may] },
  };
}

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Imports run one way. What two files need of each other belongs in a third, or in one of them.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'everything-resolves',
      comment: 'An import that leads nowhere is a typing error, or a package that no package.json names.',
      severity: 'error',
      from: {},
      to: { couldNotResolve: true },
    },
    {
      name: 'packages-are-declared',
      comment: 'A package that is imported is declared in the nearest package.json, or it is there by accident.',
      severity: 'error',
      from: { path: '^(server|clients|examples)/' },
      to: { dependencyTypes: ['npm-no-pkg', 'npm-unknown', 'npm-dev'] },
    },
    only(
      'domain-imports-nothing-of-ours',
      'The domain is pure: no clock, no I/O, nothing of ours.',
      server('domain'),
      [],
    ),
    {
      name: 'domain-does-no-io',
      comment: 'The domain has no runtime beneath it: what it needs of the world it is handed. A digest is pure.',
      severity: 'error',
      from: { path: server('domain') },
      to: { dependencyTypes: ['core'], pathNot: '^crypto$' },
    },
    only('lifecycle-imports-domain', 'The lifecycle knows the domain and its own ports.', server('lifecycle'), [
      server('domain'),
    ]),
    ...['store', 'catalog', 'tokens'].map((layer) =>
      only(
        `${layer}-implements-ports`,
        'Store, dispatch, catalog and tokens implement lifecycle/ports/, and know nothing of each other.',
        server(layer),
        [server('domain'), ports],
      ),
    ),
    only(
      'dispatch-implements-ports',
      'Store, dispatch, catalog and tokens implement lifecycle/ports/, and know nothing of each other.',
      server('dispatch'),
      [server('domain'), ports, server('wire'), '^gen/'],
    ),
    only(
      'wire-maps-the-domain',
      'What doors and transports both send is mapped once, and knows the domain alone.',
      server('wire'),
      [server('domain'), '^gen/'],
    ),
    only(
      'jobs-run-the-lifecycle',
      'Background work goes through the lifecycle, like everything else.',
      server('jobs'),
      [server('domain'), server('lifecycle')],
    ),
    only('doors-lead-to-the-lifecycle', 'A door maps the wire to the lifecycle and back.', server('doors'), [
      server('domain'),
      server('lifecycle'),
      server('wire'),
      '^gen/',
    ]),
    {
      name: 'generated-code-stays-at-the-edge',
      comment: 'Wire types end at the doors, at the transports, in what both of them send, and in the clients.',
      severity: 'error',
      from: {
        path: '^(server|examples|scripts)/',
        pathNot: [server('doors'), server('wire'), server('dispatch/transports')],
      },
      to: { path: '^gen/' },
    },
    {
      name: 'app-is-the-only-wiring',
      comment:
        'One file knows which part is plugged in where. The process around it starts app.ts, and reaches no deeper.',
      severity: 'error',
      from: { path: '^server/[^/]+\\.ts$', pathNot: '^server/(app|ids|prepare-schema)\\.ts$' },
      to: { path: '^server/[^/]+/' },
    },
    only(
      'the-schema-is-of-store-and-queue',
      'What prepares the schema is a room of the wiring: it puts together what the store and the job queue keep.',
      '^server/prepare-schema\\.ts$',
      [server('store'), server('jobs'), '^server/settings\\.ts$'],
    ),
    only(
      'ids-implement-a-port',
      'Where ids come from is a room of the wiring, and implements a port.',
      '^server/ids\\.ts$',
      [server('domain'), ports],
    ),
    only('telemetry-implements-ports', 'What operators are told implements ports.', server('telemetry'), [
      server('domain'),
      ports,
    ]),
    only('process-implements-ports', 'What keeps the process up and down implements ports.', server('process'), [
      server('domain'),
      ports,
    ]),
    {
      name: 'layers-know-nothing-of-the-process',
      comment: 'A layer is handed what it needs: it reads no settings, and starts nothing.',
      severity: 'error',
      from: { path: '^server/[^/]+/', pathNot: server('cli') },
      to: { path: '^server/[^/]+\\.ts$' },
    },
    {
      name: 'product-stands-alone',
      comment: 'The server never needs tests, examples, benchmarks or scripts.',
      severity: 'error',
      from: { path: '^(server|gen)/' },
      to: { path: '^(test|examples|bench|scripts)/' },
    },
    {
      name: 'server-needs-no-clients',
      comment: 'The server never needs a client; the command that asks a running server is one.',
      severity: 'error',
      from: { path: '^(server|gen)/', pathNot: server('cli/actions') },
      to: { path: '^clients/' },
    },
    only(
      'clients-know-the-contract',
      "A client is other people's program: it knows the contract, never the server's insides.",
      '^clients/',
      ['^gen/'],
    ),
    only(
      'the-judge-is-no-party',
      'What checks endpoints shares nothing with what helps to write them: a mistake would be made on both sides.',
      '^clients/endpoint-check/',
      ['^gen/'],
    ),
    {
      name: 'browsers-can-run-it',
      comment: 'The client for callers runs in browsers; what only Node can stands in an entry of its own.',
      severity: 'error',
      from: { path: '^clients/typescript/src/', pathNot: '^clients/typescript/src/node\\.ts$' },
      to: { path: ['^clients/typescript/src/node\\.ts$', '(^|/)@connectrpc/connect-node/'] },
    },
    {
      name: 'browsers-have-no-node',
      comment: 'The client for callers runs in browsers, where there are no modules of Node.',
      severity: 'error',
      from: { path: '^clients/typescript/src/', pathNot: '^clients/typescript/src/node\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'endpoints-run-anywhere',
      comment: 'What vendors import runs on workers too; what only Node can stands in the entries that are for Node.',
      severity: 'error',
      from: { path: '^clients/endpoint/src/', pathNot: '^clients/endpoint/src/(node|node-body|connect)\\.ts$' },
      to: { dependencyTypes: ['core'] },
    },
    {
      name: 'nobody-gets-what-they-do-not-use',
      comment: 'A framework, a driver or an ORM is imported by its own entry alone; plain JSON needs no protobuf.',
      severity: 'error',
      from: {
        path: '^clients/endpoint/src/',
        pathNot:
          '^clients/endpoint/src/(connect\\.ts|grpc\\.ts|fastify\\.ts|proto/|ledger/(pg|kysely|drizzle|prisma|mikro-orm)\\.ts)',
      },
      to: {
        path: ['^gen/', '^clients/endpoint/src/(connect|grpc|fastify|proto/)', '(^|/)node_modules/(?!canonicalize/)'],
      },
    },
    {
      name: 'examples-are-strangers',
      comment: "An example is a vendor's program: it knows the contract, never the server's insides.",
      severity: 'error',
      from: { path: '^examples/' },
      to: { path: '^(server|test|bench|scripts)/' },
    },
  ],
  options: {
    parser: 'swc',
    doNotFollow: { path: ['(^|/)node_modules/'] },
    exclude: { path: ['\\.tether/', '^coverage/', '^test/clients/endpoint/prisma/generated/'] },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['import', 'require', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.json', '.d.ts'],
    },
  },
};
