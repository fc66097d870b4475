/* SPDX-License-Identifier: BSD-2-Clause */
/* The same from C++. */
#include <cstdint>
#include <iostream>
#include <memory>
#include <string>

#include <kcovtrace/kcovtrace.h>

namespace
{
struct decoder_free {
	void operator()(kct_decoder *decoder) const
	{
		kct_decoder_free(decoder);
	}
};
/* count, NORMAL */
const std::uint64_t area[] = {1, 0xffffffff81000010};
} // namespace

int main(int argc, char **argv)
{
	kct_layout layout;
	kct_decoder *raw = nullptr;
	kct_symbolizer *symbolizer = nullptr;
	kct_record record;

	if (argc != 2 || std::string(argv[1]) != kct_version()) {
		std::cerr << "library " << kct_version() << "\n";
		return 1;
	}
	if (kct_layout_preset("linux-ext", &layout) < 0)
		return 2;
	if (kct_decoder_new(&layout, area, sizeof(area), 0, &raw, nullptr) < 0)
		return 3;
	std::unique_ptr<kct_decoder, decoder_free> decoder(raw);
	if (kct_decoder_next(decoder.get(), &record, nullptr) != 1 || record.kind != KCT_RECORD_PC)
		return 4;
	if (kct_symbolizer_new(&symbolizer) < 0)
		return 5;
	kct_symbolizer_free(symbolizer);
	return 0;
}
