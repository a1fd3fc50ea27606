import type { CallOptions } from '../call/call-options.ts';
import type { Connection } from '../call/connection.ts';
import { make } from '../call/make.ts';
import type { JsonValue } from '../json/json-number.ts';
import { type Reversible, type Risk, reversible, risk } from '../wire/enums.ts';
import { jsonIf } from '../wire/error.ts';

/** A tool as the catalog declares it: what a harness hands to its model. */
export interface Tool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema (draft 2020-12) of its arguments, and its text. */
  readonly inputSchema: JsonValue | undefined;
  readonly inputSchemaJson: string;
  /** True for a write: it is staged and waits for a person. False for a read: it runs at once. */
  readonly isWrite: boolean;
  readonly risk: Risk;
  /** UNSPECIFIED when the catalog does not say, and for a read. */
  readonly reversible: Reversible;
}

export async function listTools(connection: Connection, options?: CallOptions): Promise<readonly Tool[]> {
  const { tools } = await make(
    connection,
    { repeat: 'read', send: (rpc) => connection.tools.listTools({}, rpc) },
    options,
  );
  return tools.map(({ name, description, inputSchemaJson, isWrite, ...tool }) => ({
    ...{ name, description, inputSchemaJson, isWrite },
    inputSchema: jsonIf(inputSchemaJson),
    risk: risk(tool.risk),
    reversible: reversible(tool.reversible),
  }));
}
