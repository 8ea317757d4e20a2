/* Files without a name: Linux' O_TMPFILE and linkat, where the file system has them. Whatever ends the process, nothing
 * is left of such a file unless it was given a name. */
#ifndef WLU_BASE_NAMELESS_H
#define WLU_BASE_NAMELESS_H

/* Creates a file in the folder with the rights that a new file gets there, and returns it open for writing. *held is
 * the same file once more: it lives on when the other is closed, so that it can be linked. Returns -1 where there are
 * no such files, or no way to link them. */
int wlu_nameless_create(const char *folder, int *held);
/* Gives the file a name. Returns 0, or -1 with errno: EEXIST where the name is taken. */
int wlu_nameless_link(int held, const char *path);

#endif
