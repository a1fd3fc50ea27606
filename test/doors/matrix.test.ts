/**
 * Every RPC × every role × every kind of credential × what is one's own and what is not, over gRPC, Connect and the JSON door of
 * a whole server: who gets what, and that nothing about others shows in a code, a message, a detail or in the order of checks.
 * The table is in matrix-table.ts; its head says what a new RPC needs.
 */
import { readdirSync } from 'node:fs';
import type { DescMethod, DescService } from '@bufbuild/protobuf';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Role, roles } from '../../server/domain/principal.ts';
import { type Answer, type Door, doors } from './matrix-ask.ts';
import { type Line, type Meant, table } from './matrix-table.ts';
import {
  type Bad,
  type Form,
  foreign,
  forms,
  hiddenAs,
  openWorld,
  own,
  type Reach,
  type World,
} from './matrix-world.ts';

/** What others implement, and Tether calls. */
const calledByUs = ['ToolEndpoint', 'Authorizer'];

const methods = await everyMethod();

async function everyMethod(): Promise<ReadonlyMap<string, DescMethod>> {
  const folder = new URL('../../gen/tether/v1/', import.meta.url);
  const files = readdirSync(folder).filter((name) => name.endsWith('_pb.ts'));
  const modules: object[] = await Promise.all(files.map((file) => import(new URL(file, folder).href)));
  const services = modules.flatMap((module): unknown[] => Object.values(module)).filter(isService);
  const served = services.filter(({ name }) => !calledByUs.includes(name));
  return new Map(
    served.flatMap(({ name, methods: all }) => all.map((each) => [`${name}.${each.name}`, each] as const)),
  );
}

function isService(value: unknown): value is DescService {
  return typeof value === 'object' && value !== null && 'kind' in value && value.kind === 'service';
}

test('every RPC that there is has a line, and no line is about another', () => {
  const told = new Set(Object.keys(table).map((name) => name.split('#')[0]));
  expect([...told].sort()).toEqual([...methods.keys()].sort());
  expect(methods.size).toBeGreaterThan(15);
});

let world: World;
beforeAll(async () => {
  world = await openWorld();
});
afterAll(() => world.close());

describe.each(Object.entries(table))('%s', (name, line) => {
  const method = methods.get(name.split('#')[0] ?? '');
  const reaches: readonly Reach[] = line.wholeTenant ? ['all'] : ['all', 's1'];
  const [someRole = 'agent'] = line.who;

  function ask(door: Door, meant: Meant, authorization: string | undefined): Promise<Answer> {
    if (method === undefined) throw new Error(`there is no ${name}`);
    return world.asker.ask(door, { method, request: line.ask(meant), json: line.json(meant) }, authorization);
  }

  /** An answer without the id that was asked for. */
  async function askAbout(door: Door, id: string, authorization: string | undefined): Promise<Answer> {
    const { code, text } = await ask(door, { id, scope: 's1' }, authorization);
    return { code, text: id === '' ? text : text.replaceAll(id, '<id>') };
  }

  const mine = (by: string, scope = 's1') => world.make(line.about, { tenant: own, scope, by: forAgents(line, by) });
  /** Another tenant's, one's own, and none. */
  const three = () => Promise.all([theirs(), mine(world.otherAgent), world.never(line.about)] as const);
  const theirs = () => world.make(line.about, { tenant: foreign, scope: 's1' });

  test(`is answered to ${line.who.join(', ')}, with nothing of others in it`, async () => {
    await Promise.all([theirs(), world.make(line.about, { tenant: own, scope: 's2' })]);
    await forEach(line.who, forms, reaches, doors, async (role, form, reach, door) => {
      const by = world.good(role, form, reach);
      const id = await mine(role === 'agent' ? by : world.otherAgent);
      const { code, text } = await ask(door, { id, scope: 's1' }, by);
      expect({ role, form, reach, door, code }).toEqual({ role, form, reach, door, code: 'OK' });
      const hidden = [foreign, ...world.idsOf(foreign), ...(reach === 's1' ? world.idsOf(own, 's2') : [])];
      for (const each of hidden) expect(text).not.toContain(each);
    });
  });

  const others = roles.filter((role) => !line.who.includes(role));
  if (others.length > 0)
    test(`is denied to ${others.join(', ')}, whether or not the thing is there`, async () => {
      const ids = await three();
      await forEach(others, forms, ['all'] as const, doors, async (role, form, reach, door) => {
        const by = world.good(role, form, reach);
        const told = await Promise.all(ids.map((id) => askAbout(door, id, by)));
        expect(told[0]).toMatchObject({ code: 'PERMISSION_DENIED' });
        expect(told).toEqual(told.map(() => told[0]));
      });
    });

  test('is refused to every bad credential alike, before anything about the thing', async () => {
    const ids = await three();
    const bad = world.bad(someRole);
    for (const door of doors) {
      const told = new Map<Bad['told'], Set<string>>();
      const look = async ({ name: credential, authorization, told: kind }: Bad, id: string) => {
        const { code, text } = await askAbout(door, id, authorization);
        expect({ door, credential, code }).toEqual({ door, credential, code: 'UNAUTHENTICATED' });
        told.set(kind, (told.get(kind) ?? new Set()).add(text));
      };
      const [first, ...others] = ids;
      // The JSON door is one more way into the pipeline of the HTTP door: of each kind one does there.
      await Promise.all((door === 'json' ? firstOfEach(bad) : bad).map((each) => look(each, first)));
      await Promise.all(firstOfEach(bad).flatMap((each) => others.map((id) => look(each, id))));
      for (const texts of told.values()) expect([...texts]).toHaveLength(1);
      expect([...(told.get('unknown') ?? [])].join()).toContain('not known, or no longer good');
      expect([...(told.get('expired') ?? [])].join()).toContain('has expired');
      expect(told.size).toBe(4);
    }
  });

  const { about } = line;
  if (about !== 'nothing')
    test('answers about what others have as about what never was', async () => {
      const [other, anothers, never] = await three();
      const elsewhere = line.wholeTenant ? '' : await mine(world.otherAgent, 's2');
      const before = await world.foreignState();
      await forEach(line.who, forms, reaches, doors, async (role, form, reach, door) => {
        const by = world.good(role, form, reach);
        const none = await askAbout(door, never, by);
        expect(none.code).toBe(hiddenAs[about]);
        expect(await askAbout(door, other, by)).toEqual(none);
        if (reach === 's1') expect(await askAbout(door, elsewhere, by)).toEqual(none);
        if (role === 'agent') expect(await askAbout(door, anothers, by)).toEqual(none);
      });
      expect(await world.foreignState()).toEqual(before);
    });

  if (line.wholeTenant)
    test('is denied to a credential of some scopes, whether or not the thing is there', async () => {
      const ids = await three();
      await forEach(line.who, forms, ['s1'] as const, doors, async (role, form, reach, door) => {
        const by = world.good(role, form, reach);
        const told = await Promise.all(ids.map((id) => askAbout(door, id, by)));
        expect(told[0]).toMatchObject({ code: 'PERMISSION_DENIED' });
        expect(told).toEqual(told.map(() => told[0]));
      });
    });

  if (line.scope === 'denied')
    test('is denied for another scope', async () => {
      await forEach(line.who, forms, ['s1'] as const, doors, async (role, form, reach, door) => {
        const { code } = await ask(door, { id: '', scope: 's2' }, world.good(role, form, reach));
        expect(code).toBe('PERMISSION_DENIED');
      });
    });
});

/** Only agents have actions of their own; who else may see one, may see any agent's. */
function forAgents({ about }: Line, by: string): string | undefined {
  return about === 'pending' || about === 'doubtful' ? by : undefined;
}

/** One of each kind that is told apart. */
function firstOfEach(bad: readonly Bad[]): readonly Bad[] {
  return [...new Map(bad.map((each) => [each.told, each])).values()];
}

/** All of it at once: what one call does must make no difference to another. */
async function forEach<D extends Door>(
  ofRoles: readonly Role[],
  ofForms: readonly Form[],
  ofReaches: readonly Reach[],
  ofDoors: readonly D[],
  check: (role: Role, form: Form, reach: Reach, door: D) => Promise<void>,
): Promise<void> {
  const all = ofRoles.flatMap((role) =>
    ofForms.flatMap((form) => ofReaches.flatMap((reach) => ofDoors.map((door) => check(role, form, reach, door)))),
  );
  await Promise.all(all);
}
