#!/usr/bin/env python3
"""The binary interface of libvmaf.so.3 against libvmaf 3.2's (x86-64 SysV).

usage: ACUTANCE_LIBRARY=FOLDER ACUTANCE_INCLUDE=FOLDER [CC=cc] test_abi.py

Compiles C programs against the headers, compares every size, offset and enumerator with the table below, the exported
symbols with the list below, and runs a program that was written against libvmaf's documentation.
"""
import json
import os
import pathlib
import re
import subprocess
import tempfile
import unittest

HERE = pathlib.Path(__file__).resolve().parent
LIBRARY = pathlib.Path(os.environ["ACUTANCE_LIBRARY"])
INCLUDE = pathlib.Path(os.environ["ACUTANCE_INCLUDE"])
CC = os.environ.get("CC", "cc").split()

LAYOUT = """
VmafConfiguration 32/8
VmafConfiguration.log_level 0:4
VmafConfiguration.n_threads 4:4
VmafConfiguration.n_subsample 8:4
VmafConfiguration.cpumask 16:8
VmafConfiguration.gpumask 24:8
VmafModelConfig 16/8
VmafModelConfig.name 0:8
VmafModelConfig.flags 8:8
VmafPicture 96/8
VmafPicture.pix_fmt 0:4
VmafPicture.bpc 4:4
VmafPicture.w 8:12
VmafPicture.h 20:12
VmafPicture.stride 32:24
VmafPicture.data 56:24
VmafPicture.ref 80:8
VmafPicture.priv 88:8
VmafModelCollectionScore 40/8
VmafModelCollectionScore.type 0:4
VmafModelCollectionScore.bootstrap.bagging_score 8:8
VmafModelCollectionScore.bootstrap.stddev 16:8
VmafModelCollectionScore.bootstrap.ci.p95.lo 24:8
VmafModelCollectionScore.bootstrap.ci.p95.hi 32:8
VmafPictureConfiguration 20/4
VmafPictureConfiguration.pic_params.w 0:4
VmafPictureConfiguration.pic_params.h 4:4
VmafPictureConfiguration.pic_params.bpc 8:4
VmafPictureConfiguration.pic_params.pix_fmt 12:4
VmafPictureConfiguration.pic_cnt 16:4
VmafCudaConfiguration 8/8
VmafCudaConfiguration.cu_ctx 0:8
VmafCudaPictureConfiguration 20/4
VmafCudaPictureConfiguration.pic_params.w 0:4
VmafCudaPictureConfiguration.pic_params.h 4:4
VmafCudaPictureConfiguration.pic_params.bpc 8:4
VmafCudaPictureConfiguration.pic_params.pix_fmt 12:4
VmafCudaPictureConfiguration.pic_prealloc_method 16:4
VMAF_LOG_LEVEL_NONE 0:4
VMAF_LOG_LEVEL_ERROR 1:4
VMAF_LOG_LEVEL_WARNING 2:4
VMAF_LOG_LEVEL_INFO 3:4
VMAF_LOG_LEVEL_DEBUG 4:4
VMAF_OUTPUT_FORMAT_NONE 0:4
VMAF_OUTPUT_FORMAT_XML 1:4
VMAF_OUTPUT_FORMAT_JSON 2:4
VMAF_OUTPUT_FORMAT_CSV 3:4
VMAF_OUTPUT_FORMAT_SUB 4:4
VMAF_POOL_METHOD_UNKNOWN 0:4
VMAF_POOL_METHOD_MIN 1:4
VMAF_POOL_METHOD_MAX 2:4
VMAF_POOL_METHOD_MEAN 3:4
VMAF_POOL_METHOD_HARMONIC_MEAN 4:4
VMAF_POOL_METHOD_NB 5:4
VMAF_PIX_FMT_UNKNOWN 0:4
VMAF_PIX_FMT_YUV420P 1:4
VMAF_PIX_FMT_YUV422P 2:4
VMAF_PIX_FMT_YUV444P 3:4
VMAF_PIX_FMT_YUV400P 4:4
VMAF_MODEL_FLAGS_DEFAULT 0:4
VMAF_MODEL_FLAG_DISABLE_CLIP 1:4
VMAF_MODEL_FLAG_ENABLE_TRANSFORM 2:4
VMAF_MODEL_FLAG_DISABLE_TRANSFORM 4:4
VMAF_MODEL_COLLECTION_SCORE_UNKNOWN 0:4
VMAF_MODEL_COLLECTION_SCORE_BOOTSTRAP 1:4
VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_NONE 0:4
VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_DEVICE 1:4
VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST 2:4
VMAF_CUDA_PICTURE_PREALLOCATION_METHOD_HOST_PINNED 3:4
VMAF_API_VERSION_MAJOR 3:4
VMAF_API_VERSION_MINOR 2:4
VMAF_API_VERSION_PATCH 0:4
""".strip().splitlines()

SYMBOLS = set("""
vmaf_close vmaf_feature_dictionary_free vmaf_feature_dictionary_set vmaf_feature_score_at_index
vmaf_feature_score_pooled vmaf_fetch_preallocated_picture vmaf_import_feature_score vmaf_init
vmaf_model_collection_destroy vmaf_model_collection_feature_overload vmaf_model_collection_load
vmaf_model_collection_load_from_path vmaf_model_destroy vmaf_model_feature_overload vmaf_model_load
vmaf_model_load_from_path vmaf_picture_alloc vmaf_picture_unref vmaf_preallocate_pictures vmaf_read_pictures
vmaf_register_metadata_handler vmaf_score_at_index vmaf_score_at_index_model_collection vmaf_score_pooled
vmaf_score_pooled_model_collection vmaf_use_feature vmaf_use_features_from_model
vmaf_use_features_from_model_collection vmaf_version vmaf_write_output
vmaf_cuda_state_init vmaf_cuda_import_state vmaf_cuda_preallocate_pictures vmaf_cuda_fetch_preallocated_picture
""".split())


def run(*command, **options):
    return subprocess.run([str(word) for word in command], check=True, capture_output=True, text=True, **options).stdout


class Abi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.out = pathlib.Path(cls.folder.name)

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def compile(self, source, *libraries):
        """A C99 program, with both -I that libvmaf.pc names; warnings are errors."""
        program = self.out / source.stem
        run(*CC, "-std=c99", "-pedantic", "-Wall", "-Wextra", "-Werror", f"-I{INCLUDE}", f"-I{INCLUDE}/libvmaf",
            source, "-o", program, *libraries)
        return program

    def test_layout(self):
        self.assertEqual(run(self.compile(HERE / "layout.c")).splitlines(), LAYOUT)

    def test_exported_symbols_are_the_public_ones(self):
        listing = run("nm", "-D", "--defined-only", LIBRARY / "libvmaf.so")
        exported = {line.split()[-1] for line in listing.splitlines()}
        self.assertEqual(exported, SYMBOLS)

    def test_every_declared_function_is_exported(self):
        text = "".join(path.read_text() for path in sorted((INCLUDE / "libvmaf").glob("*.h")))
        self.assertEqual(set(re.findall(r"\b(vmaf_\w+)\(", re.sub(r"/\*.*?\*/", "", text, flags=re.S))), SYMBOLS)

    def test_soname(self):
        self.assertIn("Library soname: [libvmaf.so.3]", run("readelf", "-d", LIBRARY / "libvmaf.so"))
        self.assertEqual((LIBRARY / "libvmaf.so.3").resolve().name, "libvmaf.so.3.2.1")

    def test_documented_program(self):
        program = self.compile(HERE / "client.c", f"-L{LIBRARY}", "-lvmaf", f"-Wl,-rpath,{LIBRARY}")
        log = self.out / "log.json"
        words = run(program, "vmaf_v0.6.1", log).split()
        scores = json.loads(log.read_text())
        self.assertEqual(scores["version"], "3.2.1")
        self.assertEqual(len(scores["frames"]), 10)
        self.assertAlmostEqual(scores["pooled_metrics"]["vmaf"]["mean"], float(words[3].strip(",")), places=6)
        self.assertAlmostEqual(scores["frames"][3]["metrics"]["psnr_y"], float(words[8]), places=6)
        self.assertNotIn("psnr_cb", scores["frames"][3]["metrics"])


if __name__ == "__main__":
    unittest.main()
