/* vulkan.h: the Vulkan names for the test programs, from the spine's generated header. Nothing else. */
#ifndef TEST_VULKAN_H
#define TEST_VULKAN_H
#include "../../spine/gen/zvk.h"
#endif
