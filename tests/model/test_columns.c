/* Tables of uses and nodes: columns that the text names, and values of nodes by rows. */
#include "text_check.h"

#include <stdio.h>

static const char *path = "test_model_columns.csv";

static void write_file(const char *text)
{
    FILE *file = fopen(path, "wb");
    CHECK(file != NULL && fputs(text, file) >= 0 && fclose(file) == 0);
}

#define CELL "element e(p, q)\n  param g = 1\n  p.v += g*(p.v - q.v)\n  q.v += q.v\nend\n"
#define FILE_NAME "\"test_model_columns.csv\""

/* One table serves several uses, each of which takes what it names; g is a parameter where it is named alone. */
static void uses_take_columns_that_they_name(void)
{
    write_file("l,g,r,far\n0,5,1,2\n1,6,2,0\n");
    wlm_model *m =
        text_read(CELL "nodes n[3] { balance v = 0 }\n"
                       "use e(n[l], n[r]) from " FILE_NAME " columns l, r\n"
                       "use e(n[r], n[far]) with g = 10*l from " FILE_NAME " columns far, \"r\", l over k in 0..1\n"
                       "use e(n[l], n[far]) from " FILE_NAME " columns g, l, far\n");
    if (m != NULL) {
        CHECK(m->use[0].count == 2 && m->use[0].node[0][1] == 1 && m->use[0].node[1][1] == 2);
        CHECK(m->use[0].parameter[0] == NULL && m->use[0].uniform[0] == 1.0);
        CHECK(m->use[1].node[0][0] == 1 && m->use[1].node[1][1] == 0 && m->use[1].parameter[0][1] == 10.0);
        CHECK(m->use[2].node[1][0] == 2 && m->use[2].parameter[0][0] == 5.0 && m->use[2].parameter[0][1] == 6.0);
    }
    wlm_model_destroy(&m);
    remove(path);
}

/* A node for each row; values by columns and the node's number. */
static void nodes_have_values_of_rows(void)
{
    write_file("rho0,name,e0\n1.5,7,2\n0.5,8,3\n0.25,9,4\n");
    wlm_model *m = text_read(CELL "nodes n from " FILE_NAME " columns rho0, e0 { balance v = rho0 + 10*i\n"
                                  "  fixed e = e0^2; store w[2] = rho0; sum s }\n"
                                  "nodes two[3] from " FILE_NAME " { fixed k = rho0 + name + e0 }\n"
                                  "use e(n[i], n[(i + 1) mod 3]) over i in 0..2\n");
    if (m != NULL) {
        const wlm_set *n = &m->set[0];
        CHECK(n->count == 3 && n->quantity[0].value[0] == 1.5 && n->quantity[0].value[2] == 20.25);
        CHECK(n->quantity[1].value[1] == 9.0 && n->quantity[3].value[1] == 0.5);
        CHECK(m->set[1].count == 3 && m->set[1].quantity[0].value[2] == 13.25);
    }
    wlm_model_destroy(&m);
    remove(path);
}

static void what_does_not_fit_is_refused(void)
{
    static const struct {
        const char *file, *text, *message;
    } cases[] = {
        {"l,r\n0,1\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME " columns l, x\n",
         "test.wm:7:60: error: 'x' is no column of test_model_columns.csv"},
        {"l,right\n0,1\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME " columns l, rigt\n",
         "test.wm:7:60: error: 'rigt' is no column of test_model_columns.csv (did you mean 'right'?)"},
        {"l,r\n0,1\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME " columns l, l\n",
         "test.wm:7:60: error: column 'l' is there already"},
        {"l,r\n0,1\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME " columns\n",
         "test.wm:7:56: error: expected the name of a column, found the end of the line"},
        {"l,r\n0,1\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME " columns l\n",
         "test.wm:7:15: error: 'r' is not defined"},
        {"l,r,x\n0,1,2\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME "\n",
         "test.wm:7:24: error: column 'x' is no parameter of element e, and nothing uses it"},
        {"l,r,x\n0,1,2\n", CELL "nodes n[2] { balance v }\nuse e(n[l], n[r]) from " FILE_NAME " columns l, r, x\n",
         "test.wm:7:24: error: column 'x' is no parameter of element e, and nothing uses it"},
        {"a\n1\n", "nodes n from 3 { fixed v = a }\n",
         "test.wm:1:14: error: expected the name of a file in double quotes, found '3'"},
        {"a\n1\n2\n", "nodes n[3] from " FILE_NAME " { fixed v = a }\n",
         "test.wm:1:17: error: expected a row for each of 3 nodes, found 2 rows"},
        {"a\n", "nodes n from " FILE_NAME " { fixed v = a }\n",
         "test.wm:1:14: error: expected a row for each node of 'n', found none"},
        {"a,b\n1,2\n", "nodes n from " FILE_NAME " { fixed v = b; sum s }\n",
         "test.wm:1:7: error: no value of 'n' uses column 'a' of its table; 'columns ...' takes those that are named"},
        {"a,b\n1,2\n", "nodes n from " FILE_NAME " columns a { fixed v = b }\n",
         "test.wm:1:61: error: 'b' is not defined"},
        {"a\n1\n0\n", "nodes n from " FILE_NAME " { fixed v = 1/a }\n",
         "test.wm:1:51: error: a value of a node is not finite"},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        wlm_model *m;
        write_file(cases[k].file);
        wlu_context_init(&text_ctx, NULL);
        warplu_status status =
            wlm_model_parse(&text_ctx, "test.wm", cases[k].text, (int64_t)strlen(cases[k].text), 0, &m);
        CHECK_SAY(status == WARPLU_BAD_FORMAT && strcmp(text_ctx.last_message, cases[k].message) == 0, "%s",
                  text_ctx.last_message);
        wlm_model_destroy(&m);
    }
    remove(path);
}

int main(void)
{
    RUN(uses_take_columns_that_they_name);
    RUN(nodes_have_values_of_rows);
    RUN(what_does_not_fit_is_refused);
    return check_done();
}
