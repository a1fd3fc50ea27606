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
        return {"ticket_id": args["ticket_id"], "status": status_of(db, args["ticket_id"])}


@endpoint.write("void_ticket")
def void_ticket(args: dict[str, str], call: Call, db: psycopg.Connection) -> dict[str, str]:
    ticket = args["ticket_id"]
    status = status_of(db, ticket, "for update")
    if status != "open":
        message = f"Ticket {ticket} is {status}; only an open one can be voided."
        raise Refusal("ticket_not_open", message, field="ticket_id", received=status, accepted=["open"])
    db.execute("update tickets set status = 'void' where id = %s", [ticket])
    return {"ticket_id": ticket, "status": "void"}


def status_of(db: psycopg.Connection, ticket: str, lock: str = "") -> str:
    found = db.execute(f"select status from tickets where id = %s {lock}", [ticket]).fetchone()
    return str(found[0]) if found else "not there"


if __name__ == "__main__":
    ledger.migrate()
    with psycopg.connect(url) as db:
        db.execute("create table if not exists tickets (id text primary key, status text not null)")
        db.execute(
            "insert into tickets values ('T-1', 'open'), ('T-2', 'open'), ('T-3', 'paid') on conflict do nothing"
        )
    serve(endpoint, port=int(os.environ.get("PORT", "8090")))
