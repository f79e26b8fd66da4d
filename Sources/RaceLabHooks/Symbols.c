// Names of functions by address. A program's own functions are not among the symbols that the
// loader knows, so its file is read.

#define _GNU_SOURCE
#include "RaceLabHooks.h"

#if defined(__linux__) && __LP64__

#include <dlfcn.h>
#include <elf.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

RaceLabCode racelab_code(uintptr_t address) {
  RaceLabCode code = {0, 0, false};
  Dl_info info;
  struct link_map *map = 0;
  if (!dladdr1((void *)address, &info, (void **)&map, RTLD_DL_LINKMAP) || !map) return code;
  code.offset = address - map->l_addr;
  code.isProgram = map->l_name[0] == 0;
  code.image = code.isProgram ? "/proc/self/exe" : map->l_name;
  return code;
}

RaceLabImage racelab_open_image(const char *path) {
  RaceLabImage image = {0, 0, 0, 0};
  int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return image;
  struct stat info;
  void *memory = MAP_FAILED;
  if (fstat(file, &info) == 0 && info.st_size > (off_t)sizeof(Elf64_Ehdr))
    memory = mmap(0, info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
  close(file);
  if (memory == MAP_FAILED) return image;
  size_t size = info.st_size;
  const char *bytes = memory;
  const Elf64_Ehdr *head = memory;
  if (memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64 ||
      head->e_shentsize != sizeof(Elf64_Shdr) || head->e_shoff > size ||
      head->e_shnum * sizeof(Elf64_Shdr) > size - head->e_shoff)
    return image;
  const Elf64_Shdr *sections = (const Elf64_Shdr *)(bytes + head->e_shoff);
  for (int i = 0; i < head->e_shnum; i++) {
    const Elf64_Shdr *table = sections + i;
    if (table->sh_type != SHT_SYMTAB || table->sh_link >= head->e_shnum) continue;
    const Elf64_Shdr *names = sections + table->sh_link;
    if (table->sh_offset > size || table->sh_size > size - table->sh_offset ||
        names->sh_offset > size || names->sh_size > size - names->sh_offset || names->sh_size == 0 ||
        bytes[names->sh_offset + names->sh_size - 1] != 0)
      continue;
    image.symbols = bytes + table->sh_offset;
    image.count = table->sh_size / sizeof(Elf64_Sym);
    image.names = bytes + names->sh_offset;
    image.namesSize = names->sh_size;
    break;
  }
  return image;
}

const char *racelab_name(const RaceLabImage *image, uintptr_t offset) {
  const Elf64_Sym *symbols = image->symbols;
  for (size_t i = 0; i < image->count; i++) {
    const Elf64_Sym *symbol = symbols + i;
    if (ELF64_ST_TYPE(symbol->st_info) != STT_FUNC || offset < symbol->st_value ||
        offset - symbol->st_value >= symbol->st_size || symbol->st_name >= image->namesSize)
      continue;
    return image->names + symbol->st_name;
  }
  return 0;
}

#else

RaceLabCode racelab_code(uintptr_t address) {
  (void)address;
  return (RaceLabCode){0, 0, false};
}
RaceLabImage racelab_open_image(const char *path) {
  (void)path;
  return (RaceLabImage){0, 0, 0, 0};
}
const char *racelab_name(const RaceLabImage *image, uintptr_t offset) {
  (void)image, (void)offset;
  return 0;
}

#endif
