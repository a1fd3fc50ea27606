/** What a point of sale knows and does: its tickets, and what a test wants it to do with the next calls about one. */
import { answers, type Endpoint, type EndpointAnswer, type EndpointCall } from '../endpoint.ts';

export interface Ticket {
  readonly status: string;
  readonly total_usd: number;
}

/** What to do with one call: answer as usual or with this, at once or when the ticket is let go. */
export interface Move {
  readonly answer?: EndpointAnswer;
  readonly held?: boolean;
}

export type Mode = 'read' | 'execute';

/** Everything that can be asked of a vendor's process; what goes in and out can be copied. */
export interface Books {
  /** As if somebody at the counter had done it. */
  put(id: string, ticket: Ticket): void;
  ticket(id: string): Ticket | undefined;
  /** For the next reads or writes about the ticket, one each; then as usual. */
  next(id: string, mode: Mode, moves: readonly Move[]): void;
  /** For all reads or writes about the ticket for which nothing is queued. */
  always(id: string, mode: Mode, move: Move): void;
  /** Lets go what is held of the ticket, now and later. */
  letGo(id: string): void;
  /** Every read and write about the ticket, in the order of arrival. */
  calls(id: string): readonly EndpointCall[];
  /** Every probe that was asked about this key. */
  probes(key: string): readonly EndpointCall[];
  /** How often the write of this key was made. */
  applied(key: string): number;
  /** Resolves when so many reads and writes about the ticket are here, answered or not. */
  arrived(id: string, count: number): Promise<void>;
}

/** What each write makes of a ticket's status; the others leave it. */
const becomes: Readonly<Record<string, string>> = {
  void_ticket: 'void',
  close_ticket: 'closed',
  archive_ticket: 'archived',
};

/** Takes over what the endpoint answers. */
export function keepBooks(endpoint: Endpoint): Books {
  const tickets = new Map<string, Ticket>();
  const queues = new Map<string, Move[]>();
  const standing = new Map<string, Move>();
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const waiting = new Set<() => void>();

  const gateOf = (id: string): PromiseWithResolvers<void> => {
    const gate = gates.get(id) ?? Promise.withResolvers<void>();
    gates.set(id, gate);
    return gate;
  };
  const about = (id: string): readonly EndpointCall[] => endpoint.calls.filter((call) => ticketOf(call) === id);

  function usual(call: EndpointCall): EndpointAnswer {
    const id = ticketOf(call);
    const ticket = tickets.get(id);
    if (ticket === undefined) return answers.refusal({ code: 'no_such_ticket', message: `There is no ticket ${id}.` });
    return answers.result(JSON.stringify(call.isWrite ? { ticket_id: id, done: true } : { ticket_id: id, ...ticket }));
  }

  function write({ tool, ...call }: EndpointCall): void {
    const id = ticketOf(call);
    const ticket = tickets.get(id);
    if (ticket !== undefined) tickets.set(id, { ...ticket, status: becomes[tool] ?? ticket.status });
  }

  endpoint.answer(async (call) => {
    for (const look of waiting) look();
    const place = placeOf(ticketOf(call), call.isWrite ? 'execute' : 'read');
    const move = queues.get(place)?.shift() ?? standing.get(place);
    if (move?.held) await gateOf(ticketOf(call)).promise;
    const answer = move?.answer ?? usual(call);
    if (call.isWrite && (answer.applied ?? answer.kind === 'result')) write(call);
    return answer;
  });

  return {
    put: (id, ticket) => void tickets.set(id, ticket),
    ticket: (id) => tickets.get(id),
    next(id, mode, moves) {
      const place = placeOf(id, mode);
      queues.set(place, [...(queues.get(place) ?? []), ...moves]);
    },
    always: (id, mode, move) => void standing.set(placeOf(id, mode), move),
    letGo: (id) => gateOf(id).resolve(),
    calls: about,
    probes: (key) => endpoint.probes.filter(({ requestId }) => requestId === key),
    applied: (key) => endpoint.applied.filter((each) => each === key).length,
    arrived(id, count) {
      return new Promise((resolve) => {
        const look = () => {
          if (about(id).length < count) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      });
    },
  };
}

function placeOf(id: string, mode: Mode): string {
  return `${mode} ${id}`;
}

function ticketOf({ argumentsJson }: Pick<EndpointCall, 'argumentsJson'>): string {
  return String(JSON.parse(argumentsJson).ticket_id);
}
