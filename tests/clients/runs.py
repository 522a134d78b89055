"""What is compared with libvmaf: features with options, models with flags and overloads, and what must be refused."""
import pathlib

PSNR = ["psnr", "psnr=enable_chroma=false", "psnr=enable_mse=true", "psnr=enable_apsnr=true",
        "psnr=reduced_hbd_peak=true", "psnr=min_sse=0.5",
        "psnr=enable_mse=true:enable_apsnr=true:reduced_hbd_peak=true:min_sse=2", "float_psnr",
        "psnr_hvs", "ciede", "float_ansnr", "float_moment"]

SSIM = ["float_ssim", "float_ssim=enable_lcs=true", "float_ssim=enable_db=true", "float_ssim=enable_db=true:clip_db=true",
        "float_ssim=scale=1:enable_db=true:clip_db=true", "float_ssim=scale=2", "float_ms_ssim",
        "float_ms_ssim=enable_lcs=true", "float_ms_ssim=enable_db=true", "float_ms_ssim=enable_db=true:clip_db=true"]

VIF = ["vif", "vif=debug=true", "vif=vif_enhn_gain_limit=1.0", "vif=vif_enhn_gain_limit=1.1", "vif=vif_skip_scale0=true",
       "vif=debug=true:vif_enhn_gain_limit=1.1", "float_vif", "float_vif=debug=true", "float_vif=vif_enhn_gain_limit=1",
       "float_vif=vif_enhn_gain_limit=1.1:debug=true", "float_vif=vif_kernelscale=0.5", "float_vif=vif_kernelscale=1.5",
       "float_vif=vif_kernelscale=2.0", "float_vif=vif_kernelscale=0.6666666", "float_vif=vif_prescale=0.5",
       "float_vif=vif_prescale=0.5:vif_prescale_method=bilinear", "float_vif=vif_prescale=0.6:vif_prescale_method=bicubic",
       "float_vif=vif_prescale=2:vif_prescale_method=lanczos4", "float_vif=vif_scale1_min_val=0.9",
       "float_vif=vif_scale2_min_val=0.9", "float_vif=vif_scale3_min_val=0.95", "float_vif=vif_sigma_nsq=0.5",
       "float_vif=vif_skip_scale0=true", "float_vif=vif_skip_scale0=true:debug=true"]

ADM_OPTIONS = ["debug=true", "adm_enhn_gain_limit=1.0", "adm_enhn_gain_limit=1.2", "adm_enhn_gain_limit=1.2:debug=true",
               "adm_norm_view_dist=6.0", "adm_norm_view_dist=1.5:adm_ref_display_height=2160", "adm_noise_weight=0.02",
               "adm_dlm_weight=0.7", "adm_min_val=0.5", "adm_skip_scale0=true", "adm_skip_scale0=true:debug=true",
               "adm_csf_mode=2", "adm_csf_mode=2:adm_norm_view_dist=5:adm_min_val=0.5:adm_noise_weight=0.02"]
ADM = ["adm", "adm=adm_skip_aim=true", "adm=adm_csf_scale=2", "adm=adm_csf_diag_scale=0.5", "float_adm"]
ADM += [f"{name}={options}" for name in ("adm", "float_adm") for options in ADM_OPTIONS]
ADM += [f"float_adm={options}" for options in (
    "adm_csf_mode=1", "adm_csf_mode=3", "adm_csf_mode=9", "adm_csf_scale=2", "adm_csf_diag_scale=0.5", "adm_bypass_cm=1",
    "adm_adm3_apply_hm=true", "adm_p_norm=2", "adm_skip_aim_scale=0", "adm_skip_aim_scale=3", "adm_f1s0=0.5:adm_f2s3=0.25",
    "adm_f1s1=1:adm_f1s2=1:adm_f1s3=1:adm_f2s0=1:adm_f2s1=1:adm_f2s2=1")]

MOTION_OPTIONS = ["debug=true", "debug=false", "motion_force_zero=true", "motion_force_zero=true:debug=true",
                  "motion_fps_weight=2", "motion_blend_factor=0.5", "motion_blend_factor=0.5:motion_blend_offset=5",
                  "motion_max_val=3", "motion_fps_weight=1.5:debug=true:motion_max_val=18"]
MOTION = ["motion", "motion=motion_five_frame_window=true", "motion=motion_moving_average=true",
          "motion=motion_moving_average=true:motion_five_frame_window=true:motion_max_val=18", "float_motion",
          "float_motion=motion_add_scale1=true", "float_motion=motion_filter_size=3", "float_motion=motion_filter_size=0",
          "float_motion=motion_add_uv=true"]
MOTION += [f"{name}={options}" for name in ("motion", "float_motion") for options in MOTION_OPTIONS]

CAMBI = ["cambi", "cambi=enc_width=240", "cambi=enc_bitdepth=8", "cambi=enc_width=240:enc_height=180",
         "cambi=enc_bitdepth=8:enc_width=240:enc_height=180",
         "cambi=enc_width=656:enc_height=496", "cambi=window_size=31", "cambi=topk=0.2", "cambi=cambi_topk=0.2",
         "cambi=tvi_threshold=0.01", "cambi=cambi_vis_lum_threshold=5",
         "cambi=max_log_contrast=0", "cambi=max_log_contrast=4",
         "cambi=full_ref=true", "cambi=full_ref=true:src_width=368:src_height=304", "cambi=eotf=pq", "cambi=cambi_eotf=pq",
         "cambi=cambi_high_res_speedup=1080", "cambi=cambi_max_val=0.5", "cambi=full_ref=true:window_size=31:topk=0.3"]

SPEED_OPTIONS = ["speed_kernelscale=1.5", "speed_prescale=0.9", "speed_prescale=0.6:speed_prescale_method=bilinear",
                 "speed_sigma_nn=0.5", "speed_nn_floor=0.1", "speed_max_val=2"]
SPEED = ["speed_chroma", "speed_temporal", "speed_temporal=speed_use_ref_diff=true", "speed_chroma=speed_weight_var_mode=5",
         "speed_chroma=speed_weight_var_mode=1:speed_nn_floor=0.1:speed_sigma_nn=0.19:speed_max_val=45"]
SPEED += [f"{name}={options}" for name in ("speed_chroma", "speed_temporal") for options in SPEED_OPTIONS]

FEATURES = PSNR + SSIM + VIF + ADM + MOTION + CAMBI + SPEED + ["null"]

BUILT_IN = ["vmaf_v0.6.1", "vmaf_v0.6.1neg", "vmaf_4k_v0.6.1", "vmaf_4k_v0.6.1neg", "vmaf_float_v0.6.1",
            "vmaf_float_v0.6.1neg", "vmaf_float_4k_v0.6.1"]
BUILT_IN += [f"vmaf_v1.0.16_{rate}{where}" for rate in ("", "hfr_") for where in ("3d0h", "5d0h", "3d0h_2160", "1d5h_2160")]
LIMITS = ":".join(f"{prefix}{name}.{name}_enhn_gain_limit={{}}" for name in ("vif", "adm") for prefix in ("", "float_"))
FILES = pathlib.Path(__file__).resolve().parents[2] / "models"
MODELS = [(f"version={name}",) for name in BUILT_IN]
MODELS += [(f"path={FILES}/{name}.json",) for name in ("vmaf_v0.6.1", "vmaf_float_v0.6.1neg", "vmaf_v1.0.16_5d0h")]
MODELS += [("version=vmaf_float_v0.6.1:float_vif.vif_kernelscale=1.5:float_adm.adm_norm_view_dist=6",)]
MODELS += [(f"version=vmaf_v0.6.1:{flags}",) for flags in (
    "name=other", "disable_clip=true", "enable_transform=true", "enable_transform=true:disable_clip=true",
    "name=phone:enable_transform=true", LIMITS.format("1.0", "1.0", "1.0", "1.0"), LIMITS.format("1.1", "1.1", "1.2", "1.2"),
    "motion.motion_force_zero=true:float_motion.motion_force_zero=true", "motion.motion_force_zero=true",
    "cambi.enc_width=576", "cambi.enc_bitdepth=10:cambi.enc_width=576:cambi.enc_height=324", "nosuch.x=1", "vif.nosuch=1",
    "adm.adm_norm_view_dist=5:adm.adm_ref_display_height=2160")]
MODELS += [("version=vmaf_v0.6.1neg:adm.adm_enhn_gain_limit=1.2:disable_clip=true",),
           ("version=vmaf_v1.0.16_3d0h:cambi.enc_width=240:cambi.enc_height=180:cambi.enc_bitdepth=8",),
           ("version=vmaf_v1.0.16_3d0h:disable_clip=true",), ("version=vmaf_v1.0.16_3d0h:motion.motion_force_zero=true",),
           ("version=vmaf_v0.6.1", "version=vmaf_v0.6.1neg:name=neg"),
           ("version=vmaf_v0.6.1", "version=vmaf_v1.0.16_3d0h:name=v1", "version=vmaf_4k_v0.6.1:name=four"),
           ("version=vmaf_v0.6.1:name=a", "version=vmaf_v0.6.1:name=b:enable_transform=true")]

REFUSED_FEATURES = ["nosuch", "vif=vif_enhn_gain_limit=0.9", "adm=adm_enhn_gain_limit=0.9", "psnr=enable_chroma=maybe",
                    "cambi=window_size=200", "cambi=eotf=nosuch", "float_ssim=scale=11",
                    "motion=motion_fps_weight=6", "speed_chroma=speed_prescale_method=nosuch"]
REFUSED_MODELS = ["version=nosuch", "version=vmaf_v0.6.1:vif.vif_enhn_gain_limit=0.9:float_vif.vif_enhn_gain_limit=0.9",
                  "version=vmaf_v0.6.1:adm.adm_enhn_gain_limit=0.9", "path=/nonexistent/model.json"]


DECIBELS = "enable_db=true:clip_db=true"
AOM = ["psnr=reduced_hbd_peak=true:enable_apsnr=true:min_sse=0.5", "ciede", f"float_ssim={DECIBELS}",
       f"float_ms_ssim={DECIBELS}", "psnr_hvs"]
AOM_7 = [AOM[0], AOM[1], f"float_ssim=scale=1:{DECIBELS}", AOM[3], AOM[4], "cambi"]
NETFLIX = ["psnr=enable_chroma=true:enable_apsnr=true", f"float_ssim={DECIBELS}", "cambi"]
PAIR = ("version=vmaf_v0.6.1", "version=vmaf_v0.6.1neg:name=vmaf_neg")
PAIR_4K = ("version=vmaf_4k_v0.6.1", "version=vmaf_4k_v0.6.1neg:name=vmaf_neg")
# What each preset of the command stands for.
PRESETS = {("--aom_ctc", f"v{n}.0"): (PAIR, AOM if n < 3 else [*AOM, "cambi"] if n < 7 else AOM_7) for n in range(1, 8)}
PRESETS["--nflx_ctc", "v1.0"] = (PAIR_4K, NETFLIX)

# libvmaf refuses these, and so does acutance.
NOT_OF_16_BITS = ["psnr_hvs"]
# libvmaf reads past its chroma there (src/metric/ciede/README.md).
READS_OUTSIDE_OF_ODD_SIZES = ["ciede"]


def bound(frame, name):
    """How far a score may lie from the peer's, whose logs have six digits.

    Its integer ADM limits the gain in floats of another precision on each instruction set; its float ADM divides by the
    processor's approximate reciprocal, which differs among makers, so that sums differ in a float's last places.
    """
    size = abs(frame[name])
    if any("egl_1." in column for column in frame):
        return 1e-4 if name.startswith("vmaf") else 1.01e-6 + 5e-6 * size
    if name.startswith("vmaf") and any(column.startswith("adm2") for column in frame):
        return 2e-5
    return 1.01e-6 + (2e-7 if name.startswith(("adm_num", "adm_den")) else 1e-9) * size
