package survey

import "vkloader/internal/tool/mesa"

// fact is why programs do not see a device, as values; say makes the sentence, here and nowhere else.
type fact interface{ say() string }

type (
	// hiddenByMesa is that Mesa's layer hides it, by the wishes of these variables.
	hiddenByMesa []mesa.Wish

	// hiddenBy are the variables that filter devices, as NAME=VALUE.
	hiddenBy string

	// notConfigured is the settings file whose device configurations do not name it.
	notConfigured string

	// leftOutBy is what leaves its driver out: variables, as NAME=VALUE, or the settings file.
	leftOutBy string
)

func (h hiddenByMesa) say() string {
	text := "hidden by " + mesa.Layer
	for _, w := range h {
		text += " " + w.Name + "=" + w.Value
	}
	return text
}

func (h hiddenBy) say() string { return "hidden by " + string(h) }

func (n notConfigured) say() string { return "hidden by the device configurations of " + string(n) }

func (l leftOutBy) say() string { return "its driver is left out by " + string(l) }
