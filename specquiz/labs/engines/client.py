"""A small client of a vLLM server that someone else started. Standard library only; no proxy, no redirect."""

from __future__ import annotations

import http.client
import json
import socket
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any
from urllib.parse import urlsplit

LOOPBACK = ("127.0.0.1", "localhost", "::1")
STALL_SECONDS = 120.0
"""How long a server may send nothing before a request counts as lost, or take over one page."""
MOST_BYTES = 32_000_000
"""The longest page that is read; vLLM's have some hundred thousand bytes."""
MOST_IN_A_LINE = 4_000_000
"""Bytes of one chunk of a stream."""


class ServerProblem(Exception):
    """The server cannot be used; the text says why and what to do."""


class Server:
    """A server by its address, as `http://127.0.0.1:8000`; a trailing `/v1` is taken as meant.

    Raises:
        ValueError: this is no such address.
    """

    def __init__(self, url: str) -> None:
        try:
            parts = urlsplit(url)
            port = parts.port
            url.encode("ascii")
        except ValueError as error:
            raise ValueError(f"{url!r} is no address of a server, such as http://127.0.0.1:8000") from error
        usable = parts.scheme in ("http", "https") and parts.hostname and not parts.query and not parts.username
        if not usable or not parts.hostname or not url.isprintable() or " " in url:
            raise ValueError(f"{url!r} is no address of a server, such as http://127.0.0.1:8000")
        self.url = url.rstrip("/").removesuffix("/v1")
        self.loopback = parts.hostname in LOOPBACK
        self._secure = parts.scheme == "https"
        self._host, self._port = parts.hostname, port
        self._prefix = urlsplit(self.url).path
        self._open: set[http.client.HTTPConnection] = set()
        self._lock = threading.Lock()

    def text(self, path: str) -> str | None:
        """The page at `path`; None where the server has none.

        Raises:
            ServerProblem: it cannot be reached, or answers with an error.
        """
        with self._asked("GET", path) as answer:
            body = self._body(answer)
            if answer.status == 404:
                return None
            self._check(answer.status, body)
            return body

    def json(self, path: str, body: Mapping[str, object] | None = None) -> Any:
        """The JSON at `path`, posting `body` if there is one; None where the server has no such page.

        Raises:
            ServerProblem: as `text`; or the answer is no JSON.
        """
        with self._asked("GET" if body is None else "POST", path, body) as answer:
            text = self._body(answer)
            if answer.status == 404:
                return None
            self._check(answer.status, text)
        try:
            return json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ServerProblem(f"{self.url}{path} answered with something that is no JSON: is it vLLM?") from error

    def stream(self, path: str, body: Mapping[str, object]) -> Iterator[dict[str, Any]]:
        """The chunks of a streamed answer, each as soon as it comes.

        Raises:
            ServerProblem: as `text`; or the stream breaks off or reports an error.
        """
        with self._asked("POST", path, body) as answer:
            if answer.status != 200:
                self._check(answer.status, self._body(answer))
            while line := answer.readline(MOST_IN_A_LINE):
                if len(line) == MOST_IN_A_LINE:
                    raise ServerProblem(f"A line of {self.url}{path} does not come to an end: is it vLLM?")
                if not line.startswith(b"data: "):
                    continue
                if line.strip() == b"data: [DONE]":
                    return
                try:
                    chunk = json.loads(line.removeprefix(b"data: "))
                except (ValueError, RecursionError) as error:
                    raise ServerProblem(f"{self.url}{path} sent a chunk that is no JSON: is it vLLM?") from error
                if not isinstance(chunk, dict):
                    raise ServerProblem(f"{self.url}{path} sent a chunk that is no object: is it vLLM?")
                if "error" in chunk:
                    raise ServerProblem(f"The server broke off a request: {_message(chunk)}")
                yield chunk
        raise ServerProblem("The server broke off a request. Its own log tells why.")

    def close(self) -> None:
        """Break off every request; those who wait for one get a `ServerProblem`."""
        with self._lock:
            for connection in self._open:
                with suppress(OSError):
                    if connection.sock is not None:
                        connection.sock.shutdown(socket.SHUT_RDWR)

    @contextmanager
    def _asked(
        self, method: str, path: str, body: Mapping[str, object] | None = None
    ) -> Iterator[http.client.HTTPResponse]:
        kind = http.client.HTTPSConnection if self._secure else http.client.HTTPConnection
        connection = kind(self._host, self._port, timeout=STALL_SECONDS)
        with self._lock:
            self._open.add(connection)
        try:
            headers = {"Content-Type": "application/json", "Accept": "*/*"}
            connection.request(method, self._prefix + path, None if body is None else json.dumps(body), headers)
            with connection.getresponse() as answer:
                yield answer
        except (OSError, UnicodeError, http.client.HTTPException) as error:
            raise ServerProblem(self._problem(error)) from error
        finally:
            with self._lock:
                self._open.discard(connection)
            connection.close()

    def _problem(self, error: Exception) -> str:
        """Why a request came to nothing, and the way out."""
        match error:
            case TimeoutError():
                return (
                    f"The server at {self.url} sent nothing for {STALL_SECONDS:.0f} s. Look at its log, or start it "
                    "again."
                )
            case http.client.IncompleteRead() | ConnectionResetError() | BrokenPipeError():
                return f"What listens at {self.url} broke off without a whole answer: is it vLLM? Its log tells why."
            case OSError() | UnicodeError():
                return (
                    f"There is no server to reach at {self.url} ({error}). Start one with `specquiz lab serve`, or "
                    "check the address."
                )
            case _:
                return (
                    f"What answers at {self.url} is no web server ({error!r:.100}), and so no vLLM. Check the address, "
                    "or start one with `specquiz lab serve`."
                )

    def _body(self, answer: http.client.HTTPResponse) -> str:
        """The page, whole; refused where it has no end, in bytes or in time."""
        parts: list[bytes] = []
        size, end = 0, time.monotonic() + STALL_SECONDS
        while part := answer.read1(65_536):
            parts.append(part)
            size += len(part)
            if size > MOST_BYTES or time.monotonic() > end:
                raise ServerProblem(f"A page of the server at {self.url} does not come to an end: is it vLLM?")
        return b"".join(parts).decode("utf-8", errors="replace")

    def _check(self, status: int, body: str) -> None:
        if status in (401, 403):
            raise ServerProblem(f"The server at {self.url} wants a key. Start one on this machine without --api-key.")
        if status != 200:
            raise ServerProblem(f"The server at {self.url} answered {status}: {_message(_plain(body))}")


def _plain(body: str) -> dict[str, Any]:
    try:
        found = json.loads(body)
    except (ValueError, RecursionError):
        found = body
    return found if isinstance(found, dict) else {"message": str(found)[:300]}


def _message(answer: Mapping[str, Any]) -> str:
    error = answer.get("error", answer)
    told = error.get("message", error) if isinstance(error, dict) else error
    return str(told)[:300]
