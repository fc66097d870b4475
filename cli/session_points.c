/* SPDX-License-Identifier: BSD-2-Clause */
#include "message.h"
#include "session.h"

/** Look for the points of all images, once each: inputs may bring more. An image without any is no
 *  failure: not all are built so. */
static int find_points(struct session *session)
{
	while (session->n_points < session->n_images) {
		struct kct_image *image = session->images[session->n_points];
		struct kct_points *points = NULL;
		struct kct_error error;

		if (kct_points_new(image, NULL, &points, &error) == KCT_ERR_NO_MEMORY) {
			failure_of(kct_image_name(image), &error);
			return -1;
		}
		grow(&session->points, session->n_points, &session->max_points);
		session->points[session->n_points++] = points;
	}
	return 0;
}

int session_match(struct session *session, const uint64_t *pcs, size_t n,
		  struct kct_match *ret_match)
{
	struct kct_points_at *at;
	size_t n_at = 0, i;
	bool kernel = false;
	int r = 0;

	if (!session->vmlinux || session->options->pc_kind == KCT_PC_CALL)
		return 0;
	if (find_points(session) < 0)
		return -1;
	at = zeroed(struct kct_points_at, session->n_images);
	for (i = 0; i < session->n_images; i++) {
		bool is_kernel = session->images[i] == session->vmlinux;
		/* As the symbolizer has it: PCs lack the offset, modules are where they were. */
		uint64_t offset = is_kernel == session->slid ? session->kaslr : 0;

		if (!session->points[i])
			continue;
		kernel |= is_kernel;
		at[n_at++] =
			(struct kct_points_at){session->points[i], is_kernel ? -offset : offset};
	}
	if (kernel)
		r = kct_points_match(at, n_at, pcs, n, ret_match);
	free(at);
	if (r < 0) {
		failure_code("points", r);
		return -1;
	}
	return kernel;
}
