// The entry of one plugin's file, since VapourSynth takes a file for one plugin.
#include "plugins/vapoursynth/plugin.h"

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin* plugin, const VSPLUGINAPI* api) {
  acutance_vapoursynth::Register(acutance_vapoursynth::ACUTANCE_PLUGIN, plugin, api);
}
