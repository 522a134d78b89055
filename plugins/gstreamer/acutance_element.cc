// The GStreamer element `acutance`: two sinks, "reference" and "distorted", whose frames are compared in their order.
// The distorted frames come out of "src" as they went in. Scores are messages on the bus, structures named "acutance".
#include <acutance/acutance.h>
#include <gst/base/gstaggregator.h>
#include <gst/video/video.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#define PACKAGE "acutance"
namespace {

constexpr const char* kFormats =
    "video/x-raw, format = (string) { I420, Y42B, Y444, GRAY8, I420_10LE, I422_10LE, Y444_10LE, I420_12LE, I422_12LE, "
    "Y444_12LE, GRAY16_LE }";

enum Property { kNone, kModel, kFeatures, kBackend, kThreads, kWindow };

struct Settings {
  std::string model = "vmaf_v0.6.1", features, backend = "cpu";
  int threads = 0;
  int window = 0;
};

/// What one run holds; between READY and PAUSED.
struct Run {
  GstAggregatorPad* pads[2] = {};  // the reference's and the distorted one's; of the element
  std::optional<GstVideoInfo> infos[2];
  std::optional<acutance::Session> session;
  int64_t added = 0;
  int64_t window_begin = 0;  // the first frame of no window yet
  std::vector<std::string> names;
};

}  // namespace

struct AcutanceElement {
  GstAggregator parent;
  Settings* settings;
  Run* run;
};
struct AcutanceElementClass {
  GstAggregatorClass parent;
};

G_DEFINE_TYPE(AcutanceElement, acutance_element, GST_TYPE_AGGREGATOR)

namespace {

AcutanceElement* Of(gpointer object) { return reinterpret_cast<AcutanceElement*>(object); }

/// Names between commas.
std::vector<std::string> ListOf(const std::string& text) {
  std::vector<std::string> names;
  std::istringstream in(text);
  for (std::string name; std::getline(in, name, ',');)
    if (!name.empty()) names.push_back(name);
  return names;
}

std::optional<acutance::PictureFormat> FormatOf(const GstVideoInfo& info) {
  using acutance::PixelFormat;
  acutance::PictureFormat format = {.width = GST_VIDEO_INFO_WIDTH(&info), .height = GST_VIDEO_INFO_HEIGHT(&info)};
  format.bit_depth = static_cast<int>(GST_VIDEO_INFO_COMP_DEPTH(&info, 0));
  if (GST_VIDEO_INFO_N_COMPONENTS(&info) == 1) format.pixel_format = PixelFormat::k400;
  else if (GST_VIDEO_FORMAT_INFO_W_SUB(info.finfo, 1) == 0) format.pixel_format = PixelFormat::k444;
  else if (GST_VIDEO_FORMAT_INFO_H_SUB(info.finfo, 1) == 0) format.pixel_format = PixelFormat::k422;
  return format;
}

/// A picture that reads the buffer in place and holds it until its last use.
acutance::Expected<acutance::Picture> PictureOf(const GstVideoInfo& info, GstBuffer* buffer) {
  auto mapped = std::make_unique<GstVideoFrame>();
  if (!gst_video_frame_map(mapped.get(), const_cast<GstVideoInfo*>(&info), buffer, GST_MAP_READ))
    return acutance::Status(acutance::StatusCode::kIo, "a buffer cannot be read by the processor");
  const std::shared_ptr<GstVideoFrame> frame(mapped.release(), [](GstVideoFrame* held) {
    gst_video_frame_unmap(held);
    delete held;
  });
  const acutance::PictureFormat format = *FormatOf(info);
  std::vector<acutance::PlaneView> views;
  for (int p = 0; p < format.PlaneCount(); ++p)
    views.push_back({GST_VIDEO_FRAME_PLANE_DATA(frame.get(), p), GST_VIDEO_FRAME_PLANE_STRIDE(frame.get(), p)});
  return acutance::Picture::Wrap(format, views, frame);
}

acutance::Status Open(const Settings& settings, Run& run) {
  acutance::SessionOptions options;
  for (const std::string& name : ListOf(settings.model)) {
    acutance::Expected<acutance::Model> model = acutance::Model::Load(name, {.name = name});
    if (!model) return model.status();
    options.models.push_back(*std::move(model));
  }
  for (const std::string& name : ListOf(settings.features)) options.features.push_back({name, {}});
  options.backend = settings.backend;
  options.threads = settings.threads;
  const GstVideoInfo& info = *run.infos[0];
  if (GST_VIDEO_INFO_FPS_N(&info) > 0 && GST_VIDEO_INFO_FPS_D(&info) > 0)
    options.frame_rate = static_cast<double>(GST_VIDEO_INFO_FPS_N(&info)) / GST_VIDEO_INFO_FPS_D(&info);
  acutance::Expected<acutance::Session> session = acutance::Session::Create(options);
  if (!session) return session.status();
  run.session = *std::move(session);
  return {};
}

/// kind: "window", of frames [first, end), or "total". The structure takes the scores.
void Post(AcutanceElement* self, const char* kind, int64_t first, int64_t end,
          const std::vector<std::pair<std::string, double>>& scores) {
  GstStructure* message = gst_structure_new("acutance", "kind", G_TYPE_STRING, kind, "first", G_TYPE_INT64, first,
                                            "frames", G_TYPE_INT64, end - first, nullptr);
  for (const auto& [name, value] : scores) gst_structure_set(message, name.c_str(), G_TYPE_DOUBLE, value, nullptr);
  gst_element_post_message(GST_ELEMENT(self), gst_message_new_element(GST_OBJECT(self), message));
}

/// The means of the windows whose scores are there.
void PostWindows(AcutanceElement* self) {
  Run& run = *self->run;
  const int window = self->settings->window;
  for (; window > 0 && run.window_begin + window <= run.session->frames_done(); run.window_begin += window) {
    std::vector<std::pair<std::string, double>> means;
    for (const std::string& name : ListOf(self->settings->model)) {
      double sum = 0;
      for (int64_t i = 0; i < window; ++i) {
        const std::optional<double> score = run.session->Score(name, run.window_begin + i);
        if (!score) return;  // of the last frame before the next one
        sum += *score;
      }
      means.emplace_back(name, sum / window);
    }
    Post(self, "window", run.window_begin, run.window_begin + window, means);
  }
}

acutance::Status Finish(AcutanceElement* self) {
  Run& run = *self->run;
  if (!run.session || run.added == 0) return {};
  acutance::Expected<acutance::Result> result = run.session->Finish();
  if (!result) return result.status();
  PostWindows(self);
  std::vector<std::pair<std::string, double>> scores;
  for (const std::string& name : result->names())
    if (const auto mean = result->Pool(name)) scores.emplace_back(name, *mean);
  for (const auto& aggregate : result->Aggregates()) scores.push_back(aggregate);
  Post(self, "total", 0, run.added, scores);
  run.session.reset();
  return {};
}

acutance::Status Compare(AcutanceElement* self, GstBuffer* const buffers[2]) {
  Run& run = *self->run;
  if (!run.session) {
    if (const auto status = Open(*self->settings, run); !status.ok()) return status;
  }
  acutance::Expected<acutance::Picture> reference = PictureOf(*run.infos[0], buffers[0]);
  if (!reference) return reference.status();
  acutance::Expected<acutance::Picture> distorted = PictureOf(*run.infos[1], buffers[1]);
  if (!distorted) return distorted.status();
  if (const auto status = run.session->Add(*reference, *distorted); !status.ok()) return status;
  ++run.added;
  PostWindows(self);
  return {};
}

GstFlowReturn Failed(AcutanceElement* self, const acutance::Status& status) {
  GST_ELEMENT_ERROR(self, STREAM, FAILED, ("%s", status.message().c_str()), (nullptr));
  return GST_FLOW_ERROR;
}

/// A pair of frames; the shorter video ends the comparison, as in the command.
GstFlowReturn Aggregate(GstAggregator* aggregator, gboolean /*timeout*/) {
  AcutanceElement* const self = Of(aggregator);
  GstAggregatorPad* const* const pads = self->run->pads;
  if (std::any_of(pads, pads + 2, [](GstAggregatorPad* pad) { return gst_aggregator_pad_is_eos(pad); })) {
    const acutance::Status status = Finish(self);
    return status.ok() ? GST_FLOW_EOS : Failed(self, status);
  }
  if (!gst_aggregator_pad_has_buffer(pads[0]) || !gst_aggregator_pad_has_buffer(pads[1]))
    return GST_AGGREGATOR_FLOW_NEED_DATA;
  GstBuffer* const buffers[2] = {gst_aggregator_pad_pop_buffer(pads[0]), gst_aggregator_pad_pop_buffer(pads[1])};
  const acutance::Status status = Compare(self, buffers);
  gst_buffer_unref(buffers[0]);
  if (status.ok()) return gst_aggregator_finish_buffer(aggregator, buffers[1]);
  gst_buffer_unref(buffers[1]);
  return Failed(self, status);
}

gboolean OnSinkEvent(GstAggregator* aggregator, GstAggregatorPad* pad, GstEvent* event) {
  Run& run = *Of(aggregator)->run;
  if (GST_EVENT_TYPE(event) == GST_EVENT_CAPS) {
    GstCaps* caps = nullptr;
    gst_event_parse_caps(event, &caps);
    const int video = pad == run.pads[0] ? 0 : 1;
    run.infos[video].emplace();
    if (!gst_video_info_from_caps(&*run.infos[video], caps)) return FALSE;
    if (video == 1) gst_aggregator_set_src_caps(aggregator, caps);
  }
  if (GST_EVENT_TYPE(event) == GST_EVENT_SEGMENT && pad == run.pads[1]) {
    const GstSegment* segment = nullptr;
    gst_event_parse_segment(event, &segment);
    gst_aggregator_update_segment(aggregator, segment);
  }
  return GST_AGGREGATOR_CLASS(acutance_element_parent_class)->sink_event(aggregator, pad, event);
}

/// The caps of "src" are those of "distorted", which come with its event.
GstFlowReturn UpdateSrcCaps(GstAggregator* aggregator, GstCaps* /*caps*/, GstCaps** made) {
  const auto& info = Of(aggregator)->run->infos[1];
  if (!info) return GST_AGGREGATOR_FLOW_NEED_DATA;
  *made = gst_video_info_to_caps(const_cast<GstVideoInfo*>(&*info));
  return GST_FLOW_OK;
}

gboolean Stop(GstAggregator* aggregator) {
  Run& run = *Of(aggregator)->run;
  run.session.reset();
  run.added = run.window_begin = 0;
  return TRUE;
}

std::string* TextOf(Settings& settings, guint id) {
  return id == kModel ? &settings.model : id == kFeatures ? &settings.features : &settings.backend;
}

void SetProperty(GObject* object, guint id, const GValue* value, GParamSpec*) {
  Settings& settings = *Of(object)->settings;
  if (id == kThreads) settings.threads = g_value_get_int(value);
  else if (id == kWindow) settings.window = g_value_get_int(value);
  else *TextOf(settings, id) = g_value_get_string(value) ? g_value_get_string(value) : "";
}

void GetProperty(GObject* object, guint id, GValue* value, GParamSpec*) {
  Settings& settings = *Of(object)->settings;
  if (id == kThreads) g_value_set_int(value, settings.threads);
  else if (id == kWindow) g_value_set_int(value, settings.window);
  else g_value_set_string(value, TextOf(settings, id)->c_str());
}

void Finalize(GObject* object) {
  delete Of(object)->run;
  delete Of(object)->settings;
  G_OBJECT_CLASS(acutance_element_parent_class)->finalize(object);
}

void AddPadTemplate(GstElementClass* element, const char* name, GstPadDirection direction) {
  GstCaps* const caps = gst_caps_from_string(kFormats);
  gst_element_class_add_pad_template(
      element, gst_pad_template_new_with_gtype(name, direction, GST_PAD_ALWAYS, caps, GST_TYPE_AGGREGATOR_PAD));
  gst_caps_unref(caps);
}

}  // namespace

static void acutance_element_init(AcutanceElement* self) {
  self->settings = new Settings;
  self->run = new Run;
  GstElementClass* const element = GST_ELEMENT_GET_CLASS(self);
  const char* const names[2] = {"reference", "distorted"};
  for (int i = 0; i < 2; ++i) {
    self->run->pads[i] =
        GST_AGGREGATOR_PAD(g_object_new(GST_TYPE_AGGREGATOR_PAD, "name", names[i], "direction", GST_PAD_SINK,
                                        "template", gst_element_class_get_pad_template(element, names[i]), nullptr));
    gst_element_add_pad(GST_ELEMENT(self), GST_PAD(self->run->pads[i]));
  }
}

static void acutance_element_class_init(AcutanceElementClass* type) {
  GObjectClass* const object = G_OBJECT_CLASS(type);
  object->set_property = SetProperty;
  object->get_property = GetProperty;
  object->finalize = Finalize;
  const auto flags = static_cast<GParamFlags>(G_PARAM_READWRITE | G_PARAM_STATIC_STRINGS);
  const auto text = [&](Property id, const char* name, const char* help, const char* value) {
    g_object_class_install_property(object, id, g_param_spec_string(name, name, help, value, flags));
  };
  const auto number = [&](Property id, const char* name, const char* help) {
    g_object_class_install_property(object, id, g_param_spec_int(name, name, help, 0, G_MAXINT, 0, flags));
  };
  text(kModel, "model", "built-in models, separated by commas", "vmaf_v0.6.1");
  text(kFeatures, "features", "features in addition, separated by commas: psnr,ssimulacra2", "");
  text(kBackend, "backend", "cpu, auto, cuda, hip, vulkan or sycl", "cpu");
  number(kThreads, "threads", "of the CPU; 0: all");
  number(kWindow, "window", "frames of a window whose mean is posted as soon as it is there; 0: none");
  GstElementClass* const element = GST_ELEMENT_CLASS(type);
  gst_element_class_set_static_metadata(element, "Video quality", "Filter/Analyzer/Video",
                                        "Compares a distorted video with its reference", "acutance");
  AddPadTemplate(element, "reference", GST_PAD_SINK);
  AddPadTemplate(element, "distorted", GST_PAD_SINK);
  AddPadTemplate(element, "src", GST_PAD_SRC);
  GstAggregatorClass* const aggregator = GST_AGGREGATOR_CLASS(type);
  aggregator->aggregate = Aggregate;
  aggregator->sink_event = OnSinkEvent;
  aggregator->update_src_caps = UpdateSrcCaps;
  aggregator->stop = Stop;
}

static gboolean RegisterPlugin(GstPlugin* plugin) {
  return gst_element_register(plugin, "acutance", GST_RANK_NONE, acutance_element_get_type());
}

GST_PLUGIN_DEFINE(GST_VERSION_MAJOR, GST_VERSION_MINOR, acutance, "Video quality", RegisterPlugin, "0.1.0", "BSD",
                  "acutance", "acutance")
