"""Both clients speak TLS, and to nobody whose certificate they do not know."""

import asyncio

import grpc
import pytest
from place import CERTIFICATES, catalog, running

from tether import NO_ANSWER, AsyncClient, Client, TetherError


def test_a_server_with_a_known_certificate_is_spoken_to_and_no_other() -> None:
    known = grpc.ssl_channel_credentials((CERTIFICATES / "authority.pem").read_bytes())
    settings = {"TETHER_TLS_CERT": str(CERTIFICATES / "server.pem"), "TETHER_TLS_KEY": str(CERTIFICATES / "server.key")}
    with running(catalog("http://127.0.0.1:9/tools"), **settings) as server:
        address, key = f"localhost:{server.port}", server.keys["agent"]
        with Client(address, key=key, tls=known) as client:
            assert client.list_tools().tools != ()

        async def listed() -> int:
            async with AsyncClient(address, key=key, tls=known) as client:
                return len((await client.list_tools()).tools)

        assert asyncio.run(listed()) > 0
        for other in (True, False, None):
            with Client(address, key=key, tls=other, patience=0) as client, pytest.raises(TetherError) as caught:
                client.list_tools()
            assert caught.value.code == NO_ANSWER
