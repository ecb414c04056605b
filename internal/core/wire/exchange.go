package wire

import (
	"vkloader/internal/core/facts"
	"vkloader/internal/core/manifest"
	"vkloader/internal/core/plan"
	"vkloader/internal/core/search"
)

// KindPanic is a question that the spine never asks. Deciding it panics, so that a test can verify G-9.
const KindPanic = 0xffffffff

// Call is one API call of the program. Each message has a question and the facts that the previous answer asked for.
// Facts of earlier messages stay known, so no file is read twice. A new call knows no facts.
type Call struct {
	question plan.Question
	memory   plan.Memory
	store    facts.Store
	out      Writer
	read     func(rec Record, s *facts.Store) bool // reads the records that only one platform has; nil if none
	ask      func(w *Writer, n facts.Need)         // writes the needs that only one platform has
}

// NewCall begins a call.
func NewCall(platform search.Platform) *Call {
	c := &Call{}
	c.question.Platform = platform
	c.question.Memory = &c.memory
	return c
}

// Add stores the facts of a message without deciding. It returns false if the message is malformed.
func (c *Call) Add(message string) bool { return c.readFacts(message) }

// Decide stores the facts of a message and returns the answer, which is valid until the next call of Decide. It returns
// false if the message is malformed.
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

// readFacts stores the question and the facts of a message. It returns false if the message is malformed.
func (c *Call) readFacts(message string) bool {
	q, m, s := &c.question, &c.memory, &c.store
	r, _ := Open(message) // if Open fails, the Reader is bad and has no records
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
			s.SetGraphics(facts.Graphics{Listed: v.Status == GraphicsListed, Devices: texts(v.Devices),
				Power: texts(v.Power)})
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
			if !drivers { // the drivers of a message replace earlier ones
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

// symbol returns the symbol to look up: the renamed one, or the usual one (LAY-68).
func symbol(renamed, usual string) Str {
	if renamed != "" {
		return S(renamed)
	}
	return S(usual)
}

func flag(b bool) uint32 {
	if b {
		return 1
	}
	return 0
}

// writeAnswer writes an answer: the facts that are missing, or the records of the decision.
func (c *Call) writeAnswer(a *plan.Answer) {
	w, instance := &c.out, c.question.Kind == plan.Instance
	if len(a.Needs) > 0 {
		w.PutAnswer(Answer{Status: AnswerMissing})
		for _, n := range a.Needs {
			switch n.Kind {
			case facts.KindVar:
				w.PutNeedVar(NeedVar{S(n.Name), flag(n.Secure)})
			case facts.KindDirectory:
				w.PutNeedDirectory(NeedDirectory{S(n.Name)})
			case facts.KindFile:
				w.PutNeedFile(NeedFile{S(n.Name)})
			case facts.KindGraphics:
				w.PutNeedGraphics(NeedGraphics{})
			case facts.KindService:
				w.PutNeedService(NeedService{})
			case facts.KindExe:
				w.PutNeedExe(NeedExe{})
			case facts.KindExists:
				w.PutNeedExists(NeedExists{S(n.Name)})
			case facts.KindForeign:
				w.PutNeedForeign(NeedForeign{S(n.Name)})
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
			w.PutLog(Log{s.Flags, S(s.Text)})
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
			w.PutLogFile(LogFile{s.Flags, S(s.Text)})
		case plan.StepDevices:
			w.PutDeviceConfigs(DeviceConfigs{uint32(len(a.Settings.Devices))})
			for i := range a.Settings.Devices {
				d := &a.Settings.Devices[i]
				w.PutDeviceConfig(DeviceConfig{S(string(d.DeviceUUID[:])), S(string(d.DriverUUID[:])), d.DriverVersion,
					Str{d.DeviceName, d.HasDeviceName}, Str{d.DriverName, d.HasDriverName}})
			}
		case plan.StepDirect:
			w.PutDirect(Direct{flag(a.DirectExclusive)})
		case plan.StepDriver:
			d := a.Drivers[s.Driver]
			if len(d.Files) > 0 {
				w.PutServeDriver(ServeDriver{S(d.Path), S(d.Library), d.API, uint32(len(d.Files))})
				for _, f := range d.Files {
					w.PutServeFile(ServeFile{f.Number, f.Size, S(f.Name)})
				}
				continue
			}
			w.PutOpenDriver(OpenDriver{S(d.Path), S(d.Library), d.API, flag(d.Portability), flag(d.HasSlash)})
		case plan.StepDrop:
			w.PutDropDriver(DropDriver{uint32(s.Driver)})
		case plan.StepPreLayers:
			for _, l := range a.PreLayers {
				w.PutPreLayer(PreLayer{S(l.Name), S(l.Library), S(l.Symbol)})
			}
		case plan.StepExtensions:
			for _, e := range a.Extensions {
				w.PutExt(Ext{S(e.Name), e.Spec})
			}
		}
	}
}

// writeLayers writes the layer list. Active layers have every field. Other layers have only the fields that the program
// can query: the properties if there is no instance yet, otherwise the device extensions.
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
		record := Layer{Index: uint32(i), Name: S(l.Name), Flags: flags}
		if active[i] || !instance {
			record.SpecVersion, record.ImplVersion, record.Description = l.API, l.Implementation, S(l.Description)
		}
		if active[i] {
			record.Manifest, record.Library = S(l.Manifest), Str{l.Library, !l.Meta}
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
			entrypoints[i] = S(name)
		}
		w.PutLayerExt(LayerExt{layer, S(e.Name), e.Spec, entrypoints})
	}
}
