#!/bin/sh
# Refreshes CDI files, because they name drivers, layers and libraries, and some of these have changed. A file that
# cannot be written does not stop the transaction.
vkloader cdi refresh > /dev/null || :
