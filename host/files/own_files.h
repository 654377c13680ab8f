#pragma once
/// Names of the files that Merganser writes: how they are formed, and which names are exactly such ones.
/// Nothing else is ever deleted.
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace merganser {

inline constexpr const char* frame_series_name = "frames.vtkhdf.series";
inline constexpr const char *skin_record_name = "skins.h5", *start_particles_name = "start.h5",
                            *walls_name = "walls.vtkhdf";
/// Kinds of sequences of meshes.
inline constexpr const char *surface_kind = "surface", *skin_kind = "skin";

std::string frame_name(long long number);     ///< frame_000012.vtkhdf
std::string checkpoint_name(long long step);  ///< checkpoint_000000012.h5
/// surface_000012.ply for ".ply"; what stands between number and extension belongs to `extension`.
std::string mesh_name(const std::string& kind, int frame, const std::string& extension);
std::string mesh_options_name(const std::string& kind);  ///< surface.json
std::string mesh_series_name(const std::string& kind);   ///< surface.vtkhdf.series

/// The step in a checkpoint's name; nothing for any other name.
std::optional<long long> checkpoint_step(std::string_view name);

/// A frame or the series of frames.
bool is_frame_file(std::string_view name);
/// A checkpoint, or one that was set aside as damaged.
bool is_checkpoint_file(std::string_view name);
/// What stands behind "surface_000012" in a name; nothing for any other name.
std::optional<std::string_view> mesh_name_end(const std::string& kind, std::string_view name);
/// scene.json, summary.json, skins.h5, start.h5 or walls.vtkhdf, which are written under a temporary name
/// first.
bool is_run_text(std::string_view name);

}  // namespace merganser
