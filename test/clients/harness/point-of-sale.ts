import { answers, type EndpointAnswer, type EndpointCall } from '../../support/endpoint.ts';

/**
 * The vendor of the transcript: tickets are open until they are voided. It refuses to void T-3, and voids T-4 but drops the
 * connection instead of saying so, after the request has come in whole.
 */
export function pointOfSale(): (call: EndpointCall) => EndpointAnswer {
  const voided = new Set<string>();
  return (call) => {
    const id = String(JSON.parse(call.argumentsJson).ticket_id);
    const ticket = () => answers.result(JSON.stringify({ ticket_id: id, status: voided.has(id) ? 'void' : 'open' }));
    if (!call.isWrite) return ticket();
    if (id === 'T-3') return answers.refusal({ code: 'ticket_closed', message: 'Ticket T-3 is closed.' });
    voided.add(id);
    return id === 'T-4' ? answers.reset(true) : ticket();
  };
}
