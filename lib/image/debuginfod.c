/* SPDX-License-Identifier: BSD-2-Clause */
#include <dlfcn.h>
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/fail.h"
#include "image/debuginfod.h"

/* The interface of libdebuginfod, which is not needed to build: what this library does must not
 * depend on the machine it was built on. */
struct client;
typedef struct client *begin_function(void);
typedef void end_function(struct client *client);
typedef int find_function(struct client *client, const unsigned char *build_id, int bytes,
			  char **path);

static const char library[] = "libdebuginfod.so.1";

/** Ask, with functions of the library. Returns a descriptor or a negative errno. */
static int ask(void *handle, const uint8_t *build_id, size_t bytes, char **path)
{
	begin_function *begin;
	find_function *find;
	end_function *end;
	struct client *client;
	int fd;

	/* POSIX wants it so: ISO C has no conversion from an object to a function. */
	*(void **)&begin = dlsym(handle, "debuginfod_begin");
	*(void **)&find = dlsym(handle, "debuginfod_find_debuginfo");
	*(void **)&end = dlsym(handle, "debuginfod_end");
	if (!begin || !find || !end)
		return -ENOSYS;
	client = begin();
	if (!client)
		return -ENOMEM;
	fd = find(client, build_id, (int)bytes, path);
	end(client);
	return fd;
}

int kct_debuginfod_find(const uint8_t *build_id, size_t bytes, char **ret_path,
			struct kct_error *error)
{
	/* It starts threads and cannot be unloaded. */
	void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
	char *path = NULL;
	int fd;

	if (!handle)
		return kct_fail(error, KCT_ERR_UNSUPPORTED, "%s is not installed", library);
	fd = ask(handle, build_id, bytes, &path);
	dlclose(handle);
	if (fd >= 0)
		close(fd);
	if (fd == -ENOSYS)
		return kct_fail(error, KCT_ERR_NOT_FOUND, "no server is set (DEBUGINFOD_URLS)");
	if (fd < 0 || !path) {
		free(path);
		return kct_fail(error, KCT_ERR_NOT_FOUND, "%s", strerror(fd < 0 ? -fd : ENOENT));
	}
	*ret_path = path;
	return 0;
}
