/** A Java program as the host: the virtual machine's own faults (null checks), safepoints and collections go on. */
public class Host {
    static volatile Object nothing;

    static int caught() {
        int count = 0;
        for (int i = 0; i < 200000; i++) {
            try {
                nothing.hashCode();
            } catch (NullPointerException e) {
                count++;
            }
        }
        return count;
    }

    public static void main(String[] arguments) throws Exception {
        if (caught() != 200000) throw new Error("before");
        System.load(arguments[0]);
        Thread[] threads = new Thread[4];
        for (int i = 0; i < threads.length; i++) {
            threads[i] = new Thread(() -> {
                for (int n = 0; n < 20; n++) {
                    byte[][] rubbish = new byte[200][];
                    for (int k = 0; k < rubbish.length; k++) rubbish[k] = new byte[5000];
                    if (caught() != 200000) throw new Error("after");
                }
            });
            threads[i].start();
        }
        for (Thread thread : threads) thread.join();
        System.gc();
        System.out.println("fine");
    }
}
