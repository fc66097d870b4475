/* SPDX-License-Identifier: BSD-2-Clause */
// Code in namespaces and classes; the definition refers to a declaration that has the name.
namespace space {
class Thing {
      public:
	int method(int x);
};

__attribute__((noinline)) int Thing::method(int x)
{
	__asm__ volatile(".globl probe_method\nprobe_method: nop"); // LINE:method
	return x;
}

__attribute__((noinline)) int plain(int x)
{
	__asm__ volatile(".globl probe_plain\nprobe_plain: nop"); // LINE:plain
	return x;
}
}

int main(int argc, char **)
{
	space::Thing thing;
	return thing.method(argc) + space::plain(argc);
}
