/* SPDX-License-Identifier: BSD-2-Clause */
#include <string.h>

#include "cover_tree.h"

static void add_sums(struct cover_node *node, const struct kct_coverage_file *file)
{
	node->points += file->points;
	node->hit += file->hit;
	node->lines += lines_known(file->states);
	node->covered += lines_covered(file->states);
}

/** The directory of a name, the last one made if it is that: paths are sorted. */
static struct cover_node *child_of(struct cover_node *node, const char *name, size_t length)
{
	struct cover_node *last = node->n ? &node->children[node->n - 1] : NULL;

	if (last && !last->file && last->length == length && memcmp(last->name, name, length) == 0)
		return last;
	grow(&node->children, node->n, &node->max);
	last = &node->children[node->n++];
	*last = (struct cover_node){.name = name, .length = length};
	return last;
}

static void add_file(struct cover_node *root, const struct kct_coverage_file *file)
{
	const char *at = file->path, *slash;
	struct cover_node *node = root;

	add_sums(node, file);
	while ((slash = strchr(at, '/'))) {
		node = child_of(node, at, (size_t)(slash - at));
		add_sums(node, file);
		at = slash + 1;
	}
	grow(&node->children, node->n, &node->max);
	node = &node->children[node->n++];
	*node = (struct cover_node){.name = at, .length = strlen(at), .file = file};
	add_sums(node, file);
}

/** Put directories that hold one directory and nothing else together with it. The names lie behind each
 *  other in a path, so the joined one does, too. */
static void join_lonely(struct cover_node *node)
{
	size_t i;

	while (!node->file && node->n == 1 && !node->children[0].file) {
		struct cover_node child = node->children[0];

		free(node->children);
		child.length += (size_t)(child.name - node->name);
		child.name = node->name;
		*node = child;
	}
	for (i = 0; i < node->n; i++)
		join_lonely(&node->children[i]);
}

static int by_name(const void *left, const void *right)
{
	const struct cover_node *a = left, *b = right;
	size_t shorter = a->length < b->length ? a->length : b->length;
	int order = memcmp(a->name, b->name, shorter);

	return order ? order : (a->length > b->length) - (a->length < b->length);
}

static int by_percent(const void *left, const void *right)
{
	const struct cover_node *a = left, *b = right;
	/* Both sides of a comparison of two fractions; 64 bits hold the product of two 32-bit sums. */
	uint64_t ours = a->hit * (b->points ? b->points : 1);
	uint64_t theirs = b->hit * (a->points ? a->points : 1);

	return ours != theirs ? (ours < theirs) - (ours > theirs) : by_name(left, right);
}

static int by_missed(const void *left, const void *right)
{
	const struct cover_node *a = left, *b = right;
	uint64_t ours = a->points - a->hit, theirs = b->points - b->hit;

	return ours != theirs ? (ours < theirs) - (ours > theirs) : by_name(left, right);
}

static void sort_children(struct cover_node *node, enum cover_order order)
{
	static int (*const orders[])(const void *, const void *) = {
		[ORDER_NAME] = by_name, [ORDER_PERCENT] = by_percent, [ORDER_MISSED] = by_missed};
	size_t i;

	if (node->n)
		qsort(node->children, node->n, sizeof(*node->children), orders[order]);
	for (i = 0; i < node->n; i++)
		sort_children(&node->children[i], order);
}

void cover_tree_build(struct cover_node *root, const struct kct_coverage_file *files, size_t n,
		      enum cover_order order)
{
	size_t i;

	*root = (struct cover_node){.name = ""};
	for (i = 0; i < n; i++)
		add_file(root, &files[i]);
	for (i = 0; i < root->n; i++)
		join_lonely(&root->children[i]);
	sort_children(root, order);
}

void cover_tree_free(struct cover_node *root)
{
	size_t i;

	for (i = 0; i < root->n; i++)
		cover_tree_free(&root->children[i]);
	free(root->children);
}
