#!/usr/bin/env python3
"""The identity of kernels changes with all that they are made of, and files of kernels hold what went into them."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent


class KernelFiles(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.write("list", "fill 64x4\nsource fill.kernel.h\nclang version 19\n")
        self.write("fill.kernel.h", '#include "blocks/sum.kernel.h"\n#ifdef ACU_DIALECT_HIP\n#  include "amd.h"\n#endif\n')
        self.write("blocks/sum.kernel.h", '#include "near.h"\n#include "not_there.h"\n#include <cstdint>\n')
        self.write("blocks/near.h", "1")
        self.write("amd.h", "2")
        self.write("other.h", "3")

    def write(self, name, text):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        return path

    def run_command(self, *arguments):
        subprocess.run([sys.executable, HERE / "kernel_files.py", *arguments], check=True)

    def identity(self):
        out = self.folder / "identity"
        self.run_command("identity", "--list", self.folder / "list", "--root", self.folder, "--out", out, "--depfile",
                         self.folder / "identity.d")
        return out.read_text(encoding="utf-8")

    def test_identity_follows_every_include(self):
        before = self.identity()
        self.assertRegex(before, '^"[0-9a-f]{32}"\n$')
        read = (self.folder / "identity.d").read_text(encoding="utf-8")
        for name in ("fill.kernel.h", "blocks/sum.kernel.h", "blocks/near.h", "amd.h"):
            self.assertIn(str((self.folder / name).resolve()), read)
            path = self.folder / name
            text = path.read_text(encoding="utf-8")
            self.write(name, text + " ")
            self.assertNotEqual(self.identity(), before, name)
            self.write(name, text)
            self.assertEqual(self.identity(), before, name)
        self.assertNotIn("other.h", read)

    def test_identity_follows_variants_and_compilers(self):
        seen = {self.identity()}
        for text in ("fill 64x8\nsource fill.kernel.h\nclang version 19\n",
                     "fill 64x4\nsource fill.kernel.h\nclang version 20\n"):
            self.write("list", text)
            seen.add(self.identity())
        self.assertEqual(len(seen), 3)

    def test_an_identity_that_stays_keeps_its_time(self):
        self.identity()
        before = (self.folder / "identity").stat().st_mtime_ns
        self.identity()
        self.assertEqual((self.folder / "identity").stat().st_mtime_ns, before)

    def test_a_file_holds_what_went_into_it(self):
        known = self.write("identity", '"abc"\n')
        codes = {f"kernel_{i}": bytes([i]) * (7 * i * i + 1) for i in range(40)}
        for name, code in codes.items():
            (self.folder / f"{name}.gfx1100.hsaco").write_bytes(code)
        out = self.folder / "gfx1100.kernels"
        self.run_command("pack", "--identity", known, "--family", "gfx1100", "--folder", self.folder, "--out", out, *codes)
        content = out.read_bytes()
        first, *lines = content[:content.index(b"\n\n")].decode().split("\n")
        self.assertEqual(first, "acutance kernels abc gfx1100")
        self.assertEqual([line.split()[0] for line in lines], list(codes))
        end = content.index(b"\n\n") + 2
        for name, begin, size in map(str.split, lines):
            begin, size = int(begin), int(size)
            self.assertGreaterEqual(begin, end)
            self.assertEqual(begin % 64, 0)
            self.assertEqual(content[begin:begin + size], codes[name])
            end = begin + size
        self.assertEqual(len(content), end)


if __name__ == "__main__":
    unittest.main()
