"""Which browsers may come in, and the secret address they come in at; kept, so that a restarted server knows them.

A browser sends a cookie to every port of an address, whatever server listens there. So the cookie is bound to a path
that begins with a secret (its attribute Path): a server on another port is sent it only under an address that nobody
but this browser and this server has ever seen. The one-time link of the console does not hold that secret either; it
is told to the browser that spends the link, together with the cookie.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import secrets
import tempfile
import threading
import time
from pathlib import Path

__all__ = ["Browsers"]


class Browsers:
    """The browsers that have spent a link.

    Parameters
    ----------
    file : path, optional
        Where they are kept: the secret of the address, and of every browser a fingerprint of its cookie. Without it
        they are known until the server ends.
    lasting : float
        Seconds for which a browser that nobody uses is known.
    """

    def __init__(self, file: Path | None, *, lasting: float) -> None:
        self._file = file
        self.lasting = lasting
        self._lock = threading.Lock()
        self._known: dict[str, float] = {}
        self.secret = secrets.token_bytes(32)
        self.root = f"/{secrets.token_urlsafe(24)}"
        with contextlib.suppress(OSError, ValueError, KeyError, TypeError, AttributeError, RecursionError):
            state = json.loads(file.read_text(encoding="utf-8")) if file is not None else {}
            now = time.time()
            browsers = {
                str(name): float(last_use)
                for name, last_use in state["browsers"].items()
                if now - float(last_use) < lasting
            }
            root, secret = str(state["root"]), bytes.fromhex(state["secret"])
            # An address that nobody uses any more is not used again.
            if browsers and len(root) > 24 and len(secret) == 32:
                self.root, self.secret, self._known = root, secret, browsers
        self._save()

    def admit(self) -> str:
        """Return the cookie of a new browser."""
        key = secrets.token_urlsafe(32)
        with self._lock:
            self._known[_fingerprint(key)] = time.time()
        self._save()
        return key

    def knows(self, key: str) -> bool:
        """Say whether a cookie is one of ours."""
        name, now = _fingerprint(key), time.time()
        with self._lock:
            last_use = self._known.get(name)
            if last_use is None or now - last_use >= self.lasting:
                return False
            self._known[name] = now
        if now - last_use > 60:
            self._save()
        return True

    def dismiss(self, key: str) -> None:
        """Forget a browser."""
        with self._lock:
            self._known.pop(_fingerprint(key), None)
        self._save()

    def _save(self) -> None:
        if self._file is None:
            return
        with self._lock:
            state = {"root": self.root, "secret": self.secret.hex(), "browsers": self._known}
            # Without a place to keep them a restarted server asks for a new link, and no more is lost.
            with contextlib.suppress(OSError):
                handle, name = tempfile.mkstemp(prefix=".studio-", suffix=".part", dir=self._file.parent)
                with os.fdopen(handle, "w", encoding="utf-8") as file:
                    json.dump(state, file)
                Path(name).replace(self._file)


def _fingerprint(key: str) -> str:
    return hashlib.sha256(key.encode()).hexdigest()
