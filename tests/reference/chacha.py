"""ChaCha20 as its specification writes it: lists of whole numbers, one word at a time."""

from __future__ import annotations


def chacha_block(key: bytes, nonce: int, counter: int) -> bytes:
    words = [0x61707865, 0x3320646E, 0x79622D32, 0x6B206574]
    words += [int.from_bytes(key[4 * i : 4 * i + 4], "little") for i in range(8)]
    words += [counter & 0xFFFFFFFF, counter >> 32, nonce & 0xFFFFFFFF, nonce >> 32]
    state = list(words)

    def turn(x, by):
        return ((x << by) | (x >> (32 - by))) & 0xFFFFFFFF

    def quarter(a, b, c, d):
        for first, second, third, by in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[first] = (state[first] + state[second]) & 0xFFFFFFFF
            state[third] = turn(state[third] ^ state[first], by)

    for _ in range(10):
        for i in range(4):
            quarter(i, 4 + i, 8 + i, 12 + i)
        for i in range(4):
            quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4)
    return b"".join(((a + b) & 0xFFFFFFFF).to_bytes(4, "little") for a, b in zip(state, words, strict=True))
