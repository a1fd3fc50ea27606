"""A client that knows nothing of the package: grpcio, and what protoc makes of the contract.

`python stock_client.py ADDRESS KEY`, with the generated code on the path. Prints what it found as JSON.
"""

import json
import sys

import grpc
from google.protobuf.descriptor_pool import DescriptorPool
from grpc_health.v1 import health_pb2, health_pb2_grpc
from grpc_reflection.v1alpha.proto_reflection_descriptor_database import ProtoReflectionDescriptorDatabase
from grpc_status import rpc_status

import tether
from tether.v1 import action_pb2, action_service_pb2, action_service_pb2_grpc, effect_pb2, error_pb2

address, key = sys.argv[1:]
authorized = [("authorization", f"Bearer {key}")]

with grpc.insecure_channel(address) as channel:
    health = health_pb2_grpc.HealthStub(channel)
    serving = [
        health.Check(health_pb2.HealthCheckRequest(service=name)).status for name in ("", "tether.v1.ActionService")
    ]

    reflected = ProtoReflectionDescriptorDatabase(channel)
    services = sorted(reflected.get_services())
    pool = DescriptorPool(reflected)
    confirm = pool.FindServiceByName("tether.v1.ActionService").methods_by_name["Confirm"]

    actions = action_service_pb2_grpc.ActionServiceStub(channel)  # type: ignore[no-untyped-call]
    arguments = '{"ticket_id":"T-4417"}'
    staged = actions.Stage(
        action_service_pb2.StageRequest(tool="void_ticket", arguments_json=arguments), metadata=authorized
    ).action
    told = actions.Get(action_service_pb2.GetRequest(action_id=staged.id), metadata=authorized).action

    try:
        actions.Stage(action_service_pb2.StageRequest(tool="void_tickets"), metadata=authorized)
        sys.exit("a tool that is not there was staged")
    except grpc.RpcError as failed:
        status = rpc_status.from_call(failed)
        ended = [failed.code().name, status.message == failed.details()]
        detail = error_pb2.ActionableError()
        unpacked = [each.Unpack(detail) for each in status.details]

print(
    json.dumps(
        {
            "package": getattr(tether, "Client", None) is not None,
            "serving": serving == [health_pb2.HealthCheckResponse.SERVING] * 2,
            "services": services,
            "confirm": [field.name for field in confirm.input_type.fields],
            "state": action_pb2.ActionState.Name(told.state),
            "arguments": told.arguments_json,
            "status": [*ended, unpacked],
            "error": {
                "code": detail.code,
                "field": detail.field,
                "received": detail.received_json,
                "accepted": sorted(detail.accepted_json),
                "effect": effect_pb2.Effect.Name(detail.effect),
                "retryable": detail.retryable,
                "moves": sorted({move.action for move in detail.alternatives}),
            },
        }
    )
)
