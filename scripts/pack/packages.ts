import { join } from 'node:path';

/** A workspace that is published. */
export interface PublishedPackage {
  /** From the root of the repository. */
  readonly folder: string;
  /** Where its sources are, from its folder: what is below goes to `dist/` under the same names. */
  readonly sources: string;
  /** Files that its code reads when it runs, from its sources; what `exports` names needs no mention. */
  readonly assets?: readonly string[];
  /** What it is built from when that is not what its `exports` and `bin` name: patterns, from its sources. */
  readonly entries?: readonly string[];
}

export const root: string = join(import.meta.dirname, '../..');

/** Every package that is published, each before those that depend on it. Their versions move together. */
export const packages: readonly PublishedPackage[] = [
  { folder: 'gen', sources: '.', entries: ['tether/**/*_pb.ts', 'clients/**/*_pb.ts'] },
  { folder: 'clients/typescript', sources: 'src' },
  { folder: 'clients/endpoint', sources: 'src' },
  { folder: 'clients/endpoint-check', sources: 'src' },
  {
    folder: 'server',
    sources: '.',
    assets: ['doors/grpc/standard-services.b64', 'doors/json/openapi.json'],
  },
];
