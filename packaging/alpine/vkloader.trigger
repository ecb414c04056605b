#!/bin/sh
# Drivers, layers or libraries have changed: CDI files name them.
vkloader cdi refresh > /dev/null || :
