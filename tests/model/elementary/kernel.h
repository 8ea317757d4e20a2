/* A kernel that computes one elementary function of arrays, as text: f(out, a, b, count). */
#ifndef WLU_TEST_ELEMENTARY_KERNEL_H
#define WLU_TEST_ELEMENTARY_KERNEL_H

#include "model/elementary/ptx.h"

static void kernel_body(wlm_ptx *body, wlm_function f)
{
    static const char *const lines[] = {"mov.u32 %r0, %ctaid.x;",
                                        "mov.u32 %r1, %ntid.x;",
                                        "mov.u32 %r2, %tid.x;",
                                        "mad.lo.u32 %r3, %r0, %r1, %r2;",
                                        "ld.param.u32 %r4, [count];",
                                        "setp.ge.u32 %p0, %r3, %r4;",
                                        "@%p0 bra DONE;",
                                        "ld.param.u64 %rd0, [out];",
                                        "ld.param.u64 %rd1, [a];",
                                        "ld.param.u64 %rd2, [b];",
                                        "mul.wide.u32 %rd3, %r3, 8;",
                                        "add.u64 %rd0, %rd0, %rd3;",
                                        "add.u64 %rd1, %rd1, %rd3;",
                                        "add.u64 %rd2, %rd2, %rd3;",
                                        "ld.global.f64 %fd0, [%rd1];",
                                        "ld.global.f64 %fd1, [%rd2];"};
    body->halves = 5;
    body->words = 4;
    body->truths = 1;
    body->reals = 2;
    for (size_t k = 0; k < sizeof lines / sizeof *lines; k++) wlm_ptx_line(body, "%s", lines[k]);
    wlm_ptx_line(body, "st.global.f64 [%%rd0], %%fd%d;", (int)wlm_ptx_function(body, f, 0, 1));
    wlm_ptx_line(body, "DONE:");
    wlm_ptx_line(body, "ret;");
}

static warplu_status kernel_text(wlm_ptx *head, wlm_function f)
{
    wlm_ptx body;
    wlm_ptx_init(&body, head->ctx);
    kernel_body(&body, f);
    wlm_ptx_line(head, ".version 7.0");
    wlm_ptx_line(head, ".target sm_80");
    wlm_ptx_line(head, ".address_size 64");
    wlm_ptx_line(head, ".visible .entry f(.param .u64 out, .param .u64 a, .param .u64 b, .param .u32 count)");
    wlm_ptx_line(head, "{");
    wlm_ptx_declare(head, &body);
    wlm_ptx_append(head, &body);
    wlm_ptx_line(head, "}");
    wlm_ptx_free(&body);
    return wlm_ptx_status(head);
}

#endif
