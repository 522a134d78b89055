#!/usr/bin/env python3
"""Finds floating-point results in SPIR-V that a driver may contract (a*b+c in one rounding) or
reassociate, and forbids it.

usage: check_spirv.py FILE.spv...

Every result of an arithmetic instruction on floating-point numbers must carry the decoration
NoContraction, and so must the Fma of GLSL.std.450. That may only occur in modules that ask, by a constant of the pipeline,
whether the device fuses (kernel/fused.kernel.h). A missing decoration is found even where no driver at hand would fuse.
Exit status 0 when all files hold, 1 otherwise.
"""
import pathlib
import struct
import sys

MAGIC = 0x07230203
OP_NAME, OP_EXT_INST, OP_FUNCTION, OP_DECORATE, NO_CONTRACTION, SPEC_ID, FMA = 5, 12, 54, 71, 42, 1, 50
DONT_INLINE = 2
ARITHMETIC = {127: "OpFNegate", 129: "OpFAdd", 131: "OpFSub", 133: "OpFMul", 136: "OpFDiv", 140: "OpFRem",
              141: "OpFMod", 142: "OpVectorTimesScalar", 143: "OpMatrixTimesScalar", 144: "OpVectorTimesMatrix",
              145: "OpMatrixTimesVector", 146: "OpMatrixTimesMatrix", 147: "OpOuterProduct", 148: "OpDot"}
EXACT_ANYWAY = {127}  # a sign flip rounds nothing
HEADER_WORDS = 5
BEFORE_DECORATIONS = {3, 4, 5, 6, 7, 8, 10, 11, 14, 15, 16, 17, 317, 330, 331}  # capabilities to names


def instructions(code):
    """(opcode, operand words) of a module."""
    words = struct.unpack(f"<{len(code) // 4}I", code[:len(code) // 4 * 4])
    if len(words) < HEADER_WORDS or words[0] != MAGIC:
        raise ValueError("not a SPIR-V module")
    at = HEADER_WORDS
    while at < len(words):
        count, opcode = words[at] >> 16, words[at] & 0xFFFF
        if count == 0:
            raise ValueError("damaged SPIR-V module: an instruction of no words")
        yield opcode, words[at + 1:at + count]
        at += count


def arithmetic(code):
    """(id, name) of results that lack NoContraction, and of any Fma in a module that does not ask the device."""
    decorated, found, fused, asks = set(), [], [], False
    for opcode, operands in instructions(code):
        if opcode == OP_DECORATE and operands[1] == NO_CONTRACTION:
            decorated.add(operands[0])
        elif opcode == OP_DECORATE and operands[1] == SPEC_ID:
            asks = True
        elif opcode in ARITHMETIC and opcode not in EXACT_ANYWAY:
            found.append((operands[1], ARITHMETIC[opcode]))
        elif opcode == OP_EXT_INST and operands[3] == FMA:
            fused.append((operands[1], "Fma"))
    undecorated = [(result, name) for result, name in found + (fused if asks else []) if result not in decorated]
    return undecorated, [] if asks else fused


def contractible(code):
    """Names of the arithmetic results without NoContraction, such as "OpFMul %42"."""
    undecorated, unasked = arithmetic(code)
    return [f"{name} %{result}" for result, name in undecorated + unasked]


def uncontracted(code):
    """The module with NoContraction for every arithmetic result."""
    at = HEADER_WORDS
    for opcode, operands in instructions(code):
        if opcode not in BEFORE_DECORATIONS:
            break
        at += 1 + len(operands)
    undecorated, _ = arithmetic(code)
    added = [word for result, _ in undecorated for word in (3 << 16 | OP_DECORATE, result, NO_CONTRACTION)]
    return code[:4 * at] + struct.pack(f"<{len(added)}I", *added) + code[4 * at:]


def with_calls(code, prefix):
    """The module with DontInline for every function whose name begins so."""
    words, at, named = list(struct.unpack(f"<{len(code) // 4}I", code)), HEADER_WORDS, set()
    for opcode, operands in instructions(code):
        if opcode == OP_NAME and struct.pack(f"<{len(operands) - 1}I", *operands[1:]).startswith(prefix):
            named.add(operands[0])
        elif opcode == OP_FUNCTION and operands[1] in named:
            words[at + 3] |= DONT_INLINE
        at += 1 + len(operands)
    return struct.pack(f"<{len(words)}I", *words)


def main():
    status = 0
    for path in map(pathlib.Path, sys.argv[1:]):
        for fault in contractible(path.read_bytes()):
            print(f"{path}: {fault} lacks NoContraction")
            status = 1
    return status if len(sys.argv) > 1 else 2


if __name__ == "__main__":
    sys.exit(main())
