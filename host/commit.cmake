# Writes OUTPUT, a header with the commit of SOURCE and the text BUILD; leaves it alone where nothing changed, so that nothing is rebuilt.
cmake_minimum_required(VERSION 3.25)
execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=+changes --exclude=* --abbrev=9
  OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit unknown)
endif()
file(CONFIGURE OUTPUT ${OUTPUT} CONTENT "#define MERGANSER_COMMIT \"@commit@\"\n#define MERGANSER_BUILD \"@BUILD@\"\n" @ONLY)
