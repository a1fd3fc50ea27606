import { hash } from 'node:crypto';

/** What makes two proposals the same wish (DESIGN §2.1 step 3). */
export interface Intent {
  readonly tenantId: string;
  readonly userId: string;
  readonly scope: string;
  readonly tool: string;
  /** RFC 8785 text. */
  readonly arguments: string;
}

/** 32 bytes that are the same for the same intent only; under it the database lets one action live. */
export function intentHash({ tenantId, userId, scope, tool, arguments: args }: Intent): Uint8Array {
  return hash('sha256', JSON.stringify([tenantId, userId, scope, tool, args]), 'buffer');
}
