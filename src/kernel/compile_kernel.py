#!/usr/bin/env python3
"""Compiles all variants of a kernel for one dialect (README.md).

usage: compile_kernel.py DIALECT --source FILE --root SRC --out PATH [--target T] [--tool PROGRAM]
                         [--linker PROGRAM] [--depfile FILE] [VARIANT]...

DIALECT: cuda   PTX by clang, or a cubin by nvcc where --target is sm_NN and --nvcc is given: one file PATH
         hip    code objects for --target gfxNNN,gfxNNN..., all of one wave size: one PATH.gfxNNN.hsaco a target
         vulkan SPIR-V, one PATH/<symbol>.spv a variant
         sycl   source for the run-time compiler, one PATH/<symbol>.sycl a variant
VARIANT: <symbol>:NAME=VALUE,NAME=VALUE...

Every dialect goes through g++ -E first, with nothing predefined and no system header, so that all see the same source;
line markers stay, so that errors name the kernel's own lines. Contraction of a*b+c is off everywhere.

Results of compilers are cached for 30 days in ACUTANCE_KERNEL_CACHE (a folder; empty: nowhere; by default
~/.cache/acutance/build).
"""
import argparse
import hashlib
import os
import pathlib
import re
import shutil
import subprocess
import sys
import time

import check_spirv

HERE = pathlib.Path(__file__).resolve().parent
PREPROCESS = ["g++", "-E", "-undef", "-nostdinc", "-x", "c++", "-std=c++20", "-I."]
MARKER = re.compile(r'^# (\d+) ("[^"]*").*$', re.M)
CLANG = ["-O3", "-ffp-contract=off", "-std=c++20", "--cuda-device-only", "-Wall", "-Wextra", "-Werror"]
OF_ONE_TARGET = re.compile(r' "target-(cpu|features)"="[^"]*"')  # attributes of functions in IR
# ROCm reads version 4 from 4.5 on, 5 from 5.3 on.
CODE_OBJECT = "-mcode-object-version=4"
# Without a CUDA installation (--cuda-path leads to none) clang would take the oldest PTX; sm_75 came with version 6.3,
# and every driver that knows the GPU reads it.
PTX_VERSION = ["-Xclang", "-target-feature", "-Xclang", "+ptx63"]


# The passes of spirv-opt -O in two parts. The unroller's copies of a result lack its decorations, and
# what follows fuses a*b+c where nothing forbids it. Unrolling leaves many blocks, for each of which the
# search for redundancy copies what it knows: they are merged before it, too.
UNROLLING = """wrap-opkill eliminate-dead-branches merge-return inline-entry-points-exhaustive
    eliminate-dead-functions eliminate-dead-code-aggressive private-to-local eliminate-local-single-block
    eliminate-local-single-store eliminate-dead-code-aggressive scalar-replacement=100
    convert-local-access-chains eliminate-local-single-block eliminate-local-single-store
    eliminate-dead-code-aggressive ssa-rewrite eliminate-dead-code-aggressive ccp
    eliminate-dead-code-aggressive loop-unroll""".split()
SIMPLIFYING = """eliminate-dead-branches merge-blocks redundancy-elimination combine-access-chains
    simplify-instructions scalar-replacement=100 convert-local-access-chains eliminate-local-single-block
    eliminate-local-single-store eliminate-dead-code-aggressive ssa-rewrite eliminate-dead-code-aggressive
    vector-dce eliminate-dead-inserts eliminate-dead-branches simplify-instructions if-conversion
    copy-propagate-arrays reduce-load-size eliminate-dead-code-aggressive merge-blocks
    redundancy-elimination eliminate-dead-branches merge-blocks simplify-instructions""".split()


class Failure(Exception):
    """What to print; a compiler's own words."""


def call(command, text, cwd=None):
    done = subprocess.run(command, input=text, capture_output=True, text=True, cwd=cwd, check=False)
    if done.returncode != 0:
        raise Failure(f"{' '.join(map(str, command))}\n{done.stdout}{done.stderr}")
    return done.stdout


def cache_folder():
    default = pathlib.Path(os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache") / "acutance" / "build"
    chosen = os.environ.get("ACUTANCE_KERNEL_CACHE", str(default))
    return pathlib.Path(chosen) if chosen else None


def cache_key(commands, text):
    identity = [text]
    for command in commands:
        tool = pathlib.Path(shutil.which(command[0]) or command[0]).resolve()
        identity += [tool, tool.stat().st_mtime_ns, *command[1:]]
    return hashlib.sha256("\0".join(map(str, identity)).replace(str(HERE), "").encode()).hexdigest()


def store(made, cached):
    """Adds a file to the cache atomically, and removes entries that were not used for 30 days."""
    cached.parent.mkdir(parents=True, exist_ok=True)
    partial = cached.with_suffix(f".{os.getpid()}")
    shutil.copyfile(made, partial)
    partial.replace(cached)
    for entry in cached.parent.iterdir():
        if entry.stat().st_mtime < time.time() - 30 * 86400:
            entry.unlink(missing_ok=True)


def translate(command, text, out, optimizers=()):
    """Runs a compiler over a source, then SPIR-V optimizers, or copies the cached result."""
    folder = cache_folder()
    cached = folder / cache_key([command, *optimizers], text) if folder else None
    if cached and cached.exists():
        shutil.copyfile(cached, out)
        cached.touch()
        return
    call([*command, "-o", str(out), "-"], text)
    for optimizer in optimizers:
        out.write_bytes(check_spirv.with_calls(check_spirv.uncontracted(out.read_bytes()), b"software_"))
        call([*optimizer, str(out), "-o", str(out)], None)
    try:
        if cached:
            store(out, cached)
    except OSError:
        pass  # a cache that cannot be written only costs time


def flatten(options, dialect, symbol, defines):
    """The variant's source without a macro or include left, and the files it came from (relative to the root)."""
    command = PREPROCESS + [f"-DACU_DIALECT_{dialect}", f"-DKERNEL_SYMBOL={symbol}"]
    command += [f"-D{define}" for define in defines] + [str(options.source.relative_to(options.root))]
    if options.nvcc:
        command.insert(1, "-DACU_NVCC")
    text = call(command, None, cwd=options.root)
    options.read.update(name.strip('"') for _, name in MARKER.findall(text) if not name.startswith('"<'))
    return MARKER.sub(lambda m: "" if m[1] == "0" or m[2].startswith('"<') else f"#line {m[1]} {m[2]}", text)


def in_namespace(symbol, text):
    return f"namespace {symbol} {{\n{text}\n}}\n"


def all_variants(options, dialect):
    return "".join(in_namespace(symbol, flatten(options, dialect, symbol, defines))
                   for symbol, defines in options.variants)


def compile_cuda(options):
    text = all_variants(options, "CUDA")
    if options.nvcc:
        source = options.out.with_suffix(".cu")
        source.write_text(text, encoding="utf-8")
        call([options.tool, "-cubin", f"-arch={options.target}", "-O3", "-fmad=false", "-std=c++20",
              "-o", str(options.out), str(source)], None)
    else:
        translate([options.tool, "-x", "cuda", f"--cuda-gpu-arch={options.target}", "-nocudainc", "-nocudalib",
                   f"--cuda-path={HERE}", *PTX_VERSION, "-S", *CLANG], text, options.out)


def compile_hip(options):
    """The source is read and optimized once for all targets; the code generator alone runs for each of them."""
    targets = options.target.split(",")
    ir, code = (options.out.with_name(f"{options.out.name}.{targets[0]}.{ending}") for ending in ("ll", "o"))
    translate([options.tool, "-x", "hip", f"--offload-arch={targets[0]}", CODE_OBJECT, "-nogpuinc", "-nogpulib",
               "--no-gpu-bundle-output", "-S", "-emit-llvm", *CLANG], all_variants(options, "HIP"), ir)
    text = OF_ONE_TARGET.sub("", ir.read_text(encoding="utf-8"))
    for target in targets:
        # A compiler that need not start the linker, too, works in one process instead of three.
        translate([options.tool, "-x", "ir", "-c", "--target=amdgcn-amd-amdhsa", f"-mcpu={target}", CODE_OBJECT,
                   "-nogpulib", "-O3", "-Xclang", "-disable-llvm-passes"], text, code)
        call([options.linker, "--no-undefined", "-shared", str(code), "-o", str(code_object(options, target))], None)
    ir.unlink()
    code.unlink()


def code_object(options, target):
    return options.out.with_name(f"{options.out.name}.{target}.hsaco")


def compile_vulkan(options):
    prologue = (HERE / "prologue.glsl").read_text(encoding="utf-8")
    optimizers = [["spirv-opt", *("--" + name for name in passes)] for passes in (UNROLLING, SIMPLIFYING)]
    for symbol, defines in options.variants:
        spirv = options.out / f"{symbol}.spv"
        translate([options.tool, "-fshader-stage=compute", "--target-env=vulkan1.2", "-O0", "-Werror"],
                  prologue + flatten(options, "GLSL", symbol, defines), spirv, optimizers)
        call(["spirv-val", "--target-env", "vulkan1.2", "--scalar-block-layout", str(spirv)], None)
        faults = check_spirv.contractible(spirv.read_bytes())
        if faults:
            spirv.unlink()
            raise Failure(f"{options.source}, {symbol}: a driver may fuse {', '.join(faults)}")


def compile_sycl(options):
    prologue = (HERE / "prologue.sycl").read_text(encoding="utf-8")
    for symbol, defines in options.variants:
        text = prologue + in_namespace(symbol, flatten(options, "SYCL", symbol, defines))
        (options.out / f"{symbol}.sycl").write_text(text, encoding="utf-8")


COMPILE = {"cuda": compile_cuda, "hip": compile_hip, "vulkan": compile_vulkan, "sycl": compile_sycl}


def first_output(options):
    if options.dialect == "cuda":
        return options.out
    if options.dialect == "hip":
        return code_object(options, options.target.split(",")[0])
    ending = "spv" if options.dialect == "vulkan" else "sycl"
    return options.out / f"{options.variants[0][0]}.{ending}"


def parse_variant(text):
    symbol, _, defines = text.partition(":")
    return symbol, [define for define in defines.split(",") if define]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("dialect", choices=COMPILE)
    parser.add_argument("--source", type=pathlib.Path, required=True)
    parser.add_argument("--root", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    parser.add_argument("--tool", default="")
    parser.add_argument("--linker", default="")
    parser.add_argument("--target", default="")
    parser.add_argument("--nvcc", action="store_true")
    parser.add_argument("--depfile", type=pathlib.Path)
    parser.add_argument("variants", nargs="*", type=parse_variant)
    options = parser.parse_intermixed_args()
    options.read = set()
    try:
        COMPILE[options.dialect](options)
    except Failure as failure:
        print(failure, file=sys.stderr)
        return 1
    if options.depfile:
        first = first_output(options)
        files = " ".join(str(options.root / name).replace(" ", "\\ ") for name in sorted(options.read))
        options.depfile.write_text(f"{first}: {files}\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
