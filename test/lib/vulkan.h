/* vulkan.h: the Vulkan names for the test programs, with the interfaces to drivers and layers, from the spine's
 * headers.
 */
#ifndef TEST_VULKAN_H
#define TEST_VULKAN_H
#include "../../spine/gen/zvk.h"
#include "../../spine/interface.h"
#endif
