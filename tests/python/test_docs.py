"""The examples of docs/use/python.md run as they stand there."""
import pathlib
import re

from pictures import clip, write_y4m

DOCUMENT = pathlib.Path(__file__).resolve().parents[2] / "docs" / "use" / "python.md"


def test_examples(tmp_path, monkeypatch, capsys):
    blocks = re.findall(r"```python\n(.*?)```", DOCUMENT.read_text(), re.S)
    assert len(blocks) >= 6
    for name, noise in (("reference", 0), ("encode", 24), ("other", 9)):
        write_y4m(tmp_path / f"{name}.y4m", clip(noise))
    monkeypatch.chdir(tmp_path)
    names = {}
    for block in blocks:
        exec(compile(block.replace(".mp4", ".y4m"), DOCUMENT.name, "exec"), names)  # the test makes no mp4
    assert (tmp_path / "log.json").exists()
    assert "<acutance.Result: vmaf_v0.6.1 " in capsys.readouterr().out
