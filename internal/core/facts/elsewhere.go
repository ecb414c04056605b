package facts

// Bundle is what the program's bundle says, of systems whose programs come in bundles.
type Bundle struct {
	Resources string // its resource directory, "" when there is no bundle, or no such directory
	Name      string // by which the system knows it
	Release   bool   // it is not made for debugging
}

// SetBundle adds what the program's bundle says.
func (s *Store) SetBundle(b Bundle) { s.bundle, s.hasBundle = b, true }

// Bundle asks for the program's bundle.
func (s *Store) Bundle() Bundle {
	if !s.hasBundle && s.appAsked != s.round+1 {
		s.appAsked = s.round + 1
		s.needs = append(s.needs, Need{Kind: KindBundle})
	}
	return s.bundle
}

// Elsewhere gives the facts that other systems have and Linux has not.
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
