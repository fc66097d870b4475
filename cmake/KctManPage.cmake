# cmake -DSOURCE=page.md -DPAGE=page -DPANDOC=pandoc -DVERSION=x -P KctManPage.cmake

cmake_path(GET SOURCE PARENT_PATH folder)
file(READ ${SOURCE} text)
string(REGEX MATCHALL "\n\\[[^]\n]*\\]\\(options/[a-z]+\\.md\\)\n" links "${text}")
foreach(link ${links})
  string(REGEX REPLACE ".*\\((options/[a-z]+\\.md)\\).*" "\\1" part "${link}")
  file(READ ${folder}/${part} part_text)
  string(REPLACE "${link}" "\n${part_text}" text "${text}")
endforeach()
file(WRITE ${PAGE}.md "${text}")
execute_process(COMMAND ${PANDOC} --standalone --from=markdown-smart --to=man
  --variable "footer=kcovtrace ${VERSION}" --output=${PAGE} ${PAGE}.md COMMAND_ERROR_IS_FATAL ANY)
