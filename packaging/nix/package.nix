# For `pkgs.callPackage ./package.nix { }`.
{
  lib,
  stdenv,
  fetchurl,
  cli11,
  cmake,
  ffmpeg,
  fmt,
  libdeflate,
  libhwy,
  libjpeg,
  makeWrapper,
  ninja,
  nlohmann_json,
  pkg-config,
  python3,
}:

stdenv.mkDerivation (finalAttrs: {
  pname = "acutance";
  version = "@VERSION@";

  src = fetchurl {
    url = "@URL@";
    hash = "@SRI@";
  };

  nativeBuildInputs = [ cmake makeWrapper ninja pkg-config python3 ];
  buildInputs = [ cli11 fmt libdeflate libhwy libjpeg nlohmann_json ];

  cmakeFlags = [
    "-DACUTANCE_TESTS=OFF"
    "-DACUTANCE_BENCHMARKS=OFF"
    "-DACUTANCE_BACKENDS="
  ];

  doCheck = true;
  checkPhase = ''
    python3 -B ../tests/golden/scores.py bin/vmaf
  '';

  # FFmpeg's libraries are opened when a container is read.
  postFixup = ''
    wrapProgram $out/bin/acutance --set-default ACUTANCE_FFMPEG_LIBRARIES ${lib.getLib ffmpeg}/lib
  '';

  meta = {
    description = "Perceptual video quality, fast and exact: VMAF, SSIMULACRA2, CVVDP, XPSNR";
    homepage = "@HOME@";
    license = [ lib.licenses.bsd2Patent lib.licenses.mit ];
    mainProgram = "acutance";
    platforms = [ "x86_64-linux" "aarch64-linux" ];
  };
})
