/* dxgi.h: the adapters that DXGI lists. Owner: dxgi.c. */
#ifndef VKL_DXGI_H
#define VKL_DXGI_H

#include <stdbool.h>
#include <windows.h>

#include <dxgi.h>

struct dxgi {
    HMODULE library;
    IDXGIFactory1 *factory;
    bool ordered; /* the factory is an IDXGIFactory6, which orders adapters */
};

/* Opens DXGI. Returns false, with nothing left open, if there is no factory (WIN-009, WIN-040) or if this thread is
 * inside DXGI already. */
bool dxgi_open(struct dxgi *dxgi);
/* Describes adapter i, in the order of DXGI_GPU_PREFERENCE_UNSPECIFIED if the factory has one. False: no more. */
bool dxgi_adapter(const struct dxgi *dxgi, UINT i, DXGI_ADAPTER_DESC1 *out);
/* Closes DXGI. Does nothing if dxgi_open failed. */
void dxgi_close(struct dxgi *dxgi);
/* Reports whether DXGI orders adapters (WIN-060). A positive answer is remembered. */
bool dxgi_orders(void);

#endif
