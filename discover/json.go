package discover

import (
	"encoding/json"
	"fmt"

	"vkloader/internal/decide/explain"
)

const (
	driverKind = "driver"
	layerKind  = "layer"
)

// explained is an answer as "vkloader explain" prints it.
type explained struct {
	Schema           int                `json:"schema"`
	App              string             `json:"app,omitempty"`
	Loader           *Loader            `json:"loader,omitempty"`
	In               []explain.Item     `json:"in"`
	Out              []explain.Item     `json:"out"`
	UnspecifiedOrder []UnspecifiedOrder `json:"unspecified_order,omitempty"`
}

// MarshalJSON writes the answer as "vkloader explain --json" does.
func (a *Answer) MarshalJSON() ([]byte, error) {
	e := explained{Schema: Schema, App: a.Program, Loader: a.Loader, In: []explain.Item{}, Out: []explain.Item{},
		UnspecifiedOrder: a.UnspecifiedOrder}
	drivers, layers := a.items(true)
	e.In = append(append(e.In, layers...), drivers...)
	drivers, layers = a.items(false)
	e.Out = append(append(e.Out, drivers...), layers...)
	return json.Marshal(e)
}

// items returns the drivers and layers that are used, or those that are not.
func (a *Answer) items(used bool) (drivers, layers []explain.Item) {
	for i := range a.Drivers {
		if a.Drivers[i].Used == used {
			drivers = append(drivers, a.Drivers[i].item())
		}
	}
	for i := range a.Layers {
		if a.Layers[i].Used == used {
			layers = append(layers, a.Layers[i].item())
		}
	}
	return drivers, layers
}

// UnmarshalJSON reads what MarshalJSON, or "vkloader explain --json", has written.
func (a *Answer) UnmarshalJSON(text []byte) error {
	var e explained
	if err := json.Unmarshal(text, &e); err != nil {
		return err
	}
	if e.Schema != Schema {
		return fmt.Errorf("an answer with schema %d: this package reads %d", e.Schema, Schema)
	}
	*a = Answer{Program: e.App, Loader: e.Loader, UnspecifiedOrder: e.UnspecifiedOrder}
	for _, list := range [][]explain.Item{e.In, e.Out} {
		for i := range list {
			a.add(&list[i])
		}
	}
	return nil
}

// MarshalJSON writes the driver as an element of in or out of "vkloader explain --json".
func (d Driver) MarshalJSON() ([]byte, error) { return json.Marshal(d.item()) }

// MarshalJSON writes the layer as an element of in or out of "vkloader explain --json".
func (l Layer) MarshalJSON() ([]byte, error) { return json.Marshal(l.item()) }

func (d *Driver) item() explain.Item {
	r := &d.Reason
	return explain.Item{Kind: driverKind, Order: d.Order, Name: d.Name, Manifest: d.Manifest, Line: r.Line,
		Column: r.Column, Library: d.Library,
		Code: string(r.Code), Statement: r.Statement, Why: r.Text, Standing: d.Standing.internal()}
}

func (l *Layer) item() explain.Item {
	r := &l.Reason
	return explain.Item{Kind: layerKind, Order: l.Order, Name: l.Name, Manifest: l.Manifest, Line: r.Line,
		Column: r.Column, Library: l.Library,
		Meta: l.Meta, NameOnly: l.NameOnly, Code: string(r.Code), Statement: r.Statement, Why: r.Text,
		Standing: l.Standing.internal()}
}
