"""A vendor's program: tickets in PostgreSQL, which can be looked up and voided.

DATABASE_URL, SIGNING_SECRET (the one that the catalog gives Tether) and PORT say with what.
"""

import os

import psycopg

from tether.endpoint import Call, Endpoint, Ledger, Refusal, serve

url = os.environ["DATABASE_URL"]
ledger = Ledger(lambda: psycopg.connect(url))
endpoint = Endpoint(signing_secrets=os.environ["SIGNING_SECRET"], ledger=ledger)


@endpoint.read("get_ticket")
def get_ticket(args: dict[str, str], call: Call) -> dict[str, str]:
    with psycopg.connect(url) as db:
        return ticket_in(db, args["ticket_id"])


@endpoint.write("void_ticket")
def void_ticket(args: dict[str, str], call: Call, db: psycopg.Connection) -> dict[str, str]:
    ticket = ticket_in(db, args["ticket_id"], "for update")
    if ticket["status"] != "open":
        message = f"Ticket {ticket['ticket_id']} is {ticket['status']}; only an open one can be voided."
        raise Refusal("ticket_not_open", message, field="ticket_id", received=ticket["ticket_id"])
    db.execute("update tickets set status = 'void' where ticket_id = %s", [ticket["ticket_id"]])
    return {**ticket, "status": "void"}


def ticket_in(db: psycopg.Connection, ticket_id: str, lock: str = "") -> dict[str, str]:
    found = db.execute(f"select status from tickets where ticket_id = %s {lock}", [ticket_id]).fetchone()
    if found is None:
        raise Refusal("no_such_ticket", f"There is no ticket {ticket_id}.", field="ticket_id", received=ticket_id)
    return {"ticket_id": ticket_id, "status": found[0]}


if __name__ == "__main__":
    ledger.migrate()
    serve(endpoint, port=int(os.environ.get("PORT", "8090")))
