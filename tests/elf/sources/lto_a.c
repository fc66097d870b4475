/* SPDX-License-Identifier: BSD-2-Clause */
/* Inlines a function of another unit when linked with -flto. */
void from_other_unit(void);

__attribute__((noinline, used)) void inlines_other_unit(void)
{
	from_other_unit(); /* LINE:inlines_other_unit */
	__asm__ volatile("");
}

int main(void)
{
	inlines_other_unit();
	return 0;
}
