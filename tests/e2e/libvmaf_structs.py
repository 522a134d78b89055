"""The structs of libvmaf's C API (docs/spec/system.md 3.1), for ctypes."""
import ctypes


class Configuration(ctypes.Structure):
    _fields_ = [("log_level", ctypes.c_int), ("n_threads", ctypes.c_uint), ("n_subsample", ctypes.c_uint),
                ("cpumask", ctypes.c_uint64), ("gpumask", ctypes.c_uint64)]


class Picture(ctypes.Structure):
    _fields_ = [("pix_fmt", ctypes.c_int), ("bpc", ctypes.c_uint), ("w", ctypes.c_uint * 3), ("h", ctypes.c_uint * 3),
                ("stride", ctypes.c_ssize_t * 3), ("data", ctypes.c_void_p * 3), ("ref", ctypes.c_void_p),
                ("priv", ctypes.c_void_p)]
