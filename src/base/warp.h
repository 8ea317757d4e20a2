/* Lanes of a device that execute one instruction together. */
#ifndef WLU_BASE_WARP_H
#define WLU_BASE_WARP_H

enum { WLU_WARP = 32 };

#endif
