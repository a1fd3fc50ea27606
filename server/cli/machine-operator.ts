import { userInfo } from 'node:os';
import type { Actor } from '../domain/action.ts';
import type { Principal } from '../domain/principal.ts';

/** Who sits at the machine can write to the database anyway: they count as an operator, and stand in the trail by name. */
export function machineOperator(command: string, tenantId: string): Principal {
  return { ...machineActor(command), tenantId, role: 'operator', scopes: null };
}

/** The same as an actor; `command` is told as the credential. */
export function machineActor(command: string): Actor {
  return { credentialId: `tether ${command}`, userId: userName() };
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A user id without an entry in the list of users, as in many containers.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
