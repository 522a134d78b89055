#!/usr/bin/env python3
"""The build of kernels refuses what the language forbids, naming the kernel's own line."""
import os
import pathlib
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import unittest

import check_spirv

HERE = pathlib.Path(__file__).resolve().parent
NEEDS_GLSLC = unittest.skipUnless(shutil.which("glslc") and shutil.which("spirv-val"), "glslc or spirv-val is missing")

KERNEL = """#include "kernel/kernel.h"
struct Args { BUFFER(double) results; BUFFER(uint16_t) samples; };
KERNEL_USES(Args, int32_t)
KERNEL_MAIN() {
  const int32_t i = local_x();
  @LINE@
}
"""
PRODUCT_AND_SUM = "args.results.data[i] * args.results.data[i + 1] + args.results.data[i + 2];"
GOOD = "args.results.data[i] = " + PRODUCT_AND_SUM
FUSED = "args.results.data[i] = fma(args.results.data[i], args.results.data[i + 1], args.results.data[i + 2]);"
WINDOW = """double sum = args.results.data[i];
  UNROLL for (int32_t k = 1; k <= 11; ++k) sum += args.results.data[i + k] * args.results.data[i + 20 + k];
  args.results.data[i] = sum / DOUBLE(3.7);"""
FADD, FMUL, FDIV, LOOP_MERGE = 129, 133, 136, 246
SMALL_ARITHMETIC = "args.samples.data[i] = args.samples.data[i] * args.samples.data[i + 1];"


def spirv(decorated):
    """A module with one OpFMul, result 7."""
    body = [(71 | 3 << 16, 7, 42)] if decorated else []
    words = [0x07230203, 0x10500, 0, 10, 0] + [word for part in body for word in part] + [133 | 5 << 16, 2, 7, 5, 6]
    return struct.pack(f"<{len(words)}I", *words)


class CompileKernel(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        (self.folder / "kernel").symlink_to(HERE)
        self.cache = self.folder / "cache"

    def write(self, line):
        source = self.folder / "k.kernel.h"
        source.write_text(KERNEL.replace("@LINE@", line), encoding="utf-8")
        return source

    def compile(self, line, dialect, *more):
        source = self.write(line)
        return subprocess.run([sys.executable, HERE / "compile_kernel.py", dialect, "--source", source, "--root",
                               self.folder, "--out", self.folder, *more, "k_64x1:BLOCK_X=64,BLOCK_Y=1,ROWS=1"],
                              env={**os.environ, "ACUTANCE_KERNEL_CACHE": str(self.cache)},
                              capture_output=True, text=True, check=False)

    @NEEDS_GLSLC
    def test_vulkan_unrolls_without_contraction(self):
        self.assertEqual(self.compile(WINDOW, "vulkan", "--tool", "glslc").stderr, "")
        code = (self.folder / "k_64x1.spv").read_bytes()
        self.assertEqual(check_spirv.contractible(code), [])
        found = list(check_spirv.instructions(code))
        sums = [operands for opcode, operands in found if opcode == FADD]
        products = [operands[1] for opcode, operands in found if opcode == FMUL]
        (quotient,) = [operands for opcode, operands in found if opcode == FDIV]
        self.assertEqual([sum_[3] for sum_ in sums], products)
        self.assertEqual([sum_[2] for sum_ in sums[1:]] + [quotient[2]], [sum_[1] for sum_ in sums])
        self.assertEqual(len(sums), 11)
        self.assertNotIn(LOOP_MERGE, [opcode for opcode, _ in found])

    @NEEDS_GLSLC
    def test_vulkan_refuses_a_fused_product(self):
        bad = self.compile(FUSED, "vulkan", "--tool", "glslc")
        self.assertEqual(bad.returncode, 1)
        self.assertRegex(bad.stderr, r"a driver may fuse Fma %\d+")
        self.assertFalse((self.folder / "k_64x1.spv").exists())

    @NEEDS_GLSLC
    def test_vulkan_errors_name_the_kernels_line(self):
        bad = self.compile("missing = 1;", "vulkan", "--tool", "glslc")
        self.assertIn("k.kernel.h:6: error: 'missing'", bad.stderr)

    @unittest.skipUnless(shutil.which("clang++-19"), "clang-19 is missing")
    def test_ptx_is_not_contracted(self):
        ptx = self.folder / "k.ptx"
        done = self.compile(GOOD, "cuda", "--tool", "clang++-19", "--target", "sm_75", "--out", str(ptx))
        self.assertEqual(done.stderr, "")
        text = ptx.read_text(encoding="utf-8")
        self.assertNotIn("fma.rn.f64", text)
        self.assertTrue(re.search(r"mul\.rn\.f64", text) and re.search(r"add\.rn\.f64", text), text)

    @unittest.skipUnless(shutil.which("clang++-19") and shutil.which("ld.lld-19"), "clang-19 or lld-19 is missing")
    def test_amd_targets_share_one_reading(self):
        depfile = self.folder / "k.d"
        done = self.compile(GOOD, "hip", "--tool", "clang++-19", "--linker", "ld.lld-19", "--target", "gfx906,gfx90a",
                            "--out", str(self.folder / "k"), "--depfile", str(depfile))
        self.assertEqual(done.stderr, "")
        for target in (b"gfx906", b"gfx90a"):
            code = (self.folder / f"k.{target.decode()}.hsaco").read_bytes()
            self.assertEqual(set(re.findall(rb"gfx[0-9a-z]+", code)), {target})
        self.assertTrue(depfile.read_text(encoding="utf-8").startswith(f"{self.folder}/k.gfx906.hsaco: "))
        self.assertEqual(sorted(path.name for path in self.folder.glob("k.*.*")),
                         ["k.gfx906.hsaco", "k.gfx90a.hsaco", "k.kernel.h"])

    @unittest.skipUnless(shutil.which("clang++-19"), "clang-19 is missing")
    def test_a_source_is_compiled_once(self):
        ptx = self.folder / "k.ptx"
        more = ["--tool", "clang++-19", "--target", "sm_75", "--out", str(ptx)]
        self.assertEqual(self.compile(GOOD, "cuda", *more).stderr, "")
        (cached,) = self.cache.iterdir()
        self.assertEqual(cached.read_bytes(), ptx.read_bytes())
        cached.write_text("cached", encoding="utf-8")
        self.compile(GOOD, "cuda", *more)
        self.assertEqual(ptx.read_text(encoding="utf-8"), "cached")
        self.compile(GOOD.replace("+ 1", "+ 3"), "cuda", *more)
        self.assertIn("mul.rn.f64", ptx.read_text(encoding="utf-8"))
        self.assertEqual(len(list(self.cache.iterdir())), 2)

    def test_sycl_source_stands_alone(self):
        self.assertEqual(self.compile(GOOD, "sycl").stderr, "")
        text = (self.folder / "k_64x1.sycl").read_text(encoding="utf-8")
        self.assertIn("namespace k_64x1 {", text)
        includes = re.findall(r'#include.*', text)
        self.assertIn("#include <sycl/sycl.hpp>", includes)  # where the narrower headers are not
        self.assertEqual([i for i in includes if not i.startswith("#include <sycl/")], [])

    def emulate(self, line):
        source = self.write(line)
        text = ("#define ACU_DIALECT_EMU\n#define BLOCK_X 64\n#define BLOCK_Y 1\n#include \"kernel/kernel.h\"\n"
                f"namespace acutance_kernel {{\n#include \"{source}\"\n}}\n")
        return subprocess.run(["g++", "-std=c++20", "-fsyntax-only", f"-I{self.folder}", "-x", "c++", "-"], input=text,
                              capture_output=True, text=True, check=False)

    def test_emu_refuses_arithmetic_on_samples(self):
        self.assertEqual(self.emulate(GOOD).stderr, "")
        bad = self.emulate(SMALL_ARITHMETIC)
        self.assertNotEqual(bad.returncode, 0)
        self.assertIn("no match for ", bad.stderr)


class CheckSpirv(unittest.TestCase):
    def test_finds_the_missing_decoration(self):
        self.assertEqual(check_spirv.contractible(spirv(decorated=True)), [])
        self.assertEqual(check_spirv.contractible(spirv(decorated=False)), ["OpFMul %7"])

    def test_allows_a_fused_operation_where_the_device_is_asked(self):
        def module(*decorations):
            body = [word for result, what in decorations for word in (71 | len(what) + 2 << 16, result, *what)]
            words = [0x07230203, 0x10500, 0, 10, 0, *body, 12 | 8 << 16, 2, 7, 1, 50, 3, 4, 5]
            return struct.pack(f"<{len(words)}I", *words)

        no_contraction, spec_id = (7, (42,)), (9, (1, 0))
        self.assertEqual(check_spirv.contractible(module()), ["Fma %7"])
        self.assertEqual(check_spirv.contractible(module(no_contraction)), ["Fma %7"])
        self.assertEqual(check_spirv.contractible(module(spec_id)), ["Fma %7"])
        self.assertEqual(check_spirv.contractible(module(no_contraction, spec_id)), [])
        self.assertEqual(check_spirv.uncontracted(module(spec_id)), module(no_contraction, spec_id))

    def test_adds_the_missing_decoration(self):
        self.assertEqual(check_spirv.uncontracted(spirv(decorated=False)), spirv(decorated=True))
        self.assertEqual(check_spirv.uncontracted(spirv(decorated=True)), spirv(decorated=True))

    def test_refuses_what_is_no_module(self):
        with self.assertRaises(ValueError):
            check_spirv.contractible(b"text that is no module")
        with self.assertRaises(ValueError):
            check_spirv.contractible(struct.pack("<6I", 0x07230203, 0, 0, 0, 0, 0))


if __name__ == "__main__":
    unittest.main()
