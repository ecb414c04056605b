// A Node program as the host: the library works in its constructor, the rest must go on: timers, workers, collections.
const { Worker, isMainThread } = require("node:worker_threads");

const path = process.argv[2];
function load() {
    try {
        process.dlopen({ exports: {} }, path);
    } catch (error) {
        if (!/register/.test(String(error))) throw error; // it is no module of Node's
    }
}
load();
if (isMainThread) {
    process.on("SIGUSR1", () => came++);
    let came = 0;
    const worker = new Worker(__filename, { argv: [path] });
    worker.on("exit", (code) => {
        setTimeout(() => console.log(code === 0 && came > 0 ? "fine" : `${code} ${came}`), 50);
    });
    setTimeout(() => process.kill(process.pid, "SIGUSR1"), 5);
} else {
    let rubbish = [];
    for (let i = 0; i < 200000; i++) rubbish.push({ i }), rubbish.length > 5000 && (rubbish = []);
}
