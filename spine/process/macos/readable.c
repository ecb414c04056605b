/* readable.c: copies memory of unknown length: the kernel copies up to a page at a time, and refuses an unmapped page.
 */
#include <mach/mach.h>
#include <unistd.h>

#include "process/process.h"

/* Declared in mach/mach_vm.h, which some compilers lack. */
extern kern_return_t mach_vm_read_overwrite(vm_map_read_t task, mach_vm_address_t from, mach_vm_size_t size,
                                            mach_vm_address_t to, mach_vm_size_t *done);

size_t memory_read(void *to, const void *from, size_t size)
{
    size_t page = (size_t)getpagesize(), done = 0;
    while (done < size) { /* memory is readable up to the end of its page */
        uintptr_t at = (uintptr_t)from + done;
        mach_vm_size_t part = page - at % page, got = 0;
        if (part > size - done) part = size - done;
        if (mach_vm_read_overwrite(mach_task_self(), at, part, (uintptr_t)to + done, &got) != KERN_SUCCESS) break;
        done += (size_t)got;
        if (got < part) break;
    }
    return done;
}
