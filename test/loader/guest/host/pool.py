"""A pool of fifty forked children, as Python makes them. With a second word "busy" a thread of the parent uses the
library all the while."""
import ctypes
import multiprocessing
import sys
import threading

library = ctypes.CDLL(sys.argv[1])


def one(number):
    return library.hosted()


if __name__ == "__main__":
    results = [library.hosted()]
    stop = threading.Event()

    def often():
        while not stop.is_set():
            results.append(library.hosted())

    thread = threading.Thread(target=often)
    if sys.argv[2:] == ["busy"]:
        thread.start()
    with multiprocessing.get_context("fork").Pool(50) as pool:
        results += pool.map(one, range(100), chunksize=1)
    stop.set()
    if thread.is_alive():
        thread.join()
    print("fine" if not any(results) else results)
