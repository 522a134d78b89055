// A plugin of VapourSynth whose functions are in libvship.so: one file for each plugin, since a file has one.
#include <VapourSynth4.h>

VS_EXTERNAL_API(void) acutance_vapoursynth_plugin(const char* name, VSPlugin* plugin, const VSPLUGINAPI* api);

VS_EXTERNAL_API(void) VapourSynthPluginInit2(VSPlugin* plugin, const VSPLUGINAPI* api) {
  acutance_vapoursynth_plugin(ACUTANCE_PLUGIN, plugin, api);
}
