/* klu_version: the answer of the KLU behind the drop-in where there is one (WK_BEFORE), and one that KLU has given
 * otherwise. With WK_BEHIND this file is a library that stands for that KLU; is_behind keeps it linked. */
#ifdef WK_BEHIND

#define WK_API __attribute__((visibility("default")))

WK_API void klu_version(int version[3]);
WK_API int is_behind(void);

void klu_version(int version[3])
{
    version[0] = 2;
    version[1] = 9;
    version[2] = 17;
}

int is_behind(void)
{
    return 1;
}

#else

#include "check.h"

void klu_version(int version[3]);

#ifdef WK_BEFORE
int is_behind(void);
#else
static int is_behind(void)
{
    return 0;
}
#endif

static void version(void)
{
    const int other = is_behind();
    int v[3] = {0, 0, 0};
    klu_version(v);
    CHECK(v[0] == 2);
    CHECK_SAY(v[1] == (other ? 9 : 3), "2.%d", v[1]);
    CHECK_SAY(v[2] == (other ? 17 : 5), "2.%d.%d", v[1], v[2]);
}

int main(void)
{
    RUN(version);
    return check_done();
}

#endif
