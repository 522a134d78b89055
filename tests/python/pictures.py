"""Pictures made by formulas, and files of them."""
import numpy as np

WIDTH, HEIGHT, FRAMES = 96, 64, 12


def luma(frame, noise, width=WIDTH, height=HEIGHT, depth=8):
    """A moving saddle with a ramp; `noise` is the height of a fixed pattern on top of it."""
    y, x = np.mgrid[0:height, 0:width]
    value = (128 + (x - 32 + 2 * frame) * (y - 20 - frame) * 3 // 16 + (x * x + 3 * y * y + 17 * frame) // 8 % 64) % 200
    value = value + (31 * x + 17 * y + 5 * frame) % (noise + 1)
    if depth == 8:
        return value.astype(np.uint8)
    return (value * 2 ** (depth - 8) + (x + y) % 2 ** (depth - 8)).astype(np.uint16)


def picture(frame, noise, width=WIDTH, height=HEIGHT, depth=8):
    """Planes of 4:2:0."""
    y = luma(frame, noise, width, height, depth)
    chroma = y[: height // 2, : width // 2], y[-(height // 2) :, : width // 2]
    return y, *map(np.ascontiguousarray, chroma)


def clip(noise, frames=FRAMES, **format):
    return [picture(frame, noise, **format) for frame in range(frames)]


def write_y4m(path, pictures, depth=8):
    height, width = pictures[0][0].shape
    tag = "C420jpeg" if depth == 8 else f"C420p{depth}"
    with open(path, "wb") as file:
        file.write(f"YUV4MPEG2 W{width} H{height} F25:1 Ip A1:1 {tag}\n".encode())
        for planes in pictures:
            file.write(b"FRAME\n" + b"".join(plane.tobytes() for plane in planes))
    return path


def assert_same_bits(result, expected):
    assert set(result) == set(expected)
    for name, scores in expected.items():
        np.testing.assert_array_equal(result[name], scores, err_msg=name)
