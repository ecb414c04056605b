/* dxgi.h: the adapters that DXGI lists. Owner: dxgi.c. */
#ifndef VKL_DXGI_H
#define VKL_DXGI_H

#include <stdbool.h>
#include <windows.h>

#include <dxgi.h>

struct dxgi {
    HMODULE library;
    IDXGIFactory1 *factory;
    bool ordered; /* the factory puts adapters in an order: it is an IDXGIFactory6 */
};

/* False: there is no factory; nothing is left open then (WIN-009, WIN-040). So it is, too, for a thread that is inside
 * DXGI already. */
bool dxgi_open(struct dxgi *dxgi);
/* Adapter i, in the order "unspecified preference" where there is one. False: there are no more. */
bool dxgi_adapter(const struct dxgi *dxgi, UINT i, DXGI_ADAPTER_DESC1 *out);
/* Of one that was not opened it does nothing. */
void dxgi_close(struct dxgi *dxgi);
/* Does the system put adapters in an order (WIN-060)? Once it has done so it is not asked again. */
bool dxgi_orders(void);

#endif
