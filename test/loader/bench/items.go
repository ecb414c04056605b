package main

// unit is the unit of a number.
type unit string

const (
	nanoseconds  unit = "ns"
	kilobytes    unit = "kB"
	instructions unit = "instructions"
	number       unit = ""
	yes          unit = "yes/no"
)

// source selects the measurement of an item: the arguments of the measuring program.
type source string

const (
	fresh           source = "start"           // a new process: load, create, list
	freshEnumerates source = "start enumerate" // the same, with enumeration first
	warm            source = "time"            // a process that has created and destroyed two instances before
	counted         source = "count"           // under valgrind
)

// item is one line of the tables.
type item struct {
	key, group, title string
	unit              unit
	from              source
	value             string // its name in the measuring program's output; for time and count, the operation
	along             string // the operation with which it is measured
	short, long       int    // counted: repetitions; two numbers if other threads work, too, and are counted
}

// items are the measurements, in display order.
var items = []item{
	{key: "load", group: "start", title: "library load", unit: nanoseconds, from: fresh, value: "load"},
	{key: "cold", group: "start", title: "cold start: load, create, first device list", unit: nanoseconds, from: fresh, value: "start"},
	{key: "cold-spent", group: "start", title: "… processor time of that, all threads", unit: nanoseconds, from: fresh, value: "spent"},
	{key: "cold-enumerate", group: "start", title: "cold start with enumeration before creation", unit: nanoseconds, from: freshEnumerates, value: "start"},
	{key: "cold-enumerate-spent", group: "start", title: "… processor time of that, all threads", unit: nanoseconds, from: freshEnumerates, value: "spent"},
	{key: "first-extensions", group: "start", title: "… parts: instance extensions", unit: nanoseconds, from: freshEnumerates, value: "first_extensions"},
	{key: "first-layers", group: "start", title: "… layers", unit: nanoseconds, from: freshEnumerates, value: "first_layers"},
	{key: "first-create", group: "start", title: "… vkCreateInstance", unit: nanoseconds, from: freshEnumerates, value: "first_create"},
	{key: "first-devices", group: "start", title: "… device list", unit: nanoseconds, from: freshEnumerates, value: "first_devices"},

	{key: "cycle", group: "warm", title: "warm cycle: enumerate, create, list, destroy", unit: nanoseconds, from: warm, value: "cycle"},
	{key: "cycle-spent", group: "warm", title: "… processor time of that, all threads", unit: nanoseconds, from: warm, value: "cycle_spent", along: "cycle"},
	{key: "extensions", group: "warm", title: "extension enumeration", unit: nanoseconds, from: warm, value: "extensions"},
	{key: "layers", group: "warm", title: "layer enumeration", unit: nanoseconds, from: warm, value: "layers"},
	{key: "create-instance", group: "warm", title: "vkCreateInstance", unit: nanoseconds, from: warm, value: "create_instance"},
	{key: "first-list", group: "warm", title: "first device list of an instance", unit: nanoseconds, from: warm, value: "first_list"},
	{key: "list", group: "warm", title: "device list", unit: nanoseconds, from: warm, value: "list"},
	{key: "create-device", group: "warm", title: "device creation", unit: nanoseconds, from: warm, value: "create_device"},

	{key: "gipa", group: "calls", title: "vkGetInstanceProcAddr, a name of all in the registry", unit: nanoseconds, from: warm, value: "gipa"},
	{key: "gdpa", group: "calls", title: "vkGetDeviceProcAddr, a name of all in the registry", unit: nanoseconds, from: warm, value: "gdpa"},
	{key: "query-export", group: "calls", title: "physical-device query, export", unit: nanoseconds, from: warm, value: "query_export"},
	{key: "query-instance", group: "calls", title: "physical-device query, instance's pointer", unit: nanoseconds, from: warm, value: "query_instance"},
	{key: "draw-export", group: "calls", title: "vkCmdDraw, export", unit: nanoseconds, from: warm, value: "draw_export"},
	{key: "draw-instance", group: "calls", title: "vkCmdDraw, instance's pointer", unit: nanoseconds, from: warm, value: "draw_instance"},
	{key: "draw-device", group: "calls", title: "vkCmdDraw, device's pointer", unit: nanoseconds, from: warm, value: "draw_device"},
	{key: "draw-own", group: "calls", title: "the device's pointer is the driver's own", unit: yes, from: warm, value: "draw_is_the_drivers", along: "draw_device"},

	{key: "resident", group: "memory", title: "resident after the first device list", unit: kilobytes, from: fresh, value: "resident"},
	{key: "anonymous", group: "memory", title: "… of that, in no file", unit: kilobytes, from: fresh, value: "anonymous"},
	{key: "space", group: "memory", title: "address space then", unit: kilobytes, from: fresh, value: "space"},
	{key: "threads", group: "memory", title: "threads then", unit: number, from: fresh, value: "threads"},

	{key: "n-draw-export", group: "instructions", title: "vkCmdDraw, export", unit: instructions, from: counted, value: "draw_export", long: 2000},
	{key: "n-draw-instance", group: "instructions", title: "vkCmdDraw, instance's pointer", unit: instructions, from: counted, value: "draw_instance", long: 2000},
	{key: "n-draw-device", group: "instructions", title: "vkCmdDraw, device's pointer", unit: instructions, from: counted, value: "draw_device", long: 2000},
	{key: "n-query-export", group: "instructions", title: "physical-device query, export", unit: instructions, from: counted, value: "query_export", long: 2000},
	{key: "n-query-instance", group: "instructions", title: "physical-device query, instance's pointer", unit: instructions, from: counted, value: "query_instance", long: 2000},
	{key: "n-gipa", group: "instructions", title: "vkGetInstanceProcAddr, a name", unit: instructions, from: counted, value: "gipa", long: 2},
	{key: "n-gdpa", group: "instructions", title: "vkGetDeviceProcAddr, a name", unit: instructions, from: counted, value: "gdpa", long: 2},
	{key: "n-list", group: "instructions", title: "device list", unit: instructions, from: counted, value: "list", long: 20},
	{key: "n-create-device", group: "instructions", title: "device creation", unit: instructions, from: counted, value: "create_device", long: 3},
	{key: "n-extensions", group: "instructions", title: "extension enumeration", unit: instructions, from: counted, value: "extensions", short: 3, long: 13},
	{key: "n-layers", group: "instructions", title: "layer enumeration", unit: instructions, from: counted, value: "layers", short: 3, long: 13},
	{key: "n-cycle", group: "instructions", title: "warm cycle", unit: instructions, from: counted, value: "cycle", short: 3, long: 13},
}

// budget is the limit of a line.
type budget struct {
	set, item string
	ratio     float64 // the largest permitted ratio to the reference; 0: no limit
	more      float64 // otherwise the largest permitted difference from the reference, in the item's unit
	is        bool    // otherwise: this loader's answer must be yes
	// and the largest permitted ratio to this loader's value in the set of the same kind that is a tenth as large; 0:
	// no limit
	step float64
}

// budgets are all budgets. sets.go has the names of sets; a set with the name "nvidia", given by -drivers, is a
// machine with NVIDIA's driver.
var budgets = []budget{
	{set: "null", item: "load", ratio: 0.6},
	{set: "null", item: "cold", ratio: 0.6},
	{set: "null", item: "cold-enumerate", ratio: 0.5},
	{set: "null", item: "cycle", ratio: 0.20},
	{set: "null", item: "extensions", ratio: 0.25},
	{set: "null", item: "layers", ratio: 0.2},
	{set: "null", item: "list", ratio: 0.5},
	{set: "null", item: "create-device", ratio: 0.3},
	{set: "null", item: "gipa", ratio: 0.07},
	{set: "null", item: "gdpa", ratio: 0.07},
	{set: "null", item: "query-export", ratio: 1.05},
	{set: "null", item: "query-instance", ratio: 1.05},
	{set: "null", item: "draw-export", ratio: 1.1},
	{set: "null", item: "draw-instance", ratio: 1.1},
	{set: "null", item: "draw-device", ratio: 1.1},
	{set: "null", item: "draw-own", is: true},
	{set: "null", item: "resident", ratio: 1},
	{set: "null", item: "space", more: 4 * 1024},
	{set: "null", item: "threads", ratio: 1},
	{set: "null", item: "n-draw-export", ratio: 1},
	{set: "null", item: "n-draw-instance", ratio: 1},
	{set: "null", item: "n-draw-device", ratio: 1},
	{set: "null", item: "n-query-export", ratio: 1},
	{set: "null", item: "n-query-instance", ratio: 1},

	{set: "1 drivers", item: "list", ratio: 0.5},
	{set: "4 drivers", item: "list", ratio: 0.9},
	{set: "4 drivers", item: "extensions", ratio: 0.5},
	{set: "16 drivers", item: "list", ratio: 0.9},
	{set: "16 drivers", item: "extensions", ratio: 0.5},
	{set: "1 layers", item: "create-device", ratio: 0.9},
	{set: "16 layers", item: "create-device", ratio: 0.9},
	{set: "64 layers", item: "cold", ratio: 0.6},
	{set: "64 layers", item: "cycle", ratio: 0.5},
	{set: "64 layers", item: "create-device", ratio: 0.6},
	{set: "10 manifests", item: "cold", ratio: 0.9},
	{set: "10 manifests", item: "cycle", ratio: 0.9},
	{set: "10 manifests", item: "layers", ratio: 0.9},
	{set: "100 manifests", item: "cold", ratio: 0.9, step: 15},
	{set: "100 manifests", item: "cycle", ratio: 0.9, step: 15},
	{set: "100 manifests", item: "layers", ratio: 0.9, step: 15},
	{set: "1000 manifests", item: "cold", ratio: 0.6, step: 15},
	{set: "1000 manifests", item: "cycle", ratio: 0.45, step: 15},
	{set: "1000 manifests", item: "layers", ratio: 0.2, step: 15},

	{set: "mesa", item: "cold", ratio: 1},
	{set: "mesa", item: "cold-enumerate", ratio: 1},
	{set: "mesa", item: "cycle", ratio: 0.75},
	{set: "mesa", item: "resident", ratio: 1},
	{set: "policy", item: "cold", ratio: 0.6},
	{set: "policy", item: "cycle", ratio: 0.3},

	{set: "nvidia", item: "cold", ratio: 1},
	{set: "nvidia", item: "cold-enumerate", ratio: 1},
	{set: "nvidia", item: "cycle", ratio: 0.05},
	{set: "nvidia", item: "extensions", ratio: 0.8},
}

func budgetOf(set, key string) *budget {
	for i, b := range budgets {
		if b.set == set && b.item == key {
			return &budgets[i]
		}
	}
	return nil
}
