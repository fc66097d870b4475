# cmake -DSOURCE=file -DNAME=name -DOUT=out.c -P KctEmbed.cmake: the bytes of a file as a C array.
file(READ ${SOURCE} bytes HEX)
string(LENGTH "${bytes}" digits)
math(EXPR n "${digits} / 2")
string(REGEX REPLACE "(..)" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,0x..,)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUT} "/* Made from ${NAME}. */
#include \"html.h\"

const struct html_part html_${NAME} = {(const char[]){
${bytes}}, ${n}};
")
