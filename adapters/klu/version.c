/* klu_version, which KLU has since 2.3: the version whose interface this library has. */
#include "klu_abi.h"

WK_API void klu_version(int version[3]);

void klu_version(int version[3])
{
    version[0] = 2;
    version[1] = 3;
    version[2] = 0;
}
