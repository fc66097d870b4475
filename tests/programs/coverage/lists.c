/* SPDX-License-Identifier: BSD-2-Clause */
/* A linked list: build, remove, free. */
#include <stdio.h>
#include <stdlib.h>

struct item {
	struct item *next;
	int value;
};

static struct item *push(struct item *head, int value)
{
	struct item *item = malloc(sizeof(*item));

	if (!item) {
		fputs("no memory\n", stderr);
		exit(1);
	}
	item->next = head;
	item->value = value;
	return item;
}

static struct item *take_out(struct item *head, int value)
{
	struct item **link = &head;

	while (*link && (*link)->value != value)
		link = &(*link)->next;
	if (*link) {
		struct item *gone = *link;

		*link = gone->next;
		free(gone);
	} else {
		puts("not there");
	}
	return head;
}

static void clear(struct item *head)
{
	while (head) {
		struct item *next = head->next;

		free(head);
		head = next;
	}
}

int main(void)
{
	struct item *head = NULL;
	int sum = 0;

	for (int i = 0; i < 5; i++)
		head = push(head, i);
	head = take_out(head, 3);
	for (struct item *item = head; item; item = item->next)
		sum += item->value;
	printf("%d\n", sum);
	clear(head);
	return 0;
}
