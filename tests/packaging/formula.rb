# Reads a formula of Homebrew's with a stand-in for its classes, runs its steps without doing them, and prints what it says.
# usage: ruby formula.rb FORMULA [mac]
require "json"

module OS
  def self.mac? = ARGV[1] == "mac"
end

class Formula
  SAID = { "calls" => [] }
  Place = Struct.new(:path) do
    def /(name) = Place.new("#{path}/#{name}")
    def install(*) = nil
    def write_env_script(*) = nil
    def to_s = path
    def opt_lib = "#{path}/lib"
  end

  class << self
    %w[desc homepage url version sha256 license].each do |name|
      define_method(name) { |value| SAID[name] = value }
    end
    def keg_only(*) = nil
    def depends_on(*) = nil
    def test(&) = nil
    def [](name) = Place.new(name)
  end

  def system(*words) = SAID["calls"] << words
  def std_cmake_args = ["-DCMAKE_INSTALL_PREFIX=/prefix"]
  def rpath = "@loader_path"
  def bin = Place.new("/prefix/bin")
  def libexec = Place.new("/prefix/libexec")
end

load ARGV.fetch(0)
Acutance.new.install
puts JSON.generate(Formula::SAID)
