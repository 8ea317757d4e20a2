/* Whoever links the emulator has it as an executor: by its number, and on a command line by its name. */
#include "emulator/emulate.h"

__attribute__((constructor)) static void register_emulator(void)
{
    wlu_executor_register(&wlu_executor_emulate);
}
