package wire

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
)

// KindPanic is a question that no spine asks: deciding it panics, so that a test can hold G-9.
const KindPanic = 0xffffffff

// Call is one call of the program's. Its questions come in messages, each with the facts that the answer before asked
// for; what has come before is still known, and no file is read twice. A new call knows nothing.
type Call struct {
	question plan.Question
	memory   plan.Memory
	store    facts.Store
	out      Writer
	read     func(rec Record, s *facts.Store) bool // takes the records that only one system has; nil without
	ask      func(w *Writer, n facts.Need)         // writes such needs
}

// NewCall begins a call.
func NewCall(platform search.Platform) *Call {
	c := &Call{}
	c.question.Platform = platform
	c.question.Memory = &c.memory
	return c
}

// Add reads a message without deciding; false when it is malformed.
func (c *Call) Add(message string) bool { return c.readFacts(message) }

// Decide reads a message, decides, and gives the answer, which holds until the next one; false when the message is
// malformed.
func (c *Call) Decide(message string) (answer []byte, ok bool) {
	c.out.Reset()
	if !c.Add(message) {
		return nil, false
	}
	if c.question.Kind == KindPanic {
		panic("a question of kind 0xffffffff was asked")
	}
	if c.question.Kind < plan.Version || c.question.Kind > plan.ExtensionsDrivers {
		return nil, false
	}
	a := plan.Decide(&c.question, &c.store)
	c.store.TakeNeeds()
	c.writeAnswer(a)
	return c.out.Bytes(), true
}

func name(s Str) plan.Name { return plan.Name{Text: s.Text, Set: s.Set} }

func names(list []Str) []plan.Name {
	out := make([]plan.Name, len(list))
	for i, s := range list {
		out[i] = name(s)
	}
	return out
}

func texts(list []Str) []string {
	out := make([]string, len(list))
	for i, s := range list {
		out[i] = s.Text
	}
	return out
}

// readFacts takes a message apart.
func (c *Call) readFacts(message string) bool {
	q, m, s := &c.question, &c.memory, &c.store
	r, _ := Open(message) // what is no message is bad, and has no records
	drivers := false
	for {
		rec, more := r.Next()
		if !more {
			break
		}
		ok := true
		switch rec.ID {
		case IDQuestion:
			var v Question
			v, ok = rec.Question()
			q.Kind, q.LayerName = plan.Kind(v.Kind), name(v.LayerName)
			q.Terminator, q.Quiet = v.Terminator != 0, v.Quiet != 0
		case IDVar:
			var v Var
			v, ok = rec.Var()
			s.SetVar(v.Name.Text, v.Secure != 0, facts.Var{Value: v.Value.Text, Set: v.Value.Set})
		case IDDirectory:
			var v Directory
			v, ok = rec.Directory()
			s.SetDirectory(v.Path.Text, facts.Directory{Listed: v.Status == DirectoryListed, Names: texts(v.Names)})
		case IDFile:
			var v File
			v, ok = rec.File()
			s.SetFile(v.Path.Text, facts.File{
				Status:  facts.FileStatus(v.Status),
				Content: v.Content.Text,
			})
		case IDGraphics:
			var v Graphics
			v, ok = rec.Graphics()
			s.SetGraphics(facts.Graphics{Listed: v.Status == GraphicsListed, Devices: texts(v.Devices), Power: texts(v.Power)})
		case IDService:
			var v Service
			v, ok = rec.Service()
			s.SetService(facts.Service{State: facts.ServiceState(v.Status), Place: v.Place.Text, Answer: v.Answer.Text,
				Index: v.Index.Text})
		case IDExe:
			var v Exe
			v, ok = rec.Exe()
			s.SetExe(facts.Exe{Path: v.Path.Text, Known: v.Path.Set})
		case IDExists:
			var v Exists
			v, ok = rec.Exists()
			s.SetExists(v.Path.Text, v.Yes != 0)
		case IDForeign:
			var v Foreign
			v, ok = rec.Foreign()
			s.SetForeign(v.Path.Text, v.Yes != 0)
		case IDApp:
			var v App
			v, ok = rec.App()
			q.App = plan.App{
				Name: name(v.AppName), Version: v.AppVersion, Engine: name(v.EngineName),
				EngineVersion: v.EngineVersion, API: v.ApiVersion, Flags: v.Flags,
				LayerCount: v.LayerCount, LayersNull: v.LayersNull != 0, Layers: names(v.Layers),
				ExtensionCount: v.ExtCount, ExtensionsNull: v.ExtsNull != 0, Extensions: names(v.Exts),
				DirectList: v.DirectList != 0, DirectMode: v.DirectMode, DirectNull: v.DirectNull != 0,
				DirectCount: v.DirectCount,
			}
		case IDDriver:
			var v Driver
			v, ok = rec.Driver()
			if !drivers { // a message that has drivers has all of them
				q.Drivers, drivers = nil, true
			}
			q.Drivers = append(q.Drivers, plan.Driver{Index: v.Index, Usable: v.Usable != 0, Path: v.Path.Text,
				Result: v.ExtResult, Call: v.ExtCall})
		case IDDriverExt:
			var v DriverExt
			v, ok = rec.DriverExt()
			if n := len(q.Drivers); ok && drivers && q.Drivers[n-1].Index == v.Driver {
				q.Drivers[n-1].Extensions = append(q.Drivers[n-1].Extensions,
					manifest.Extension{Name: v.Name.Text, Spec: v.SpecVersion})
			}
		case IDWhole:
			_, ok = rec.Whole()
			q.Whole = true
		case IDRemembered:
			var v Remembered
			v, ok = rec.Remembered()
			m.Remembered = plan.File{Path: v.Path.Text, Content: v.Content.Text, Set: v.Path.Set}
		default:
			if c.read != nil {
				ok = c.read(rec, s)
			}
		}
		if !ok {
			return false
		}
	}
	return !r.Bad()
}

func str(s string) Str { return Str{s, true} }

// symbol is the name to look up: the renamed one, or the usual one (LAY-68).
func symbol(renamed, usual string) Str {
	if renamed != "" {
		return str(renamed)
	}
	return str(usual)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

func (c *Call) writeAnswer(a *plan.Answer) {
	w, instance := &c.out, c.question.Kind == plan.Instance
	if len(a.Needs) > 0 {
		w.PutAnswer(Answer{Status: AnswerMissing})
		for _, n := range a.Needs {
			switch n.Kind {
			case facts.KindVar:
				w.PutNeedVar(NeedVar{str(n.Name), flag(n.Secure)})
			case facts.KindDirectory:
				w.PutNeedDirectory(NeedDirectory{str(n.Name)})
			case facts.KindFile:
				w.PutNeedFile(NeedFile{str(n.Name)})
			case facts.KindGraphics:
				w.PutNeedGraphics(NeedGraphics{})
			case facts.KindService:
				w.PutNeedService(NeedService{})
			case facts.KindExe:
				w.PutNeedExe(NeedExe{})
			case facts.KindExists:
				w.PutNeedExists(NeedExists{str(n.Name)})
			case facts.KindForeign:
				w.PutNeedForeign(NeedForeign{str(n.Name)})
			default:
				if c.ask != nil {
					c.ask(w, n)
				}
			}
		}
		return
	}
	w.PutAnswer(Answer{Status: AnswerDecided, Result: a.Result})
	if r := a.Remember; r != nil {
		w.PutRemember(Remember{Str{r.Path, r.Set}, Str{r.Content, r.Set}})
	}
	for _, s := range a.Steps {
		switch s.Kind {
		case plan.StepLog:
			w.PutLog(Log{s.Flags, str(s.Text)})
		case plan.StepLayers:
			writeLayers(w, a, instance)
			if a.Unlisted {
				w.PutUnlisted(Unlisted{})
			}
		case plan.StepActive:
			for _, active := range a.Active {
				w.PutActive(Active{uint32(active.Layer), active.EnabledBy, flag(active.AppNamed)})
			}
		case plan.StepLevel:
			w.PutLogLevel(LogLevel{s.Flags})
		case plan.StepLogFile:
			w.PutLogFile(LogFile{s.Flags, str(s.Text)})
		case plan.StepDevices:
			w.PutDeviceConfigs(DeviceConfigs{uint32(len(a.Settings.Devices))})
			for i := range a.Settings.Devices {
				d := &a.Settings.Devices[i]
				w.PutDeviceConfig(DeviceConfig{str(string(d.DeviceUUID[:])), str(string(d.DriverUUID[:])), d.DriverVersion,
					Str{d.DeviceName, d.HasDeviceName}, Str{d.DriverName, d.HasDriverName}})
			}
		case plan.StepDirect:
			w.PutDirect(Direct{flag(a.DirectExclusive)})
		case plan.StepDriver:
			d := a.Drivers[s.Driver]
			if len(d.Files) > 0 {
				w.PutServeDriver(ServeDriver{str(d.Path), str(d.Library), d.API, uint32(len(d.Files))})
				for _, f := range d.Files {
					w.PutServeFile(ServeFile{f.Number, f.Size, str(f.Name)})
				}
				continue
			}
			w.PutOpenDriver(OpenDriver{str(d.Path), str(d.Library), d.API, flag(d.Portability), flag(d.HasSlash)})
		case plan.StepDrop:
			w.PutDropDriver(DropDriver{uint32(s.Driver)})
		case plan.StepPreLayers:
			for _, l := range a.PreLayers {
				w.PutPreLayer(PreLayer{str(l.Name), str(l.Library), str(l.Symbol)})
			}
		case plan.StepExtensions:
			for _, e := range a.Extensions {
				w.PutExt(Ext{str(e.Name), e.Spec})
			}
		}
	}
}

// writeLayers writes the layer list: of active layers everything, of the others what can be asked about them, which is
// their properties before there is an instance, and the device extensions of one that is named after.
func writeLayers(w *Writer, a *plan.Answer, instance bool) {
	active, unchained := make([]bool, len(a.Layers)), make([]bool, len(a.Layers))
	for _, one := range a.Active {
		active[one.Layer] = true
		unchained[one.Layer] = unchained[one.Layer] || one.Unchained
	}
	for i, l := range a.Layers {
		flags := flag(l.Implicit)*LayerImplicit | flag(l.Meta)*LayerMeta | flag(l.IsOverride())*LayerOverride
		if unchained[i] {
			flags |= LayerUnchained
		}
		record := Layer{Index: uint32(i), Name: str(l.Name), Flags: flags}
		if active[i] || !instance {
			record.SpecVersion, record.ImplVersion, record.Description = l.API, l.Implementation, str(l.Description)
		}
		if active[i] {
			record.Manifest, record.Library = str(l.Manifest), Str{l.Library, !l.Meta}
			record.FnNegotiate = symbol(l.Negotiate, "vkNegotiateLoaderLayerInterfaceVersion")
			record.FnGipa = symbol(l.GetInstance, "vkGetInstanceProcAddr")
			record.FnGdpa = symbol(l.GetDevice, "vkGetDeviceProcAddr")
			record.DisableEnv, record.EnableEnv = Str{l.DisableName, l.Implicit}, Str{l.EnableName, l.HasEnable}
			record.EnableValue = Str{l.EnableValue, l.HasEnable}
		}
		w.PutLayer(record)
		if instance {
			writeExtensions(w, uint32(i), l.Device)
		}
	}
}

func writeExtensions(w *Writer, layer uint32, list []manifest.Extension) {
	for _, e := range list {
		entrypoints := make([]Str, len(e.Entrypoints))
		for i, name := range e.Entrypoints {
			entrypoints[i] = str(name)
		}
		w.PutLayerExt(LayerExt{layer, str(e.Name), e.Spec, entrypoints})
	}
}
