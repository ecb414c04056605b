package facts

// Bundle describes the program's bundle, on systems with bundles.
type Bundle struct {
	Resources string // its resource directory; "": no bundle, or no such directory
}

// SetBundle adds the program's bundle.
func (s *Store) SetBundle(b Bundle) { s.bundle.set(b) }

// Bundle returns the program's bundle.
func (s *Store) Bundle() Bundle {
	b, _ := ask(s, &s.bundle, Need{Kind: KindBundle})
	return b
}

// Elsewhere provides the facts that Linux lacks.
type Elsewhere interface {
	Registry(h Hive, key string) Key
	Adapters(name string) Adapters
	Devices(name string) Devices
	Packages(family string) []string
	DXGI() DXGI
	Process() Process
	Bundle() Bundle
}

func (s *Store) fetchElsewhere(n Need, from Elsewhere) {
	switch n.Kind {
	case KindRegistry:
		s.SetRegistry(n.Hive, n.Name, from.Registry(n.Hive, n.Name))
	case KindAdapters:
		s.SetAdapters(n.Name, from.Adapters(n.Name))
	case KindDevices:
		s.SetDevices(n.Name, from.Devices(n.Name))
	case KindPackages:
		s.SetPackages(n.Name, from.Packages(n.Name))
	case KindDXGI:
		s.SetDXGI(from.DXGI())
	case KindProcess:
		s.SetProcess(from.Process())
	case KindBundle:
		s.SetBundle(from.Bundle())
	}
}
