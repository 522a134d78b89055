"""Rate-quality curves of known points: bd."""
from clips import CommandTest


class Curves(CommandTest):
    def text_of(self, *args):
        return self.assert_ok(self.acutance(*args))

    def test_bd(self):
        path = self.write("points.csv", "curve,rate,quality\na,9487.76,40.037\na,4593.6,38.615\na,2486.44,36.845\n"
                          "a,1358.24,34.851\nb,9787.8,40.121\nb,4469,38.651\nb,2451.52,36.97\nb,1356.24,34.987\n"
                          "short,1,3\nshort,2,4\n")
        differences = self.document("bd", path)["ladder"]["differences"]
        self.assertAlmostEqual(differences[0]["by"]["cubic"]["bd_rate"], -4.420462706026296, delta=1e-9)
        self.assertIn("short has 2 points", differences[1]["refusal"])
        self.assertIn("not computed, because short has 2 points", self.text_of("bd", path))
        for row, *fragments in (("1", "expected curve,rate,quality"), ("nan,80",), ("1,inf", "line 2", "infinite", "lossless")):
            self.assert_fails(self.acutance("bd", self.write("bad.csv", f"curve,rate,quality\na,{row}\n")), 1, *fragments)
        near_100 = self.write("near.csv", "curve,rate,quality\nref,5012.39,99.97751\nref,4012.23,99.91607\nref,3014.7,99.51432\n"
                              "ref,2014.65,96.622\nmain,5096.02,99.98146\nmain,4000.03,99.94996\nmain,3067.89,99.66744\n"
                              "main,2054.35,97.1181\n")
        by = self.document("bd", near_100)["ladder"]["differences"][0]["by"]
        self.assertEqual([name for name in by if by[name]["doubtful"]], ["cubic"])
        self.assertRegex(self.text_of("bd", near_100), r"cubic .*doubtful")

    def test_bd_by_avm(self):
        """AVM's own answers, for its points with empty cells, infinite qualities and saturated VMAF."""
        path = self.write("avm.csv", "curve,rate,quality\na,100,10\na,140,10.0001\na,200,10.0002\na,400,39\na,,50\nb,90,10.00005\n"
                          "b,150,10.0003\nb,300,38\nb,500,44\nb,600,\nfalls,100,20\nfalls,200,10.1\n")
        found = self.document("bd", "--method", "avm", path)
        self.assertEqual([(row["test"], row["bd_rate"], row["refusal"]) for row in found["differences"]],
                         [("b", -31.5291, None), ("falls", None, "Error: Non-monotonic")])
        self.assertIn("b against a: BD-rate -31.5291 %\n", self.text_of("bd", "--method", "avm", path))
        full = self.write("full.csv", "curve,rate,quality\na,100,90\na,200,99.6\na,300,99.5\nb,110,90\nb,210,99.7\nb,310,inf\n")
        self.assertIn("Non-monotonic", self.text_of("bd", "--method", "avm", full))
        self.assertIn("BD-rate -7.2825 %", self.text_of("bd", "--method", "avm", "--by", "vmaf", full))
