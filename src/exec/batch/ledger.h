/* The ledger of a batch whose members are on a device: what its calls there have come to.
 *
 * It keeps the last call of each kind apart, so that a solve by kept factors does not hide the factorization before it.
 * All its room is made when it is opened: some 300 bytes a member on the device, and as many on the host. */
#ifndef WLU_EXEC_BATCH_LEDGER_H
#define WLU_EXEC_BATCH_LEDGER_H

#include "exec/batch/batch.h"
#include "exec/device/ledger.h"

/* Kinds of calls: a factorization with a solve at once, one that is kept, a solve by what is kept. */
typedef enum wlu_batch_deed { WLU_BATCH_AT_ONCE, WLU_BATCH_FACTORED, WLU_BATCH_SOLVED, WLU_BATCH_DEEDS } wlu_batch_deed;

struct wlu_batch_ledger {
    int32_t count;
    wlu_ledger_entry *entry;                  /* count; the device reads them, and writes `factors` */
    unsigned char *mark[WLU_BATCH_DEEDS];     /* count each, as collected */
    wlu_member_result *told[WLU_BATCH_DEEDS]; /* count each, where there are marks */
};

/* A program's turn in a call: which members it takes, `most` at most, and when their answers are vouched for. keeps: a
 * list of places is wanted. all: everybody takes part, by this program. */
struct wlu_batch_turn {
    wlu_batch_deed deed;
    const unsigned char *mask;
    int32_t program, most; /* program -1: nothing replays them */
    int32_t n, doubles;    /* doubles: of a number */
    int rest, fresh, keeps, all;
    wlu_ledger_promise promise;
};

/* Numbers of listed members on the device, and on the host: there number k of column c of the i-th at [(c * count + i)
 * * numbers + k]. back: to the device. */
struct wlu_batch_parcel {
    wlu_member_output at;
    const int32_t *member;
    double *host;
    int32_t count, columns, numbers, doubles; /* doubles: of a number */
    int back;
};

#endif
