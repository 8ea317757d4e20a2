/* klu_version, which KLU has since 2.3. Programs compare it with the header that they were compiled by, to the last
 * digit (KLU's demo ends where they differ): preloaded, the answer is that of the KLU behind, else the version of
 * KLU that this library was tried beside. */
#define _GNU_SOURCE
#include <dlfcn.h>

#include "klu_abi.h"

typedef void version_function(int version[3]);

WK_API version_function klu_version;

void klu_version(int version[3])
{
    version_function *behind;
    *(void **)&behind = dlsym(RTLD_NEXT, "klu_version");
    if (behind != NULL) {
        behind(version);
        return;
    }
    version[0] = 2;
    version[1] = 3;
    version[2] = 5;
}
