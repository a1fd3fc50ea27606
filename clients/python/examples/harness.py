"""What a program that drives a model does, without a model: it reads, proposes, and learns what others decided.

HARNESS_GRPC_ADDRESS and HARNESS_AGENT_KEY say where and as whom.
"""

import json
import os

from tether import Client

with Client(os.environ["HARNESS_GRPC_ADDRESS"], key=os.environ["HARNESS_AGENT_KEY"]) as tether:
    print("read get_ticket T-1:", tether.call("get_ticket", {"ticket_id": "T-1"}).result["status"])
    updates = tether.watch()
    for ticket in ("T-1", "T-2", "T-3", "T-4"):
        proposed = tether.call("void_ticket", {"ticket_id": ticket}).action
        assert proposed is not None, "a write waits for a person"
        print(f"propose void_ticket {ticket}: {proposed.state}")
        for update in updates:
            action = update.action
            if action and action.id == proposed.id and action.state not in ("PENDING", "EXECUTING"):
                break
        told = json.loads(tether.get(proposed).model_json)
        result, error = told.get("result"), told.get("error")
        came = (
            f"result.status={result['status']}"
            if result
            else f"error={error} retryable={json.dumps(told['retryable'])}"
        )
        print(f"outcome void_ticket {ticket}: {told['state']} effect={told['effect']} {came}")
