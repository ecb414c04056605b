package plan

import (
	"vkloader/internal/core/diag"
	"vkloader/internal/core/facts"
	"vkloader/internal/core/variables"
)

// offers selects the opened drivers whose extensions are offered to the program. It excludes drivers that failed to
// list them (INS-017).
type offers struct {
	unknown bool   // also offer extensions that the loader does not know
	counts  []bool // for each driver of the question: it is selected
	failed  []int  // failed drivers, up to the one that ends the call
	result  int32  // not Success: the call ends, because memory is lacking or every driver failed (INS-017)
}

// offersOf checks the drivers of a question.
func offersOf(q *Question, f *facts.Store) offers {
	o := offers{unknown: nonZero(f.Variable(variables.DisableInstExtFilter).Value),
		counts: make([]bool, len(q.Drivers))}
	left, first := 0, Success
	for i := range q.Drivers {
		driver := &q.Drivers[i]
		if !driver.Usable {
			continue
		}
		if driver.Result == Success {
			o.counts[i] = true
			left++
			continue
		}
		o.failed = append(o.failed, i)
		if driver.Result == OutOfHostMemory || driver.Result == OutOfDeviceMemory {
			o.result = driver.Result
			return o
		}
		if first == Success {
			first = driver.Result
		}
	}
	if left == 0 {
		o.result = first
	}
	return o
}

// say logs the drivers that failed, and drops them if the call continues.
func (o *offers) say(q *Question, out *script) {
	for _, i := range o.failed {
		driver := &q.Drivers[i]
		what := "extensions"
		if driver.Call == CallCount {
			what = "extension count"
		}
		out.say(diag.Error, diag.DriverExtensions, driver.Path, driver.Path,
			"loader_add_instance_extensions: Error getting Instance "+what+" from "+driver.Path)
	}
	if o.result != Success {
		return
	}
	for _, i := range o.failed {
		out.steps = append(out.steps, Step{Kind: StepDrop, Driver: int(q.Drivers[i].Index)})
	}
}
