# fanfold_embed_text(OUTPUT file.cc HEADER its/header.h NAMESPACE n NAME f FILES …): writes a
# source that defines `std::span<const EmbeddedText> n::f()` with each file's name and text, in the
# order of the names. A changed file configures anew.
function(fanfold_embed_text)
  cmake_parse_arguments(ARG "" "OUTPUT;HEADER;NAMESPACE;NAME" "FILES" ${ARGN})
  list(SORT ARG_FILES)
  set(ENTRIES "")
  foreach(FILE IN LISTS ARG_FILES)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${FILE})
    get_filename_component(STEM ${FILE} NAME_WE)
    file(READ ${FILE} TEXT)
    string(APPEND ENTRIES "    {\"${STEM}\", R\"embedded(${TEXT})embedded\"},\n")
  endforeach()
  set(SOURCE "#include \"${ARG_HEADER}\"\n\nnamespace ${ARG_NAMESPACE} {\nnamespace {\n\n")
  string(APPEND SOURCE "constexpr EmbeddedText kTexts[] = {\n${ENTRIES}};\n\n}  // namespace\n\n")
  string(APPEND SOURCE "std::span<const EmbeddedText> ${ARG_NAME}() noexcept { return kTexts; }\n\n")
  string(APPEND SOURCE "}  // namespace ${ARG_NAMESPACE}\n")
  file(CONFIGURE OUTPUT ${ARG_OUTPUT} CONTENT "${SOURCE}" @ONLY)
endfunction()
