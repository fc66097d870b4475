/* SPDX-License-Identifier: BSD-2-Clause */
#ifdef KCT_HAVE_CAPSTONE
#include <capstone/capstone.h>
#endif

#include "points/code.h"

static const struct kct_machine *const machines[] = {
	&kct_machine_x86_64, &kct_machine_i386,	 &kct_machine_arm64,
	&kct_machine_arm,    &kct_machine_s390x, &kct_machine_riscv64,
};

const struct kct_machine *kct_machine_find(unsigned elf, unsigned elf_class)
{
	for (size_t i = 0; i < ARRAY_SIZE(machines); i++) {
		if (machines[i]->elf == elf && machines[i]->elf_class == elf_class)
			return machines[i];
	}
	return NULL;
}

#ifdef KCT_HAVE_CAPSTONE

bool kct_machine_is_readable(const struct kct_machine *machine)
{
	(void)machine;
	return true;
}

static int open_capstone(struct kct_reader *reader)
{
	cs_mode mode = reader->machine->elf_class == ELFCLASS64 ? CS_MODE_64 : CS_MODE_32;
	csh handle;
	cs_err failure = cs_open(CS_ARCH_X86, mode, &handle);

	if (failure != CS_ERR_OK)
		return failure == CS_ERR_MEM ? KCT_ERR_NO_MEMORY : KCT_ERR_UNSUPPORTED;
	reader->handle = handle;
	reader->scratch = cs_malloc(handle);
	return reader->scratch ? 0 : KCT_ERR_NO_MEMORY;
}

static void close_capstone(struct kct_reader *reader)
{
	csh handle = reader->handle;

	if (reader->scratch)
		cs_free(reader->scratch, 1);
	if (handle)
		cs_close(&handle);
}

#else

bool kct_machine_is_readable(const struct kct_machine *machine)
{
	return !machine->needs_capstone;
}

static int open_capstone(struct kct_reader *reader)
{
	(void)reader;
	return KCT_ERR_UNSUPPORTED;
}

static void close_capstone(struct kct_reader *reader)
{
	(void)reader;
}

#endif

int kct_reader_open(struct kct_reader *reader, const struct kct_machine *machine,
		    const struct kct_roles *roles, bool big)
{
	int result;

	*reader = (struct kct_reader){.machine = machine, .roles = roles, .big = big};
	result = machine->needs_capstone ? open_capstone(reader) : 0;
	if (result < 0)
		kct_reader_close(reader);
	return result;
}

void kct_reader_close(struct kct_reader *reader)
{
	close_capstone(reader);
	*reader = (struct kct_reader){0};
}
