package plan

import (
	"math"
	"math/bits"
	"slices"

	"vkloader/internal/core/diag"
	"vkloader/internal/core/manifest"
)

// metaDepth is the deepest nesting of meta-layers.
const metaDepth = 64

// checker validates the meta-layers of a list.
type checker struct {
	call
	costs *costs
	names map[string]*manifest.Layer          // the first layer of each name, without invalid ones
	next  map[*manifest.Layer]*manifest.Layer // the next layer of its name; made for the first invalid one
	price map[*manifest.Layer]int             // the cost of meta-layers: see reckon
	met   map[*manifest.Layer]*manifest.Layer // the meta-layer whose validation last visited a layer (LAY-162, LAY-163)
	known map[string]int                      // the number of the union in which an extension was last seen
	union int                                 // the number of the current union
	most  int                                 // length of the largest affordable cost, in bits
	tight int                                 // the rest of the budget for costs of that length
	stack []visit
}

// visit is a meta-layer being walked, with the index of its next component.
type visit struct {
	layer *manifest.Layer
	at    int
}

// metas removes invalid meta-layers and gives the others the extensions of their components (LAY-156 to LAY-172).
func (b *lister) metas(list []*manifest.Layer) []*manifest.Layer {
	if !slices.ContainsFunc(list, isMeta) {
		return list
	}
	c := &checker{call: b.call, costs: b.costs, names: firstOf(list), price: make(map[*manifest.Layer]int),
		met: make(map[*manifest.Layer]*manifest.Layer)}
	c.reckon(list)
	invalid := make(map[*manifest.Layer]bool)
	for _, l := range list {
		if !l.Meta {
			continue
		}
		if c.affords(l) && c.valid(l) {
			c.unite(l)
			continue
		}
		if !b.quiet {
			b.say(diag.Debug, diag.MetaInvalid, l.Name, l.Manifest, "Removing meta-layer "+l.Name+
				" from instance layer list since it appears invalid.")
		}
		invalid[l] = true
		if c.names[l.Name] == l { // an invalid meta-layer is not found by later ones (LAY-156)
			if c.next == nil {
				c.next = nextOf(list)
			}
			c.names[l.Name] = c.next[l]
		}
	}
	return layersExcept(list, invalid)
}

func isMeta(l *manifest.Layer) bool { return l.Meta }

// reckon computes the cost of validating each meta-layer and uniting its extensions, beyond one visit of its own
// components: the weight of its components, and the cost of each meta-layer among them. If the sum exceeds the budget,
// cheap meta-layers come first, so an expensive one does not exclude others.
func (c *checker) reckon(list []*manifest.Layer) {
	sum := 0
	var sums [64]int // of the costs with a given length in bits
	for _, l := range list {
		if l.Meta {
			cost := c.costOf(l)
			sum = saturate(sum + cost)
			sums[length(cost)] = saturate(sums[length(cost)] + cost)
		}
	}
	c.costs.open(&c.costs.ways)
	c.most = len(sums)
	c.tight = c.costs.ways.left - sum
	if c.tight >= 0 {
		return
	}
	c.most, c.tight = 0, c.costs.ways.left
	for sums[c.most] <= c.tight {
		c.tight -= sums[c.most]
		c.most++
	}
}

// worst is a cost above every budget. Twice its value does not overflow.
const worst = math.MaxInt / 4

func saturate(cost int) int { return min(cost, worst) }

// length returns the number of bits of a number.
func length(n int) int { return bits.Len(uint(n)) }

// costOf returns the cost of a meta-layer. A meta-layer that contains itself adds nothing there; it is invalid.
func (c *checker) costOf(l *manifest.Layer) int {
	const begun = -1
	if cost, known := c.price[l]; known {
		return cost
	}
	c.price[l] = begun
	c.stack = append(c.stack[:0], visit{layer: l})
	sums := []int{0}
	for {
		top := &c.stack[len(c.stack)-1]
		if top.at == len(top.layer.Components) {
			cost := saturate(sums[len(sums)-1])
			c.price[top.layer] = cost
			c.stack, sums = c.stack[:len(c.stack)-1], sums[:len(sums)-1]
			if len(c.stack) == 0 {
				return cost
			}
			sums[len(sums)-1] = saturate(sums[len(sums)-1] + cost)
			continue
		}
		part := c.names[top.layer.Components[top.at]]
		top.at++
		if part == nil {
			continue
		}
		sums[len(sums)-1] = saturate(sums[len(sums)-1] + part.Weight)
		if !part.Meta {
			continue
		}
		sums[len(sums)-1] = saturate(sums[len(sums)-1] + part.Walk)
		switch cost, known := c.price[part]; {
		case !known:
			c.price[part] = begun
			c.stack, sums = append(c.stack, visit{layer: part}), append(sums, 0)
		case cost > 0:
			sums[len(sums)-1] = saturate(sums[len(sums)-1] + cost)
		}
	}
}

// affords reports whether the budget allows a meta-layer, and logs if it does not.
func (c *checker) affords(l *manifest.Layer) bool {
	cost := c.price[l]
	switch n := length(cost); {
	case n < c.most:
		return true
	case n == c.most && cost <= c.tight:
		c.tight -= cost
		return true
	}
	c.costs.leaveOut(diag.MetaInvalid, "Meta-layer", l.Name, l.Manifest)
	return false
}

// valid validates a meta-layer, after the meta-layers it contains.
func (c *checker) valid(root *manifest.Layer) bool {
	const prefix = "verify_meta_layer_component_layers: "
	bad := func(l *manifest.Layer, text string) { c.say(diag.Warn, diag.MetaInvalid, l.Name, l.Manifest, text) }
	c.met[root] = root
	c.stack = append(c.stack[:0], visit{layer: root})
	paid := c.price[root]
	good := true
	for good {
		top := &c.stack[len(c.stack)-1]
		l := top.layer
		if top.at == len(l.Components) {
			if !c.quiet {
				c.log(diag.Info|diag.Layer, "Meta-layer \""+l.Name+"\" all "+decimal(uint32(len(l.Components)))+
					" component layers appear to be valid.")
				for i, name := range l.Components {
					c.log(diag.Layer, "  ["+decimal(uint32(i))+"] "+name)
				}
			}
			if c.stack = c.stack[:len(c.stack)-1]; len(c.stack) == 0 {
				return true
			}
			continue
		}
		index, name := uint32(top.at), l.Components[top.at]
		top.at++
		part := c.names[name]
		good = part != nil && part.API>>12 >= l.API>>12 && name != l.Name && !(part.Meta && c.met[part] == root)
		switch {
		case c.quiet:
		case part == nil:
			bad(l, prefix+"Meta-layer "+l.Name+" can't find component layer "+name+" at index "+decimal(index)+
				".  Skipping this layer.")
		case part.API>>12 < l.API>>12:
			bad(l, prefix+"Meta-layer uses API version "+majorMinor(l.API)+", but component layer "+decimal(index)+
				" has API version "+majorMinor(part.API)+" that is lower.  Skipping this layer.")
		case name == l.Name:
			bad(l, prefix+"Meta-layer "+l.Name+" lists itself in its component layer list at index "+decimal(index)+
				".  Skipping this layer.")
		case !good:
			bad(l, prefix+"Recursive dependency between Meta-layer "+l.Name+" and  Meta-layer "+name+
				".  Skipping this layer.")
		}
		if !good || !part.Meta {
			continue
		}
		c.met[part] = root
		if !c.quiet {
			c.log(diag.Info, prefix+"Adding meta-layer "+l.Name+" which also contains meta-layer "+name)
		}
		// A cycle may cost more than reckon computed; the difference is charged here.
		if paid -= part.Walk; len(c.stack) == metaDepth || paid < 0 && !c.costs.spend(&c.costs.cycles, -paid) {
			good = false
			c.costs.leaveOut(diag.MetaInvalid, "Meta-layer", root.Name, root.Manifest)
			continue
		}
		paid = max(paid, 0)
		c.stack = append(c.stack, visit{layer: part})
	}
	for i := len(c.stack) - 1; i > 0 && !c.quiet; i-- { // LAY-161
		l := c.stack[i-1].layer
		bad(l, "Meta-layer "+l.Name+" component layer "+c.stack[i].layer.Name+
			" can not find all component layers.  Skipping this layer.")
	}
	return false
}

func majorMinor(v uint32) string {
	return decimal(manifest.Major(v)) + "." + decimal(manifest.Minor(v))
}

// unite gives a meta-layer the extensions of its components (LAY-169 to LAY-172).
func (c *checker) unite(meta *manifest.Layer) {
	instance, device := false, false
	for _, name := range meta.Components {
		if part := c.names[name]; part != nil {
			instance, device = instance || len(part.Instance) > 0, device || len(part.Device) > 0
		}
	}
	if instance {
		meta.Instance = c.join(meta, false)
	}
	if device {
		meta.Device = c.join(meta, true)
	}
}

// join returns a meta-layer's extensions and those of its components, without duplicates.
func (c *checker) join(meta *manifest.Layer, device bool) []manifest.Extension {
	of := func(l *manifest.Layer) []manifest.Extension {
		if device {
			return l.Device
		}
		return l.Instance
	}
	kind := "instance"
	if device {
		kind = "device"
	}
	own := of(meta)
	count := len(own)
	for _, name := range meta.Components {
		if part := c.names[name]; part != nil {
			count += len(of(part))
		}
	}
	if c.known == nil {
		c.known = make(map[string]int, count)
	}
	c.union++
	out := make([]manifest.Extension, 0, count)
	for i := range own {
		c.known[own[i].Name] = c.union
		out = append(out, own[i])
	}
	for _, name := range meta.Components {
		part := c.names[name]
		if part == nil {
			continue
		}
		list := of(part)
		for i := range list {
			e := &list[i]
			if !c.quiet {
				c.log(diag.Debug, "Meta-layer "+meta.Name+" component layer "+name+" adding "+kind+" extension "+e.Name)
			}
			if c.known[e.Name] != c.union {
				c.known[e.Name] = c.union
				// A meta-layer's entry points are ignored (UNK-012).
				out = append(out, manifest.Extension{Name: e.Name, Spec: e.Spec})
			}
		}
	}
	return out
}
