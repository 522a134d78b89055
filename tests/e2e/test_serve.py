"""`acutance serve`: requests on a Unix socket, cached references, and what must not end the server."""
import json
import os
import resource
import signal
import socket
import stat
import subprocess
import time

import schema
from clips import ACUTANCE, CommandTest, needs_ffmpeg, y4m

MODEL = ["-m", "vmaf_v0.6.1", "-t", "1"]


class Client:
    """A connection, whose requests and answers are lines."""

    def __init__(self, path):
        self.socket = socket.socket(socket.AF_UNIX)
        self.socket.settimeout(60)
        try:
            self.socket.connect(path)
        except OSError:
            self.socket.close()
            raise
        self.lines = self.socket.makefile("rb")

    def send(self, data):
        self.socket.sendall(data)

    def read(self):
        return schema.check(json.loads(self.lines.readline()))

    def request(self, reference, distorted, options=MODEL):
        self.send(json.dumps({"reference": reference, "distorted": distorted, "options": options}).encode() + b"\n")

    def ask(self, **request):
        self.send(json.dumps(request).encode() + b"\n")
        return self.read()

    def close(self):
        self.lines.close()
        self.socket.close()


class Serve(CommandTest):
    def setUp(self):
        super().setUp()
        self.at = self.path("socket")

    def start(self, *args):
        server = subprocess.Popen([ACUTANCE, "serve", self.at, "-q", *args], stderr=subprocess.PIPE)
        self.addCleanup(server.stderr.close)
        self.addCleanup(server.wait)
        self.addCleanup(server.kill)
        deadline = time.monotonic() + 30
        while True:
            try:
                return server, self.connect()
            except OSError:
                self.assertIsNone(server.poll())
                self.assertLess(time.monotonic(), deadline)
                time.sleep(0.01)

    def connect(self):
        client = Client(self.at)
        self.addCleanup(client.close)
        return client

    def encode(self, name, frames=None):
        """A container of the reference, which has to be decoded."""
        source = self.video("source.y4m", frames or self.clip("ref") * 4)
        return self.ffmpeg("-i", source, "-c:v", "ffv1", self.path(name))

    def long_distorted(self):
        return self.video("long.y4m", self.clip("dis") * 4)

    def assert_serves(self, client):
        self.assertEqual(client.ask(reference=self.ref, distorted=self.dis, options=MODEL)["status"], 0)

    def request_minutes(self, client):
        """Starts a run of minutes, on a file without blocks on the disk."""
        huge = self.path("huge.yuv")
        with open(huge, "wb") as file:
            file.truncate(1920 * 1080 * 3 // 2 * 3000)
        client.request(huge, huge, [*MODEL, "--size", "1920x1080", "--align", "index"])
        time.sleep(0.3)

    def test_scores_are_those_of_the_command(self):
        _, client = self.start()
        for options in (MODEL, ["-m", "vmaf_v0.6.1", "-f", "psnr", "--frames", "1:5", "--align", "index"]):
            reply = client.ask(id=[1, "x"], reference=self.ref, distorted=[self.dis, self.ref], options=options)
            self.assertEqual((reply["id"], reply["status"]), ([1, "x"], 0))
            self.assertEqual(reply["summary"]["results"], self.summary(self.ref, self.dis, self.ref, *options)["results"])
        reply = client.ask(reference=self.ref, distorted=self.dis,
                           options=[*MODEL, "--require", "vmaf_v0.6.1.mean>101", "-o", self.path("log.json")])
        self.assertEqual(reply["status"], 3)
        self.assertEqual(len(json.loads(self.read("log.json"))["frames"]), self.FRAMES)

    @needs_ffmpeg
    def test_the_reference_stays_decoded(self):
        reference = self.encode("ref.mkv")
        dis = self.long_distorted()
        expected = self.summary(reference, dis, *MODEL, "-f", "psnr")["results"]
        _, client = self.start()
        # The first run decodes a part, the second the rest; the first reads no chroma.
        reply = client.ask(reference=reference, distorted=dis, options=[*MODEL, "--frames", "0:9"])
        self.assertEqual((reply["status"], reply["kept_frames"]), (0, 0))
        self.assertEqual(reply["summary"]["frames"], 9)
        for least, most in ((9, 23), (24, 24)):
            reply = client.ask(reference=reference, distorted=dis, options=[*MODEL, "-f", "psnr"])
            self.assertTrue(least <= reply["kept_frames"] <= most, reply["kept_frames"])
            self.assertEqual(reply["summary"]["results"], expected)
        cached = client.ask(op="status")["references"]
        self.assertEqual(cached, [{"reference": reference, "frames": 24, "bytes": 24 * 64 * 48 * 3 // 2, "device_frames": 0}])
        # A video against itself reads the file twice; frames of a changed file must be read again.
        self.assertEqual(client.ask(reference=reference, distorted=reference, options=MODEL)["status"], 0)
        self.encode("ref.mkv", self.clip("dis") * 3)
        reply = client.ask(reference=reference, distorted=dis, options=[*MODEL, "-f", "psnr"])
        self.assertEqual((reply["summary"]["frames"], reply["kept_frames"]), (18, 0))
        self.assertEqual(reply["summary"]["results"][0]["features"]["psnr_y"]["min"], 60)
        self.assertTrue(client.ask(op="drop", reference=reference)["dropped"])
        self.assertFalse(client.ask(op="drop", reference=reference)["dropped"])

    def test_the_reference_stays_on_the_device(self):
        options = [*MODEL, "-f", "psnr", "--backend", "emu"]
        expected = self.summary(self.ref, self.dis, *options)["results"]
        _, client = self.start()
        for frames in (0, self.FRAMES, self.FRAMES):
            reply = client.ask(reference=self.ref, distorted=self.dis, options=options)
            self.assertEqual((reply["status"], reply["kept_frames"], reply["device_frames"]), (0, 0, frames))
            self.assertEqual(reply["summary"]["results"], expected)
        # Other frames, another preparation and the CPU read the same file.
        device = ["--backend", "emu"]
        for more in ([*device, "--frames", "2:5"], [*device, "--crop", "48:40:8:4"], [], [*device, "--align", "index"]):
            reply = client.ask(reference=self.ref, distorted=self.dis, options=[*MODEL, *more])
            self.assertEqual(reply["summary"]["results"], self.summary(self.ref, self.dis, *MODEL, *more)["results"])
        # A changed file is another reference.
        with open(self.ref, "r+b") as file:
            file.seek(0)
            file.write(y4m(64, 48, self.clip("dis")))
        reply = client.ask(reference=self.ref, distorted=self.dis, options=options)
        self.assertEqual(reply["summary"]["results"][0]["features"]["psnr_y"]["min"], 60)
        status = client.ask(op="status")
        self.assertEqual(status["references"][0]["device_frames"], self.FRAMES)
        self.assertGreaterEqual(status["device_bytes"], self.FRAMES * 64 * 48)
        self.assertTrue(client.ask(op="drop", reference=self.ref)["dropped"])
        self.assertEqual(client.ask(op="status")["device_bytes"], 0)

    @needs_ffmpeg
    def test_a_decoded_reference_stays_on_the_device(self):
        reference = self.encode("ref.mkv")
        dis = self.long_distorted()
        options = [*MODEL, "--backend", "emu"]
        expected = self.summary(reference, dis, *options)["results"]
        _, client = self.start("--max-vram", str(10 * 64 * 48))
        for frames in (0, 10):
            reply = client.ask(reference=reference, distorted=dis, options=options)
            self.assertEqual((reply["status"], reply["device_frames"]), (0, frames))
            self.assertEqual(reply["summary"]["results"], expected)

    @needs_ffmpeg
    def test_memory_is_bounded(self):
        a, b = self.encode("a.mkv"), self.encode("b.mkv")
        dis = self.long_distorted()
        bytes_of_one = 24 * 64 * 48 * 3 // 2
        for budget, expected in ((bytes_of_one * 3 // 2, [(b, 24)]), (bytes_of_one // 2, [(b, 0), (a, 0)]),
                                 (bytes_of_one * 2, [(b, 24), (a, 24)])):
            server, client = self.start("--max-memory", str(budget))
            scores = []
            for reference in (a, b):
                for _ in range(2):
                    reply = client.ask(reference=reference, distorted=dis, options=MODEL)
                    scores.append(reply["summary"]["results"])
            self.assertEqual(scores, scores[:1] * 4)
            cached = client.ask(op="status")["references"]
            self.assertEqual([(each["reference"], each["frames"]) for each in cached], expected)
            server.terminate()
            server.wait()

    @needs_ffmpeg
    def test_memory_is_bounded_where_runs_stop_early(self):
        """AVI declares its length, Matroska does not: a cached part counts as what it may still grow to."""
        dis, part = self.long_distorted(), ["--frames", "0:9"]
        budget = 24 * 64 * 48 * 3 // 2 * 3 // 2
        for kind, runs in (("avi", [("a", part, None), ("b", [], None), ("a", [], None)]),
                           ("mkv", [("a", part, [9]), ("b", part, [9, 9]), ("a", part, [9, 9]), ("a", [], [24, 9]),
                                    ("b", [], [24]), ("a", part, [9])])):
            references = {name: self.encode(f"{name}.{kind}") for name in "ab"}
            server, client = self.start("--max-memory", str(budget))
            for name, more, expected in runs:
                reply = client.ask(reference=references[name], distorted=dis, options=[*MODEL, *more])
                self.assertEqual(reply["status"], 0)
                cached = client.ask(op="status")["references"]
                self.assertLessEqual(sum(each["bytes"] for each in cached), budget)
                frames = [each["frames"] for each in cached]
                self.assertTrue(frames == expected if expected else frames[0] > 0, frames)
            server.terminate()
            server.wait()

    def test_wrong_requests_are_answered(self):
        server, client = self.start()
        for line, status, fragment in (
            (b"nonsense", 2, "JSON object"), (b"[1]", 2, "JSON object"), (b"\xff\xfe", 2, "JSON object"),
            (b'{"id": 7, "reference": "x"}', 2, "at least one"), (b'{"id": 7, "distorted": 3, "reference": "x"}', 2, "a text"),
            (b'{"id": 7, "op": "stop"}', 2, "there are score"), (b'{"id": 7, "refrence": "x"}', 2, "no such field"),
        ):
            client.send(line + b"\n\n")
            reply = client.read()
            self.assertEqual(reply["status"], status)
            self.assertIn(fragment, reply["error"])
            self.assertEqual(reply["id"], 7 if b'"id"' in line else None)
        for options, status, fragment in (
            (["--nonsense"], 2, "not expected: --nonsense"), (["--help"], 2, "`acutance score`"), (["-m", "none"], 1, "none"),
            (["--at-least", "3"], 2, "are for `acutance score`"), ([self.dis], 2, "name the videos"),
            (["--", "x"], 2, "name the videos"), (["--journal", self.path("j")], 2, "are for"),
        ):
            reply = client.ask(reference=self.ref, distorted=self.dis, options=options)
            self.assertIn(fragment, reply["error"])
            self.assertIn(reply["status"], (1, 2), options)
        for reference, distorted, fragment in ((self.path("absent"), self.dis, "absent"), (self.ref, self.path("absent"), "absent"),
                                               ("-", self.dis, "input")):
            self.assertIn(fragment, client.ask(reference=reference, distorted=distorted)["error"])
        for name in ("-r.y4m", "--help"):  # names of files, not options
            reply = client.ask(reference=name, distorted=[name], options=MODEL[:2])
            self.assertIn(f"{name}: No such file", reply["error"])
            self.assertIs(type(reply["status"]), int)
        deep = self.connect()
        deep.send(b"[" * 200000 + b"\n")
        self.assertEqual(deep.read()["status"], 2)
        long = self.connect()
        try:
            long.send(b"x" * (1 << 21))
        except OSError:
            pass  # it is closed while it sends
        self.assertIsNone(server.poll())
        half = self.connect()  # the sending half is closed, and the answer comes
        half.send(json.dumps({"reference": self.ref, "distorted": self.dis, "options": MODEL}).encode())
        half.socket.shutdown(socket.SHUT_WR)
        self.assertEqual(half.read()["status"], 0)
        self.assert_serves(client)

    def test_a_client_that_disconnects_ends_its_run(self):
        _, client = self.start()
        self.request_minutes(client)
        client.close()
        start = time.monotonic()
        self.assert_serves(self.connect())
        self.assertLess(time.monotonic() - start, 20)

    def test_a_fifo_is_no_reference(self):
        fifo = self.fifo("fifo")
        _, client = self.start()
        reply = client.ask(reference=fifo, distorted=self.dis, options=MODEL)
        self.assertEqual(reply["status"], 2)
        self.assertIn("is no regular file", reply["error"])
        self.assert_serves(client)

    def test_a_fifo_without_a_writer_blocks_no_client(self):
        fifo = self.fifo("fifo")
        server, client = self.start()
        for written in (b"", y4m(64, 48, self.clip("dis"))[:9999]):  # without a writer, or with one that stops in a frame
            waiting = self.connect()
            waiting.request(self.ref, fifo)
            writer = os.open(fifo, os.O_RDWR) if written else None
            if written:
                os.write(writer, written)
            time.sleep(0.3)
            begin = time.monotonic()
            waiting.close()
            self.assert_serves(client)
            self.assertLess(time.monotonic() - begin, 5)
            if written:
                os.close(writer)
        self.assert_ends_soon(server, client, fifo)

    def assert_ends_soon(self, server, client, *request):
        client.request(self.ref, *request)
        time.sleep(0.3)
        begin = time.monotonic()
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=20), 0)
        self.assertLess(time.monotonic() - begin, 5)
        self.assertFalse(os.path.exists(self.at))

    def test_the_server_ends_though_a_run_waits_for_ever(self):
        fifo = self.fifo("fifo")
        server, client = self.start()
        self.assert_ends_soon(server, client, self.dis, ["-m", fifo])

    def test_a_fifo_may_be_scored(self):
        fifo = self.fifo("fifo")
        _, client = self.start()
        client.request(self.ref, fifo)
        time.sleep(0.2)
        with open(fifo, "wb") as file, open(self.dis, "rb") as dis:
            file.write(dis.read())
        reply = client.read()
        self.assertEqual(reply["status"], 0)
        expected = self.summary(self.ref, self.dis, *MODEL)["results"][0]
        self.assertEqual(reply["summary"]["results"][0]["models"], expected["models"])

    def test_a_server_without_descriptors_waits_for_them(self):
        server, first = self.start()
        first.ask(op="status")  # it is accepted now
        used = len(os.listdir(f"/proc/{server.pid}/fd"))
        resource.prlimit(server.pid, resource.RLIMIT_NOFILE, (used + 1, used + 1))
        clients = [self.connect() for _ in range(4)]  # of which one is accepted

        def seconds():
            with open(f"/proc/{server.pid}/stat", encoding="utf-8") as file:
                return sum(map(int, file.read().rsplit(")", 1)[1].split()[11:13])) / os.sysconf("SC_CLK_TCK")
        begin = seconds()
        time.sleep(1)
        self.assertLess(seconds() - begin, 0.3)
        first.close()
        self.assertEqual(clients[1].ask(op="status")["references"], [])

    def test_the_socket_is_the_owners_and_goes_with_the_server(self):
        for end in (signal.SIGTERM, signal.SIGINT):
            server, client = self.start()
            mode = os.lstat(self.at).st_mode
            self.assertEqual((stat.S_ISSOCK(mode), stat.S_IMODE(mode)), (True, 0o600))
            self.assert_fails(self.acutance("serve", self.at), 1, "another server answers there")
            self.assertEqual(client.ask(op="status")["references"], [])
            server.send_signal(end)
            self.assertEqual(server.wait(timeout=30), 0)
            self.assertFalse(os.path.exists(self.at))
        server, _ = self.start()
        server.kill()
        server.wait()
        self.assertTrue(os.path.exists(self.at))
        server, _ = self.start()  # the socket of a killed server is replaced
        self.assertIsNone(server.poll())
        self.assert_fails(self.acutance("serve", self.ref), 1, "is no socket")
        self.assert_fails(self.acutance("serve", self.path("x" * 200)), 1, "bytes")

    def test_a_run_ends_with_the_server(self):
        server, client = self.start()
        self.request_minutes(client)
        server.send_signal(signal.SIGTERM)
        self.assertEqual(server.wait(timeout=20), 0)
