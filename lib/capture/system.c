/* SPDX-License-Identifier: BSD-2-Clause */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/macros.h"
#include "capture/system.h"

static int real_open(void *context, const char *path)
{
	int fd = open(path, O_RDWR | O_CLOEXEC);

	(void)context;
	return fd < 0 ? -errno : fd;
}

static int real_ioctl(void *context, int fd, uint32_t request, uintptr_t argument)
{
	int result = ioctl(fd, (unsigned long)request, argument);

	(void)context;
	return result < 0 ? -errno : result;
}

static int real_map(void *context, int fd, size_t bytes, bool read_only, void **ret_area)
{
	int access = read_only ? PROT_READ : PROT_READ | PROT_WRITE;
	void *area = mmap(NULL, bytes, access, MAP_SHARED, fd, 0);

	(void)context;
	if (area == MAP_FAILED)
		return -errno;
	*ret_area = area;
	return 0;
}

static void real_unmap(void *context, void *area, size_t bytes)
{
	(void)context;
	munmap(area, bytes);
}

static void real_close(void *context, int fd)
{
	(void)context;
	close(fd);
}

static bool real_is_debugfs(void *context, const char *directory)
{
	struct statfs system;

	(void)context;
	return statfs(directory, &system) == 0 && (uint32_t)system.f_type == DEBUGFS_MAGIC;
}

const struct kct_system kct_real_system = {
	.open = real_open,
	.ioctl = real_ioctl,
	.map = real_map,
	.unmap = real_unmap,
	.close = real_close,
	.is_debugfs = real_is_debugfs,
};
