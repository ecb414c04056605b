package server

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"maps"
	"os"
	"strconv"

	"vkloader/internal/containers/roots"
	"vkloader/internal/containers/state"
)

// node is a node of the inspect tree.
type node = map[string]any

// tree returns the inspect tree for operators (PRO-042). It contains no data of clients.
func (s *Server) tree() node {
	status := "STARTING_UP"
	if s.state.Healthy {
		status = "OK"
	}
	options := &s.options.State
	devices, icds := node{}, node{}
	for _, d := range s.state.Devices {
		devices[d.Name()] = deviceNode(d)
	}
	for _, c := range s.state.Components {
		icds[strconv.Itoa(c.Number)] = componentNode(c)
	}
	clients, waiting := s.state.Counts()
	owners := s.state.Owners()
	if owners == nil {
		owners = []string{}
	}
	machines := node{}
	offered := s.offers.Last()
	maps.Copy(offered, s.joined.Last())
	for name, index := range offered {
		drivers := []string{}
		for _, d := range index.Drivers {
			drivers = append(drivers, d.Name)
		}
		machines[name] = node{"drivers": drivers, "left_out": index.LeftOut}
	}
	return node{"root": node{
		"machine_drivers":        machines,
		"fuchsia.inspect.Health": node{"start_timestamp_nanos": s.started.UnixNano(), "status": status},
		"config": node{"allow_magma_icds": options.AllowHardware, "allow_goldfish_icd": options.AllowEmulated,
			"allow_lavapipe_icd": options.AllowSoftware, "lavapipe_icd_url": options.SoftwareURL},
		"devices": devices,
		"icds":    icds,
		"pending": owners,
		"stats": node{"clients": clients, "waiting": waiting, "answered": s.answered.Load(),
			"refused": s.refused.Load()},
	}}
}

// InspectFile is the name of the dump of the tree, in the service's private directory (PRO-043).
const InspectFile = "inspect.json"

// dump writes the tree at each signal, until the service ends.
func (s *Server) dump(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-s.options.Dump:
			s.do(func() { s.complain(InspectFile, s.writeTree()) })
		}
	}
}

// writeTree writes the file in one step.
func (s *Server) writeTree() error {
	text, err := json.MarshalIndent(s.tree(), "", "  ")
	if err != nil {
		return err
	}
	private := s.places.private
	// a killed service may have left it
	if err := private.Remove(InspectFile + ".new"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	f, err := private.OpenFile(InspectFile+".new", os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(text, '\n'))
	if err = errors.Join(err, f.Chmod(0o644), f.Close()); err != nil {
		return err
	}
	return roots.Rename(private, InspectFile+".new", InspectFile)
}

func deviceNode(d *state.Device) node {
	n := node{"active_icd": ""}
	if d.Active != nil {
		n["active_icd"] = strconv.Itoa(d.Active.Number)
	}
	for i, icd := range d.ICDs {
		child := node{"component_url": icd.URL}
		if d.Kind == state.Hardware {
			child["flags"] = icd.Flags
		}
		n[strconv.Itoa(i)] = child
	}
	return n
}

func componentNode(c *state.Component) node {
	n := node{"status": c.Status, "component_url": c.URL}
	if c.CreateResponse != 0 {
		n["create_response"] = c.CreateResponse
	}
	if c.BindResponse != 0 {
		n["bind_response"] = c.BindResponse
	}
	if c.FilePath != "" {
		n["version"], n["file_path"] = c.Version, c.FilePath
	}
	if c.Manifest != "" {
		n["library_path"], n["manifest_contents"] = c.LibraryPath, c.Manifest
	}
	return n
}
