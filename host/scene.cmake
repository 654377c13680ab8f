# Scene files: JSON -> plain parameters and initial particles.
find_package(nlohmann_json REQUIRED)
add_library(merganser_scene STATIC
  check.cpp check_overlaps.cpp check_state.cpp check_walls.cpp estimate.cpp estimate_limits.cpp json_reader.cpp scene.cpp scene_bodies.cpp scene_build.cpp scene_key_table.cpp scene_keys.cpp
  scene_references.cpp scene_resolve.cpp scene_schema.cpp)
target_link_libraries(merganser_scene PUBLIC merganser_options nlohmann_json::nlohmann_json PRIVATE merganser_host merganser_methods merganser_level_set merganser_sampling fmt::fmt)
