"""What an operator does with the keys of their tenant. Role of all calls: operator, with a credential for all scopes."""

from collections.abc import Iterable
from datetime import datetime, timedelta

from tether import answers, wire
from tether.records import Role
from tether.repeating import Repeat
from tether.rpc import RECORD_TIMEOUT, Credentials, Rpc
from tether.v1 import credential_pb2, credential_service_pb2


def create_credential(
    *,
    role: Role,
    user_id: str,
    scopes: Iterable[str] = (),
    all_scopes: bool = False,
    name: str = "",
    expires_at: datetime | None = None,
    timeout: float | None = RECORD_TIMEOUT,
) -> Rpc[answers.CredentialServiceCreateResponse]:
    """Makes a credential, and tells its key this once. Say either `scopes` or `all_scopes`."""
    request = credential_service_pb2.CredentialServiceCreateRequest(
        role=wire.number_of(credential_pb2.Role.DESCRIPTOR, role),
        user_id=user_id,
        scopes=scopes,
        all_scopes=all_scopes,
        name=name,
        expires_at=None if expires_at is None else wire.timestamp(expires_at),
    )
    answer = answers.CredentialServiceCreateResponse
    return Rpc(Credentials, "Create", request, answer, Repeat.NEVER, timeout)


def list_credentials(
    *, page_size: int = 0, cursor: str = "", timeout: float | None = RECORD_TIMEOUT
) -> Rpc[answers.CredentialServiceListResponse]:
    """A page of the credentials, newest first; also those that are no longer good. Never a key."""
    request = credential_service_pb2.CredentialServiceListRequest(page_size=page_size, cursor=cursor)
    return Rpc(Credentials, "List", request, answers.CredentialServiceListResponse, Repeat.READ, timeout)


def rotate_credential(
    credential_id: str, *, overlap: timedelta | None = None, timeout: float | None = RECORD_TIMEOUT
) -> Rpc[answers.CredentialServiceRotateResponse]:
    """Replaces the key of a credential and tells the new one, this once; the old one is taken for `overlap` longer."""
    request = credential_service_pb2.CredentialServiceRotateRequest(
        credential_id=credential_id, overlap=wire.duration(overlap)
    )
    return Rpc(Credentials, "Rotate", request, answers.CredentialServiceRotateResponse, Repeat.NEVER, timeout)


def revoke_credential(
    credential_id: str, *, timeout: float | None = RECORD_TIMEOUT
) -> Rpc[answers.CredentialServiceRevokeResponse]:
    """Ends a credential for good."""
    request = credential_service_pb2.CredentialServiceRevokeRequest(credential_id=credential_id)
    return Rpc(Credentials, "Revoke", request, answers.CredentialServiceRevokeResponse, Repeat.NEVER, timeout)
