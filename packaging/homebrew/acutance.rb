class Acutance < Formula
  desc "Perceptual video quality, fast and exact: VMAF, SSIMULACRA2, CVVDP, XPSNR"
  homepage "@HOME@"
  url "@URL@"
  version "@VERSION@"
  sha256 "@SHA256@"
  license all_of: ["BSD-2-Clause-Patent", "MIT"]

  keg_only "libvmaf installs the same library, headers and command"

  depends_on "cli11" => :build
  depends_on "cmake" => :build
  depends_on "ninja" => :build
  depends_on "nlohmann-json" => :build
  depends_on "pkgconf" => :build
  depends_on "python@3.13" => :build
  depends_on "ffmpeg"
  depends_on "fmt"
  depends_on "highway"
  depends_on "jpeg-turbo"
  depends_on "libdeflate"

  def install
    system "cmake", "-S", ".", "-B", "build", "-G", "Ninja", "-DACUTANCE_TESTS=OFF", "-DACUTANCE_BENCHMARKS=OFF",
           "-DACUTANCE_BACKENDS=", "-DCMAKE_INSTALL_RPATH=#{rpath}", *std_cmake_args
    if OS.mac? # the libraries need a linker that takes version scripts
      system "cmake", "--build", "build", "--target", "acutance", "vmaf"
      bin.install "build/bin/acutance", "build/bin/vmaf"
    else
      system "cmake", "--build", "build"
      system "cmake", "--install", "build"
    end
    # FFmpeg's libraries are opened when a container is read.
    libexec.install bin/"acutance"
    (bin/"acutance").write_env_script libexec/"acutance", ACUTANCE_FFMPEG_LIBRARIES: Formula["ffmpeg"].opt_lib
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/acutance --version")
    (testpath/"grey.y4m").write "YUV4MPEG2 W64 H64 F25:1 C420\nFRAME\n#{"\x80" * 6144}"
    assert_match "psnr_y", shell_output("#{bin}/acutance score grey.y4m grey.y4m --feature psnr 2>&1")
  end
end
