#!/usr/bin/env python3
"""The structure checks find the faults they are there for: each test plants one in a small tree."""
import pathlib
import subprocess
import sys
import tempfile
import unittest

TOOLS = pathlib.Path(__file__).resolve().parents[2] / "tools"
TABLE = """
The foundation is `base/` and
`image/`.

| folder | holds | may include |
|---|---|---|
| `base/` | errors | |
| `image/` | pictures | `base/` |
| `metric/` | metrics | |
| `engine/` | sessions | `metric/` |
| `api/` | an API | |
| `api/c/` | another one | `engine/` |
"""
TREE = {
    "docs/develop/architecture.md": TABLE,
    "src/CMakeLists.txt":
        "add_library(all base/a.cc image/i.cc metric/registry.cc metric/vif/vif.cc metric/adm/adm.cc engine/e.cc "
        "api/c/c.cc)",
    "docs/spec/core.md": "# Core\n\n## 1. VIF\n\n### 1.5 Statistics\n\nSee system.md B.\n",
    "docs/spec/system.md": "# System\n\n## B. Known answers\n",
    "src/base/a.h": "// Statistics (docs/spec/core.md 1 and\n// 1.5).\n#pragma once\n",
    "src/base/a.cc": '#include "base/a.h"\n',
    "src/image/i.cc": '#include "base/a.h"\n',
    "src/metric/registry.h": "#pragma once\n",
    "src/metric/registry.cc": '#include "metric/registry.h"\n#include "base/a.h"\n',
    "src/metric/vif/vif.h": "#pragma once\n",
    "src/metric/vif/vif.cc": '#include "metric/vif/vif.h"\n',
    "src/metric/adm/adm.h": "#pragma once\n",
    "src/metric/adm/adm.cc": '#include "metric/adm/adm.h"\n',
    "src/engine/e.h": "#pragma once\n",
    "src/engine/e.cc": '#include "base/a.h"\n#include "metric/registry.h"\n',
    "src/api/c/c.cc": '#include "engine/e.h"\n',
}


class Checks(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.root = pathlib.Path(folder.name)
        self.write_tree()

    def write_tree(self):
        for name, text in TREE.items():
            self.write(name, text)

    def write(self, name, text):
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")

    def expect(self, script, message, *options):
        """The script fails and says `message`; None: it passes."""
        run = subprocess.run([sys.executable, str(TOOLS / script), "--root", str(self.root), *options],
                             capture_output=True, text=True, check=False)
        self.assertEqual(run.returncode, 0 if message is None else 1, run.stdout + run.stderr)
        if message is not None:
            self.assertIn(message, run.stdout)

    def test_a_sound_tree_passes(self):
        self.expect("check_includes.py", None)
        self.expect("check_files.py", None)
        self.expect("check_spec.py", None)

    def test_includes_that_the_table_does_not_allow(self):
        for name, included, message in (
                ("base/a.cc", "engine/e.h", "'base' may not include 'engine'"),
                ("base/testing/a.cc", "metric/registry.h", "a test of 'base' may not include 'metric'"),
                ("base/a_test.cc", "engine/e.h", "a test of 'base' may not include 'engine', which depends on it"),
                ("metric/b.cc", "engine/e.h", "'metric' may not include 'engine'"),
                ("api/a.cc", "engine/e.h", "'api' may not include 'engine'"),
                ("metric/adm/b.cc", "metric/vif/vif.h", "metric folder 'adm' includes the metric folder 'vif'"),
                ("engine/f.cc", "metric/vif/vif.h", "nothing may include the metric folder 'vif'"),
                ("extra/x.cc", "base/a.h", "folder 'extra' is not in the layer table"),
                ("base/b.cc", "a.h", "is no file below src/")):
            with self.subTest(name=name, included=included):
                self.write(f"src/{name}", f'#include "{included}"\n')
                self.expect("check_includes.py", message)
                (self.root / "src" / name).unlink()

    def test_includes_of_tests(self):
        self.write("src/engine/e_test.cc", '#include "image/i.h"\n')
        self.write("src/image/i.h", "#pragma once\n")
        self.write("src/api/a_test.cc", '#include "engine/e.h"\n#include "metric/registry.h"\n')
        self.expect("check_includes.py", None)

    def test_tables_with_faults(self):
        names = ", ".join(f"`f{i}/`" for i in range(9))
        for row, instead, message in (
                ("| errors | |", "| errors | `engine/` |", "the table has a cycle through `engine/`"),
                ("| sessions | `metric/` |", f"| sessions | {names} |", "`engine/` may include 9 folders; a row has at most 8"),
                ("| an API | |", "| an API | `metric/` |", "`api/` may include `metric/`, and no product file does"),
                ("| metrics | |", "| metrics | `base/` |", "`metric/` names `base/`, which belongs to the foundation")):
            self.write("docs/develop/architecture.md", TABLE.replace(row, instead))
            self.expect("check_includes.py", message)
        self.write("docs/develop/architecture.md", "")
        self.expect("check_includes.py", "no layer table found")

    def test_use_by_tests_alone(self):
        self.write("docs/develop/architecture.md", TABLE.replace("| an API | |", "| an API | `metric/` |"))
        self.write("src/api/a_test.cc", '#include "metric/registry.h"\n')
        self.expect("check_includes.py", "`api/` may include `metric/`, and no product file does")
        self.expect("check_includes.py", None, "--part")
        self.write("src/api/a.cc", '#include "metric/registry.h"\n')
        self.expect("check_includes.py", None)

    def test_planted_faults(self):
        for script, name, text, message in (
                ("files", "src/base/b.cc", "", "src/base/b.cc: nothing compiles this file"),
                ("files", "src/base/b.h", "#pragma once\n", "src/base/b.h: nothing includes this file"),
                ("files", "src/base/a.cc", "//\n" * 601, "601 lines"),
                ("files", "src/base/a.h", "// TO" + "DO\n", "promises work"),
                ("files", "src/base/a.h", "// see /ho" + "me/somebody/notes\n", "a path of one machine"),
                ("spec", "src/base/a.h", "// Sums (docs/spec/core.md 1.5 to\n// 1.6).\n",
                 "src/base/a.h: docs/spec/core.md has no section 1.6"),
                ("spec", "src/base/a.h", "// docs/spec/other.md 1.5\n", "docs/spec has no page 'other.md'"),
                ("spec", "src/base/a.h", "// docs/spec/core.md\n", "name the section"),
                ("spec", "src/base/a.h", "// spec/core.md 1.5\n", "cite pages as docs/spec/core.md"),
                ("spec", "docs/spec/core.md", "# Core\n\n## 1. VIF\n\nSee system.md C.\n",
                 "docs/spec/system.md has no section C")):
            with self.subTest(message=message):
                self.write(name, text)
                self.expect(f"check_{script}.py", message)
                (self.root / name).unlink()
                self.write_tree()

    def test_library_maths(self):
        for call in ("std::pow(x, 2.5)", "::powf(x, y)", "log10(x)", "std::exp (x)", "std::log2(x)"):
            self.write("src/metric/vif/vif.cc", f'#include "metric/vif/vif.h"\ndouble f(double x, double y) {{ return {call}; }}\n')
            self.expect("check_files.py", "has another last bit in each C library")
        self.write("src/metric/vif/vif.cc", '#include "metric/vif/vif.h"\n// log10(x)\ndouble f(double x) { return std::sqrt(Exp(x)); }\n')
        self.expect("check_files.py", None)

    def test_system_outside_its_layer(self):
        for line in ("#include <unistd.h>", "#include <sys/stat.h>", "#ifdef _WIN32\n#endif", "#if defined(_MSC_VER)\n#endif",
                     "#if defined(__APPLE__)\n#endif", "auto x = std::filesystem::path(name);"):
            self.write("src/metric/vif/vif.cc", f'#include "metric/vif/vif.h"\n{line}\n')
            self.expect("check_files.py", "put what differs between systems into src/base/system")

    def test_metric_named_outside_its_folder(self):
        self.write("src/metric/metrics.inc", "ACU_INTERNAL_METRIC(kAdmMetric)\nACU_METRIC(kVifMetric)\n")
        self.write("src/metric/adm/adm.cc", '#include "metric/adm/adm.h"\n'
                   'const Metric kAdmMetric = {\n    .name = "internal",\n};\n')
        self.write("src/metric/vif/vif.cc", """#include "metric/vif/vif.h"
const OptionSpec kOptions[] = {{.name = "an_option"}};
constexpr auto kOutputs =
    JoinOutputs(std::to_array<OutputSpec>({{.name = "VMAF_integer_feature_vif2_score", .alias = "integer_vif2"}}),
                PerScale<kScales, "vif_num_scale#">({.enabled = IsDebug}));
const Metric kVifMetric = {
    .name = "vif",
    .outputs = kOutputs,
};
""")
        for literal in ("vif", "such as vif", "vif=debug=true", "vif2", "integer_vif2", "vif_num_scale3",
                        "VMAF_integer_feature_vif2_score"):
            self.write("src/engine/e.cc", f'#include "base/a.h"\nconst char* k = "{literal}";\n')
            self.expect("check_files.py", "src/engine/e.cc:2: '")
            self.write("src/engine/e.cc", f'#include "base/a.h"\n// "{literal}"\n')
            self.expect("check_files.py", None)
        for literal in ("internal", "an_option", "vif_num", "vivify"):
            self.write("src/engine/e.cc", f'#include "base/a.h"\nconst char* k = "{literal}";\n')
            self.expect("check_files.py", None)

    def test_avoided_words(self):
        for name, text, message in (
                ("cli/a.h", "#pragma once\n// All but\n// the last.\n", "cli/a.h:2: 'All but': write all except"),
                ("cli/a.h", "// Nobody reads this.\n", "cli/a.h:1: 'Nobody': write the class"),
                ("cli/a.h", '\nconst char* k = "so far "\n                "as far as"\n    " it goes";\n', "cli/a.h:3: 'as far as'"),
                ("cli/a.h", 'auto k = R"(one\ntwo whatever three)";\n', "cli/a.h:2: 'whatever': write regardless of"),
                ("docs/a.md", "It goes\non; see `beside`.\n", "docs/a.md:1: 'goes on': write continue"),
                ("tools/a.py", 'def f():\n    """Lets go of it."""\n', "tools/a.py:2: 'Lets go of': write free"),
                ("docs/man/a.1.in", "The stream tells its size.\n", "'stream tells': write declare")):
            with self.subTest(text=text):
                self.write(name, text)
                self.expect("check_files.py", message)
                (self.root / name).unlink()

    def test_plain_words(self):
        self.write("docs/a.md", "Tell which key keeps its name. It goes on the shelf, as so many do that. Code: `whatever`.\n"
                   "```\nbeside\n```\n")
        self.write("cli/a.inc", "// The median, and the beside_it.\nint whatever, beside = '\"'; // \"\n")
        self.write("docs/history/a.md", "whatever\n")
        self.expect("check_files.py", None)
        self.write("src/base/c.md", "whatever\n")
        self.expect("check_files.py", "src/base/c.md:1: 'whatever'")
        self.expect("check_files.py", None, "--words-in", "docs/")


if __name__ == "__main__":
    unittest.main()
