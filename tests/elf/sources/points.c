/* SPDX-License-Identifier: BSD-2-Clause */
/* Code for points: branches, comparisons of all sizes, a switch; no library is needed. */
volatile int sink;

int compare(unsigned char a, unsigned short b, unsigned c, unsigned long long d);
int compare(unsigned char a, unsigned short b, unsigned c, unsigned long long d)
{
	if (a == 7)
		sink++;
	if (b == sink)
		sink = 2;
	if (c > 1000)
		return (int)c;
	if (d == 0x123456789abcull)
		sink = 3;
	return d > c;
}

int choose(int n);
int choose(int n)
{
	switch (n) {
	case 1:
		sink = 3;
		return 5;
	case 100:
		return sink;
	case 4000:
		sink++;
		break;
	case -7:
		return 8;
	}
	return compare(1, 2, (unsigned)n, 4);
}

int main(void)
{
	for (int i = 0; i < 9; i++)
		sink += choose(i);
	return 0;
}
