/* SPDX-License-Identifier: BSD-2-Clause */
/* A binary tree, most of whose cases occur. */
#include <stdio.h>
#include <stdlib.h>

struct node {
	struct node *left, *right;
	int key;
};

static struct node *insert(struct node *node, int key)
{
	if (!node) {
		node = calloc(1, sizeof(*node));
		if (!node)
			abort();
		node->key = key;
	} else if (key < node->key) {
		node->left = insert(node->left, key);
	} else if (key > node->key) {
		node->right = insert(node->right, key);
	} else {
		puts("twice");
	}
	return node;
}

static int height(const struct node *node)
{
	int left, right;

	if (!node)
		return 0;
	left = height(node->left);
	right = height(node->right);
	return 1 + (left > right ? left : right);
}

static void clear(struct node *node)
{
	if (!node)
		return;
	clear(node->left);
	clear(node->right);
	free(node);
}

int main(void)
{
	static const int keys[] = {5, 2, 8, 1, 9, 3};
	struct node *root = NULL;

	for (unsigned i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		root = insert(root, keys[i]);
	printf("%d\n", height(root));
	clear(root);
	return 0;
}
