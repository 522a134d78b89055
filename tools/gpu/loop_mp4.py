#!/usr/bin/env python3
"""Makes an mp4 file N times as long without more data: its tables name the same samples again.

usage: loop_mp4.py IN.mp4 OUT.mp4 N       one track, which starts with a key frame that needs nothing before it
"""
import struct
import sys

CONTAINERS = {b"moov", b"trak", b"mdia", b"minf", b"stbl", b"edts"}


def boxes(data):
    at = 0
    while at < len(data):
        size, kind = struct.unpack_from(">I4s", data, at)
        head = 8
        if size == 1:
            size, head = struct.unpack_from(">Q", data, at + 8)[0], 16
        size = size or len(data) - at
        yield kind, data[at + head : at + size]
        at += size


def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body


def repeat(body, header, count_at, turns):
    """A table of `header` bytes, whose count stands at `count_at`, several times."""
    (count,) = struct.unpack_from(">I", body, count_at)
    head = bytearray(body[:header])
    struct.pack_into(">I", head, count_at, count * turns)
    return bytes(head) + body[header:] * turns


def longer_duration(body, at, turns):
    """`at`: where a duration of 32 bits stands in version 0 of a box."""
    assert body[0] == 0, "durations of 64 bits"
    changed = bytearray(body)
    struct.pack_into(">I", changed, at, struct.unpack_from(">I", body, at)[0] * turns)
    return bytes(changed)


def rewrite(kind, body, turns):
    if kind in CONTAINERS:
        return box(kind, b"".join(rewrite(*each, turns) for each in boxes_of(kind, body, turns)))
    if kind in (b"stts", b"ctts"):
        body = repeat(body, 8, 4, turns)
    elif kind == b"stsz":
        body = repeat(body, 12, 8, turns)
    elif kind in (b"stco", b"co64"):
        body = repeat(body, 8, 4, turns)
    elif kind in (b"mvhd", b"mdhd"):
        body = longer_duration(body, 16, turns)
    elif kind == b"tkhd":
        body = longer_duration(body, 20, turns)
    elif kind == b"elst":
        body = longer_duration(body, 8, turns)
    return box(kind, body)


def boxes_of(kind, body, turns):
    """Those inside; the tables that count samples or chunks from the start are continued here."""
    inside = [(name, data) for name, data in boxes(body) if name not in (b"sbgp", b"sgpd")]
    if kind != b"stbl":
        return inside
    tables = dict(inside)
    (samples,) = struct.unpack_from(">I", tables[b"stsz"], 8)
    (chunks,) = struct.unpack_from(">I", tables.get(b"stco") or tables[b"co64"], 4)
    for name, step, width in ((b"stss", samples, 1), (b"stsc", chunks, 3)):
        if name not in tables:
            continue
        data = tables[name]
        entries = struct.unpack(f">{(len(data) - 8) // 4}I", data[8:])
        rows = [entries[i : i + width] for i in range(0, len(entries), width)]
        rows = [(row[0] + turn * step, *row[1:]) for turn in range(turns) for row in rows]
        tables[name] = data[:4] + struct.pack(">I", len(rows)) + b"".join(struct.pack(f">{width}I", *r) for r in rows)
    return list(tables.items())


def main(source, target, turns):
    with open(source, "rb") as file:
        top = list(boxes(file.read()))
    names = [name for name, _ in top]
    assert names.index(b"mdat") < names.index(b"moov"), "the tables stand before the samples"
    with open(target, "wb") as file:
        for name, body in top:
            file.write(rewrite(name, body, turns) if name == b"moov" else box(name, body))


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
