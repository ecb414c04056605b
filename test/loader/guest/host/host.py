"""A Python program as the host: threads, children, signal handlers, by way of ctypes."""
import ctypes
import os
import signal
import sys
import threading

library = ctypes.CDLL(sys.argv[1])
came = []
signal.signal(signal.SIGUSR1, lambda number, frame: came.append(number))
results = [library.hosted()]


def often():
    for _ in range(3):
        results.append(library.hosted())


threads = [threading.Thread(target=often) for _ in range(4)]
for thread in threads:
    thread.start()
for _ in range(20):
    os.kill(os.getpid(), signal.SIGUSR1)
for thread in threads:
    thread.join()
pid = os.fork()
if pid == 0:
    os._exit(0 if library.hosted() == 0 else 1)
results.append(os.waitpid(pid, 0)[1])
print("fine" if not any(results) and came else f"{results} {came}")
