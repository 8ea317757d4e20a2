/* Files without a name, of which nothing is left unless they are given one, whatever ends the process: Linux' O_TMPFILE
 * and linkat, where the file system has them. */
#ifndef WLU_BASE_NAMELESS_H
#define WLU_BASE_NAMELESS_H

/* A new file in the folder, with the rights that a new file gets there, open for writing; *held is the same file, for
 * the link: it lives on there when the other is closed. -1 where there are no such files, or no way to link them. */
int wlu_nameless_create(const char *folder, int *held);
/* 0, or -1 with errno: EEXIST where something has the name. */
int wlu_nameless_link(int held, const char *path);

#endif
