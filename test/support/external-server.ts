import { randomBytes } from 'node:crypto';
import { administer, askServer, dropDatabaseNamed, template } from './database-server.ts';

/** The PostgreSQL of a run of the tests, as its superuser and as a role that owns nothing. */
export interface TestServer {
  readonly ownerUrl: string;
  readonly url: string;
  stop(): Promise<void>;
}

/** One that somebody else started, perhaps of another version than the one that comes with the packages. One run at a time. */
export async function useExternal(ownerUrl: string): Promise<TestServer> {
  const [user] = await askServer<{ rolsuper: boolean }>(
    ownerUrl,
    'select rolsuper from pg_roles where rolname = current_user',
  );
  if (user?.rolsuper !== true) throw new Error('TEST_DATABASE_URL names no superuser, which the tests have to be');
  const suffix = randomBytes(6).toString('hex');
  const [name, password] = [`test_app_${suffix}`, randomBytes(24).toString('hex')];
  // A run that was interrupted left it.
  await dropDatabaseNamed(ownerUrl, template);
  await administer(ownerUrl, `create role ${name} login password '${password}'`);
  return {
    ownerUrl,
    url: Object.assign(new URL(ownerUrl), { username: name, password }).href,
    async stop() {
      await dropDatabaseNamed(ownerUrl, template);
      await administer(ownerUrl, `drop role ${name}`);
    },
  };
}
