#!/bin/sh
# Refreshes CDI files, because they name drivers, layers and libraries, and some of these have changed.
vkloader cdi refresh > /dev/null || :
