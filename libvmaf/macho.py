"""Names in static libraries of Mach-O objects, for archive.py: macOS has no objcopy."""
import fnmatch
import struct

MAGIC = b"\xcf\xfa\xed\xfe"  # of an object for a 64-bit processor, little-endian
ARCHIVE = b"!<arch>\n"
SYMBOLS = 2  # the command that says where the table of symbols is
EXTERNAL, PRIVATE, KIND, UNDEFINED = 0x01, 0x10, 0x0E, 0


def objects(archive):
    """Where each object begins in the bytes of a static library."""
    at = len(ARCHIVE)
    while at < len(archive):
        name, size = archive[at:at + 16], int(archive[at + 48:at + 58])
        begin = at + 60 + (int(name[3:]) if name.startswith(b"#1/") else 0)  # a long name is before the object
        if archive[begin:begin + 4] == MAGIC:
            yield begin
        at += 60 + size + size % 2


def names(data, begin):
    """Each name of an object with its flags, where these are, and whether the object defines it."""
    command = begin + 32
    for _ in range(struct.unpack_from("<I", data, begin + 16)[0]):
        kind, size, symbols, count, strings = struct.unpack_from("<5I", data, command)
        for entry in range(begin + symbols, begin + symbols + 16 * count, 16) if kind == SYMBOLS else ():
            place, flags, _, _, value = struct.unpack_from("<IBBHQ", data, entry)
            start = begin + strings + place
            is_defined = flags & KIND != UNDEFINED or value != 0  # an undefined one with a size is a common block
            yield data[start:data.index(b"\0", start)].decode(), flags, entry + 4, is_defined
        command += size


def hide(library, copy, exported):
    """Copies a static library, in which only the names that match `exported` stay visible outside what it is linked into."""
    data = bytearray(library.read_bytes())
    for begin in objects(data):
        for name, flags, place, is_defined in names(data, begin):
            if flags & EXTERNAL and is_defined and not fnmatch.fnmatchcase(name, "_" + exported):
                data[place] |= PRIVATE
    copy.write_bytes(data)


def is_macho(library):
    data = library.read_bytes()
    return data.startswith(ARCHIVE) and any(True for _ in objects(data))
