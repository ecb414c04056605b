package bundle

// Part is one file of a bundle.
type Part struct {
	Name string // below the bundle's directory, with slashes
	What string // it is, in a line
	Text string

	Failed string // why it could not be made; "": it could
}

// Sent is a part on its way between processes. Texts are bytes, so that nothing of them changes.
type Sent struct{ Name, What, Text, Failed []byte }

// Send are parts on their way.
func Send(parts []Part) []Sent {
	list := []Sent{}
	for _, p := range parts {
		list = append(list, Sent{[]byte(p.Name), []byte(p.What), []byte(p.Text), []byte(p.Failed)})
	}
	return list
}

// Received are parts that have come.
func Received(list []Sent) (parts []Part) {
	for _, p := range list {
		parts = append(parts, Part{string(p.Name), string(p.What), string(p.Text), string(p.Failed)})
	}
	return parts
}
